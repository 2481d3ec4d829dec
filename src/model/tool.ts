import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from './json.js'

declare const toolIdBrand: unique symbol

/** `server:tool`, the only form of a tool's name in the store, in events and in the graph. */
export type ToolId = string & { readonly [toolIdBrand]: true }

export function formatToolId(server: string, tool: string): ToolId {
  return `${server}:${tool}` as ToolId
}

/** A server's name holds no colon, so the first one ends it; the tool's own name may hold any character. */
export function parseToolId(text: string): { readonly server: string; readonly tool: string } | undefined {
  const colon = text.indexOf(':')
  if (colon <= 0 || colon === text.length - 1) return undefined
  return { server: text.slice(0, colon), tool: text.slice(colon + 1) }
}

/** What a server says of a tool, kept as it was sent: fields we do not know pass through. */
export interface ToolDefinition {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: ToolAnnotations
  readonly [field: string]: unknown
}

export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/**
 * A tool as the gateway knows it. `definition` is the approved one. When the server later sends another, the tool is
 * quarantined: it keeps the approved definition, holds the new one in `changed`, and is not called until a person accepts.
 */
export interface Tool {
  readonly id: ToolId
  readonly server: string
  readonly name: string
  readonly definition: ToolDefinition
  readonly hash: string
  /** o200k tokens of name, description and inputSchema; absent until counted. */
  readonly tokens?: number
  /** False when the server no longer lists it; its pin is remembered all the same. */
  readonly listed: boolean
  readonly changed?: { readonly definition: ToolDefinition; readonly hash: string; readonly seenAt: number }
  /** What looked suspicious in the definition: hidden Unicode, ANSI, instruction-like text, a shadowed name. */
  readonly flags: readonly string[]
}

/** A change as a person saw it: should the server send yet another one meanwhile, this accepts nothing. */
export interface SeenChange {
  readonly id: ToolId
  readonly hash: string
}

/** Everything an agent could be misled by: a change in any of these changes the hash. */
export function hashDefinition(definition: ToolDefinition): string {
  const { description, inputSchema, outputSchema, annotations, title } = definition
  return createHash('sha256')
    .update(canonicalJson({ description, inputSchema, outputSchema, annotations, title }))
    .digest('hex')
}

export function isCallable(tool: Tool): boolean {
  return tool.listed && tool.changed === undefined
}

/** What a client's model reads of a tool, and so what counts against its context. */
export function definitionText(definition: ToolDefinition): string {
  return JSON.stringify({
    name: definition.name,
    description: definition.description,
    inputSchema: definition.inputSchema,
  })
}
