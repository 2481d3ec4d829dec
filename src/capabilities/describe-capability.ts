import type { Json, JsonObject } from '../model/json.js'
import { shorten } from '../model/shorten.js'
import type { ToolId } from '../model/tool.js'
import { leaveOutValues } from './leave-out-values.js'

/** One line: what it was run for, with its parameters in the place of their values, and what it calls. */
export function describeCapability({
  intent,
  tools,
  arguments: args,
}: {
  readonly intent: string | undefined
  /** Tools and capabilities, in the order of the calls. */
  readonly tools: readonly ToolId[]
  /** What was lifted, by parameter. */
  readonly arguments: JsonObject
}): string {
  const calls = callsLine(tools)
  const request = leaveOutValues(putParameters(oneLine(intent ?? ''), args), '...')
  if (!/\p{L}{2}/u.test(request)) return calls
  const sentence = shorten(request, longestRequest).replace(sentenceEnd, '')
  const end = sentence.endsWith('...') ? '' : '.'
  return `${sentence[0]!.toUpperCase()}${sentence.slice(1)}${end} ${calls}`
}

const longestRequest = 200
const mostNamed = 6
/** Three dots stand for a value. */
const sentenceEnd = /[\s!?:;,]+$|(?<=\.\.\.)\.+$|(?<!\.)\.$/u

function callsLine(tools: readonly ToolId[]): string {
  const distinct = [...new Set(tools)]
  if (distinct.length === 0) return 'Calls no tool.'
  const more = distinct.length > mostNamed ? ` and ${distinct.length - mostNamed} more` : ''
  return `Calls ${distinct.slice(0, mostNamed).join(', ')}${more}.`
}

/** Control characters and what cannot be seen would let a text say what nobody reads. */
function oneLine(text: string): string {
  return text
    .slice(0, 1_000)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
}

/** The longest first, so that no value is cut up by one that is part of it. */
function putParameters(text: string, args: JsonObject): string {
  const values = Object.entries(args)
    .flatMap(([name, value]) => textOf(value).map((said) => ({ name, said })))
    .sort((a, b) => b.said.length - a.said.length)
  let put = text
  for (const { name, said } of values) put = replaceWhole(put, said, `<${name}>`)
  return put
}

function textOf(value: Json): readonly string[] {
  const said = typeof value === 'number' ? String(value) : typeof value === 'string' ? oneLine(value) : ''
  return said.length >= shortestValue || typeof value === 'number' ? [said] : []
}

/** Shorter ones are letters of other words. */
const shortestValue = 2

/** With quotes around it, where it has some; nowhere inside a word. A plain word without quotes is rather part of the sentence. */
function replaceWhole(text: string, said: string, parameter: string): string {
  // With the flag u a dash may be escaped in a class only.
  const escaped = said.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const quoted = `(["'\`])${escaped}\\1`
  const bare = `(?<![\\p{L}\\p{N}_<])${escaped}(?![\\p{L}\\p{N}_>])`
  const either = /^\p{Ll}+$/u.test(said) ? quoted : `${quoted}|${bare}`
  return text.replace(new RegExp(either, 'gu'), () => parameter)
}
