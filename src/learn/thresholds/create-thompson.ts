/**
 * What is believed of how often calls go well, for each tool and each capability, in memory. Promises: what was never called is the prior; an
 * outcome counts from the next look on. Bounded by the number of tools alone. Never touches the store: `take` says what to add there.
 */
import { type BetaShift, type BetaState, priorBeta } from '../../model/beta-state.js'
import type { BetaKind, BetaRow } from '../../store/store.js'
import { shiftBeta } from './shift-beta.js'
import { type Outcome, shiftOf } from './shift-of.js'

export interface Thompson {
  of(id: string): BetaState
  /** Outcomes of one tool or capability, oldest first; gives what the store is to add. */
  take(id: string, outcomes: readonly Outcome[]): BetaShift
  /** The same of a shift made elsewhere: of traces, or by another gateway. */
  apply(id: string, shift: BetaShift): void
  /** Outcomes of all tools, or of all capabilities. */
  total(of: BetaKind): number
  /** Takes the place of all of that kind. A row that is no Beta state is left out. */
  load(of: BetaKind, rows: readonly BetaRow[]): void
  rows(of: BetaKind): readonly BetaRow[]
}

export function createThompson(): Thompson {
  const states: Record<BetaKind, Map<string, BetaState>> = { tool: new Map(), capability: new Map() }
  const totals: Record<BetaKind, number> = { tool: 0, capability: 0 }
  const of = (id: string): BetaState => states[kindOf(id)].get(id) ?? unseen
  const apply = (id: string, shift: BetaShift): void => {
    if (shift.observations === 0) return
    states[kindOf(id)].set(id, shiftBeta(of(id), shift))
    totals[kindOf(id)] += shift.observations
  }

  return {
    of,
    take(id, outcomes) {
      const shift = shiftOf(outcomes)
      apply(id, shift)
      return shift
    },
    apply,
    total: (kind) => totals[kind],
    load(kind, rows) {
      const sound = rows.filter(isSound)
      states[kind] = new Map(sound.map(({ id, ...state }) => [id, state]))
      totals[kind] = sound.reduce((sum, { observations }) => sum + observations, 0)
    },
    rows: (kind) => [...states[kind]].map(([id, state]) => ({ id, ...state })),
  }
}

/** Capabilities are `cap:...`, a name that no server can have. */
export function kindOf(id: string): BetaKind {
  return id.startsWith('cap:') ? 'capability' : 'tool'
}

const unseen: BetaState = { ...priorBeta, updatedAt: 0 }

/** People can write to the table: one wrong number must not make every threshold of the tool none. */
function isSound({ alpha, beta, observations }: BetaRow): boolean {
  return [alpha, beta].every((n) => Number.isFinite(n) && n >= 1) && Number.isFinite(observations)
}
