import type { Authorize } from '../auth/sign-in.js'
import type { ClientSide, Notice } from '../model/client-side.js'
import type { OutputValidation } from '../model/config.js'
import type { Log } from '../model/log.js'
import type { ServerOffers } from '../model/offers.js'
import type { Redact } from '../model/redact.js'
import type { KnownEra, ServerConfig, ServerState } from '../model/server.js'
import type { SeenChange, Tool, ToolId } from '../model/tool.js'
import type { CallTool, SendRequest } from '../model/tool-call.js'

/** The clients in front of us, as far as a server may reach them outside their requests. */
export interface Clients {
  /** Undefined when the session is over, or its client takes nothing outside its requests. */
  of(session: string): ClientSide | undefined
  tellAll(notice: Notice): void
  resourceUpdated(server: string, uri: string): void
}

export interface UpstreamsOptions {
  readonly servers: readonly ServerConfig[]
  /** The catalogue of an earlier run: it serves until the servers are up. */
  readonly known: readonly Tool[]
  readonly eras: Readonly<Record<string, KnownEra>>
  readonly offers: Readonly<Record<string, ServerOffers>>
  readonly clients: Clients
  /** Servers that an earlier run has tried to reach, with or without success. */
  readonly tried: readonly string[]
  readonly limits: {
    readonly maxMessageBytes: number
    readonly concurrentColdStarts: number
    readonly concurrentCalls: number
    readonly concurrentCallsPerServer: number
  }
  readonly validateArguments: boolean
  readonly validateOutput: OutputValidation
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly log: Log
  readonly redact: Redact
  /** Without it nobody is signed in anywhere: servers get the headers configured for them, and no more. */
  readonly auth?: UpstreamAuth
}

export interface UpstreamAuth {
  /** Sign-ins are kept beneath it. */
  readonly dataDirectory: string
  /** Values that must not be seen from now on. */
  onSecrets(server: string, secrets: readonly string[]): void
  /** Signs in without a person, for programs that can: given the address, gives the one it led to. */
  readonly authorize?: Authorize
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
  /** Resources, templates and prompts of each enabled server; those of an earlier run until it is up. */
  offers(): Readonly<Record<string, ServerOffers>>
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
  /** The same for other requests; the answer is the server's, `input_required` only to a client that takes it. */
  readonly sendRequest: SendRequest
  /** Tells of changes of a resource until the function it resolves with is called. */
  watch(server: string, uri: string): Promise<() => void>
  /** The least severe log messages that any client wants. */
  setLogLevel(level: string): void
  /** The roots of this session's client have changed. */
  rootsChanged(session: string): void
  /** Closes that session's connections to stateful servers. */
  endSession(session: string): void
  /** Starts what is new, ends what is gone, restarts what changed; the others are untouched. */
  reconfigure(servers: readonly ServerConfig[]): Promise<void>
  /** Every child's whole process group is gone when it resolves, within some 1.5 s. */
  close(): Promise<void>
}
