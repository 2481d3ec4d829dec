import { isUtf8 } from 'node:buffer'
import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { MessageTooLargeError } from '../errors.js'
import { isObject } from '../model/json.js'
import { createLineReader } from '../model/line-reader.js'
import { createLineWriter } from '../model/line-writer.js'
import { askedId } from '../upstream/read-message.js'
import { jsonRpc } from './wire-error.js'

/**
 * Newline-delimited JSON-RPC over a pair of streams. Whatever arrives, the connection goes on: a line that is too long, is
 * not UTF-8, not JSON or not JSON-RPC is answered with the error that says so. It ends when either stream does.
 */
export interface LineTransport extends Transport {
  /** Sees every message first; what it takes goes no further. */
  take: ((message: JSONRPCMessage) => boolean) | undefined
  /** Resolves when the client is gone or the transport was closed. */
  readonly closed: Promise<void>
}

export interface LineTransportOptions {
  readonly input: Readable
  readonly output: Writable
  readonly maxMessageBytes: number
}

export function createLineTransport({ input, output, maxMessageBytes }: LineTransportOptions): LineTransport {
  let open = true
  let markClosed = (): void => {}
  const closed = new Promise<void>((resolve) => {
    markClosed = resolve
  })

  const answerError = (code: number, message: string, id: string | number | null = null): void => {
    if (open) void writer.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
  }
  const writer = createLineWriter(output)
  const reader = createLineReader({
    maxBytes: maxMessageBytes,
    onLine(line) {
      const read = readLine(line)
      if ('message' in read) {
        if (!transport.take?.(read.message)) transport.onmessage?.(read.message)
      } else answerError(read.code, read.problem, read.id)
    },
    onOversize(line) {
      const { message, hint } = new MessageTooLargeError(line.bytes, maxMessageBytes)
      answerError(jsonRpc.invalidRequest, `${message} ${hint}`, askedId(line))
    },
  })

  const onData = (chunk: Buffer | string): void => {
    if (open) reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  }
  const end = (): void => {
    if (!open) return
    writer.flush()
    open = false
    input.off('data', onData)
    input.off('end', end)
    input.off('close', end)
    input.pause()
    // Late write failures of a client that is gone concern nobody, so the error listeners stay.
    transport.onclose?.()
    markClosed()
  }

  const transport: LineTransport = {
    closed,
    take: undefined,
    async start() {
      input.on('data', onData)
      input.on('end', end)
      input.on('close', end)
      input.on('error', end)
      output.on('error', end)
      output.on('close', end)
      if (input.readableEnded || input.destroyed) setImmediate(end)
    },
    send(message) {
      if (!open) return Promise.reject(new Error('The client is gone.'))
      // Log messages are not worth the memory of a client that does not read.
      if ('method' in message && message.method === 'notifications/message' && output.writableNeedDrain)
        return Promise.resolve()
      let line: string
      try {
        line = toLine(message)
      } catch (error) {
        return Promise.reject(error)
      }
      const sent = writer.write(line)
      // SDK clients drop progress that is read together with the answer it precedes.
      if ('method' in message) writer.flush()
      return sent
    },
    async close() {
      end()
    },
  }
  return transport
}

type ReadLine =
  | { readonly message: JSONRPCMessage }
  | { readonly code: number; readonly problem: string; readonly id: string | number | null }

function readLine(line: Buffer): ReadLine {
  if (!isUtf8(line)) return { code: jsonRpc.parseError, problem: 'Parse error: not UTF-8', id: null }
  let value: unknown
  try {
    value = JSON.parse(line.toString('utf8'))
  } catch {
    return { code: jsonRpc.parseError, problem: 'Parse error: not JSON', id: null }
  }
  if (isPlainRequest(value)) return { message: value }
  try {
    return { message: parseJSONRPCMessage(value) }
  } catch {
    return { code: jsonRpc.invalidRequest, problem: `Invalid Request: ${whatItIs(value)}`, id: idOf(value) }
  }
}

/** Nearly every line: told by hand, because the SDK's schema takes longer than all the rest of the line. */
function isPlainRequest(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null) return false
  const { jsonrpc, id, method, params } = value as { [field: string]: unknown }
  return (
    jsonrpc === '2.0' &&
    typeof method === 'string' &&
    (typeof id === 'string' || Number.isSafeInteger(id)) &&
    (params === undefined || isObject(params)) &&
    Object.keys(value).length === (params === undefined ? 3 : 4)
  )
}

function whatItIs(value: unknown): string {
  return Array.isArray(value)
    ? 'batches are not served on stdio; send one message a line'
    : 'not a JSON-RPC 2.0 message'
}

function idOf(value: unknown): string | number | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** A result nested too deeply to be written must not leave its caller waiting. */
function toLine(message: JSONRPCMessage): string {
  try {
    return JSON.stringify(message)
  } catch (error) {
    if (!('id' in message) || 'method' in message) throw error
    const problem = `The answer could not be written: ${error instanceof Error ? error.message : error}`
    return JSON.stringify({
      jsonrpc: '2.0',
      id: message.id,
      error: { code: jsonRpc.internalError, message: problem },
    })
  }
}
