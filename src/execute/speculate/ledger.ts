/**
 * Each prediction that was looked at, and what became of it. A row is open until that is known: of a call that was run, until its result
 * is used or thrown away; of any other, until it is asked for or three further calls of its session have ended. A row that is
 * closed is forgotten here: whoever is told keeps it.
 */
import type { PredictedCall } from '../../model/predicted-call.js'
import type { Speculation, SpeculationOutcome } from '../../model/speculation.js'
import type { ToolId } from '../../model/tool.js'

export interface Ledger {
  /** Calls are told apart by when they began: one that began before a prediction was made is none that was predicted. */
  nextCall(): number
  find(session: string, key: string): Row | undefined
  /** Whether a call of this tool may be one that was predicted. */
  awaits(session: string, tool: ToolId): boolean
  /** The same call again while its row is open: that row, which is a start's from now on if this is one. */
  enter(session: string, key: string, call: PredictedCall, verdict: Verdict): Row
  close(row: Row, outcome: SpeculationOutcome, facts?: Pick<Speculation, 'tookMs' | 'savedMs'>): void
  /** A call has ended. `key`: absent where it cannot have been predicted. */
  called(session: string, number: number, key: string | undefined): void
  /** What was run is closed by whoever holds its result. */
  endSession(session: string): void
  endAll(): void
}

export interface Row {
  readonly key: string
  entry: Speculation
  /** The last call that had begun. */
  readonly after: number
  callsLeft: number
  isOpen: boolean
}

export type Verdict = Pick<Speculation, 'decision' | 'refusal' | 'cost'>

export interface LedgerOptions {
  now(): number
  newId(): string
  onEntry(entry: Speculation): void
  /** More than can be remembered: the one that predicted nothing for longest. */
  onTooMany(session: string): void
}

/** DESIGN 8: called within the next three calls. */
const callsAwaited = 3
/** Of those that were not run: ten predictions after each of three calls. */
const mostWaiting = 30
const mostSessions = 1_000

export function createLedger(options: LedgerOptions): Ledger {
  let calls = 0
  /** The session that predicted nothing for longest first. */
  const sessions = new Map<string, Map<string, Row>>()

  const close: Ledger['close'] = (row, outcome, facts = {}) => {
    if (!row.isOpen) return
    row.isOpen = false
    row.entry = { ...row.entry, ...facts, outcome, outcomeAt: options.now() }
    const rows = sessions.get(row.entry.session)
    if (rows?.get(row.key) === row) {
      rows.delete(row.key)
      if (rows.size === 0) sessions.delete(row.entry.session)
    }
    options.onEntry(row.entry)
  }
  const rowsOf = (session: string): Map<string, Row> => {
    const rows = sessions.get(session) ?? new Map<string, Row>()
    sessions.delete(session)
    sessions.set(session, rows)
    if (sessions.size > mostSessions) options.onTooMany(sessions.keys().next().value!)
    return rows
  }
  const endSession = (session: string): void => {
    for (const row of sessions.get(session)?.values() ?? []) if (isWaiting(row)) close(row, 'wrong')
  }
  return {
    nextCall() {
      calls += 1
      return calls
    },
    find: (session, key) => sessions.get(session)?.get(key),
    awaits(session, tool) {
      const rows = sessions.get(session)
      if (rows === undefined) return false
      for (const row of rows.values()) if (row.entry.tool === tool) return true
      return false
    },
    enter(session, key, call, verdict) {
      const rows = rowsOf(session)
      const known = rows.get(key)
      if (known !== undefined && verdict.decision !== 'started') return known
      const id = known?.entry.id ?? options.newId()
      const entry = toEntry(id, session, call, verdict, options.now())
      const row = known ?? { key, entry, after: calls, callsLeft: callsAwaited, isOpen: true }
      row.entry = entry
      if (known === undefined) {
        const waiting = [...rows.values()].filter(isWaiting)
        if (waiting.length >= mostWaiting) close(waiting[0]!, 'wrong')
        rows.set(key, row)
        sessions.set(session, rows)
      }
      options.onEntry(entry)
      return row
    },
    close,
    called(session, number, key) {
      for (const row of sessions.get(session)?.values() ?? []) {
        if (!isWaiting(row) || number <= row.after) continue
        row.callsLeft -= 1
        if (row.key === key) close(row, 'right')
        else if (row.callsLeft === 0) close(row, 'wrong')
      }
    },
    endSession,
    endAll() {
      for (const session of [...sessions.keys()]) endSession(session)
    },
  }
}

function isWaiting({ entry }: Row): boolean {
  return entry.decision !== 'started'
}

function toEntry(
  id: string,
  session: string,
  call: PredictedCall,
  { decision, refusal, cost }: Verdict,
  predictedAt: number,
): Speculation {
  const entry = {
    id,
    session,
    tool: call.tool,
    arguments: call.arguments,
    p: call.p,
    toolP: call.toolP,
    source: call.weakest,
    predictedAt,
    decision,
    cost,
  }
  return refusal === undefined ? entry : { ...entry, refusal }
}
