import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { redactJson } from '../model/redact.js'
import type { Tool } from '../model/tool.js'
import { type ApiDeps, handleApi } from './api.js'
import { metricsType } from './create-counter.js'
import { refuse } from './http-guard.js'
import { methodNotAllowed, sendJson, sendText } from './http-reply.js'
import type { McpEndpoint } from './mcp-endpoint.js'
import { handlePageApi } from './page-api.js'
import { pageKey } from './page-key.js'
import { readDecisions, readStatus, type StatusDeps, summarizeTool, type ToolSummary } from './status.js'
import { contentSecurityPolicy, renderStatusPage } from './status-page.js'
import { redactedInfo } from './wire-error.js'

/** Enough to look at; `pml tools` has them all. */
const shownTools = 200

/** The HTTP face: /mcp, the page and what it asks for, /status.json, /metrics and /healthz; /api/* only over the local socket. */
export interface HttpDeps extends ApiDeps {
  readonly endpoint: McpEndpoint
  /** For Prometheus. */
  readonly metrics: { render(): string } & StatusDeps['metrics']
}

/** A page that refreshes itself need not wait for the store. */
const pageStoreMs = 300

export async function handleHttp(
  request: IncomingMessage,
  response: ServerResponse,
  via: 'tcp' | 'local',
  deps: HttpDeps,
): Promise<void> {
  const path = pathOf(request.url ?? '/')
  if (path === '/healthz')
    return answerRead(request, response, () => sendJson(response, 200, { status: 'ok' }))
  const refusal = via === 'tcp' ? refuse(request, deps.config().http) : undefined
  if (refusal !== undefined) {
    const { status, code, message, hint, headers } = refusal
    request.resume()
    return sendJson(response, status, { error: { code, message, hint } }, headers)
  }
  if (path === '/mcp') return deps.endpoint.handle(request, response)
  if (via === 'local' && path.startsWith('/api/')) return handleApi(request, response, path, deps)
  if (path === '/') return answerRead(request, response, () => sendPage(response, deps))
  if (path === '/status.json')
    return answerRead(request, response, async () =>
      sendJson(response, 200, await readStatus(deps, pageStoreMs)),
    )
  if (path === '/metrics')
    return answerRead(request, response, () =>
      sendText(response, 200, metricsType, deps.redact(deps.metrics.render())),
    )
  const answered = handlePageApi(request, response, path, deps)
  if (answered !== undefined) return answered
  request.resume()
  const error = { code: 'NOT_FOUND', message: 'Nothing is here.', hint: 'MCP is at /mcp, the status at /.' }
  sendJson(response, 404, { error })
}

/** GET and HEAD; a HEAD's body is dropped by node:http. */
async function answerRead(
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => void | Promise<void>,
): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD') return answer()
  request.resume()
  methodNotAllowed(response, 'GET, HEAD')
}

async function sendPage(response: ServerResponse, deps: HttpDeps): Promise<void> {
  const nonce = randomBytes(16).toString('base64url')
  const view = deps.view.current()
  const listed = view.tools.filter((tool) => tool.listed)
  const summarize = (tools: readonly Tool[]): readonly ToolSummary[] =>
    redactJson(
      tools.slice(0, shownTools).map((tool) => summarizeTool(tool, view)),
      deps.redact,
    )
  const [status, decisions] = await Promise.all([
    readStatus(deps, pageStoreMs),
    readDecisions(deps, pageStoreMs),
  ])
  const page = renderStatusPage({
    status,
    decisions: decisions ?? [],
    tools: summarize(listed),
    moreTools: Math.max(0, listed.length - shownTools),
    waiting: summarize(listed.filter((tool) => tool.changed !== undefined)),
    nonce,
    key: pageKey,
  })
  sendText(response, 200, 'text/html; charset=utf-8', page, {
    'content-security-policy': contentSecurityPolicy(nonce),
    'referrer-policy': 'no-referrer',
  })
}

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

/** The last resort: whatever was thrown, the client gets an answer and the gateway goes on. */
export function answerFault(response: ServerResponse, error: unknown, deps: HttpDeps): void {
  deps.log.error('an HTTP request failed', { error })
  if (response.headersSent) response.destroy()
  else sendJson(response, 500, { error: redactedInfo(error, deps.redact) })
}
