import type { Observation } from '../model/edge.js'
import type { Learned } from '../store/store.js'
import { betaShiftsOf } from './beta-shifts-of.js'
import { foldBetas } from './fold-betas.js'
import { foldSchemas } from './fold-schemas.js'
import { isSameBaseline } from './is-same-baseline.js'
import { lessonsOf } from './lessons-of.js'
import { observeTraces } from './observe-traces.js'
import type { RebuildOptions } from './rebuild-graph.js'
import { type SchemaSample, schemaSamples } from './schema-samples.js'

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
  const baseline = await store.loadBaseline()
  graph.load(baseline.edges)
  graph.replaceTemplates(templates)
  const results = foldSchemas(baseline.outputSchemas)
  const betas = foldBetas(baseline.betaStates)
  const kept: {
    readonly observations: readonly Observation[]
    readonly samples: readonly SchemaSample[]
    readonly shifts: NonNullable<Learned['betaShifts']>
    readonly position: number
    readonly endedAt: number
  }[] = []
  let through: number | undefined
  for await (const { traces, position } of lessonsOf(store.loadTraces())) {
    kept.push({
      observations: observeTraces(traces),
      samples: schemaSamples(traces),
      shifts: betaShiftsOf(traces),
      position,
      endedAt: traces[0]!.endedAt,
    })
    if (kept.length <= keep.newest) continue
    const oldest = kept.shift()!
    if (oldest.endedAt >= keep.since) break
    graph.observe(oldest.observations)
    results.take(oldest.samples)
    betas.take(oldest.shifts)
    through = oldest.position
  }
  if (through === undefined) return { traces: 0 }
  // Traces that another gateway folded between the two reads are in neither.
  if (!isSameBaseline(baseline, await store.loadBaseline())) return { traces: 0 }
  const edges = graph.edges().filter(({ count }) => count > 0)
  const folded = { edges, outputSchemas: results.schemas(), betaStates: betas.states() }
  return { traces: await store.foldTraces(folded, through) }
}
