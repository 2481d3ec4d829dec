/**
 * Every setting, its default and its meaning, in one place: what `loadConfig` accepts and what
 * schema/pml.config.schema.json publishes (written by scripts/write-config-schema.js).
 */
import { z } from 'zod'
import type { SpeculationMode } from '../model/speculation.js'

const text = z.string()
const count = z.int().min(1)
/** Timers in Node hold 31 bits; a longer one would fire at once. */
const milliseconds = z.int().min(1).max(2_147_483_647)
const transport = z.enum(['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp'])

const auth = z
  .strictObject({
    clientId: text.min(1).describe('The client, where it was registered by hand.').optional(),
    clientSecret: text.min(1).describe('Its secret; best a reference to an environment variable.').optional(),
    CLIENT_ID: text.min(1).describe('The same as clientId, as Cursor writes it.').optional(),
    CLIENT_SECRET: text.min(1).describe('The same as clientSecret, as Cursor writes it.').optional(),
    privateKey: text
      .min(1)
      .describe('Its private key (PEM, PKCS 8) instead of a secret; best a reference.')
      .optional(),
    clientMetadataUrl: z
      .url({ protocol: /^https$/ })
      .describe("Where the client's metadata document is published, for servers that read it.")
      .optional(),
    issuer: z
      .url({ protocol: /^https?$/ })
      .describe('The only authorization server that is asked, whatever the server names.')
      .optional(),
    scopes: z.array(text.min(1)).describe('Scopes to ask for beside those the server names.').optional(),
    redirectPort: z
      .int()
      .min(1)
      .max(65_535)
      .describe('Port of the loopback address that the browser comes back to. Default: any free one.')
      .optional(),
    grant: z
      .enum(['authorization_code', 'client_credentials'])
      .describe('client_credentials: machine to machine, nobody signs in. Default authorization_code.')
      .optional(),
  })
  .describe('How to sign in; pml auth does it.')

/** One server, as we and as the common clients write it. Keys we do not know are left to the caller to judge. */
export const serverSchema = z.looseObject({
  command: text.describe('The program to start; ./ and ../ are relative to this file.').optional(),
  args: z.array(text).describe('Its arguments.').optional(),
  env: z
    .record(text, text)
    .describe('Its environment; nothing else of ours is passed on but PATH and the like.')
    .optional(),
  cwd: text.describe('Its working directory, relative to this file.').optional(),
  url: text.describe('The address of a server reached over HTTP.').optional(),
  serverUrl: text.describe('The same as url, as Windsurf writes it.').optional(),
  httpUrl: text.describe('The same as url, as Gemini CLI writes it.').optional(),
  headers: z.record(text, text).describe('HTTP headers sent with every request.').optional(),
  auth: z
    .union([z.literal('none'), auth])
    .describe('OAuth for a server reached over HTTP; none: never. Tried when the server asks for it.')
    .optional(),
  type: transport.describe('How it is reached; told from command and url when absent.').optional(),
  transport: transport.describe('The same as type.').optional(),
  disabled: z.boolean().describe('True: known, but never started.').optional(),
  enabled: z.boolean().describe('False is the same as disabled: true.').optional(),
  stateful: z.boolean().describe('One connection per client session instead of one for all.').optional(),
  trust: z
    .boolean()
    .describe('False: its annotations may raise the risk of a tool, never lower it.')
    .optional(),
  timeoutMs: milliseconds.describe('Limit of one tool call. Default 60000.').optional(),
  connectTimeoutMs: milliseconds
    .describe(
      'Limit of a whole connect, process start included. Default 60000; 180000 where npx, uvx, docker run and the like may have to download.',
    )
    .optional(),
  timeout: z
    .number()
    .positive()
    .describe('Limit of one tool call as clients write it: up to 3600 it is seconds, above milliseconds.')
    .optional(),
})

const endpoint = z.strictObject({
  url: text.describe('Its address up to /embeddings, as in http://127.0.0.1:11434/v1 for Ollama.'),
  model: text.describe('The model, as the endpoint names it.'),
  apiKey: text.describe('Bearer token; best a reference to an environment variable.').optional(),
  headers: z.record(text, text).default({}).describe('HTTP headers sent with every request.'),
  queryPrefix: text
    .default('')
    .describe('Put before every question, where the model asks for it, as in "query: ".'),
  toolPrefix: text
    .default('')
    .describe('Put before the text of every tool, where the model asks for it, as in "passage: ".'),
})

const answerer = z.enum(['human', 'agent'])

export const approvalsSchema = z.strictObject({
  by: answerer
    .default('human')
    .describe('Who may approve a dangerous call. agent: also the agent that wants to make it.'),
  direct: z
    .enum(['gateway', 'client'])
    .default('gateway')
    .describe(
      "Dangerous tools that a client calls by themselves. gateway: asked about as in workflows; client: the client's own prompt is enough.",
    ),
  expireAfterMs: milliseconds
    .default(24 * 60 * 60_000)
    .describe('What nobody has answered by then is rejected.'),
  tools: z
    .record(text, z.enum(['allow', 'ask', 'block']))
    .default({})
    .describe(
      'By server:tool, server:* or *: allow runs it unasked, also where it is dangerous; ask asks a person each time; block never calls it. The most specific entry counts.',
    ),
})

/** A reader of YAML 1.1 takes a bare `on` or `off` for true or false. */
const speculationMode = z.literal(['off', 'shadow', 'on', true, false]).transform(toSpeculationMode)
const dollars = z.number().min(0)
const perHour = z.int().min(0)

export const speculationSchema = z.strictObject({
  mode: speculationMode
    .prefault('on')
    .describe('on runs likely calls ahead; shadow only predicts and keeps the score; off does neither.'),
  preset: z
    .enum(['careful', 'eager'])
    .default('careful')
    .describe('How sure a call has to be: careful keeps 85 of 100 that are run ahead useful, eager 50.'),
  tools: z
    .record(text, speculationMode)
    .prefault({})
    .describe(
      'By server:tool, server:* or *: off, shadow or on. The most specific entry counts. It may lower the mode, never raise it.',
    ),
  costPerCall: z
    .record(text, dollars)
    .default({})
    .describe('What a call costs, in dollars, by the same names. Default 0.'),
  maxCost: dollars.default(0.1).describe('A call that costs more dollars than this is not run ahead.'),
  wastePerHour: perHour
    .default(120)
    .describe('So many calls an hour may be run ahead and not used; beyond it nothing is run ahead.'),
  wastePerServerPerHour: perHour.default(60).describe('The same for the calls to one server.'),
})

function toSpeculationMode(written: SpeculationMode | boolean): SpeculationMode {
  return typeof written === 'boolean' ? (written ? 'on' : 'off') : written
}

const servers = z.record(text, serverSchema.meta({ id: 'server' }))

export const configSchema = z.strictObject({
  $schema: text.optional(),
  servers: servers.describe('The MCP servers behind the gateway, by name.').optional(),
  mcpServers: servers.describe('The same as servers, as most clients write it.').optional(),
  inputs: z.unknown().describe('VS Code: read and left alone.').optional(),
  exposure: z
    .enum(['auto', 'meta', 'proxy', 'hybrid'])
    .default('auto')
    .describe(
      'What clients see: the meta-tools, all tools, or both; auto decides by the size of the catalogue.',
    ),
  prefix: z
    .enum(['server', 'none'])
    .default('server')
    .describe('none drops the server__ prefix of tool names; for a single server only.'),
  contextWindow: count
    .default(200_000)
    .describe(
      "The model's window in tokens; auto passes a catalogue through while it takes at most 5 % of it.",
    ),
  maxResultTokens: count
    .default(20_000)
    .describe('A tool result above this is cut with a preview and a handle.'),
  hybrid: z
    .strictObject({
      pinned: z.array(text).default([]).describe('Tools that are always listed, as server:tool.'),
      tokenBudget: z.int().min(0).default(4000).describe('Tokens for the most used tools beside them.'),
    })
    .prefault({})
    .describe('What exposure: hybrid lists beside the meta-tools.'),
  replyWithinMs: milliseconds
    .default(45_000)
    .describe('A workflow that takes longer answers "running", so that no client times out.'),
  firstListWaitMs: z
    .int()
    .min(0)
    .max(600_000)
    .default(5000)
    .describe('How long the first tools/list waits for servers that have never been seen.'),
  validateArguments: z
    .boolean()
    .default(true)
    .describe('Check arguments against the schema of the tool before the call.'),
  validateOutput: z
    .enum(['off', 'warn', 'strict'])
    .default('warn')
    .describe(
      'Structured results that do not fit the output schema: passed on, passed on and logged, or refused.',
    ),
  http: z
    .strictObject({
      host: text.min(1).default('127.0.0.1').describe('Beyond loopback a token is needed.'),
      port: z.int().min(0).max(65_535).default(3939).describe('0 takes any free port.'),
      token: text
        .min(1)
        .optional()
        .describe('Bearer token that clients must send; best a reference to an environment variable.'),
    })
    .prefault({})
    .describe('Where pml up listens.'),
  search: z
    .strictObject({
      embedder: text
        .min(1)
        .default('static')
        .describe(
          'What finds tools by meaning: static (built in), none (words alone), bge-m3 (downloaded by pml model use bge-m3), or the name of an endpoint.',
        ),
      endpoints: z
        .record(text, endpoint)
        .default({})
        .describe('Programs that make vectors and speak as OpenAI does (Ollama, LM Studio, vLLM), by name.'),
    })
    .prefault({})
    .describe('How tools are found by what they mean.'),
  plan: z
    .strictObject({
      askModel: z
        .boolean()
        .default(false)
        .describe(
          "True: arguments that a plan lacks may be asked of the client's own model, where the client offers it (sampling).",
        ),
    })
    .prefault({})
    .describe('How an intent becomes a plan.'),
  learning: z
    .strictObject({
      keepLessons: z
        .int()
        .min(100)
        .max(1_000_000)
        .default(20_000)
        .describe(
          'How many runs and single calls are kept as traces, with their arguments and results. Of older ones only what they taught stays.',
        ),
    })
    .prefault({})
    .describe('What is kept of what was done.'),
  approvals: z
    .union([answerer, approvalsSchema])
    .prefault({})
    .describe('When a person is asked before a tool is called. A bare human or agent means by.'),
  speculation: z
    .union([speculationMode, speculationSchema])
    .prefault({})
    .describe(
      'Likely calls of tools that only read are run before they are asked for. A bare off, shadow or on means mode.',
    ),
  code: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Whether execute_code and capabilities run code at all.'),
      wallMs: milliseconds
        .default(30_000)
        .describe('A program is ended after this time; waiting for a person does not count.'),
      heapMb: z.int().min(16).max(4_096).default(256).describe('JavaScript heap of a program.'),
      memoryMb: z
        .int()
        .min(64)
        .max(16_384)
        .default(512)
        .describe('All memory of a program, buffers and WebAssembly included.'),
      maxCalls: count.default(1_000).describe('Calls that one program may make.'),
      learn: z.boolean().default(true).describe('Programs that worked are kept as capabilities.'),
    })
    .prefault({})
    .describe('Programs that agents write, run in a sandbox.'),
  limits: z
    .strictObject({
      maxMessageBytes: z
        .int()
        .min(1024)
        .default(16 * 1024 * 1024)
        .describe('A line or body above this is refused.'),
      concurrentColdStarts: count
        .optional()
        .describe('Servers started at the same time. Default: the number of cores, at least 2.'),
      concurrentCalls: count.default(256).describe('Tool calls at the same time.'),
      concurrentCallsPerServer: count.default(64).describe('Tool calls at the same time to one server.'),
    })
    .prefault({})
    .describe('What may happen at the same time, and how large it may be.'),
})

export type ConfigFile = z.output<typeof configSchema>
export type ServerEntry = z.output<typeof serverSchema>
export type EndpointEntry = z.output<typeof endpoint>

export const topLevelKeys: readonly string[] = Object.keys(configSchema.shape)
export const serverKeys: readonly string[] = Object.keys(serverSchema.shape)

/** The keys that a mapping of the file may have; none where it may have any, or where the path leads nowhere. */
export function knownKeys(path: readonly (string | number)[]): readonly string[] {
  let schema: unknown = configSchema
  for (const step of path) schema = below(schema, String(step))
  return Object.keys(shapeOf(schema) ?? {})
}

function below(schema: unknown, key: string): unknown {
  const shape = shapeOf(schema)
  if (shape !== undefined) return shape[key]
  const inner = unwrapped(schema)
  return inner instanceof z.ZodRecord ? inner.valueType : undefined
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodUnion) return inner.options.map(shapeOf).find((shape) => shape !== undefined)
  return inner instanceof z.ZodObject ? inner.shape : undefined
}

/** Beneath `optional`, `default` and the like. */
function unwrapped(schema: unknown): unknown {
  let inner = schema
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
    inner = inner.unwrap()
  }
  return inner
}

/** The published JSON Schema (2020-12): what a person may write, defaults optional. */
export function configJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(configSchema, { io: 'input' })
  return { $schema, $id: 'pml.config.schema.json', title: 'Casys PML configuration', ...rest }
}
