import type { ServerConfig } from './server.js'
import type { SpeculationConfig } from './speculation.js'

export type OutputValidation = 'off' | 'warn' | 'strict'

export type ExposureMode = 'auto' | 'meta' | 'proxy' | 'hybrid'

export interface MissingVariable {
  readonly name: string
  /** The server it is for; absent where it is for something else. */
  readonly server?: string
}

/** Where vectors are made by another program that speaks as OpenAI does: Ollama, LM Studio, vLLM, a provider. */
export interface EndpointConfig {
  readonly name: string
  /** Up to and without `/embeddings`. */
  readonly url: string
  readonly model: string
  readonly apiKey?: string
  /** The variable that the key comes from, so that an error can name it. */
  readonly apiKeyVariable?: string
  readonly headers: Readonly<Record<string, string>>
  /** What the model wants to see before a question, and before a text that may answer one. */
  readonly queryPrefix: string
  readonly toolPrefix: string
}

/** What the user says of a tool: it runs unasked, a person is asked each time, or it is never called. */
export type ToolRule = 'allow' | 'ask' | 'block'

export interface ApprovalsConfig {
  /** Who may approve dangerous calls: a person alone, or the agent that wants them, too. */
  readonly by: 'human' | 'agent'
  /** Who asks about tools that clients call by themselves: the gateway, or the client's own prompt alone. */
  readonly direct: 'gateway' | 'client'
  /** What nobody has answered by then is rejected. */
  readonly expireAfterMs: number
  /** By `server:tool`, `server:*` or `*`; the most specific one counts. */
  readonly tools: Readonly<Record<string, ToolRule>>
}

/** The whole configuration, read once at the edge, every default filled in. */
export interface PmlConfig {
  /** Where it came from: a file's path, or `demo`. */
  readonly source: string
  readonly servers: readonly ServerConfig[]
  readonly exposure: ExposureMode
  /** `none` drops the `server__` prefix; allowed with a single server only. */
  readonly prefix: 'server' | 'none'
  /** The model's window in tokens; `auto` passes a catalogue through while it takes at most 5 % of it. */
  readonly contextWindow: number
  /** A tool result above this is cut with a preview and a handle. */
  readonly maxResultTokens: number
  readonly hybrid: { readonly pinned: readonly string[]; readonly tokenBudget: number }
  /** `execute_workflow` answers `running` after this long, so that no client times out. */
  readonly replyWithinMs: number
  /** How long the very first tools/list waits for servers that have never been seen. */
  readonly firstListWaitMs: number
  readonly validateArguments: boolean
  /** What happens to structured content that does not fit the tool's output schema. */
  readonly validateOutput: OutputValidation
  readonly http: { readonly host: string; readonly port: number; readonly token?: string }
  readonly search: {
    /** `static`, `none`, the name of a model that can be downloaded, or of an endpoint. */
    readonly embedder: string
    readonly endpoints: readonly EndpointConfig[]
  }
  /** `askModel`: what a plan lacks may be asked of the client's own model, where the client offers it. */
  readonly plan: { readonly askModel: boolean }
  /** `keepLessons`: how many runs and single calls are kept as traces; older ones live on in what they taught. */
  readonly learning: { readonly keepLessons: number }
  readonly approvals: ApprovalsConfig
  readonly speculation: SpeculationConfig
  readonly code: CodeConfig
  readonly limits: {
    /** A line or body above this is refused. */
    readonly maxMessageBytes: number
    readonly concurrentColdStarts: number
    readonly concurrentCalls: number
    readonly concurrentCallsPerServer: number
  }
  /** Variables that it refers to and that are not set here, with the server they are for; a client may know them. */
  readonly missingVariables: readonly MissingVariable[]
  /** Values that must never appear in logs, errors, the store or the page. */
  readonly secrets: readonly string[]
}

/** Programs that agents write. */
export interface CodeConfig {
  readonly enabled: boolean
  readonly wallMs: number
  readonly heapMb: number
  readonly memoryMb: number
  readonly maxCalls: number
  /** Programs that worked are kept as capabilities. */
  readonly learn: boolean
}
