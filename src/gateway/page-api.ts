import type { IncomingMessage, ServerResponse } from 'node:http'
import { PmlError, UsageError } from '../errors.js'
import { isObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import { answerDecision, listDecisions } from './decisions-api.js'
import { readJsonBody } from './http-body.js'
import { methodNotAllowed, sendJson } from './http-reply.js'
import { hasPageKey, pageKeyHeader } from './page-key.js'
import { heartbeatMs, sendRunEvents } from './run-events-sse.js'
import { listRuns, type RunsDeps } from './runs-api.js'
import { redactedInfo, replyStatus } from './wire-error.js'

/*
 * What the page asks for beside itself. Whoever may see the page may read; to answer takes the page's key as well.
 *
 *   GET  /runs.json                       {runs: RunSummary[]}, newest first
 *   GET  /decisions.json                  {decisions: Decision[]}, those that wait for an answer, oldest first
 *   GET  /events                          events of all runs from now on (run-events-sse.ts)
 *   POST /decisions/ID {verdict, reason?} Decision, as it is then
 */
export interface PageApiDeps extends RunsDeps {
  readonly log: Log
}

const shownRuns = 50
/** An answer is a word and perhaps a reason. */
const maxAnswerBytes = 64 * 1024
const decisionPath = /^\/decisions\/([^/]+)$/

/** Undefined where nothing of this is at the path. */
export function handlePageApi(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  deps: PageApiDeps,
): Promise<void> | undefined {
  const id = decisionPath.exec(path)?.[1]
  if (id !== undefined) return answerPost(request, response, id, deps)
  const read = reads[path]
  if (read === undefined) return undefined
  if (request.method === 'GET' || request.method === 'HEAD')
    return told(read(request, response, deps), response, deps)
  request.resume()
  methodNotAllowed(response, 'GET, HEAD')
  return Promise.resolve()
}

type Answer = (request: IncomingMessage, response: ServerResponse, deps: PageApiDeps) => Promise<void>

const reads: Readonly<Record<string, Answer>> = {
  async '/runs.json'(_request, response, deps) {
    sendJson(response, 200, { runs: await listRuns(shownRuns, deps) })
  },
  async '/decisions.json'(_request, response, deps) {
    sendJson(response, 200, { decisions: await listDecisions(deps) })
  },
  async '/events'(request, response, { runs, redact }) {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const options = { redact, heartbeatMs, isReplayed: false }
    await sendRunEvents(request, response, runs.events(gone.signal), options)
  },
}

function answerPost(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  deps: PageApiDeps,
): Promise<void> {
  if (request.method === 'POST' && hasPageKey(request))
    return told(answer(request, response, id, deps), response, deps)
  request.resume()
  if (request.method !== 'POST') methodNotAllowed(response, 'POST')
  else sendJson(response, 403, { error: noKey })
  return Promise.resolve()
}

const noKey = {
  code: 'NOT_THE_PAGE',
  message: `Decisions are answered on the page itself, which sends its key in ${pageKeyHeader}.`,
  hint: 'Reload the page and answer there, or use the command line: pml approve, pml reject.',
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  deps: PageApiDeps,
): Promise<void> {
  const body = await readJsonBody(request, maxAnswerBytes)
  if (!isObject(body)) throw new UsageError('The body must be a JSON object.')
  sendJson(response, 200, await answerDecision(id, body, 'page', deps))
}

async function told(
  done: Promise<void>,
  response: ServerResponse,
  { log, redact }: PageApiDeps,
): Promise<void> {
  try {
    await done
  } catch (error) {
    if (!(error instanceof PmlError)) log.error('a request of the page failed', { error })
    sendJson(response, replyStatus(error), { error: redactedInfo(error, redact) })
  }
}
