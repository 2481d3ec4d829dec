import type { PlanEdge } from '../../model/plan.js'
import { primaryInput, type ToolShape, wantedInputs } from './describe-tool.js'
import { explainEdge } from './explain-edge.js'
import type { Fit } from './find-fits.js'
import type { PairHistory } from './pair-history.js'
import type { Field } from './schema-fields.js'
import { inDoubt, type Pair } from './weigh-pairs.js'

export interface ChosenEdges {
  /** Between places in the list of tools. */
  readonly edges: readonly PlanEdge[]
  /** Dependencies that would have closed a circle; the weakest of each. */
  readonly dropped: readonly PlanEdge[]
  /** Past runs that speak for the edges. */
  readonly runs: readonly string[]
}

export interface ChooseEdgesOptions {
  readonly shapes: readonly ToolShape[]
  /** Inputs that have their value already; of each tool. */
  readonly filled: readonly ReadonlySet<Field>[]
  readonly history: Pick<PairHistory, 'runs'>
}

/** An edge that feeds nothing is kept where the request speaks of it, or past runs do. */
const spokenOf = 1.3

/** What is more likely than not, without circles and without what others say already. */
export function chooseEdges(pairs: readonly Pair[], options: ChooseEdgesOptions): ChosenEdges {
  const { shapes, history } = options
  const { kept, dropped, fed } = withoutCircles(pairs, options)
  const ways: Ways = new Map()
  for (const pair of kept) addWay(ways, pair)
  const edges = kept.filter((pair) => !isImplied(pair, ways))
  const runsOf = ({ from, to }: Pair): readonly string[] =>
    history.runs(shapes[from]!.tool.id, shapes[to]!.tool.id)
  return {
    edges: edges.map((pair) => toEdge(pair, fed.get(pair)!, runsOf(pair).length)),
    dropped: dropped.map((pair) => toEdge(pair, [], runsOf(pair).length)),
    runs: [...new Set(edges.flatMap((pair) => runsOf(pair).slice(0, mostRunsNamed)))],
  }
}

interface Kept {
  readonly kept: readonly Pair[]
  readonly dropped: readonly Pair[]
}

/** What an edge that goes would have fed, another may feed; that may close the next circle. */
const mostRounds = 4

function withoutCircles(pairs: readonly Pair[], options: ChooseEdgesOptions): Kept & { readonly fed: Fed } {
  const gone = new Set<Pair>()
  for (let round = 1; ; round++) {
    const fed = findWanted(
      pairs.filter((pair) => !gone.has(pair)),
      options,
    )
    const { kept, dropped } = openCircles([...fed.keys()])
    for (const pair of dropped) gone.add(pair)
    if (dropped.length === 0 || round === mostRounds) return { kept, dropped: [...gone], fed }
  }
}

/** By edge: what it feeds. */
type Fed = ReadonlyMap<Pair, readonly Fit[]>

function findWanted(pairs: readonly Pair[], { shapes, filled }: ChooseEdgesOptions): Fed {
  const fed = new Map<Pair, readonly Fit[]>()
  const into = shapes.map((): Pair[] => [])
  for (const pair of pairs) into[pair.to]!.push(pair)
  for (const [to, shape] of shapes.entries()) {
    const open = new Set<Field>(shape.inputs.filter((input) => !filled[to]!.has(input)))
    for (const [rank, pair] of into[to]!.toSorted((a, b) => b.logOdds - a.logOdds).entries()) {
      if (pair.logOdds < 0 && !(rank === 0 && isNeeded(pair, shape))) continue
      const fits = takeFits(pair, open, primaryInput(shape))
      if (fits.length > 0 || isSpokenOf(pair)) fed.set(pair, fits)
    }
  }
  return fed
}

/** Of each edge: those whose intent is most like this one. */
const mostRunsNamed = 3

/** Below even odds only where a tool would otherwise lack what it must have: in doubt, the dependency is assumed. */
function isNeeded(pair: Pair, shape: ToolShape): boolean {
  const wanted = wantedInputs(shape)
  return pair.logOdds >= inDoubt && !speaksAgainst(pair) && pair.fits.some(({ input }) => wanted.has(input))
}

function isSpokenOf({ parts }: Pair): boolean {
  const { mention = 0, anaphora = 0, learned = 0, habit = 0, added = 0 } = parts
  return Math.max(mention, anaphora, learned + habit, added) >= spokenOf
}

/** The request says it the other way round, or the tools do. */
function speaksAgainst({ parts }: Pair): boolean {
  return (parts.order ?? 0) < -0.5 || (parts.roles ?? 0) < 0
}

/** Each input is fed by one output, and each output feeds one input; required ones first, then by fit. */
function takeFits(pair: Pair, open: Set<Field>, primary: Field | undefined): readonly Fit[] {
  const taken: Fit[] = []
  const used = new Set<Field>()
  for (const fit of pair.fits) {
    if (!open.has(fit.input) || used.has(fit.output)) continue
    if (taken.length > 0 && (fit.score < sureFit || !fit.input.isRequired)) continue
    if (taken.length === 0 && fit.score < (fit.input === primary ? leastPrimary : leastFit)) continue
    open.delete(fit.input)
    used.add(fit.output)
    taken.push(fit)
  }
  return taken
}

/** What a tool is about may be anything; what it is about besides is more special. */
const leastPrimary = 0.15
const leastFit = 0.2
const sureFit = 0.5

/** The strongest first, so of each circle it is the weakest that goes. */
function openCircles(pairs: readonly Pair[]): Kept {
  const kept: Pair[] = []
  const dropped: Pair[] = []
  const ways: Ways = new Map()
  for (const pair of pairs.toSorted((a, b) => b.logOdds - a.logOdds)) {
    if (leads(ways, pair.to, pair.from)) dropped.push(pair)
    else {
      kept.push(pair)
      addWay(ways, pair)
    }
  }
  return { kept, dropped }
}

/** Stands by what past runs did alone, and others say the same: first this, then that, then the other. */
function isImplied(pair: Pair, ways: Ways): boolean {
  const { learned = 0, habit = 0 } = pair.parts
  if (pair.logOdds - learned - 2 * habit >= 0) return false
  return [...ways.get(pair.from)!].some((next) => next !== pair.to && leads(ways, next, pair.to))
}

/** From each place to those that come after it. */
type Ways = Map<number, Set<number>>

function addWay(ways: Ways, { from, to }: Pair): void {
  const after = ways.get(from)
  if (after === undefined) ways.set(from, new Set([to]))
  else after.add(to)
}

function leads(ways: Ways, from: number, to: number): boolean {
  const open = [from]
  const seen = new Set(open)
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === to) return true
    for (const next of ways.get(at) ?? [])
      if (!seen.has(next)) {
        seen.add(next)
        open.push(next)
      }
  }
  return false
}

function toEdge(pair: Pair, fits: readonly Fit[], runs: number): PlanEdge {
  const fields = fits.map(({ output, input, score }) => ({ output: output.path, input: input.path, score }))
  return {
    from: String(pair.from),
    to: String(pair.to),
    probability: 1 / (1 + Math.exp(-pair.logOdds)),
    parts: pair.parts,
    fields,
    why: explainEdge(pair, fields, runs),
  }
}
