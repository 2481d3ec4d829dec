/** What one line of a server's standard output is: JSON-RPC messages, noise, or bytes that are no text at all. */
import { isUtf8 } from 'node:buffer'
import type { OversizeLine } from '../model/line-reader.js'

export interface RpcMessage {
  readonly jsonrpc: '2.0'
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

export type LineContent =
  | { readonly kind: 'messages'; readonly messages: readonly RpcMessage[] }
  | { readonly kind: 'noise' }
  | { readonly kind: 'invalid-utf8' }

const noise: LineContent = { kind: 'noise' }

export function readMessage(line: Buffer): LineContent {
  if (!isUtf8(line)) return { kind: 'invalid-utf8' }
  const text = line.toString('utf8')
  const parsed = parse(text)
  if (parsed !== undefined) return toMessages(parsed)
  // A progress bar without a newline runs into the message behind it.
  const start = text.indexOf('{"jsonrpc"', 1)
  return start === -1 ? noise : toMessages(parse(text.slice(start)))
}

/** Servers log JSON too: only what says it is JSON-RPC 2.0 is a message. Batches (2025-03-26) are taken apart. */
function toMessages(value: unknown): LineContent {
  const messages = (Array.isArray(value) ? value : [value]).filter(isRpcMessage)
  return messages.length === 0 ? noise : { kind: 'messages', messages }
}

function isRpcMessage(value: unknown): value is RpcMessage {
  return typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const jsonrpc = String.raw`"jsonrpc"\s*:\s*"2\.0"\s*`
const id = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,16})\s*`
const idLast = new RegExp(String.raw`[}\]"\dle]\s*,\s*(?:${jsonrpc},\s*)?${id}(?:,\s*${jsonrpc})?\}\s*$`)

/** The request that a line too long to keep was the answer to, where its edges tell. */
export const answeredId = idBeside('result|error')

/** The request that a line too long to keep was, where its edges tell. */
export const askedId = idBeside('method|params')

function idBeside(fields: string): (line: OversizeLine) => string | number | undefined {
  const idFirst = new RegExp(
    String.raw`^\s*\{\s*(?:${jsonrpc},\s*)?${id},\s*(?:${jsonrpc},\s*)?"(?:${fields})"`,
  )
  const fieldFirst = new RegExp(String.raw`^\s*\{\s*(?:${jsonrpc},\s*)?"(?:${fields})"`)
  return ({ head, tail }) => {
    const start = head.toString('latin1')
    const match =
      idFirst.exec(start) ?? (fieldFirst.test(start) ? idLast.exec(tail.toString('latin1')) : null)
    if (match === null) return undefined
    const value = parse(match[1]!)
    return typeof value === 'string' || typeof value === 'number' ? value : undefined
  }
}
