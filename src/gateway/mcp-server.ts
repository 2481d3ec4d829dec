import { Server, type ServerContext, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import { isObject, type JsonObject } from '../model/json.js'
import type { Tool } from '../model/tool.js'
import type { ToolResult } from '../model/tool-call.js'
import type { CallByName } from './call-by-name.js'
import type { CatalogueView } from './catalogue-view.js'
import { type ConnectionState, callerOf } from './client-sides.js'
import type { InputPauses } from './input-pauses.js'
import type { OffersView } from './offers-view.js'
import type { PassThrough } from './pass-through.js'
import type { Caller } from './tools/meta-tool.js'
import type { WatchedResources } from './watched-resources.js'

/** One SDK server: a connection's, or in the 2026 revision over HTTP a single request's. Everything it answers is shared. */
export interface McpServerDeps {
  readonly version: string
  readonly view: CatalogueView
  readonly callByName: CallByName
  readonly offers: OffersView
  readonly passThrough: PassThrough
  /** The template of kept results, listed beside those of servers. */
  readonly resultTemplate: JsonObject
  readonly pauses: InputPauses
  readonly watched: WatchedResources
  setLogLevel(level: string): void
  rootsChanged(session: string): void
}

/** Lists follow the catalogue by list_changed; this bounds how long a client that does not listen may be behind. */
const listTtlMs = 60_000

const instructions = {
  withMetaTools:
    'One gateway to many MCP servers. Not every tool is listed: find more with discover, call any by its name, or run several (or one) with execute_workflow.',
  proxy: 'One gateway to many MCP servers; what is listed is theirs.',
} as const

const serverOptions = {
  capabilities: {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  },
  cacheHints: { 'server/discover': { ttlMs: listTtlMs, cacheScope: 'private' } },
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

export function createMcpServer(deps: McpServerDeps, session: () => string, state: ConnectionState): Server {
  const { withMetaTools } = deps.view.current().exposure
  const server = new GatewayServer(serverInfo(deps.version), {
    ...serverOptions,
    instructions: withMetaTools ? instructions.withMetaTools : instructions.proxy,
  })
  const caller = (ctx: ServerContext) => callerOf(server, ctx, session(), state)
  /** A list, once the servers that have never been seen had their chance. */
  const list = async <List>(ctx: ServerContext, read: () => List): Promise<never> => {
    await deps.view.firstSettled()
    return withTtl(read(), deps.view, ctx) as never
  }
  /** A request for one server, which may ask its client meanwhile. */
  const pass = async (
    { method, params }: { readonly method: string; readonly params?: unknown },
    ctx: ServerContext,
    send: (params: JsonObject, caller: Caller) => Promise<JsonObject>,
  ): Promise<never> => {
    const { _meta: _, ...rest } = (params ?? {}) as JsonObject
    const { end, ...asking } = caller(ctx)
    try {
      return (await deps.pauses.run({ method, params: rest }, asking, (who) => send(rest, who))) as never
    } finally {
      end()
    }
  }

  server.setRequestHandler('tools/list', async (_request, ctx) => {
    if (deps.view.current().exposure.mode !== 'meta') await deps.view.firstSettled()
    return withTtl({ tools: deps.view.giveListing() }, deps.view, ctx) as never
  })
  server.setRequestHandler('tools/call', { params: callParams }, async ({ name, arguments: args }, ctx) => {
    const { end, ...asking } = caller(ctx)
    let tool: Tool | undefined
    const result = await deps.pauses.run({ name, arguments: args }, asking, async (who) => {
      const called = await deps.callByName(name, args, who)
      tool = called.tool
      return called.result
    })
    end()
    return fitEra(server, result as ToolResult, tool?.definition.outputSchema)
  })
  server.setRequestHandler('resources/list', (_, ctx) =>
    list(ctx, () => ({ resources: deps.offers.resources() })),
  )
  server.setRequestHandler('resources/templates/list', (_, ctx) =>
    list(ctx, () => ({ resourceTemplates: [...deps.offers.templates(), deps.resultTemplate] })),
  )
  server.setRequestHandler('prompts/list', (_, ctx) => list(ctx, () => ({ prompts: deps.offers.prompts() })))
  server.setRequestHandler('resources/read', (request, ctx) =>
    pass(request, ctx, deps.passThrough.readResource),
  )
  server.setRequestHandler('prompts/get', (request, ctx) => pass(request, ctx, deps.passThrough.getPrompt))
  server.setRequestHandler('completion/complete', (request, ctx) =>
    pass(request, ctx, deps.passThrough.complete),
  )
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    await deps.passThrough.watchResource(server, uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    deps.watched.unwatch(server, uri)
    return {}
  })
  server.setRequestHandler('logging/setLevel', async ({ params: { level } }) => {
    state.logLevel = level
    deps.setLogLevel(level)
    return {}
  })
  server.setNotificationHandler('notifications/roots/list_changed', () => deps.rootsChanged(session()))
  return server
}

/** Since 2026-07-28 a list says how long it holds; one taken while servers are still coming up is not worth keeping. */
function withTtl<List>(list: List, view: CatalogueView, ctx: ServerContext): List {
  if (ctx.mcpReq.envelope === undefined) return list
  const loading = view.servers().some(({ status }) => status === 'waiting' || status === 'connecting')
  return { ...list, ttlMs: loading ? 0 : listTtlMs, cacheScope: 'private' }
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

/** In 2025 revisions structured content and output schemas must be objects; the SDK wraps the schema in the list, and this the value. */
export function fitEra(server: Server, result: ToolResult, outputSchema: JsonObject | undefined): never {
  const structured = result.structuredContent
  if (structured === undefined) return result as never
  if (isObject(structured) && (outputSchema === undefined || outputSchema.type === 'object'))
    return result as never
  return server.projectCallToolResult(result as never, outputSchema) as never
}
