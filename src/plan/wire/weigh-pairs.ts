/**
 * How probable it is that one tool needs another, for every ordered pair of the chosen tools: a sum of few pieces of evidence in
 * log-odds, each of which a reader can check. The weights are set by hand, to round numbers, while looking at the
 * development sets: bench/plan/README.md says what was looked at where.
 */
import { stopStems } from '../../model/words/stop-words.js'
import type { Clause, Intent } from '../read/read-intent.js'
import { primaryInput, roleOf, type ToolShape, wantedInputs } from './describe-tool.js'
import { type Fit, type FitSide, findFits } from './find-fits.js'
import { pointers } from './fit-fields.js'
import type { PairHistory } from './pair-history.js'
import type { ToolPlace } from './place-tools.js'
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

export interface WeighOptions {
  readonly intent: Intent
  readonly shapes: readonly ToolShape[]
  readonly places: readonly ToolPlace[]
  /** Inputs that a value of the request, or the caller, fills; of each tool. */
  readonly filled: readonly ReadonlySet<Field>[]
  readonly history: PairHistory
  /** Pairs of which one was added for the other. */
  readonly links: readonly { readonly from: number; readonly to: number }[]
}

const weights = {
  /** Two tools of one request are strangers unless something speaks for it. */
  base: -2.2,
  before: 1.2,
  after: -2.8,
  mention: 2.6,
  anaphora: 2,
  need: 1.2,
  noNeed: -1.2,
  fit: 2,
  roles: 0.7,
  /** Past runs lead from one to the other over a third. */
  path: 0.8,
  /** One was put into the plan for the other's sake. */
  added: 5,
}

/** In log-odds: what is less likely is no edge, whatever a tool lacks. */
export const inDoubt = -1

/** Of two hundred tools there are 40,000 pairs that nobody asks for again. */
const fewTools = 50

/** After so many runs with both, what is known counts as much as what is guessed. */
const soonKnown = 3

export function weighPairs(options: WeighOptions): readonly Pair[] {
  const { shapes } = options
  const telling = tellingWords(shapes)
  const views = shapes.map((_, tool) => viewOf(tool, options))
  const pairs: Pair[] = []
  for (const from of shapes.keys())
    for (const to of shapes.keys())
      if (from !== to) pairs.push(weighPair(from, to, options, { telling, views }))
  return pairs
}

/** What a pair looks at on either side, made once for each tool. */
interface View extends FitSide {
  /** Words of parameters that nothing fills. */
  readonly open: ReadonlySet<string>
  /** Words that it would say of itself. */
  readonly own: ReadonlySet<string>
  /** A required parameter has nothing. */
  readonly isNeeding: boolean
}

interface Shared {
  /** By tool: words that few of the tools use for what they give, and how telling each is. */
  readonly telling: readonly ReadonlyMap<string, number>[]
  readonly views: readonly View[]
}

function viewOf(tool: number, { intent, shapes, places, filled }: WeighOptions): View {
  const shape = shapes[tool]!
  const clause = intent.clauses[places[tool]!.clause]
  const open = shape.inputs.filter((input) => !filled[tool]!.has(input))
  const meant = (clause && spokenFor(clause, shape)) ?? primaryInput(shape)
  const wanted = wantedInputs(shape)
  return {
    shape,
    wanted,
    filled: filled[tool]!,
    words: new Set(clause?.words.filter(({ isValue }) => !isValue).map(({ stem: word }) => word)),
    ...(meant && { meant }),
    named: new Set(open.filter((input) => isNamedAs(input, clause))),
    open: new Set(open.flatMap(({ words }) => words)),
    own: new Set([
      ...shape.thing,
      ...(shape.verb ? [shape.verb] : []),
      ...shape.outputs.flatMap(({ words }) => words),
    ]),
    isNeeding: open.some((input) => wanted.has(input) && !input.isContainer),
  }
}

function weighPair(from: number, to: number, options: WeighOptions, shared: Shared): Pair {
  const { shapes, places, history } = options
  const [a, b] = [shapes[from]!, shapes[to]!]
  // What is known of a pair takes the place of what is guessed from words and schemas.
  const doubt = soonKnown / (soonKnown + history.count(a.tool.id, b.tool.id))
  const parts: Record<string, number> = {
    base: weights.base,
    habit: history.base,
    order: orderOf(places[from]!, places[to]!),
    mention: doubt * weights.mention * mentions(from, to, options, shared),
    anaphora: weights.anaphora * pointsAt(from, to, options),
    roles: weights.roles * fitRoles(a, b),
    learned: history.direction(a.tool.id, b.tool.id),
    path: weights.path * history.path(a.tool.id, b.tool.id),
    added: options.links.some((link) => link.from === from && link.to === to) ? weights.added : 0,
  }
  // Fields are dear to compare: not where the best of fits would change nothing.
  const isHopeless = sum(parts) + weights.need + weights.fit < inDoubt
  const fits = isHopeless
    ? []
    : findFits(shared.views[from]!, shared.views[to]!, { isKept: shapes.length <= fewTools })
  const best = fits[0]?.score ?? 0
  parts.need = doubt * (shared.views[to]!.isNeeding ? weights.need * Math.min(1, best * 2) : weights.noNeed)
  parts.fit = doubt * weights.fit * best
  return { from, to, parts, logOdds: sum(parts), fits }
}

function sum(parts: Pair['parts']): number {
  let total = 0
  for (const name in parts) total += parts[name]!
  return total
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

/** `with the age as the argument`, `an amount equal to the total`. */
function isNamedAs(input: Field, clause: Clause | undefined): boolean {
  if (clause === undefined) return false
  return clause.words.some(({ stem: word, at, isValue }, index) => {
    if (isValue || !input.words.includes(word)) return false
    const before = clause.text.slice(Math.max(0, at - clause.start - 12), at - clause.start)
    const next = clause.words[index + 1]?.stem
    return (
      /\bas (?:the |its |an? |their )?(?:\w+ )?$/i.test(before) ||
      next === 'equal' ||
      next === 'from' ||
      next === 'set'
    )
  })
}

function tellingWords(shapes: readonly ToolShape[]): Shared['telling'] {
  const products = shapes.map(
    (shape) =>
      new Set(
        [
          ...shape.thing,
          ...shape.outputs.flatMap(({ words }) => words),
          ...(shape.verb ? [shape.verb] : []),
        ].filter((word) => !stopStems.has(word) && word.length > 1),
      ),
  )
  const counts = new Map<string, number>()
  for (const words of products) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return products.map(
    (words) => new Map([...words].map((word) => [word, pointers.has(word) ? 0.2 : 1 / counts.get(word)!])),
  )
}

/** In a wish that two tools share, each may be what the other's words mean. */
const sharedMention = 0.3
/** What a tool would say of itself anyway hardly speaks of another. */
const ownFactor = 0.15

/** How much the clause of `to` speaks of what `from` gives, beyond what `to` would say of itself; in [0, 1]. */
function mentions(
  from: number,
  to: number,
  { shapes, places }: WeighOptions,
  { telling, views }: Shared,
): number {
  const { words, open, own } = views[to]!
  const isShared = places[from]!.clause === places[to]!.clause
  let sum = 0
  for (const [word, weight] of telling[from]!) {
    if (!words.has(word) || (isShared && word === shapes[from]!.verb)) continue
    sum += own.has(word) && !open.has(word) ? ownFactor * weight : weight
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
