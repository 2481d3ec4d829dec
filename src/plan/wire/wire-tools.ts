/**
 * Given the tools of a request, what needs what: every ordered pair is weighed, so the order in which they are given does not
 * matter; a circle loses its weakest edge; an edge says what feeds what.
 */

import type { Embedder } from '../../embed/embedder.js'
import type { KnowledgeGraph } from '../../graph/knowledge-graph.js'
import { compareText } from '../../model/compare-text.js'
import type { Experience } from '../../model/experience.js'
import type { PlanEdge } from '../../model/plan.js'
import type { Tool } from '../../model/tool.js'
import { type Intent, readIntent } from '../read/read-intent.js'
import { assignChoices } from './assign-choices.js'
import { type Assigned, assignLiterals } from './assign-literals.js'
import { chooseEdges } from './choose-edges.js'
import { createToolShapes, type ToolShape, type ToolShapes } from './describe-tool.js'
import { createPairHistories, type PairHistories } from './pair-history.js'
import { placeTools, type ToolPlace } from './place-tools.js'
import type { Field } from './schema-fields.js'
import { type Pair, weighPairs } from './weigh-pairs.js'

export interface WiringDeps {
  readonly graph: Pick<KnowledgeGraph, 'incoming' | 'outgoing'>
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
  /** As it was read: the clauses are its. */
  readonly intent: Intent
  /** The clause that each tool serves. */
  readonly clauses: readonly number[]
  /** Pairs of which one was added for the other. */
  readonly links: readonly { readonly from: number; readonly to: number }[]
  /** Tools that have been called: they feed others, and need nothing. */
  readonly done: ReadonlySet<number>
  /** The caller gave the value of this input of the tool at this place. */
  isGiven(place: number, field: Field): boolean
}

export function createWiring(deps: WiringDeps): Wiring {
  const shapes = createToolShapes(deps.embedder)
  const histories = createPairHistories(deps)
  return {
    shapes,
    async wire(text, tools, known) {
      // One order for all: where two are equal, the order in which they were given must not decide.
      const order = [...tools.keys()].sort(
        (a, b) =>
          compareText(tools[a]!.id, tools[b]!.id) || (known?.clauses[a] ?? 0) - (known?.clauses[b] ?? 0),
      )
      const placeOf = new Map(order.map((tool, place) => [tool, place]))
      const wired = await wireSorted(known?.intent ?? readIntent(text), {
        ...deps,
        shapes: await shapes.of(
          order.map((tool) => tools[tool]!),
          (tool) => deps.experience.outputSchema(tool.id),
        ),
        histories,
        known: known && {
          ...known,
          clauses: order.map((tool) => known.clauses[tool]!),
          links: known.links.map(({ from, to }) => ({ from: placeOf.get(from)!, to: placeOf.get(to)! })),
          done: new Set([...known.done].map((tool) => placeOf.get(tool)!)),
          isGiven: (place, field) => known.isGiven(order[place]!, field),
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

async function wireSorted(
  intent: Intent,
  { shapes, embedder, histories, known }: SortedOptions,
): Promise<Wired> {
  const texts = [intent.text, ...intent.clauses.map((clause) => clause.text)]
  const [whole, ...vectors] = await embedder.embed(texts, 'query', new AbortController().signal)
  const history = await histories.of(
    shapes.map(({ tool }) => tool.id),
    whole!,
  )
  const found = placeTools(intent, shapes, { vectors })
  const places =
    known === undefined ? found : found.map((place, tool) => placeAt(place, known.clauses[tool]!, intent))
  const values = assignLiterals(intent, shapes, places)
  const literals = [...values, ...assignChoices(intent, shapes, places, values)]
  const filled = shapes.map((shape, tool) => {
    const given = shape.inputs.filter((field) => known?.isGiven(tool, field))
    return new Set<Field>([
      ...given,
      ...literals.filter((one) => one.tool === tool).map(({ field }) => field),
    ])
  })
  const links = known?.links ?? []
  const pairs = weighPairs({ intent, shapes, places, filled, history, links })
  const helpers = new Set(links.map(({ from }) => from))
  const possible = pairs
    .filter(({ to }) => !known?.done.has(to))
    .flatMap((pair) => withForeseen(pair, helpers) ?? [])
  const { edges, dropped, runs } = chooseEdges(possible, { shapes, filled, history })
  return { edges, dropped, intent, shapes, literals, pastRuns: runs }
}

function placeAt(place: ToolPlace, clause: number, { clauses }: Intent): ToolPlace {
  return { ...place, clause, chances: clauses.map((_, at) => (at === clause ? 1 : 0)) }
}

/** What was put into the plan for one tool's sake feeds another only where it plainly gives what that wants. */
function withForeseen(pair: Pair, helpers: ReadonlySet<number>): Pair | undefined {
  if (!helpers.has(pair.from) || (pair.parts.added ?? 0) > 0) return pair
  const fits = pair.fits.filter(
    ({ output, input, score }) => score >= plainFit && output.words.join(' ') === input.words.join(' '),
  )
  return fits.length === 0 ? undefined : { ...pair, fits }
}

const plainFit = 0.7
