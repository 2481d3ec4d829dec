import type { ServerResponse } from 'node:http'
import { jsonRpc } from './wire-error.js'

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(response, status, 'application/json', JSON.stringify(value), headers)
}

export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return
  const body = Buffer.from(text)
  response.writeHead(status, {
    'content-type': type,
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(body)
}

/** A refusal of /mcp before any server has seen the request; mostly there is no id to answer. */
export function sendRpcError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  id: string | number | null = null,
): void {
  sendJson(response, status, { jsonrpc: '2.0', error: { code, message }, id }, headers)
}

/** Writes what the SDK answered. A single JSON body goes out in one piece, a stream as its events come. */
export async function sendWebResponse(response: ServerResponse, answer: Response): Promise<void> {
  const headers: Record<string, string> = {}
  answer.headers.forEach((value, name) => {
    headers[name] = value
  })
  if (answer.body === null) {
    response.writeHead(answer.status, headers)
    response.end()
    return
  }
  if (headers['content-type'] === 'application/json') {
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { ...headers, 'content-length': body.length })
    response.end(body)
    return
  }
  response.writeHead(answer.status, headers)
  response.flushHeaders()
  await pump(answer.body.getReader(), response)
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  response: ServerResponse,
): Promise<void> {
  const cancel = (): void => void reader.cancel().catch(() => {})
  response.once('close', cancel)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || response.destroyed) break
      if (!response.write(value)) await drained(response)
    }
  } finally {
    response.off('close', cancel)
    response.end()
  }
}

export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

export function methodNotAllowed(response: ServerResponse, allow: string): void {
  sendRpcError(response, 405, jsonRpc.refused, 'Method not allowed.', { allow })
}
