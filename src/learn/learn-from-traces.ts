import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import { type Edge, type EdgeKey, edgeKeyText, type Observation } from '../model/edge.js'
import type { Trace } from '../model/trace.js'
import type { Store } from '../store/store.js'
import { betaShiftsOf } from './beta-shifts-of.js'
import { observeTraces } from './observe-traces.js'

export interface Learnt {
  /** False: it was learned from before, and nothing has changed. */
  readonly isNew: boolean
  readonly changed: readonly Edge[]
  readonly refused: readonly Observation[]
}

/**
 * Takes in what runs did, a lesson each, in order: the graph, and in one transaction their traces and what they add to the edges and to
 * the Beta states of their tools. Graph and store have both taken it in afterwards, or neither: where the store refuses, this throws,
 * and the graph is as before. Other gateways may count in the same rows: the store has the sum of all, the graph what it has loaded and
 * seen itself. One at a time, or putting one back would undo another.
 */
export async function learnFromTraces(
  lessons: readonly (readonly Trace[])[],
  { graph, store }: { readonly graph: KnowledgeGraph; readonly store: Store },
): Promise<Learnt> {
  const before = new Map<string, { readonly key: EdgeKey; readonly edge: Edge | undefined }>()
  const traces: Trace[] = []
  const promoted: EdgeKey[] = []
  const refused: Observation[] = []
  for (const lesson of lessons) {
    const observations = observeTraces(lesson)
    const known = observations.flatMap((seen) => graph.edge(seen) ?? [])
    const had = new Map(known.map((edge) => [edgeKeyText(edge), edge]))
    const observed = graph.observe(observations)
    for (const edge of observed.changed) {
      const key = edgeKeyText(edge)
      if (!before.has(key)) before.set(key, { key: edge, edge: had.get(key) })
    }
    const sure = promotedAmong(observed.changed, known)
    promoted.push(...sure)
    refused.push(...observed.refused)
    traces.push(...notePromotions(lesson, sure))
  }
  const old = [...before.values()].flatMap(({ edge }) => edge ?? [])
  const changed = [...before.values()].flatMap(({ key }) => graph.edge(key) ?? [])
  try {
    const edges = incrementsOf(changed, old, promoted)
    if (await store.saveLearned({ traces, edges, betaShifts: lessons.flatMap(betaShiftsOf) }))
      return { isNew: true, changed, refused }
  } catch (error) {
    putBack(graph, changed, old)
    throw error
  }
  graph.load(await store.loadEdges())
  return { isNew: false, changed: [], refused: [] }
}

function promotedAmong(changed: readonly Edge[], before: readonly Edge[]): readonly EdgeKey[] {
  const sure = new Set(before.filter(isSure).map(edgeKeyText))
  return changed
    .filter((edge) => isSure(edge) && !sure.has(edgeKeyText(edge)))
    .map(({ from, to, type }) => ({ from, to, type }))
}

/**
 * What this run alone adds. An edge that others made sure is not made so by this run: the source is what a rebuild would find
 * in its traces.
 */
function incrementsOf(
  changed: readonly Edge[],
  before: readonly Edge[],
  promoted: readonly EdgeKey[],
): readonly Edge[] {
  const known = new Map(before.map((edge) => [edgeKeyText(edge), edge]))
  const sure = new Set(promoted.map(edgeKeyText))
  return changed.map((edge) => {
    const old = known.get(edgeKeyText(edge))
    return {
      ...edge,
      source: sure.has(edgeKeyText(edge)) ? 'observed' : 'inferred',
      count: edge.count - (old?.count ?? 0),
      successes: edge.successes - (old?.successes ?? 0),
      failures: edge.failures - (old?.failures ?? 0),
    }
  })
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
  const gone = new Set(changed.map(edgeKeyText))
  graph.load([...graph.edges().filter((edge) => !gone.has(edgeKeyText(edge))), ...before])
}
