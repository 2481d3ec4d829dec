import { StoreError } from '../errors.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { EdgeKey } from '../model/edge.js'
import type { Store } from '../store/store.js'
import { betaShiftsOf } from './beta-shifts-of.js'
import { diffEdges, type EdgesDiff } from './diff-edges.js'
import { foldBetas } from './fold-betas.js'
import { foldSchemas } from './fold-schemas.js'
import { isSameBaseline } from './is-same-baseline.js'
import { lessonsOf } from './lessons-of.js'
import { observeTraces } from './observe-traces.js'
import { schemaSamples } from './schema-samples.js'

export interface RebuildOptions {
  readonly store: Store
  /** Filled anew. */
  readonly graph: KnowledgeGraph
  /** Edges guessed from schemas: they are no part of what was learned, and are put beneath it. */
  readonly templates: readonly EdgeKey[]
}

/** The difference is that to what the store had before. */
export interface Rebuilt extends EdgesDiff {
  readonly runs: number
  readonly traces: number
  readonly edges: number
}

/** Each takes seconds at most, and it is only other gateways on the same database that learn meanwhile. */
const mostAttempts = 3

/**
 * Everything learned, once more from the start: the baseline, then all traces in their order. Where nothing was damaged
 * and no rule has changed, edges, output schemas and Beta states are those that stood there. Begun again where another gateway has learned or folded
 * meanwhile: its lesson would be lost, or counted twice.
 */
export async function rebuildGraph(options: RebuildOptions): Promise<Rebuilt> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const rebuilt = await tryRebuild(options)
    if (rebuilt !== undefined) return rebuilt
  }
  throw new StoreError(
    'The graph was not rebuilt: another gateway on the same database keeps learning.',
    'What was learned is kept. Try again when fewer runs end, or with one gateway running.',
  )
}

async function tryRebuild({ store, graph, templates }: RebuildOptions): Promise<Rebuilt | undefined> {
  const baseline = await store.loadBaseline()
  graph.load(baseline.edges)
  graph.replaceTemplates(templates)
  const results = foldSchemas(baseline.outputSchemas)
  const betas = foldBetas(baseline.betaStates)
  let runs = 0
  let traces = 0
  let through = 0
  for await (const lesson of lessonsOf(store.loadTraces())) {
    graph.observe(observeTraces(lesson.traces))
    results.take(schemaSamples(lesson.traces))
    betas.take(betaShiftsOf(lesson.traces))
    runs += 1
    traces += lesson.traces.length
    through = lesson.position
  }
  // Traces that were folded between the two reads are in neither.
  if (!isSameBaseline(baseline, await store.loadBaseline())) return undefined
  const before = await store.loadEdges()
  if (!(await store.replaceEdges(graph.edges(), through))) return undefined
  if (!(await store.replaceOutputSchemas(results.schemas(), through))) return undefined
  if (!(await store.replaceBetaStates('tool', betas.states(), through))) return undefined
  // As the store gives them: both sides in one form.
  const after = await store.loadEdges()
  return { runs, traces, edges: after.length, ...diffEdges(before, after) }
}
