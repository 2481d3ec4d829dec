/**
 * Every scoring decision, and what came of it. Promises: noting costs the request microseconds and never throws; what is
 * noted is in the store within seconds, redacted, and its outcome after it; a store that is away is waited for, with a bounded queue.
 * Never decides anything.
 */
import type { AlgorithmTrace } from '../../model/algorithm-trace.js'
import type { Episode } from '../../model/episode.js'
import type { Log } from '../../model/log.js'
import { type Redact, redactData } from '../../model/redact.js'
import type { Store } from '../../store/store.js'
import { createBatches } from './create-batches.js'
import { createOutcomeResolver, type OutcomeResolver } from './resolve-outcomes.js'

export interface AlgorithmLogOptions {
  store(): Promise<Store>
  readonly redact: Redact
  now(): number
  newId(): string
  /** What was scored, and how it went: once for each decision whose success is known. */
  onEpisode(episode: Episode): void
  readonly log: Log
}

export interface AlgorithmLog extends Pick<OutcomeResolver, 'called' | 'answered' | 'runEnded' | 'dropped'> {
  /** Given again with the same id, as when the run that came of a plan is known, it is completed. */
  note(traces: readonly AlgorithmTrace[]): void
  /** Writes what waits; never rejects. */
  flush(): Promise<void>
  /** What waits for its outcome, and what is not written yet, is not to be written. */
  forget(): void
  /** Within a second. */
  close(): Promise<void>
}

const sweepMs = 60_000

export function createAlgorithmLog(options: AlgorithmLogOptions): AlgorithmLog {
  const { store, redact, now, newId, onEpisode, log } = options
  const batches = createBatches<AlgorithmTrace>({
    store,
    write: (traces, open) =>
      open.saveAlgorithmTraces(traces.flatMap((trace) => storable(trace, redact, log))),
    keyOf: ({ id }) => id,
    what: 'traces of scoring',
    log,
  })
  const resolver = createOutcomeResolver({
    now,
    onResolved(trace) {
      batches.add(trace)
      const episode = episodeOf(trace, newId)
      if (episode !== undefined) onEpisode(episode)
    },
  })
  const sweeping = setInterval(resolver.sweep, sweepMs).unref()

  return {
    note(traces) {
      for (const trace of traces) {
        batches.add(trace)
        resolver.wait(trace)
      }
    },
    called: resolver.called,
    answered: resolver.answered,
    runEnded: resolver.runEnded,
    dropped: resolver.dropped,
    flush: batches.flush,
    forget() {
      resolver.forget()
      batches.clear()
    },
    async close() {
      clearInterval(sweeping)
      await batches.close()
    },
  }
}

/** Whose texts are a person's: those are redacted. What cannot be stored is left out, or nothing of its batch would be. */
function storable(trace: AlgorithmTrace, redact: Redact, log: Log): readonly AlgorithmTrace[] {
  try {
    const numbers = [
      trace.at,
      trace.score,
      trace.alpha ?? 0,
      trace.threshold ?? 0,
      trace.outcome?.durationMs ?? 0,
    ]
    if (!numbers.every(Number.isFinite)) throw new Error('a number is none')
    const clean: AlgorithmTrace = {
      ...trace,
      ...(trace.intent !== undefined && { intent: redact(trace.intent) }),
      signals: redactData(trace.signals, redact),
      parameters: redactData(trace.parameters, redact),
    }
    JSON.stringify([clean.signals, clean.parameters])
    return [clean]
  } catch (error) {
    log.warn('A trace of scoring cannot be stored.', { trace: trace.id, error: String(error) })
    return []
  }
}

/** A whole plan is no situation of one tool; where neither alpha nor kind of work is known, nothing can be likened to it. */
function episodeOf(trace: AlgorithmTrace, newId: () => string): Episode | undefined {
  const { tool, workflowType, alpha, outcome, session, runId } = trace
  const success = outcome?.what === 'rejected' ? false : outcome?.success
  if (tool === undefined || workflowType === undefined || alpha === undefined) return undefined
  if (outcome === undefined || success === undefined) return undefined
  return {
    id: newId(),
    at: outcome.at,
    kind: outcome.what === 'rejected' ? 'decision' : trace.kind === 'next' ? 'suggestion' : 'call',
    tool,
    ...(session !== undefined && { session }),
    ...(runId !== undefined && { runId }),
    algorithmTraceId: trace.id,
    workflowType,
    alpha,
    success,
    ...(outcome.durationMs !== undefined && { durationMs: outcome.durationMs }),
    data: {
      decision: trace.decision,
      score: trace.score,
      ...(trace.threshold !== undefined && { threshold: trace.threshold }),
    },
  }
}
