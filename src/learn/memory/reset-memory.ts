import type { Store } from '../../store/store.js'
import { standingOf } from '../preferences/standing-of.js'

export interface ResetOptions {
  readonly store: Store
  /** Also what people approved and rejected; those that forbid something are forgotten with the others. */
  readonly withPreferences: boolean
  readonly by: string
  now(): number
  newId(): string
}

export interface Forgotten {
  readonly edges: number
  readonly outputSchemas: number
  readonly betaStates: number
  readonly thresholds: number
  readonly preferences: number
}

/** What no file carries is forgotten too. */
export interface ForgottenByReset extends Forgotten {
  /** Those that were learned. */
  readonly capabilities: number
}

/** Says what it forgot. Runs, pins, risk overrides, the audit, and capabilities that people wrote or brought stay. */
export async function resetMemory(options: ResetOptions): Promise<ForgottenByReset> {
  const { store } = options
  const edges = (await store.loadEdges()).filter(({ count }) => count > 0)
  const forgotten = {
    edges: edges.length,
    outputSchemas: (await store.loadOutputSchemas()).length,
    betaStates: (await store.loadBetaStates('tool')).length,
    thresholds: (await store.loadAdaptiveThresholds()).length,
    capabilities: (await store.loadCapabilities()).filter(({ origin }) => origin === 'learned').length,
  }
  await store.forgetLearned()
  return { ...forgotten, preferences: options.withPreferences ? await undoPreferences(options) : 0 }
}

async function undoPreferences({ store, by, now, newId }: ResetOptions): Promise<number> {
  const answered = (await store.loadPreferences()).filter(
    ({ approvals, rejections }) => approvals + rejections > 0,
  )
  await store.savePermissionAudit(
    answered.map((preference) => ({
      ...{ id: newId(), at: now(), what: 'preference-undone', subject: preference.tool },
      ...{ before: standingOf(preference) ?? 'none', after: 'none' },
      isEscalation: standingOf(preference) === 'refused',
      ...{ reason: 'the memory was reset', by },
    })),
  )
  await store.savePreferences(
    answered.map(({ tool }) => ({ tool, approvals: 0, rejections: 0, streak: 0, updatedAt: now() })),
  )
  return answered.length
}
