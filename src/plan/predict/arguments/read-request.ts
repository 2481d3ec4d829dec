import { findLiterals } from '../../read/find-literals.js'
import { ownText } from './own-text.js'
import { shapeOf } from './shape-of.js'

/** What was asked for, as far as arguments may stand in it. */
export interface ReadRequest {
  /** Words and values in order, each once, by their shape. */
  readonly byShape: ReadonlyMap<string, readonly string[]>
  /** Whether it says this, as a word or several. */
  says(value: string): boolean
}

const longestRequest = 10_000

export const noRequest: ReadRequest = { byShape: new Map(), says: () => false }

export function readRequest(text: string): ReadRequest {
  const bounded = text.length > longestRequest ? ownText(text.slice(0, longestRequest)) : text
  const said = words(bounded).map((word) => word.toLowerCase())
  const single = new Set(said)
  const spaced = ` ${said.join(' ')} `
  const values = new Set([
    ...findLiterals(bounded).map((literal) => literal.text),
    ...tokens(bounded),
    ...daysOf(bounded),
  ])
  const byShape = new Map<string, string[]>()
  for (const value of values) {
    const shape = shapeOf(value)
    const list = byShape.get(shape)
    if (list === undefined) byShape.set(shape, [value])
    else list.push(value)
  }
  return {
    byShape,
    says(value) {
      if (value.length > longestSaid) return false
      const wanted = words(value).join(' ').toLowerCase()
      if (wanted.length < shortestSaid) return false
      return wanted.includes(' ') ? spaced.includes(` ${wanted} `) : single.has(wanted)
    },
  }
}

/** Two letters stand in any text, and nobody says a page. */
const shortestSaid = 3
const longestSaid = 300

function words(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+(?:[-.@/:][\p{L}\p{N}_]+)*/gu) ?? []
}

function tokens(text: string): readonly string[] {
  return (text.match(/[^\s"'`<>()[\]{},;!?]{2,200}/g) ?? []).map((word) => word.replace(/^[.:]+|[.:]+$/g, ''))
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** `May 20` or `20 May 2024` as `-05-20`, with its year where it has one: who knows the year puts it before. */
function daysOf(text: string): readonly string[] {
  const found: string[] = []
  const month = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?'
  for (const [, name, day, year] of text.matchAll(
    new RegExp(`\\b${month} (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?\\b`, 'gi'),
  ))
    found.push(dayOf(year, name!, day!))
  for (const [, day, name, year] of text.matchAll(
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?${month}(?:,? (\\d{4}))?\\b`, 'gi'),
  ))
    found.push(dayOf(year, name!, day!))
  return found
}

function dayOf(year: string | undefined, month: string, day: string): string {
  const at = String(months.indexOf(month.toLowerCase().slice(0, 3)) + 1).padStart(2, '0')
  return `${year ?? ''}-${at}-${day.padStart(2, '0')}`
}
