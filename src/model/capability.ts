import type { JsonObject } from './json.js'
import { formatToolId, parseToolId, type ToolId } from './tool.js'

/**
 * A procedure that has worked: agent-written code with its literals lifted into parameters. It is called like a tool, so its id is one,
 * of the server `cap`, which is nobody's.
 */
export interface Capability {
  /** `cap:<slug>-<hash6>`: the slug of the name that it was born with, the hash of its structure. It never changes. */
  readonly id: CapabilityId
  /** How code calls it: `capabilities.<name>(args)`. An identifier, one of its kind; may be changed. */
  readonly name: string
  /** One line. */
  readonly description: string
  /** What it was run for, redacted, newest first; some. */
  readonly intents: readonly string[]
  /** The body of an async function, as TypeScript; what was lifted is read from `args`. */
  readonly code: string
  /** Two programs that differ in names and literals alone have the same. */
  readonly structure: string
  readonly inputSchema: JsonObject
  /** Inferred from what it gave. */
  readonly outputSchema?: JsonObject
  /** Tools that it calls itself, in the order in which they stand in the code. */
  readonly tools: readonly ToolId[]
  /** Capabilities that it calls itself. */
  readonly calls: readonly CapabilityId[]
  readonly origin: 'learned' | 'manual' | 'imported'
  readonly uses: number
  readonly successes: number
  /** Of the successes. */
  readonly meanMs: number
  /** The newest, oldest first: what the benefit is judged by. */
  readonly recent: readonly CapabilityUse[]
  readonly createdAt: number
  readonly lastUsedAt: number
}

export type CapabilityId = ToolId & { readonly __capability?: never }

export interface CapabilityUse {
  readonly at: number
  readonly success: boolean
  readonly ms: number
  /** What its calls would have taken one by one: the sum of what they took, and what passed before the first. */
  readonly callsMs: number
}

/** What came of one use, and what it shows of the capability. */
export interface NotedUse extends CapabilityUse {
  /** What it was run for, redacted. */
  readonly intent?: string
  readonly outputSchema?: JsonObject
}

/** How two capabilities go together; `from` needs, holds, comes before or stands in for `to`. */
export interface CapabilityDependency {
  readonly from: CapabilityId
  readonly to: CapabilityId
  readonly type: 'dependency' | 'contains' | 'sequence' | 'alternative'
  readonly count: number
  readonly successes: number
  readonly lastSeen: number
  /** Said by a person, not learned: kept whatever is learned. */
  readonly isManual: boolean
}

/** The server that capabilities are tools of, as far as names go. */
export const capabilityServer = 'cap'

/** What `execute_code` runs is, as a task, a call of this. */
export const codeTool = formatToolId('pml', 'execute_code')

export function capabilityId(slug: string, structure: string): CapabilityId {
  return formatToolId(capabilityServer, `${slug}-${structure.slice(0, 6)}`)
}

export function isCapabilityId(id: string): id is CapabilityId {
  return parseToolId(id)?.server === capabilityServer
}

/** Whether a call of this runs a program of ours instead of a server's tool. */
export function isProgramTool(id: ToolId): boolean {
  return id === codeTool || isCapabilityId(id)
}
