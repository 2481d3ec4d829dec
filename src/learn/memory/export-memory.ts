import { isCapabilityId } from '../../model/capability.js'
import { type Redact, redactData } from '../../model/redact.js'
import { rankerState, type Store } from '../../store/store.js'
import { type MemoryFile, memoryVersion, rankerOf } from './memory-file.js'

/**
 * Only what was seen: what is guessed from schemas everybody guesses alike. Nothing of capabilities: their code and their names are what somebody
 * asked for, and where they are not, nobody can use what is known of them. They travel by themselves, when somebody hands them on.
 */
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
  const edges = await store.loadEdges()
  const schemas = await store.loadOutputSchemas()
  const states = await store.loadBetaStates('tool')
  const preferences = await store.loadPreferences()
  return {
    format: 'pml-memory',
    version: memoryVersion,
    exportedAt: now(),
    edges: edges.filter(({ from, to, count }) => count > 0 && !isCapabilityId(from) && !isCapabilityId(to)),
    // A key of a result is anybody's word.
    outputSchemas: schemas
      .filter(({ tool }) => !isCapabilityId(tool))
      .map((one) => ({ ...one, schema: redactData(one.schema, redact) })),
    betaStates: states.filter(({ id }) => !isCapabilityId(id)),
    thresholds: await store.loadAdaptiveThresholds(),
    preferences: preferences.filter(
      ({ tool, approvals, rejections }) => approvals + rejections > 0 && !isCapabilityId(tool),
    ),
    ...(ranker !== undefined && { ranker }),
  }
}
