/** The real runs over a store in memory, which also keeps the decisions of no run: a database for every gateway of every test would take longer than the tests. */

import type { DecisionStore, DirectApprovals } from '../execute/open-direct-approvals.js'
import { openRuns } from '../execute/open-runs.js'
import { noPrograms } from '../execute/test-programs.contract.js'
import type { CallRules } from '../model/call-rules.js'
import { type Decision, isPending } from '../model/decision.js'
import { silentLog } from '../model/log.js'
import type { Redact } from '../model/redact.js'
import { isRunEnded, summarizeRun, type TaskOutcome } from '../model/run.js'
import type { CallTool } from '../model/tool-call.js'
import type { Store, StoredRun } from '../store/store.js'
import { openTestDecisions } from './test-decisions.contract.js'

export interface TestRunsOptions {
  readonly callTool: CallTool
  readonly rules: CallRules
  readonly approvals: DirectApprovals
  readonly store: RunStore
  readonly redact: Redact
}

export type RunStore = Pick<
  Store,
  'saveCheckpoint' | 'loadRun' | 'loadCheckpoint' | 'listRuns' | 'listOpenRuns' | 'pruneRuns'
> &
  DecisionStore

export type TestRuns = ReturnType<typeof openTestRuns>

export function openTestRuns({ store, approvals, ...options }: TestRunsOptions) {
  return openRuns({
    ...options,
    store: async () => store as Store,
    owner: 'test',
    programs: noPrograms,
    directApprovals: approvals,
    concurrentCalls: () => 8,
    onEnd() {},
    onDecision() {},
    onPause() {},
    log: silentLog,
    now: Date.now,
  })
}

/** What is stored is a copy, as it would be; `beforeSave` may reject. */
export function createMemoryRunStore(beforeSave: () => Promise<void> = async () => {}): RunStore {
  const runs = new Map<string, StoredRun>()
  const direct = openTestDecisions()
  const all = (): readonly StoredRun[] => [...runs.values()]
  const decisions = (): readonly Decision[] => [
    ...all().flatMap(({ run }) => run.decisions ?? []),
    ...direct.all(),
  ]
  return {
    async saveCheckpoint(checkpoint) {
      await beforeSave()
      const {
        run,
        owner,
        plan,
        tasks,
        removedTasks,
        decisions: changed,
        progress,
      } = structuredClone(checkpoint)
      const before = runs.get(run.id)
      const known = mergeById(before?.run.decisions ?? [], changed)
      const kept = mergeById(before?.run.tasks ?? [], tasks).filter(({ id }) => !removedTasks.includes(id))
      runs.set(run.id, {
        run: { ...run, tasks: behindTheirTasks(kept), ...(known.length > 0 && { decisions: known }) },
        owner,
        plan: plan ?? before!.plan,
        progress,
        updatedAt: Date.now(),
      })
    },
    loadRun: async (id) => structuredClone(runs.get(id)?.run),
    loadCheckpoint: async (id) => structuredClone(runs.get(id)),
    listRuns: async ({ limit }) =>
      all()
        .map(({ run }) => summarizeRun(run))
        .reverse()
        .slice(0, limit),
    listOpenRuns: async (owner) =>
      all()
        .filter((one) => one.owner === owner && !isRunEnded(one.run.status))
        .map(({ run: { id, status }, updatedAt }) => ({ id, status, updatedAt })),
    pruneRuns: async () => 0,
    async saveDecision(decision) {
      const stored = runs.get(decision.runId ?? '')
      if (stored === undefined) return direct.saveDecision(decision)
      const known = mergeById(stored.run.decisions ?? [], [structuredClone(decision)])
      runs.set(stored.run.id, { ...stored, run: { ...stored.run, decisions: known } })
    },
    listUnusedApprovals: direct.listUnusedApprovals,
    findDecision: async (id) => decisions().find((decision) => decision.id === id),
    listPendingDecisions: async () => decisions().filter(isPending),
  }
}

function mergeById<Item extends { readonly id: string }>(
  before: readonly Item[],
  changed: readonly Item[],
): readonly Item[] {
  return [...new Map([...before, ...changed].map((item) => [item.id, item])).values()]
}

function behindTheirTasks(tasks: readonly TaskOutcome[]): readonly TaskOutcome[] {
  const whole = tasks.filter(({ parent }) => parent === undefined)
  return whole.flatMap((task) => [task, ...tasks.filter(({ parent }) => parent === task.id)])
}
