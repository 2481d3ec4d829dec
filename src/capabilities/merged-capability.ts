import type { Capability } from '../model/capability.js'
import { mostIntents, mostRecent } from './capability-shelf.js'

/** The first one, with what the second has been through: its uses and what it was run for. Names, code and schemas are the first one's. */
export function mergedCapability(kept: Capability, gone: Capability): Capability {
  const successes = kept.successes + gone.successes
  const totalMs = kept.meanMs * kept.successes + gone.meanMs * gone.successes
  return {
    ...kept,
    intents: [...new Set([...kept.intents, ...gone.intents])].slice(0, mostIntents),
    uses: kept.uses + gone.uses,
    successes,
    meanMs: successes === 0 ? 0 : totalMs / successes,
    recent: [...kept.recent, ...gone.recent].sort((a, b) => a.at - b.at).slice(-mostRecent),
    createdAt: Math.min(kept.createdAt, gone.createdAt),
    lastUsedAt: Math.max(kept.lastUsedAt, gone.lastUsedAt),
  }
}
