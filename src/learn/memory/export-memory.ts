import { type Redact, redactData } from '../../model/redact.js'
import { rankerState, type Store } from '../../store/store.js'
import { type MemoryFile, memoryVersion, rankerOf } from './memory-file.js'

/** Only what was seen: what is guessed from schemas everybody guesses alike. */
export async function exportMemory({
  store,
  redact,
  now,
}: {
  readonly store: Store
  readonly redact: Redact
  now(): number
}): Promise<MemoryFile> {
  const ranker = rankerOf(await store.loadLearnedState(rankerState))
  const schemas = await store.loadOutputSchemas()
  return {
    format: 'pml-memory',
    version: memoryVersion,
    exportedAt: now(),
    edges: (await store.loadEdges()).filter(({ count }) => count > 0),
    // A key of a result is anybody's word.
    outputSchemas: schemas.map((one) => ({ ...one, schema: redactData(one.schema, redact) })),
    betaStates: await store.loadBetaStates('tool'),
    thresholds: await store.loadAdaptiveThresholds(),
    preferences: (await store.loadPreferences()).filter(
      ({ approvals, rejections }) => approvals + rejections > 0,
    ),
    ...(ranker !== undefined && { ranker }),
  }
}
