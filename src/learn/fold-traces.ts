import type { Store } from '../store/store.js'
import { betaShiftsOf } from './beta-shifts-of.js'
import { foldBetas } from './fold-betas.js'
import { foldSchemas } from './fold-schemas.js'
import { isSameBaseline } from './is-same-baseline.js'
import { lessonsOf } from './lessons-of.js'
import { observeTraces } from './observe-traces.js'
import type { RebuildOptions } from './rebuild-graph.js'
import { schemaSamples } from './schema-samples.js'

export interface FoldOptions extends RebuildOptions {
  /** The runs to keep: so many of the newest, and those that ended at this time or later. */
  readonly keep: { readonly newest: number; readonly since: number }
}

/**
 * Retention: the oldest runs are folded into the baseline and their traces deleted. What was learned stays as it is, to the
 * last count, because the baseline holds graph, output schemas and Beta states as they stood after them. Only a beginning of the order can be folded: the
 * first run that is kept ends it, whatever comes later.
 */
export async function foldTraces({
  store,
  graph,
  templates,
  keep,
}: FoldOptions): Promise<{ readonly traces: number }> {
  const through = await lastToFold(store, keep)
  if (through === undefined) return { traces: 0 }
  const baseline = await store.loadBaseline()
  graph.load(baseline.edges)
  graph.replaceTemplates(templates)
  const results = foldSchemas(baseline.outputSchemas)
  const betas = foldBetas(baseline.betaStates)
  for await (const { traces, position } of lessonsOf(store.loadTraces())) {
    if (position > through) break
    graph.observe(observeTraces(traces))
    results.take(schemaSamples(traces))
    betas.take(betaShiftsOf(traces))
  }
  // Traces that another gateway folded between the two reads are in neither.
  if (!isSameBaseline(baseline, await store.loadBaseline())) return { traces: 0 }
  const edges = graph.edges().filter(({ count }) => count > 0)
  const folded = { edges, outputSchemas: results.schemas(), betaStates: betas.states() }
  return { traces: await store.foldTraces(folded, through) }
}

/** The position of the last run that is not kept; a first look, so that no more is held than where runs end. */
async function lastToFold(store: Store, keep: FoldOptions['keep']): Promise<number | undefined> {
  const kept: { readonly position: number; readonly endedAt: number }[] = []
  let through: number | undefined
  for await (const { traces, position } of lessonsOf(store.loadTraces())) {
    kept.push({ position, endedAt: traces[0]!.endedAt })
    if (kept.length <= keep.newest) continue
    const oldest = kept.shift()!
    if (oldest.endedAt >= keep.since) break
    through = oldest.position
  }
  return through
}
