import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { Edge, EdgeKey } from '../model/edge.js'
import type { Store } from '../store/store.js'
import { lessonsOf } from './lessons-of.js'
import { observeTraces } from './observe-traces.js'

export interface RebuildOptions {
  readonly store: Store
  /** Filled anew. */
  readonly graph: KnowledgeGraph
  /** Edges guessed from schemas: they are no part of what was learned, and are put beneath it. */
  readonly templates: readonly EdgeKey[]
}

export interface Rebuilt {
  readonly runs: number
  readonly traces: number
  readonly edges: number
  /** What the store had of it before. */
  readonly added: readonly Edge[]
  readonly removed: readonly Edge[]
  readonly changed: readonly { readonly before: Edge; readonly after: Edge }[]
}

/**
 * Everything learned, once more from the start: the baseline, then all traces in their order. Where nothing was damaged
 * and no rule has changed, the edges are those that stood there.
 */
export async function rebuildGraph({ store, graph, templates }: RebuildOptions): Promise<Rebuilt> {
  graph.load(await store.loadBaseline())
  graph.replaceTemplates(templates)
  let runs = 0
  let traces = 0
  for await (const lesson of lessonsOf(store.loadTraces())) {
    graph.observe(observeTraces(lesson.traces))
    runs += 1
    traces += lesson.traces.length
  }
  const before = await store.loadEdges()
  await store.replaceEdges(graph.edges())
  // As the store gives them: both sides in one form.
  const after = await store.loadEdges()
  return { runs, traces, edges: after.length, ...difference(before, after) }
}

function difference(
  before: readonly Edge[],
  after: readonly Edge[],
): Pick<Rebuilt, 'added' | 'removed' | 'changed'> {
  const old = new Map(before.map((edge) => [keyOf(edge), edge]))
  const added: Edge[] = []
  const changed: { before: Edge; after: Edge }[] = []
  for (const edge of after) {
    const known = old.get(keyOf(edge))
    old.delete(keyOf(edge))
    if (known === undefined) added.push(edge)
    else if (!isSame(known, edge)) changed.push({ before: known, after: edge })
  }
  return { added, removed: [...old.values()], changed }
}

function keyOf({ from, to, type }: EdgeKey): string {
  return JSON.stringify([from, to, type])
}

function isSame(a: Edge, b: Edge): boolean {
  return (['source', 'count', 'successes', 'failures', 'firstSeen', 'lastSeen'] as const).every(
    (field) => a[field] === b[field],
  )
}
