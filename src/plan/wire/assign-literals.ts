import { compareText } from '../../model/compare-text.js'
import { stem } from '../../model/words/stem.js'
import type { Literal } from '../read/find-literals.js'
import type { Clause, Intent } from '../read/read-intent.js'
import { isLister, primaryInput, type ToolShape } from './describe-tool.js'
import { pointers } from './fit-fields.js'
import { fitLiteral } from './fit-literal.js'
import type { ToolPlace } from './place-tools.js'
import type { Field } from './schema-fields.js'
import { spokenFor } from './spoken-for.js'

export interface Assigned {
  readonly tool: number
  readonly field: Field
  /** Several where the parameter takes a list. */
  readonly literals: readonly Literal[]
  readonly score: number
}

/** Below it a value is nobody's: it may as well be meant for something else. */
const leastFit = 0.2
/** The parameter's own name stands beside the value: `with a length of 10`, `1000 as expenses`, `in 'UPC-A' format`. */
const namedBonus = 0.5
const nameWindow = 40
/** A word before the value says what it is for: `from English to Spanish`. */
const prepositionBonus = 0.3
/** `translate it to French`: what is translated is `it`. */
const spokenForPenalty = 0.5
/** The first parameters of a tool are what it is about. */
const laterPenalty = 0.03
const optionalPenalty = 0.15

/**
 * Which value of the request goes where: each value to one parameter, each parameter one value (a list takes several), the best
 * fit first. A value belongs to the tools of its own clause.
 */
export function assignLiterals(
  intent: Intent,
  shapes: readonly ToolShape[],
  places: readonly ToolPlace[],
): readonly Assigned[] {
  return intent.clauses.flatMap((clause, index) => {
    const tools = [...shapes.keys()].filter((tool) => places[tool]!.clause === index)
    return assignInClause(clause, tools, shapes)
  })
}

interface Option {
  readonly tool: number
  readonly field: Field
  readonly literal: Literal
  readonly score: number
}

function assignInClause(
  clause: Clause,
  tools: readonly number[],
  shapes: readonly ToolShape[],
): readonly Assigned[] {
  const literals = clause.literals.filter((literal) => !shapes.some((shape) => speaksOfTool(literal, shape)))
  const said = wordPlaces(clause)
  const options = tools.flatMap((tool) => optionsOf(tool, shapes[tool]!, literals, clause, said))
  // The same whatever order the tools came in.
  options.sort(
    (a, b) =>
      b.score - a.score ||
      a.literal.start - b.literal.start ||
      compareText(shapes[a.tool]!.tool.id, shapes[b.tool]!.tool.id),
  )
  const used = new Set<Literal>()
  // By tool and field: a tool that is used twice has the same fields twice.
  const filled = new Map<string, { tool: number; field: Field; literals: Literal[]; score: number }>()
  for (const { tool, field, literal, score } of options) {
    if (used.has(literal)) continue
    const key = `${tool} ${field.path}`
    const before = filled.get(key)
    if (before === undefined) filled.set(key, { tool, field, literals: [literal], score })
    else if (field.types.has('array') && before.literals[0]!.kind === literal.kind)
      before.literals.push(literal)
    else continue
    used.add(literal)
  }
  for (const { literals } of filled.values()) literals.sort((a, b) => a.start - b.start)
  return [...filled.values()]
}

function optionsOf(
  tool: number,
  shape: ToolShape,
  literals: readonly Literal[],
  clause: Clause,
  said: WordPlaces,
): readonly Option[] {
  const options: Option[] = []
  const primary = primaryInput(shape)
  const meant = spokenFor(clause, shape)
  // `read every file in data`: data is where, and what is read is each.
  const isEach = clause.forEach && !isLister(shape) && !primary?.types.has('array')
  for (const [at, field] of shape.inputs.entries()) {
    if (field.isContainer || (isEach && field === primary)) continue
    const penalty =
      (field === meant ? spokenForPenalty : 0) + laterPenalty * at + (field.isRequired ? 0 : optionalPenalty)
    for (const literal of literals) {
      const fit = fitLiteral(literal, field)
      if (fit === 0) continue
      const score = fit + naming(literal, field, clause, said, shape) - penalty
      if (score >= leastFit) options.push({ tool, field, literal, score })
    }
  }
  return options
}

/** `SMS` in `send an SMS` is no value. */
function speaksOfTool(literal: Literal, shape: ToolShape): boolean {
  if (literal.kind !== 'name') return false
  const words =
    literal.text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.map(stem) ?? []
  return words.length > 0 && words.every((word) => shape.thing.has(word) || shape.verb === word)
}

/** Where each word stands in the text; words of values left out. */
type WordPlaces = ReadonlyMap<string, readonly number[]>

function wordPlaces({ words }: Clause): WordPlaces {
  const places = new Map<string, number[]>()
  for (const { stem: word, at, isValue } of words) {
    if (isValue) continue
    const before = places.get(word)
    if (before === undefined) places.set(word, [at])
    else before.push(at)
  }
  return places
}

function naming(
  literal: Literal,
  field: Field,
  clause: Clause,
  said: WordPlaces,
  { thing }: ToolShape,
): number {
  if (isNamed(literal, field, clause, said, thing)) return namedBonus
  const before = clause.text.slice(
    Math.max(0, literal.start - clause.start - 24),
    literal.start - clause.start,
  )
  const preposition = /\b([a-z]+) (?:the |an? )?["'“‘`]?$/i.exec(before)?.[1]?.toLowerCase()
  const meant = preposition === undefined ? undefined : prepositions.get(preposition)
  if (meant === undefined) return 0
  return field.words.some((word) => meant.has(word)) ? prepositionBonus : 0
}

/** How the parameters are called that a value after such a word is meant for. */
const prepositions: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    [
      ['from', 'from source origin start begin departure sender since min'],
      ['to', 'to target destination dest end arrival recipient receiver until max output'],
      ['into', 'to target destination output language'],
      ['until', 'to end until'],
      ['between', 'from origin start min'],
      ['in', 'in location city place area country region language directory folder path'],
      ['at', 'at time location place address'],
      ['by', 'by author artist owner user'],
      ['on', 'on date day'],
      ['for', 'for query product client name company'],
      ['with', 'with attendees participants member key'],
      ['about', 'about topic subject query'],
      ['named', 'name title'],
      ['called', 'name title'],
    ] as const
  ).map(([word, names]) => [word, new Set(names.split(' ').map(stem))]),
)

/**
 * By its last word, or where that only points, by the others: `client 'John'` names the `client_name`, but `the entity Bob` no
 * `entityType`. A bare `name` is that of what the tool is about.
 */
function isNamed(
  literal: Literal,
  { words }: Field,
  clause: Clause,
  said: WordPlaces,
  thing: ReadonlySet<string>,
): boolean {
  const head = words.at(-1)
  if (head === undefined) return false
  const names = pointers.has(head) ? [...words, ...(words.length === 1 ? thing : [])] : [head]
  return names.some((word) => said.get(word)?.some((at) => stands(at, literal, clause)))
}

/** Shortly before the value, or right after it. */
function stands(at: number, literal: Literal, clause: Clause): boolean {
  if (at < literal.start) return literal.start - at <= nameWindow && isNearest(at, literal, clause)
  if (at < literal.end || at - literal.end > nameWindow) return false
  const between = clause.text.slice(literal.end - clause.start, at - clause.start)
  return /^ (?:as (?:the |its |an? )?)?$/.test(between)
}

/** No other value stands between the name and this one. */
function isNearest(at: number, literal: Literal, clause: Clause): boolean {
  return !clause.literals.some(
    (other) => other !== literal && other.start > at && other.start < literal.start,
  )
}
