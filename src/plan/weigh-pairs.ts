/**
 * How probable it is that one tool needs another, for every ordered pair of the chosen tools: a sum of few pieces of evidence in
 * log-odds, each of which a reader can check. The weights are set by hand, to round numbers, and were looked at on one set
 * (bench/plan/README.md says which); none is fitted.
 */
import { stem } from '../model/words/stem.js'
import { stopWords } from '../model/words/stop-words.js'
import { primaryInput, roleOf, type ShapedField, type ToolShape } from './describe-tool.js'
import { fitFields, pointers } from './fit-fields.js'
import type { ToolPlace } from './place-tools.js'
import type { Clause, Intent } from './read-intent.js'
import type { Field } from './schema-fields.js'
import { spokenFor } from './spoken-for.js'

export interface Pair {
  readonly from: number
  readonly to: number
  /** In log-odds. */
  readonly parts: Readonly<Record<string, number>>
  readonly logOdds: number
  /** Every output that would do for an input that nothing else fills, best first. */
  readonly fits: readonly Fit[]
}

export interface Fit {
  readonly output: ShapedField
  readonly input: ShapedField
  readonly score: number
}

/** What past runs say of a pair. */
export interface PairHistory {
  /** In log-odds: above 0 they were linked in this direction, below 0 in the other; 0: nothing is known. */
  readonly direction: number
}

export interface WeighOptions {
  readonly intent: Intent
  readonly shapes: readonly ToolShape[]
  readonly places: readonly ToolPlace[]
  /** Inputs that a value of the request, or the caller, fills; of each tool. */
  readonly filled: readonly ReadonlySet<Field>[]
  history(from: ToolShape, to: ToolShape): number
  /** How much more, or less, often than usual tasks of past runs were linked. */
  readonly base: number
  /** Pairs of which one was added for the other. */
  readonly links: readonly { readonly from: number; readonly to: number }[]
}

const weights = {
  /** Two tools of one request are strangers unless something speaks for it. */
  base: -2.2,
  before: 0.9,
  after: -2.2,
  mention: 2.6,
  anaphora: 2,
  need: 1.2,
  noNeed: -1.2,
  fit: 2,
  roles: 0.7,
  /** One was put into the plan for the other's sake. */
  added: 5,
}

export function weighPairs(options: WeighOptions): readonly Pair[] {
  const { shapes } = options
  const telling = tellingWords(shapes)
  const pairs: Pair[] = []
  for (const from of shapes.keys())
    for (const to of shapes.keys()) if (from !== to) pairs.push(weighPair(from, to, options, telling))
  return pairs
}

function weighPair(from: number, to: number, options: WeighOptions, telling: Telling): Pair {
  const { shapes, places, filled } = options
  const [a, b] = [shapes[from]!, shapes[to]!]
  const fits = findFits(from, to, options)
  const best = fits[0]?.score ?? 0
  const isNeeding = b.inputs.some((input) => input.isRequired && !input.isContainer && !filled[to]!.has(input))
  const parts: Record<string, number> = {
    base: weights.base,
    habit: options.base,
    order: orderOf(places[from]!, places[to]!),
    mention: weights.mention * mentions(from, to, options, telling),
    anaphora: weights.anaphora * pointsAt(from, to, options),
    need: isNeeding ? weights.need * Math.min(1, best * 2) : weights.noNeed,
    fit: weights.fit * best,
    roles: weights.roles * fitRoles(a, b),
    learned: options.history(a, b),
    added: options.links.some((link) => link.from === from && link.to === to) ? weights.added : 0,
  }
  const logOdds = Object.values(parts).reduce((sum, part) => sum + part, 0)
  return { from, to, parts, logOdds, fits }
}

/** Within one wish the order of words says nothing: `book a table at a good restaurant` looks for the restaurant first. */
function orderOf(a: ToolPlace, b: ToolPlace): number {
  let [before, after] = [0, 0]
  let sooner = 0
  let later = 1
  for (const [clause, chance] of b.chances.entries()) {
    const same = a.chances[clause] ?? 0
    later -= same
    before += chance * sooner
    after += chance * later
    sooner += same
  }
  return weights.before * before + weights.after * after
}

/** An output that the request names is meant; what is said where it is made counts half. */
const spokenBonus = 0.35
/** A parameter that is named without a value, `with the age as the argument`, is to be filled from somewhere. */
const namedBonus = 0.2
/** What a tool was given itself need not come from it. */
const echoFactor = 0.6
/** What is spoken of goes where it is meant to, not to whatever is still open. */
const alikeEnough = 0.2
/** What need not be there is filled only by what plainly is it. */
const sureOptional = 0.6
const optionalFactor = 0.7
const laterFactor = 0.03

function findFits(from: number, to: number, { intent, shapes, places, filled }: WeighOptions): readonly Fit[] {
  const [a, b] = [shapes[from]!, shapes[to]!]
  const [making, using] = [from, to].map((tool) => plainWords(intent.clauses[places[tool]!.clause]))
  const clause = intent.clauses[places[to]!.clause]
  const meant = (clause && spokenFor(clause, b)) ?? primaryInput(b)
  const fits: Fit[] = []
  for (const [at, input] of b.inputs.entries()) {
    if (filled[to]!.has(input) || (input.isContainer && input.types.has('object'))) continue
    const isNamed = isNamedAs(input, clause)
    for (const output of a.outputs) {
      const { score: fit } = fitFields(output, input, a.thing)
      if (fit === 0) continue
      const score = fit * (isEcho(output, a) ? echoFactor : 1)
      const spoken = spokenBonus * Math.max(shareIn(output.words, using!), 0.5 * shareIn(output.words, making!))
      const isMeant = isNamed || input === meant || fit >= alikeEnough
      const wanted = score + spoken * (isMeant ? 1 : 0.3) + (isNamed ? namedBonus : 0)
      const factor = (input.isRequired || isNamed ? 1 : optionalFactor) * (1 - laterFactor * at)
      if (input.isRequired || isNamed || fit >= sureOptional) fits.push({ output, input, score: Math.min(1, wanted * factor) })
    }
  }
  return fits.toSorted((x, y) => y.score - x.score)
}

/** It gives back what it was given. */
function isEcho(output: Field, { inputs }: ToolShape): boolean {
  const name = output.words.join(' ')
  return inputs.some((input) => input.words.join(' ') === name)
}

/** `with the age as the argument`, `an amount equal to the total`. */
function isNamedAs(input: Field, clause: Clause | undefined): boolean {
  if (clause === undefined) return false
  return clause.words.some(({ stem: word, at, isValue }, index) => {
    if (isValue || !input.words.includes(word)) return false
    const before = clause.text.slice(Math.max(0, at - clause.start - 12), at - clause.start)
    const next = clause.words[index + 1]?.stem
    return /\bas (?:the |its |an? |their )?(?:\w+ )?$/i.test(before) || next === 'equal' || next === 'from' || next === 'set'
  })
}

function plainWords(clause: Clause | undefined): ReadonlySet<string> {
  return new Set(clause?.words.filter(({ isValue }) => !isValue).map(({ stem: word }) => word))
}

function shareIn(words: readonly string[], spoken: ReadonlySet<string>): number {
  return words.length === 0 ? 0 : words.filter((word) => spoken.has(word)).length / words.length
}

/** Words that few of the tools use for what they give. */
type Telling = readonly ReadonlyMap<string, number>[]

const stops = new Set([...stopWords].map(stem))

function tellingWords(shapes: readonly ToolShape[]): Telling {
  const products = shapes.map(
    (shape) =>
      new Set(
        [...shape.thing, ...shape.outputs.flatMap(({ words }) => words), ...(shape.verb ? [shape.verb] : [])].filter(
          (word) => !stops.has(word) && word.length > 1,
        ),
      ),
  )
  const counts = new Map<string, number>()
  for (const words of products) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return products.map((words) => new Map([...words].map((word) => [word, pointers.has(word) ? 0.2 : 1 / counts.get(word)!])))
}

/** In a wish that two tools share, each may be what the other's words mean. */
const sharedMention = 0.3

/** How much the clause of `to` speaks of what `from` gives, beyond what `to` would say of itself; in [0, 1]. */
function mentions(from: number, to: number, { intent, shapes, places, filled }: WeighOptions, telling: Telling): number {
  const clause = intent.clauses[places[to]!.clause]
  if (clause === undefined) return 0
  const b = shapes[to]!
  const open = new Set(b.inputs.filter((input) => !filled[to]!.has(input)).flatMap(({ words }) => words))
  const own = new Set([...b.thing, ...(b.verb ? [b.verb] : []), ...b.outputs.flatMap(({ words }) => words)])
  const isShared = places[from]!.clause === places[to]!.clause
  let sum = 0
  for (const word of new Set(clause.words.filter(({ isValue }) => !isValue).map(({ stem: one }) => one))) {
    const weight = telling[from]!.get(word)
    if (weight === undefined) continue
    if (isShared && word === shapes[from]!.verb) continue
    if (own.has(word) && !open.has(word)) sum += 0.15 * weight
    else sum += weight
  }
  return (1 - Math.exp(-sum)) * (isShared ? sharedMention : 1)
}

/** `it` is what was spoken of last. */
function pointsAt(from: number, to: number, { intent, places }: WeighOptions): number {
  const [a, b] = [places[from]!.clause, places[to]!.clause]
  if (a < 0 || b < 0 || a >= b) return 0
  const { pointsBack, isVague } = intent.clauses[b]!
  const between = places.some(({ clause }) => clause > a && clause < b)
  return (pointsBack ? 1 : isVague ? 0.5 : 0) * (between ? 0.2 : 1)
}

const rank = { gives: 0, turns: 1, uses: 2 } as const

function fitRoles(a: ToolShape, b: ToolShape): number {
  const [first, second] = [a.verb && roleOf(a.verb), b.verb && roleOf(b.verb)]
  if (!first || !second) return 0
  return Math.sign(rank[second] - rank[first])
}
