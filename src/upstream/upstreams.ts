import type { Log } from '../model/log.js'
import type { Redact } from '../model/redact.js'
import type { KnownEra, ServerConfig, ServerState } from '../model/server.js'
import type { SeenChange, Tool, ToolId } from '../model/tool.js'
import type { CallTool } from '../model/tool-call.js'

export interface UpstreamsOptions {
  readonly servers: readonly ServerConfig[]
  /** The catalogue of an earlier run: it serves until the servers are up. */
  readonly known: readonly Tool[]
  readonly eras: Readonly<Record<string, KnownEra>>
  /** Servers that an earlier run has tried to reach, with or without success. */
  readonly tried: readonly string[]
  readonly limits: {
    readonly maxMessageBytes: number
    readonly concurrentColdStarts: number
    readonly concurrentCalls: number
    readonly concurrentCallsPerServer: number
  }
  readonly validateArguments: boolean
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly log: Log
  readonly redact: Redact
}

export interface SettledOptions {
  readonly timeoutMs: number
  /** Waits for servers alone that no earlier run has tried to reach. */
  readonly onlyUnknown?: boolean
  /** Waits for this one alone. */
  readonly server?: string
}

/** The servers behind us, as one catalogue and one function that calls. */
export interface Upstreams {
  /** Begins connecting in the background; nothing is spawned before. */
  start(): void
  /** Sorted by name. */
  servers(): readonly ServerState[]
  /** All known tools of configured servers, sorted by id, quarantined and unlisted ones included. */
  tools(): readonly Tool[]
  tool(id: ToolId): Tool | undefined
  eras(): Readonly<Record<string, KnownEra>>
  /** Servers tried so far, in this run or an earlier one. */
  tried(): readonly string[]
  /** Tools or states changed; told once per tick. Returns the function that ends it. */
  onChange(listener: () => void): () => void
  /** The store's pins, when it opens: a stored approval wins over a first sight. */
  adoptPins(stored: readonly Tool[]): void
  /** Accepts the changed definitions; returns the tools accepted. */
  trust(seen: readonly SeenChange[]): readonly Tool[]
  setTokens(counts: ReadonlyMap<string, number>): void
  /** Resolves when no server is on its first attempt any more, or time is up. */
  settled(options: SettledOptions): Promise<void>
  /** Throws PmlErrors only. */
  readonly callTool: CallTool
  /** Closes that session's connections to stateful servers. */
  endSession(session: string): void
  /** Starts what is new, ends what is gone, restarts what changed; the others are untouched. */
  reconfigure(servers: readonly ServerConfig[]): Promise<void>
  /** Every child's whole process group is gone when it resolves, within some 1.5 s. */
  close(): Promise<void>
}
