/**
 * What people's answers about a tool say of the next time, so that nobody is asked the same thing for ever: see standing-of.ts for the rule.
 * Only answers of people count. A preference never lets a dangerous tool run unasked, and what the configuration says of a tool is stronger:
 * both are seen to where calls are judged (gateway/call-rules.ts). Every change of a standing is in the audit, and each can be undone.
 */
import type { Answerer, Decision, Verdict } from '../../model/decision.js'
import type { Log } from '../../model/log.js'
import type { PermissionAudit } from '../../model/risk-override.js'
import type { ToolId } from '../../model/tool.js'
import type { ToolPreference } from '../../model/tool-preference.js'
import type { Store } from '../../store/store.js'
import { type Standing, standingOf } from './standing-of.js'

export type PreferenceStore = Pick<Store, 'loadPreferences' | 'savePreferences' | 'savePermissionAudit'>

export interface PreferencesDeps {
  /** What was kept has been loaded when this resolves. */
  store(): Promise<PreferenceStore>
  now(): number
  newId(): string
  readonly log: Log
}

export interface Preferences {
  load(store: Pick<PreferenceStore, 'loadPreferences'>): Promise<void>
  /** A decision has ended, however: what people said about a call is taken up. Never rejects. */
  decided(decision: Pick<Decision, 'kind' | 'tool' | 'runId' | 'answer'>): Promise<void>
  /** Somebody answered; only people count. Never rejects. */
  answered(answer: { readonly tool: ToolId; readonly verdict: Verdict; readonly by: Answerer }): Promise<void>
  of(tool: ToolId): ToolPreference | undefined
  standing(tool: ToolId): Standing | undefined
  /** By tool, those that were answered since they were last undone. */
  list(): readonly ToolPreference[]
  /** False: there was nothing to undo. */
  undo(tool: ToolId, by: string): Promise<boolean>
  /** Another number after every change. */
  revision(): number
}

export function createPreferences({ store, now, newId, log }: PreferencesDeps): Preferences {
  const known = new Map<ToolId, ToolPreference>()
  let revision = 0
  /** One after the other: each answer builds upon the one before. */
  let last: Promise<unknown> = Promise.resolve()

  /** The last answer about a tool within a run: `approve --all` is one gesture, however often the run calls it. */
  const lastInRun = new Map<ToolId, string>()

  const keep = (preference: ToolPreference): void => {
    known.set(preference.tool, preference)
    revision += 1
  }
  const inTurn = <Value>(step: () => Promise<Value>): Promise<Value> => {
    const done = last.then(step)
    last = done.catch(() => {})
    return done
  }
  const save = async (
    open: PreferenceStore,
    next: ToolPreference,
    change: AuditOf | undefined,
  ): Promise<void> => {
    if (change !== undefined) await open.savePermissionAudit([toAudit(next.tool, change)])
    await open.savePreferences([next])
  }
  const toAudit = (tool: ToolId, change: AuditOf): PermissionAudit => ({
    id: newId(),
    at: now(),
    subject: tool,
    ...change,
  })

  const answered: Preferences['answered'] = ({ tool, verdict, by }) => {
    if (!isPerson(by)) return Promise.resolve()
    return inTurn(async () => {
      try {
        const open = await store()
        const before = known.get(tool)
        const next = count(before, tool, verdict, now())
        await save(open, next, changeOf(before, next, { what: 'preference', by }))
        keep(next)
      } catch (error) {
        // A no counts although nobody has written it down; what allows more does not.
        if (verdict === 'reject') keep(count(known.get(tool), tool, verdict, now()))
        log.warn('an answer was not kept as a preference', { tool, error: String(error) })
      }
    })
  }

  return {
    async load(from) {
      for (const row of await from.loadPreferences()) {
        const here = known.get(row.tool)
        // A store that is opened again may lack what was said while it was away.
        if (here === undefined || here.updatedAt < row.updatedAt) keep(row)
      }
    },
    decided({ kind, tool, runId, answer }) {
      // Whether a call that was cut off is made again says nothing of the tool.
      if (kind !== 'call' || answer === undefined) return Promise.resolve()
      const { verdict, by } = answer
      if ((verdict !== 'approve' && verdict !== 'reject') || !isPerson(by)) return Promise.resolve()
      const gesture = `${runId} ${verdict}`
      if (runId !== undefined && lastInRun.get(tool) === gesture) return Promise.resolve()
      lastInRun.set(tool, gesture)
      return answered({ tool, verdict, by })
    },
    answered,
    of: (tool) => known.get(tool),
    standing(tool) {
      const preference = known.get(tool)
      return preference === undefined ? undefined : standingOf(preference)
    },
    list: () =>
      [...known.values()].filter(isSaid).sort((a, b) => (a.tool < b.tool ? -1 : a.tool > b.tool ? 1 : 0)),
    undo: (tool, by) =>
      inTurn(async () => {
        const open = await store()
        const before = known.get(tool)
        if (before === undefined || !isSaid(before)) return false
        const next = { tool, approvals: 0, rejections: 0, streak: 0, updatedAt: now() }
        await save(open, next, describe(before, next, { what: 'preference-undone', by }))
        keep(next)
        return true
      }),
    revision: () => revision,
  }
}

type AuditOf = Omit<PermissionAudit, 'id' | 'at' | 'subject'>
type Cause = Pick<PermissionAudit, 'what' | 'by'>

function isPerson(by: Answerer): boolean {
  return by !== 'agent' && by !== 'clock' && by !== 'run'
}

function isSaid({ approvals, rejections }: ToolPreference): boolean {
  return approvals + rejections > 0
}

function count(
  before: ToolPreference | undefined,
  tool: ToolId,
  verdict: Verdict,
  updatedAt: number,
): ToolPreference {
  const { approvals = 0, rejections = 0, streak = 0 } = before ?? {}
  return verdict === 'approve'
    ? { tool, approvals: approvals + 1, rejections, streak: Math.max(0, streak) + 1, updatedAt }
    : { tool, approvals, rejections: rejections + 1, streak: Math.min(0, streak) - 1, updatedAt }
}

function changeOf(
  before: ToolPreference | undefined,
  next: ToolPreference,
  cause: Cause,
): AuditOf | undefined {
  const from = before === undefined ? undefined : standingOf(before)
  return from === standingOf(next) ? undefined : describe(before, next, cause)
}

function describe(before: ToolPreference | undefined, next: ToolPreference, cause: Cause): AuditOf {
  const from = before === undefined ? undefined : standingOf(before)
  const to = standingOf(next)
  return {
    ...cause,
    before: from ?? 'none',
    after: to ?? 'none',
    isEscalation: freedom(to) > freedom(from),
    reason: `${next.approvals} approved, ${next.rejections} rejected`,
  }
}

function freedom(standing: Standing | undefined): number {
  return standing === 'approved' ? 1 : standing === 'refused' ? -1 : 0
}
