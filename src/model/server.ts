import type { JsonObject } from './json.js'
import type { Launcher } from './launcher.js'

/** How a configured server is reached. Values are final: `${ENV}` references were resolved when the config was read. */
export type ServerConfig = StdioServerConfig | HttpServerConfig

interface CommonServerConfig {
  readonly name: string
  readonly disabled: boolean
  /** One connection per client session instead of one shared by all. */
  readonly stateful: boolean
  /** False: the server's annotations may raise a tool's risk, never lower it. */
  readonly trusted: boolean
  /** Limit of one tool call. */
  readonly timeoutMs: number
  /** Limit of a whole connect, process start included: cold `npx` installs are slow. */
  readonly connectTimeoutMs: number
}

export interface StdioServerConfig extends CommonServerConfig {
  readonly transport: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface HttpServerConfig extends CommonServerConfig {
  /** `http` is Streamable HTTP and falls back to legacy SSE; `sse` asks for legacy SSE at once. */
  readonly transport: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Absent: signed in to where the server asks for it. `none`: never. */
  readonly auth?: ServerAuth | 'none'
}

/** What a person knows about signing in to a server; everything else is found out. */
export interface ServerAuth {
  /** The client as it was registered by hand; without it, it registers itself. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** PEM (PKCS 8): the client proves itself with it instead of a secret. */
  readonly privateKey?: string
  /** Where the client's own description is published (https), for servers that read it instead of registering. */
  readonly clientMetadataUrl?: string
  /** The only authorization server that is asked, whatever the server names. */
  readonly issuer?: string
  readonly scopes?: readonly string[]
  /** Of the loopback address that the browser comes back to; any free one when absent. */
  readonly redirectPort?: number
  /** `client_credentials`: machine to machine, nobody signs in. */
  readonly grant?: 'authorization_code' | 'client_credentials'
}

/** Every trouble with a server is one of these, decided once, in upstream/classify-trouble.ts. */
export type TroubleKind = 'auth' | 'offline' | 'timeout' | 'exit' | 'protocol'

export interface Trouble {
  readonly kind: TroubleKind
  readonly message: string
  /** What to do about it. */
  readonly hint: string
  /** All that is known, where that is more than a person wants to read: the end of standard error. */
  readonly detail?: string
  readonly at: number
}

export type ServerStatus = 'waiting' | 'connecting' | 'ready' | 'down' | 'disabled'

export interface ServerState {
  readonly name: string
  readonly transport: ServerConfig['transport']
  readonly status: ServerStatus
  readonly toolCount: number
  /** True while the tools shown are those of an earlier run. */
  readonly fromSnapshot: boolean
  readonly trouble?: Trouble
  readonly retryAt?: number
  /** Set while it waits for its turn to start, or starts. */
  readonly start?: ServerStart
  readonly protocolVersion?: string
  readonly serverInfo?: { readonly name: string; readonly version: string }
  readonly pids: readonly number[]
}

export interface ServerStart {
  readonly since: number
  /** While it waits: how many start before it. */
  readonly ahead?: number
  /** Set when it is started by a program that may have to download it first. */
  readonly launcher?: Launcher
}

/** What the last connect learned about the protocol revision, so that the next one need not probe. */
export type KnownEra =
  | { readonly kind: 'legacy' }
  | { readonly kind: 'modern'; readonly discover: JsonObject }

/** A header of its own lets us in: then nobody signs in. */
export function hasAuthorizationHeader({ headers }: HttpServerConfig): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
