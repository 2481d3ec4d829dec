import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { Edge, EdgeKey, Observation } from '../model/edge.js'
import type { Trace } from '../model/trace.js'
import type { Store } from '../store/store.js'
import { observeTraces } from './observe-traces.js'

export interface Learnt {
  readonly changed: readonly Edge[]
  readonly refused: readonly Observation[]
}

/**
 * Takes in what one run did: the graph, and in one transaction its traces and the edges they changed. Graph and store say
 * the same afterwards, also where the store refused (then it throws, and the graph is as before) or had these traces already.
 * One at a time, or one would save edges that hold what another failed to save.
 */
export async function learnFromTraces(
  traces: readonly Trace[],
  { graph, store }: { readonly graph: KnowledgeGraph; readonly store: Store },
): Promise<Learnt> {
  const observations = observeTraces(traces)
  const before = observations.flatMap((seen) => graph.edge(seen) ?? [])
  const { changed, refused } = graph.observe(observations)
  try {
    const noted = notePromotions(traces, promotedAmong(changed, before))
    if (await store.saveLearned({ traces: noted, edges: changed })) return { changed, refused }
  } catch (error) {
    putBack(graph, changed, before)
    throw error
  }
  graph.load(await store.loadEdges())
  return { changed: [], refused: [] }
}

function promotedAmong(changed: readonly Edge[], before: readonly Edge[]): readonly EdgeKey[] {
  const sure = new Set(before.filter(isSure).map(textOf))
  return changed
    .filter((edge) => isSure(edge) && !sure.has(textOf(edge)))
    .map(({ from, to, type }) => ({ from, to, type }))
}

/** What decided hangs on the embeddings of today: a rebuild is to find what was decided, not to decide anew. */
function notePromotions([run, ...calls]: readonly Trace[], promoted: readonly EdgeKey[]): readonly Trace[] {
  return run === undefined ? [] : [{ ...run, promoted }, ...calls]
}

function isSure({ source }: Edge): boolean {
  return source === 'observed'
}

function putBack(graph: KnowledgeGraph, changed: readonly Edge[], before: readonly Edge[]): void {
  if (changed.length === 0) return
  const gone = new Set(changed.map(textOf))
  graph.load([...graph.edges().filter((edge) => !gone.has(textOf(edge))), ...before])
}

function textOf({ from, to, type }: EdgeKey): string {
  return JSON.stringify([from, to, type])
}
