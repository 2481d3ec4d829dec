import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { HolderError, PmlError } from '../errors.js'
import type { HolderApi } from './holder-api.js'
import { relayedPrefix } from './serve-local.js'

/** A holder that takes longer than this to say a word is stuck, or stopped. */
const answerWithinMs = 5_000

/** Opens a stream to the holder that listens at `path`; rejects when nobody does. */
export function openHolderStream(path: string, protocol: 'pml-stdio' | 'pml-watch'): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      socketPath: path,
      path: '/',
      headers: { connection: 'Upgrade', upgrade: protocol },
    })
    const timer = setTimeout(() => request.destroy(new Error('The holder does not answer.')), answerWithinMs)
    request.once('close', () => clearTimeout(timer))
    request.once('error', reject)
    request.once('response', (response) => {
      response.resume()
      reject(
        new HolderError(
          `The holder refused a ${protocol} stream (${response.statusCode}).`,
          'Restart every pml process: versions differ.',
        ),
      )
    })
    request.once('upgrade', (_response, socket, head) => {
      clearTimeout(timer)
      if (head.length > 0) socket.unshift(head)
      socket.on('error', () => socket.destroy())
      resolve(socket)
    })
    request.end()
  })
}

/** The control API of a holder in another process. */
export function remoteApi(path: string): HolderApi {
  return {
    get: (url) => exchange(path, 'GET', url, undefined),
    post: (url, body) => exchange(path, 'POST', url, JSON.stringify(body)),
  }
}

async function exchange(
  path: string,
  method: string,
  url: string,
  body: string | undefined,
): Promise<unknown> {
  const answer = (await ask(path, method, url, body).catch((cause: unknown) => {
    throw new HolderError(
      'The gateway went away during the request.',
      'What had begun is not lost: look with pml runs before you run the command again.',
      {
        cause,
      },
    )
  })) as { error?: { code: string; message: string; hint: string } }
  if (answer.error) throw new PmlError(answer.error.code, answer.error.message, answer.error.hint)
  return answer
}

async function ask(path: string, method: string, url: string, body: string | undefined): Promise<unknown> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = httpRequest({ socketPath: path, path: url, method, headers }, resolve)
    request.once('error', reject)
    request.end(body)
  })
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** One connection to the holder for each connection of a client: the gateway tells clients apart by it. */
const agents = new WeakMap<Socket, Agent>()

function agentOf(client: Socket): Agent {
  const known = agents.get(client)
  if (known !== undefined) return known
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  agents.set(client, agent)
  client.once('close', () => agent.destroy())
  return agent
}

const takenOver = {
  code: 'HOLDER',
  message: 'The gateway is being taken over.',
  hint: 'Try again in a second.',
}
const cutOff = {
  code: 'GATEWAY_LOST',
  message: 'The gateway process ended during this request, which may or may not have been carried out.',
  hint: 'Look at the effect of the call first; the gateway itself is back in a second.',
}

/** Hands one HTTP request to the holder as it is and its answer back as it comes. */
export function relayRequest(path: string, request: IncomingMessage, response: ServerResponse): void {
  const relayed = httpRequest(
    {
      socketPath: path,
      method: request.method ?? 'GET',
      path: relayedPrefix + (request.url ?? '/'),
      agent: agentOf(request.socket),
      headers: endToEnd(request.headers),
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    },
  )
  relayed.once('error', () => {
    if (response.headersSent) return void response.destroy()
    const mayBeDone = request.method === 'POST' && relayed.writableFinished
    response
      .writeHead(503, { 'content-type': 'application/json', ...(!mayBeDone && { 'retry-after': '1' }) })
      .end(JSON.stringify({ error: mayBeDone ? cutOff : takenOver }))
  })
  response.once('close', () => relayed.destroy())
  request.pipe(relayed)
}

/**
 * What is said of one connection says nothing of the next (RFC 9110, 7.6.1): a client's `close` would have the holder close
 * ours while we are still writing.
 */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _connection, 'keep-alive': _keepAlive, ...rest } = headers
  return rest
}
