/**
 * The front door: the MCP server that clients see, over streams and over HTTP, and the pages beside it.
 *
 * It promises that every client sees the same list in the same order; that any form of a tool's name can be called, listed or
 * not; that results and errors of servers pass through as they were sent, except that what is too large is cut with a handle;
 * and that nothing a client or server sends ends it. It never touches the store, a server's process or its connection: tools
 * come from the catalogue it is given, calls go through `callTool`, workflows through `runs`.
 *
 *   stream ─ line-transport ─┬─ call-lane ────────┐
 *                            │                    │   ┌─ tools/* (our own)
 *                            ├─ mcp-server ─ call-by-name
 *   HTTP ── mcp-endpoint ────┘       │                └─ callTool (a server's) ─ cut-result
 *                              catalogue-view (names, search, exposure, listing)
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import type { Server, Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { PmlConfig } from '../model/config.js'
import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { Redact } from '../model/redact.js'
import type { SeenChange, Tool, ToolId } from '../model/tool.js'
import type { CallTool } from '../model/tool-call.js'
import { createCallByName } from './call-by-name.js'
import { createCallLane } from './call-lane.js'
import { type Catalogue, createCatalogueView } from './catalogue-view.js'
import { answerFault, type HttpDeps, handleHttp } from './handle-http.js'
import { createLineTransport } from './line-transport.js'
import { createMcpEndpoint } from './mcp-endpoint.js'
import { createMcpServer, type McpServerDeps, serverInfo } from './mcp-server.js'
import { createResolveTool } from './resolve-tool.js'
import { createResultResources } from './result-resources.js'
import { createResultStore } from './result-store.js'
import type { GatewayRuns } from './runs.js'
import { createControlWorkflow } from './tools/control-workflow.js'
import { createDiscover } from './tools/discover.js'
import { createExecuteCode } from './tools/execute-code.js'
import { createExecuteWorkflow } from './tools/execute-workflow.js'

export interface GatewayOptions {
  config(): PmlConfig
  readonly catalogue: Catalogue
  readonly callTool: CallTool
  /** The client with this session is gone. */
  endSession(session: string): void
  readonly runs: GatewayRuns
  trust(seen: readonly SeenChange[]): Promise<readonly Tool[]>
  /** Asks for the counts of tools without `tokens`; they arrive as a change of the catalogue. */
  countTokens(tools: readonly Tool[]): void
  readonly version: string
  readonly log: Log
  readonly redact: Redact
}

export interface Gateway {
  /** Serves one client over newline-delimited JSON-RPC; `closed` resolves when the client is gone. */
  serveStream(input: Readable, output: Writable): ServedStream
  /** Answers HTTP: /mcp, /, /status.json, /healthz; and /api/* when `local`, the socket of this user alone. */
  handle(request: IncomingMessage, response: ServerResponse, via: 'tcp' | 'local'): void
  /** Where HTTP listens, for the status. */
  announce(url: string): void
  close(): Promise<void>
}

export interface ServedStream {
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Cut results that are kept for paging. */
const keptResultBytes = 64 * 1024 * 1024

export function createGateway(options: GatewayOptions): Gateway {
  const { config, redact, log } = options
  let address: string | undefined
  const connected = new Set<Server>()
  const streams = new Set<ServedStream>()

  const view = createCatalogueView({
    config,
    catalogue: options.catalogue,
    countTokens: options.countTokens,
    log,
    onListingChange() {
      for (const server of connected) tellListChanged(server)
      endpoint.toolsChanged()
    },
  })
  const runs = countUses(options.runs, view.countUse)
  const results = createResultStore({ maxBytes: keptResultBytes })
  const resolve = createResolveTool(view)
  const metaTools = [
    createDiscover({ view, redact }),
    createExecuteWorkflow({ config, view, resolve, runs, results, redact }),
    createExecuteCode(),
    createControlWorkflow({ config, runs, results, redact }),
  ]
  const serverDeps: McpServerDeps = {
    version: options.version,
    view,
    callByName: createCallByName({
      config,
      view,
      resolve,
      callTool: options.callTool,
      metaTools,
      results,
      redact,
      log,
    }),
    resources: createResultResources({ config, results, redact }),
  }

  /** A server that lives as long as its client and is told of changed lists. */
  const createConnectedServer = (session: string): Server => {
    const server = createMcpServer(serverDeps, () => session)
    connected.add(server)
    server.onclose = () => connected.delete(server)
    return server
  }

  const endpoint = createMcpEndpoint({
    config,
    createServer: (session) => createMcpServer(serverDeps, session),
    async connectServer(transport, session) {
      const server = createConnectedServer(session)
      await server.connect(transport as Transport)
      return server
    },
    endSession: options.endSession,
    log,
  })

  const httpDeps: HttpDeps = {
    config,
    view,
    resolve,
    callTool: options.callTool,
    endSession: options.endSession,
    runs,
    trust: options.trust,
    version: options.version,
    redact,
    log,
    address: () => address,
    endpoint,
  }

  return {
    serveStream(input, output) {
      const session = newId()
      const transport = createLineTransport({
        input,
        output,
        maxMessageBytes: config().limits.maxMessageBytes,
      })
      let server: Server | undefined
      const lane = createCallLane({
        server: () => server,
        serverInfo: serverInfo(options.version),
        callByName: serverDeps.callByName,
        session,
        send: (message) => transport.send(message),
      })
      transport.take = lane.take
      const createServer = (): Server => {
        server = createConnectedServer(session)
        return server
      }
      const handle = serveStdio(createServer, {
        transport,
        onerror: (error) => log.debug('a message was refused', { error: error.message }),
      })
      const served: ServedStream = { closed: transport.closed, close: () => handle.close() }
      streams.add(served)
      void transport.closed.then(() => {
        lane.close()
        streams.delete(served)
        options.endSession(session)
      })
      return served
    },
    handle(request, response, via) {
      handleHttp(request, response, via, httpDeps).catch((error: unknown) =>
        answerFault(response, error, httpDeps),
      )
    },
    announce(url) {
      address = url
    },
    async close() {
      view.close()
      await Promise.all([endpoint.close(), ...[...streams].map((stream) => stream.close())])
    },
  }
}

/** The tools that a run has called are used no less than those called one by one. */
function countUses(runs: GatewayRuns, countUse: (id: ToolId) => void): GatewayRuns {
  return {
    ...runs,
    start(plan, session) {
      const handle = runs.start(plan, session)
      void handle.result.then((run) => {
        for (const task of run.tasks) if (task.startedAt !== undefined) countUse(task.tool)
      })
      return handle
    },
  }
}

/** A client that has not finished its handshake has no list yet that could be out of date. */
function tellListChanged(server: Server): void {
  if (server.transport === undefined || server.getNegotiatedProtocolVersion() === undefined) return
  server.sendToolListChanged().catch(() => {})
}
