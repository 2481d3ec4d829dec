import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  classifyInboundRequest,
  createMcpHandler,
  isJsonContentType,
  type Server,
  type WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { MessageTooLargeError } from '../errors.js'
import type { PmlConfig } from '../model/config.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import { paramHeaderFault } from '../upstream/param-headers.js'
import { readJsonBody } from './http-body.js'
import { methodNotAllowed, sendRpcError, sendWebResponse } from './http-reply.js'
import { createLegacySessions } from './legacy-sessions.js'
import { jsonRpc } from './wire-error.js'

/** Streamable HTTP at /mcp: the 2026 revision without state, 2025 revisions by session; one address for both. */
export interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Tells the clients of the 2026 revision who listen for it. */
  toolsChanged(): void
  offersChanged(): void
  resourceUpdated(uri: string): void
  close(): Promise<void>
}

export interface McpEndpointOptions {
  config(): PmlConfig
  /** A server for one request of the 2026 revision. */
  createServer(session: () => string): Server
  /** A server for a session; it hears of changed lists. */
  connectServer(transport: WebStandardStreamableHTTPServerTransport, session: string): Promise<Server>
  endSession(session: string): void
  /** The input schema of a tool by any form of its name. */
  inputSchemaOf(name: string): JsonObject | undefined
  /** Resolves when the servers have been asked to tell of these; `watcher` is dropped when the client has gone. */
  watchListened(watcher: object, body: unknown): Promise<void>
  unwatch(watcher: object): void
  readonly log: Log
}

const maxSessions = 1_000
const sessionIdleMs = 30 * 60_000

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { config, log } = options
  const sockets = new WeakMap<Request, Socket>()
  const sessionOf = createSocketSessions(options.endSession)
  const modern = createMcpHandler(
    ({ requestInfo }) => options.createServer(() => sessionOf(sockets.get(requestInfo!)!)),
    { legacy: 'reject', onerror: (error) => log.debug('a request was refused', { error: error.message }) },
  )
  const legacy = createLegacySessions({
    connect: options.connectServer,
    endSession: options.endSession,
    maxSessions,
    idleMs: sessionIdleMs,
  })

  const paramFault = (request: IncomingMessage, body: unknown): string | undefined => {
    if (!isObject(body) || body.method !== 'tools/call' || !isObject(body.params)) return undefined
    const { name, arguments: args } = body.params
    const schema = typeof name === 'string' ? options.inputSchemaOf(name) : undefined
    if (schema === undefined) return undefined
    const given = isObject(args) ? (args as JsonObject) : {}
    return paramHeaderFault(schema, given, (header) => one(request.headers[header.toLowerCase()]))
  }

  const serve = async (request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> => {
    const gone = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
    })
    const webRequest = toWebRequest(request, gone.signal)
    if (!isLegacy(request, body)) {
      const fault = paramFault(request, body)
      if (fault !== undefined)
        return sendRpcError(response, 400, jsonRpc.headerMismatch, fault, {}, idOf(body))
      sockets.set(webRequest, request.socket)
      response.once('close', () => options.unwatch(response))
      await options.watchListened(response, body)
      return sendWebResponse(response, await modern.fetch(webRequest, { parsedBody: body }))
    }
    const sessionId = one(request.headers['mcp-session-id'])
    const session = await legacy.find(sessionId, body)
    if (session !== undefined)
      return session.serve(webRequest, body, (answer) => sendWebResponse(response, answer))
    if (sessionId !== undefined)
      return sendRpcError(response, 404, jsonRpc.sessionNotFound, 'Session not found')
    return sendRpcError(
      response,
      400,
      jsonRpc.refused,
      'Bad Request: initialize first, then send Mcp-Session-Id',
    )
  }

  return {
    async handle(request, response) {
      if (request.method === 'GET' || request.method === 'DELETE') return serve(request, response, undefined)
      if (request.method !== 'POST') return methodNotAllowed(response, 'GET, POST, DELETE')
      if (!isJsonContentType(request.headers['content-type'] ?? null)) {
        request.resume()
        return sendRpcError(response, 415, jsonRpc.refused, 'Content-Type must be application/json')
      }
      let body: unknown
      try {
        body = await readJsonBody(request, config().limits.maxMessageBytes)
      } catch (error) {
        const { message } = error as Error
        if (error instanceof MessageTooLargeError) sendRpcError(response, 413, jsonRpc.refused, message)
        else sendRpcError(response, 400, jsonRpc.parseError, message)
        return
      }
      return serve(request, response, body)
    },
    toolsChanged: () => modern.notify.toolsChanged(),
    offersChanged() {
      modern.notify.resourcesChanged()
      modern.notify.promptsChanged()
    },
    resourceUpdated: (uri) => modern.notify.resourceUpdated(uri),
    async close() {
      await Promise.all([modern.close(), legacy.close()])
    },
  }
}

/** As the SDK's own entry decides it, without a second reading of the body. */
function isLegacy(request: IncomingMessage, body: unknown): boolean {
  const protocolVersionHeader = one(request.headers['mcp-protocol-version'])
  const mcpMethodHeader = one(request.headers['mcp-method'])
  const mcpNameHeader = one(request.headers['mcp-name'])
  const outcome = classifyInboundRequest({
    httpMethod: request.method!,
    ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
    ...(mcpNameHeader !== undefined && { mcpNameHeader }),
    ...(body !== undefined && { body }),
  })
  return outcome.kind === 'legacy'
}

/**
 * What the SDK reads of a request whose body travels parsed, and nothing else. A real `Request` costs as much as the rest of
 * a small call together (its own AbortController, a copy of the headers).
 */
function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = { get: (name: string) => one(request.headers[name.toLowerCase()]) ?? null }
  return { method: request.method, url: 'http://localhost/mcp', headers, signal } as unknown as Request
}

function idOf(body: unknown): string | number | null {
  const id = isObject(body) ? body.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

/**
 * The 2026 revision has no sessions. Servers that keep state per client get one session per TCP connection: two clients
 * never share one, and a client keeps its own as long as it keeps the connection.
 */
function createSocketSessions(endSession: (session: string) => void): (socket: Socket) => string {
  const sessions = new WeakMap<Socket, string>()
  return (socket) => {
    const known = sessions.get(socket)
    if (known !== undefined) return known
    const session = newId()
    sessions.set(socket, session)
    socket.once('close', () => endSession(session))
    return session
  }
}
