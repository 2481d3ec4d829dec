import { Server, type ServerContext, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import { isObject, type JsonObject } from '../model/json.js'
import type { ToolResult } from '../model/tool-call.js'
import type { CallByName } from './call-by-name.js'
import type { CatalogueView } from './catalogue-view.js'
import type { ResultResources } from './result-resources.js'
import type { Caller } from './tools/meta-tool.js'

/** One SDK server: a connection's, or in the 2026 revision over HTTP a single request's. Everything it answers is shared. */
export interface McpServerDeps {
  readonly version: string
  readonly view: CatalogueView
  readonly callByName: CallByName
  readonly resources: ResultResources
}

/** Lists follow the catalogue by list_changed; this bounds how long a client that does not listen may be behind. */
const listTtlMs = 60_000
/** What a handle names never changes, and our templates change with the version alone. */
const fixedTtlMs = 3_600_000

const instructions =
  'One gateway to many MCP servers. Not every tool is listed: find more with discover, call any by its name, or run several (or one) with execute_workflow.'

const serverOptions = {
  capabilities: { tools: { listChanged: true }, resources: {} },
  instructions,
  cacheHints: {
    'server/discover': { ttlMs: listTtlMs, cacheScope: 'private' },
    'resources/list': { ttlMs: fixedTtlMs, cacheScope: 'private' },
    'resources/templates/list': { ttlMs: fixedTtlMs, cacheScope: 'private' },
    'resources/read': { ttlMs: fixedTtlMs, cacheScope: 'private' },
  },
  // The default compiles a schema validator for elicitation with every server, and so with every HTTP request.
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('The gateway validates no elicitation answers.')
    },
  },
} satisfies ConstructorParameters<typeof Server>[1]

/**
 * The SDK checks tools/call results against its own schemas and refuses content it does not know. A gateway passes on what
 * the server sent, so that check is left out; the request is checked by `callParams`.
 */
class GatewayServer extends Server {
  protected override _wrapHandler(
    method: string,
    handler: (request: never, ctx: ServerContext) => Promise<Record<string, unknown>>,
  ): never {
    if (method === 'tools/call') return handler as never
    return super._wrapHandler(method, handler as never) as never
  }
}

export function serverInfo(version: string): { readonly name: string; readonly version: string } {
  return { name: 'casys-pml', version }
}

export function createMcpServer(deps: McpServerDeps, session: () => string): Server {
  const server = new GatewayServer(serverInfo(deps.version), serverOptions)
  server.setRequestHandler('tools/list', async (_request, ctx) => {
    if (deps.view.current().exposure.mode !== 'meta') await deps.view.firstSettled()
    const tools = deps.view.giveListing() as never
    return isModern(ctx) ? { tools, ttlMs: listTtl(deps.view), cacheScope: 'private' } : { tools }
  })
  server.setRequestHandler('tools/call', { params: callParams }, async (params, ctx) => {
    const progress = openProgress(ctx)
    const { result, tool } = await deps.callByName(params.name, params.arguments, {
      session: session(),
      signal: ctx.mcpReq.signal,
      ...(progress && { onProgress: progress.tell }),
    })
    progress?.end()
    return fitEra(server, result, tool?.definition.outputSchema)
  })
  server.setRequestHandler('resources/list', () => ({ resources: [] }))
  server.setRequestHandler('resources/templates/list', () => deps.resources.templates())
  server.setRequestHandler('resources/read', (request) => deps.resources.read(request.params.uri))
  return server
}

function isModern(ctx: ServerContext): boolean {
  return ctx.mcpReq.envelope !== undefined
}

/** A list taken while servers are still coming up is not worth keeping. */
function listTtl(view: CatalogueView): number {
  const loading = view.servers().some(({ status }) => status === 'waiting' || status === 'connecting')
  return loading ? 0 : listTtlMs
}

interface CallParams {
  readonly name: string
  readonly arguments: JsonObject
}

/** A tools/call's parameters, checked by hand: it is the hot path, and everything but these two belongs to the SDK. */
const callParams: StandardSchemaV1<unknown, CallParams> = {
  '~standard': {
    version: 1,
    vendor: 'casys-pml',
    validate(value) {
      const { name, arguments: args } = value as { name?: unknown; arguments?: unknown }
      if (typeof name !== 'string' || name === '')
        return { issues: [{ message: 'name must be a string', path: ['name'] }] }
      if (args === undefined || args === null) return { value: { name, arguments: {} } }
      if (typeof args !== 'object' || Array.isArray(args))
        return { issues: [{ message: 'arguments must be an object', path: ['arguments'] }] }
      return { value: { name, arguments: args as JsonObject } }
    },
  },
}

/** Progress goes to the client until the answer does: a notification after it would have nobody to reach. */
function openProgress(
  ctx: ServerContext,
): { readonly tell: NonNullable<Caller['onProgress']>; end(): void } | undefined {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let open = true
  return {
    tell(progress) {
      if (!open) return
      const sent = ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, ...progress },
      })
      sent.catch(() => {})
    },
    end() {
      open = false
    },
  }
}

/** In 2025 revisions structured content and output schemas must be objects; the SDK wraps the schema in the list, and this the value. */
export function fitEra(server: Server, result: ToolResult, outputSchema: JsonObject | undefined): never {
  const structured = result.structuredContent
  if (structured === undefined) return result as never
  if (isObject(structured) && (outputSchema === undefined || outputSchema.type === 'object'))
    return result as never
  return server.projectCallToolResult(result as never, outputSchema) as never
}
