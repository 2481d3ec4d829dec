import {
  type DecisionStore,
  type DirectApprovals,
  openDirectApprovals,
} from '../execute/open-direct-approvals.js'
import { type Decision, isPending } from '../model/decision.js'
import { silentLog } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { Redact } from '../model/redact.js'

/** Decisions in memory, for gateways that need no database; execute/open-direct-approvals.test.ts has a real one. */
export function openTestDecisions(): DecisionStore & { all(): readonly Decision[] } {
  const decisions = new Map<string, Decision>()
  const all = (): readonly Decision[] => [...decisions.values()]
  return {
    all,
    saveDecision: async (decision) => void decisions.set(decision.id, structuredClone(decision)),
    findDecision: async (id) => decisions.get(id),
    listPendingDecisions: async () => all().filter(isPending),
    listUnusedApprovals: async (now) =>
      all().filter(
        ({ answer, usedAt, expiresAt, runId }) =>
          runId === undefined && answer?.verdict === 'approve' && usedAt === undefined && expiresAt > now,
      ),
  }
}

export function openTestApprovals(
  options: { readonly store?: DecisionStore; readonly redact?: Redact; now?(): number } = {},
): DirectApprovals {
  const { store = openTestDecisions(), redact = (text) => text, now = Date.now } = options
  return openDirectApprovals({
    store: async () => store,
    now,
    newId,
    onDecision() {},
    redact,
    log: silentLog,
  })
}
