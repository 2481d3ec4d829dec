/**
 * Given the tools of a request, what needs what: every ordered pair is weighed, so the order in which they are given does not
 * matter; a circle loses its weakest edge; an edge says what feeds what.
 */
import type { Embedder } from '../embed/embedder.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { Experience } from '../model/experience.js'
import type { FieldLink, PlanEdge } from '../model/plan.js'
import type { Tool } from '../model/tool.js'
import { type Assigned, assignLiterals } from './assign-literals.js'
import { createToolShapes, primaryInput, type ToolShape, type ToolShapes } from './describe-tool.js'
import { createPairHistories, type PairHistories, type PairHistory } from './pair-history.js'
import { placeTools, type ToolPlace } from './place-tools.js'
import { type Intent, readIntent } from './read-intent.js'
import type { Field } from './schema-fields.js'
import { type Fit, type Pair, weighPairs } from './weigh-pairs.js'

export interface WiringDeps {
  readonly graph: Pick<KnowledgeGraph, 'edge' | 'incoming' | 'outgoing'>
  /** A cheap one: it is asked for every field. */
  readonly embedder: Embedder
  readonly experience: Experience
}

export interface Wired {
  /** `from` and `to` are places in the list of tools. */
  readonly edges: readonly PlanEdge[]
  readonly dropped: readonly PlanEdge[]
  readonly intent: Intent
  readonly shapes: readonly ToolShape[]
  readonly literals: readonly Assigned[]
  /** Past runs that speak for the edges. */
  readonly pastRuns: readonly string[]
}

export interface Wiring {
  /** `tools` may hold one several times. */
  wire(intent: string, tools: readonly Tool[], known?: Known): Promise<Wired>
  readonly shapes: ToolShapes
}

/** What is known beforehand. */
export interface Known {
  /** The clause that each tool serves. */
  readonly clauses: readonly number[]
  /** Pairs of which one was added for the other. */
  readonly links: readonly { readonly from: number; readonly to: number }[]
}

export function createWiring(deps: WiringDeps): Wiring {
  const shapes = createToolShapes(deps.embedder)
  const histories = createPairHistories(deps)
  return {
    shapes,
    async wire(text, tools, known) {
      // One order for all: where two are equal, the order in which they were given must not decide.
      const order = [...tools.keys()].sort(
        (a, b) => compare(tools[a]!.id, tools[b]!.id) || (known?.clauses[a] ?? 0) - (known?.clauses[b] ?? 0),
      )
      const placeOf = new Map(order.map((tool, place) => [tool, place]))
      const wired = await wireSorted(readIntent(text), {
        ...deps,
        shapes: await shapes.of(
          order.map((tool) => tools[tool]!),
          (tool) => deps.experience.outputSchema(tool.id),
        ),
        histories,
        known: known && {
          clauses: order.map((tool) => known.clauses[tool]!),
          links: known.links.map(({ from, to }) => ({ from: placeOf.get(from)!, to: placeOf.get(to)! })),
        },
      })
      const back = (edge: PlanEdge): PlanEdge => ({
        ...edge,
        from: String(order[Number(edge.from)]),
        to: String(order[Number(edge.to)]),
      })
      return {
        ...wired,
        edges: wired.edges.map(back),
        dropped: wired.dropped.map(back),
        shapes: [...tools.keys()].map((tool) => wired.shapes[placeOf.get(tool)!]!),
        literals: wired.literals.map((one) => ({ ...one, tool: order[one.tool]! })),
      }
    },
  }
}

interface SortedOptions {
  readonly shapes: readonly ToolShape[]
  readonly embedder: Embedder
  readonly histories: PairHistories
  readonly known: Known | undefined
}

async function wireSorted(intent: Intent, { shapes, embedder, histories, known }: SortedOptions): Promise<Wired> {
  const texts = [intent.text, ...intent.clauses.map((clause) => clause.text)]
  const [whole, ...vectors] = await embedder.embed(texts, 'query', new AbortController().signal)
  const history = await histories.of(
    shapes.map(({ tool }) => tool.id),
    whole!,
  )
  const found = placeTools(intent, shapes, { vectors })
  const places = known === undefined ? found : found.map((place, tool) => placeAt(place, known.clauses[tool]!, intent))
  const literals = assignLiterals(intent, shapes, places)
  const filled = shapes.map((_, tool) => new Set<Field>(literals.filter((one) => one.tool === tool).map(({ field }) => field)))
  const links = known?.links ?? []
  const pairs = weighPairs({ intent, shapes, places, filled, history, links })
  const helpers = new Set(links.map(({ from }) => from))
  const foreseen = pairs.flatMap((pair) => withForeseen(pair, helpers) ?? [])
  const { edges, dropped, runs } = chooseEdges(foreseen, shapes, filled, history)
  return { edges, dropped, intent, shapes, literals, pastRuns: runs }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function placeAt(place: ToolPlace, clause: number, { clauses }: Intent): ToolPlace {
  return { ...place, clause, chances: clauses.map((_, at) => (at === clause ? 1 : 0)) }
}

/** What was put into the plan for one tool's sake feeds another only where it plainly gives what that wants. */
function withForeseen(pair: Pair, helpers: ReadonlySet<number>): Pair | undefined {
  if (!helpers.has(pair.from) || (pair.parts.added ?? 0) > 0) return pair
  const fits = pair.fits.filter(({ output, input, score }) => score >= plainFit && output.words.join(' ') === input.words.join(' '))
  return fits.length === 0 ? undefined : { ...pair, fits }
}

const plainFit = 0.7

/** Below even odds an edge is taken only where a tool would otherwise lack what it needs: in doubt, assume the dependency. */
const inDoubt = -1
/** An edge that feeds nothing is kept where the request speaks of it, or past runs do. */
const spokenOf = 1.3

function chooseEdges(
  pairs: readonly Pair[],
  shapes: readonly ToolShape[],
  filled: readonly ReadonlySet<Field>[],
  history: PairHistory,
): { readonly edges: readonly PlanEdge[]; readonly dropped: readonly PlanEdge[]; readonly runs: readonly string[] } {
  const fed = new Map<Pair, readonly Fit[]>()
  const wanted = shapes.flatMap((shape, to) => {
    const into = pairs.filter((pair) => pair.to === to).toSorted((a, b) => b.logOdds - a.logOdds)
    const open = new Set<Field>(shape.inputs.filter((input) => !filled[to]!.has(input)))
    return into.filter((pair, rank) => {
      const isNeeded =
        rank === 0 && pair.logOdds >= inDoubt && !speaksAgainst(pair) && pair.fits.some(({ input }) => input.isRequired)
      if (pair.logOdds < 0 && !isNeeded) return false
      const fits = takeFits(pair, open, primaryInput(shape))
      fed.set(pair, fits)
      const { mention = 0, anaphora = 0, learned = 0, habit = 0, added = 0 } = pair.parts
      return fits.length > 0 || Math.max(mention, anaphora, learned + habit, added) >= spokenOf
    })
  })
  const kept: Pair[] = []
  const dropped: Pair[] = []
  for (const pair of wanted.toSorted((a, b) => b.logOdds - a.logOdds)) (reaches(kept, pair.to, pair.from) ? dropped : kept).push(pair)
  const edges = kept.filter((pair) => !isImplied(pair, kept))
  const runsOf = ({ from, to }: Pair): readonly string[] => history.runs(shapes[from]!.tool.id, shapes[to]!.tool.id)
  return {
    edges: edges.map((pair) => toEdge(pair, fed.get(pair) ?? [], runsOf(pair).length)),
    dropped: dropped.map((pair) => toEdge(pair, [], runsOf(pair).length)),
    runs: [...new Set(edges.flatMap((pair) => runsOf(pair).slice(0, mostRunsNamed)))],
  }
}

/** Of each edge: those whose intent is most like this one. */
const mostRunsNamed = 3

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

/** Stands by what past runs did alone, and others say the same: first this, then that, then the other. */
function isImplied(pair: Pair, kept: readonly Pair[]): boolean {
  const { learned = 0, habit = 0 } = pair.parts
  if (pair.logOdds - learned - 2 * habit >= 0) return false
  return reaches(
    kept.filter((other) => other !== pair),
    pair.from,
    pair.to,
  )
}

function reaches(edges: readonly Pair[], from: number, to: number): boolean {
  const open = [from]
  const seen = new Set(open)
  while (open.length > 0) {
    const at = open.pop()!
    if (at === to) return true
    for (const edge of edges)
      if (edge.from === at && !seen.has(edge.to)) {
        seen.add(edge.to)
        open.push(edge.to)
      }
  }
  return false
}

function toEdge(pair: Pair, fits: readonly Fit[], runs: number): PlanEdge {
  const fields: FieldLink[] = fits.map(({ output, input, score }) => ({ output: output.path, input: input.path, score }))
  return {
    from: String(pair.from),
    to: String(pair.to),
    probability: 1 / (1 + Math.exp(-pair.logOdds)),
    parts: pair.parts,
    fields,
    why: explain(pair, fields, runs),
  }
}

/** A part is worth a word from here on. */
const telling = 0.6

function explain({ parts, logOdds }: Pair, fields: readonly FieldLink[], runs: number): string {
  const said = (name: string): boolean => (parts[name] ?? 0) >= telling
  const reasons = [
    ...fields.map(({ output, input }) => `${output || 'its result'} fits ${input}`),
    ...(said('added') ? ['it was added for this'] : []),
    ...(said('mention') ? ['the request speaks of what it gives'] : []),
    ...(said('anaphora') ? ['the request points back at it'] : []),
    ...(said('learned') && runs > 0 ? [`${runs} past ${runs === 1 ? 'run' : 'runs'} went this way`] : []),
    ...(said('learned') && runs === 0 ? ['past runs went this way'] : []),
    ...(said('path') ? ['past runs lead there over other tools'] : []),
    ...(logOdds < 0 ? ['in doubt, it is assumed'] : []),
  ]
  return reasons.join('; ') || 'the order in the request'
}
