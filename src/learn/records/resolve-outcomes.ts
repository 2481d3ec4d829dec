/**
 * What came of what was scored. Each scoring decision waits for its outcome in the session in which it was made: a call of its tool selects it,
 * a person's no rejects it, and when ten minutes or fifty further decisions have passed, or the session ends, it was ignored. A plan
 * that is run waits for the end of its run instead.
 */
import type { AlgorithmOutcome, AlgorithmTrace } from '../../model/algorithm-trace.js'
import type { RunStatus } from '../../model/run.js'
import type { ToolId } from '../../model/tool.js'

export interface ResolverOptions {
  now(): number
  /** With its outcome, and the run where it is known. */
  onResolved(trace: AlgorithmTrace): void
}

export interface EndedCallOutcome {
  readonly session: string
  readonly tool: ToolId
  readonly success: boolean
  readonly durationMs: number
  readonly at: number
  readonly runId?: string
}

export interface OutcomeResolver {
  /** Given again with the same id, as when its run is known, it takes the place of the first. */
  wait(trace: AlgorithmTrace): void
  called(call: EndedCallOutcome): void
  /** Only a no is an outcome: after a yes comes the call. */
  answered(answer: {
    readonly session?: string
    readonly runId?: string
    readonly tool: ToolId
    readonly verdict: 'approve' | 'reject'
    /** Absent: now. */
    readonly at?: number
  }): void
  runEnded(run: {
    readonly runId: string
    readonly status: RunStatus
    readonly durationMs: number
    /** Absent: now. */
    readonly at?: number
  }): void
  /** The session is over. */
  dropped(session: string): void
  /** What has waited too long was ignored, also where nothing more comes in its session. */
  sweep(): void
  forget(): void
}

/** DESIGN says what was really done counts; who has not come back within these has done something else. */
const windowMs = 10 * 60_000
const windowDecisions = 50
/** Together some 10 MB at most; beyond it the oldest are given up as ignored. */
const mostSessions = 500
/** Runs may wait for days; beyond so many the oldest stay without an outcome. */
const mostRuns = 500

export function createOutcomeResolver({ now, onResolved }: ResolverOptions): OutcomeResolver {
  /** Least recently used first; in each the oldest first. */
  const sessions = new Map<string, Map<string, AlgorithmTrace>>()
  /** Plans by their run. */
  const plans = new Map<string, AlgorithmTrace>()

  const resolve = (trace: AlgorithmTrace, outcome: AlgorithmOutcome, runId?: string): void =>
    onResolved({ ...trace, ...(runId !== undefined && trace.runId === undefined && { runId }), outcome })
  const ignore = (trace: AlgorithmTrace): void => resolve(trace, { what: 'ignored', at: now() })

  const trim = (waiting: Map<string, AlgorithmTrace>): void => {
    const oldest = now() - windowMs
    for (const [id, trace] of waiting) {
      if (waiting.size <= windowDecisions && trace.at >= oldest) return
      waiting.delete(id)
      ignore(trace)
    }
  }
  const drop = (session: string): void => {
    const waiting = sessions.get(session)
    sessions.delete(session)
    for (const trace of waiting?.values() ?? []) ignore(trace)
  }
  const waitingIn = (session: string): Map<string, AlgorithmTrace> => {
    const waiting = sessions.get(session) ?? new Map<string, AlgorithmTrace>()
    sessions.delete(session)
    sessions.set(session, waiting)
    const [oldest] = sessions.keys()
    if (sessions.size > mostSessions && oldest !== undefined) drop(oldest)
    return waiting
  }
  /** Those that named this tool wait no more. */
  const take = (waiting: Map<string, AlgorithmTrace>, isMeant: (trace: AlgorithmTrace) => boolean) => {
    const taken = [...waiting.values()].filter(isMeant)
    for (const { id } of taken) waiting.delete(id)
    return taken
  }

  return {
    wait(trace) {
      if (trace.outcome !== undefined) return
      if (trace.kind === 'plan' && trace.runId !== undefined) {
        if (trace.session !== undefined) sessions.get(trace.session)?.delete(trace.id)
        plans.set(trace.runId, trace)
        const [oldest] = plans.keys()
        if (plans.size > mostRuns && oldest !== undefined) plans.delete(oldest)
        return
      }
      if (trace.session === undefined) return
      const waiting = waitingIn(trace.session)
      waiting.set(trace.id, trace)
      trim(waiting)
    },
    called({ session, tool, success, durationMs, at, runId }) {
      const waiting = sessions.get(session)
      if (waiting === undefined) return
      trim(waiting)
      for (const trace of take(waiting, (one) => one.tool === tool))
        resolve(trace, { what: 'selected', success, durationMs, at }, runId)
    },
    answered({ session, runId, tool, verdict, at = now() }) {
      if (verdict !== 'reject') return
      const asked = session === undefined ? [...sessions.values()] : [sessions.get(session) ?? new Map()]
      const isMeant = (trace: AlgorithmTrace): boolean =>
        trace.tool === tool && (session !== undefined || (runId !== undefined && trace.runId === runId))
      for (const waiting of asked)
        for (const trace of take(waiting, isMeant)) resolve(trace, { what: 'rejected', at }, runId)
    },
    runEnded({ runId, status, durationMs, at = now() }) {
      const trace = plans.get(runId)
      if (trace === undefined) return
      plans.delete(runId)
      // Who ended an aborted run is not known here, nor how it would have gone.
      const judged = status === 'aborted' ? {} : { success: status === 'complete' }
      resolve(trace, { what: 'selected', ...judged, durationMs, at })
    },
    dropped: drop,
    sweep() {
      for (const [session, waiting] of sessions) {
        trim(waiting)
        if (waiting.size === 0) sessions.delete(session)
      }
    },
    forget() {
      sessions.clear()
      plans.clear()
    },
  }
}
