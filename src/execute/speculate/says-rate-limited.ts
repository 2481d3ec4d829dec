import { isObject } from '../../model/json.js'
import type { ToolResult } from '../../model/tool-call.js'

/** How a call ended: what its server gave, or what was thrown. */
export type CallEnd = { readonly result: ToolResult } | { readonly error: unknown }

/** What a server that has had enough says of it. */
export interface RateLimit {
  /** Absent: it does not say for how long. */
  readonly forMs?: number
}

/** There is no code for this in the protocol: servers pass on the words of what they call. A result that is no error is never read. */
export function saysRateLimited(end: CallEnd): RateLimit | undefined {
  const said = 'error' in end ? wordsOf(end.error) : end.result?.isError === true ? textOf(end.result) : ''
  if (!/\b429\b|rate.?limit|too many requests|quota|retry.?after/i.test(said)) return undefined
  const forMs = waitIn(said)
  return forMs === undefined ? {} : { forMs }
}

/** The reason stands at the front. */
const readUpTo = 2_000
/** Errors come wrapped. */
const deepestCause = 5

function textOf({ content }: ToolResult): string {
  if (!Array.isArray(content)) return ''
  let text = ''
  for (const block of content) {
    if (typeof block?.text === 'string') text += `${block.text.slice(0, readUpTo)}\n`
    if (text.length > readUpTo) break
  }
  return text
}

function wordsOf(error: unknown): string {
  const words: string[] = []
  let one = error
  for (let depth = 0; depth < deepestCause && one instanceof Object; depth++) {
    const { message, code, status, rpcCode, data, cause } = one as Record<string, unknown>
    for (const word of [code, status, rpcCode]) if (isWord(word)) words.push(String(word))
    if (typeof message === 'string') words.push(message.slice(0, readUpTo))
    if (isObject(data))
      for (const [name, value] of Object.entries(data).slice(0, 20))
        if (isWord(value)) words.push(`${name} ${String(value).slice(0, 200)}`)
    one = cause
  }
  return words.join('\n')
}

function isWord(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** `Retry-After: 20`, `retry after 1.5 minutes`, `try again in 300ms`; seconds where nothing is said. */
function waitIn(text: string): number | undefined {
  const found = /(?:retry.?after|(?:retry|again) in)\D{0,20}?(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]*)/i.exec(text)
  if (found === null) return undefined
  const [, amount, unit = ''] = found
  return Number(amount) * msOf(unit.toLowerCase())
}

function msOf(unit: string): number {
  if (unit.startsWith('ms') || unit.startsWith('milli')) return 1
  if (unit.startsWith('m')) return 60_000
  return unit.startsWith('h') ? 3_600_000 : 1_000
}
