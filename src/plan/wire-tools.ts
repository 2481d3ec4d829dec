/**
 * Given the tools of a request, what needs what: every ordered pair is weighed, so the order in which they are given does not
 * matter; a circle loses its weakest edge; an edge says what feeds what.
 */
import type { Embedder } from '../embed/embedder.js'
import { createPairHistory } from './pair-history.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { Experience } from '../model/experience.js'
import type { FieldLink, PlanEdge } from '../model/plan.js'
import type { Tool } from '../model/tool.js'
import { type Assigned, assignLiterals } from './assign-literals.js'
import { createToolShapes, primaryInput, type ToolShape, type ToolShapes } from './describe-tool.js'
import { placeTools, type ToolPlace } from './place-tools.js'
import { type Intent, readIntent } from './read-intent.js'
import type { Field } from './schema-fields.js'
import { type Fit, type Pair, weighPairs } from './weigh-pairs.js'

export interface WiringDeps {
  readonly graph: Pick<KnowledgeGraph, 'edge' | 'edges' | 'revision'>
  /** A cheap one: it is asked for every field. */
  readonly embedder: Embedder
  readonly experience: Experience
}

export interface Wired {
  /** `from` and `to` are places in the list of tools. */
  readonly edges: readonly PlanEdge[]
  readonly dropped: readonly PlanEdge[]
  readonly pairs: readonly Pair[]
  readonly intent: Intent
  readonly shapes: readonly ToolShape[]
  readonly places: readonly ToolPlace[]
  readonly literals: readonly Assigned[]
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

export function createWiring({ graph, embedder, experience }: WiringDeps): Wiring {
  const shapes = createToolShapes(embedder)
  const history = createPairHistory(graph)
  const never = new AbortController().signal
  return {
    shapes,
    async wire(text, tools, known) {
      const described = await shapes.of(tools, (tool) => experience.outputSchema(tool.id))
      const intent = readIntent(text)
      const vectors = await embedder.embed(intent.clauses.map((clause) => clause.text), 'query', never)
      const found = placeTools(intent, described, { vectors })
      const places = known === undefined ? found : found.map((place, tool) => placeAt(place, known.clauses[tool]!, intent))
      const literals = assignLiterals(intent, described, places)
      const filled = described.map((_, tool) => new Set<Field>(literals.filter((one) => one.tool === tool).map(({ field }) => field)))
      const pairs = weighPairs({ intent, shapes: described, places, filled, history: history.direction, base: history.base(), links: known?.links ?? [] })
      const helpers = new Set(known?.links.map(({ from }) => from))
      const foreseen = pairs.flatMap((pair) => withForeseen(pair, helpers) ?? [])
      const { edges, dropped } = chooseEdges(foreseen, described, filled)
      return { edges, dropped, pairs, intent, shapes: described, places, literals }
    },
  }
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
): { readonly edges: readonly PlanEdge[]; readonly dropped: readonly PlanEdge[] } {
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
  return {
    edges: edges.map((pair) => toEdge(pair, fed.get(pair) ?? [])),
    dropped: dropped.map((pair) => toEdge(pair, [])),
  }
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

function toEdge(pair: Pair, fits: readonly Fit[]): PlanEdge {
  const fields: FieldLink[] = fits.map(({ output, input, score }) => ({ output: output.path, input: input.path, score }))
  return {
    from: String(pair.from),
    to: String(pair.to),
    probability: 1 / (1 + Math.exp(-pair.logOdds)),
    parts: pair.parts,
    fields,
    why: '',
  }
}
