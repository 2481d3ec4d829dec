import type { Capability, CapabilityUse, NotedUse } from '../model/capability.js'
import { mostIntents, mostRecent } from './capability-shelf.js'

/** A capability after one more use. */
export function usedCapability(capability: Capability, noted: NotedUse): Capability {
  const { intent, outputSchema, ...rest } = noted
  const use: CapabilityUse = { at: rest.at, success: rest.success, ms: rest.ms, callsMs: rest.callsMs }
  const successes = capability.successes + (use.success ? 1 : 0)
  const meanMs = use.success
    ? capability.meanMs + (use.ms - capability.meanMs) / successes
    : capability.meanMs
  return {
    ...capability,
    ...(intent !== undefined &&
      intent !== '' && { intents: [...new Set([intent, ...capability.intents])].slice(0, mostIntents) }),
    ...(outputSchema !== undefined && { outputSchema }),
    uses: capability.uses + 1,
    successes,
    meanMs,
    recent: [...capability.recent, use].slice(-mostRecent),
    lastUsedAt: Math.max(capability.lastUsedAt, use.at),
  }
}
