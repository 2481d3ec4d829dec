import { PmlError } from '../errors.js'
import type { AlgorithmTrace } from '../model/algorithm-trace.js'
import { type Redact, redactJson } from '../model/redact.js'
import { withinMs } from '../model/within-ms.js'
import type { Store } from '../store/store.js'

/*
 * GET /api/explain?trace=ID               {traces: AlgorithmTrace[]}, newest first: the one of this id, all of the run of this id, or the
 *                                         newest ten of all (`last`)
 */
export interface ExplainDeps {
  store(): Promise<Pick<Store, 'findAlgorithmTrace' | 'listAlgorithmTraces'>>
  /** Writes what waits: who asks wants to know of what was decided a moment ago. */
  flushRecords(): Promise<void>
  readonly redact: Redact
}

const newest = 10
/** A run of a thousand decisions is read by no person; programs have the table. */
const mostOfRun = 200
/** What is not written by then is explained the next time. */
const flushWithinMs = 2_000

/** @throws PmlError TRACE_NOT_FOUND */
export async function explainTraces(
  named: string | null,
  { store, flushRecords, redact }: ExplainDeps,
): Promise<{ readonly traces: readonly AlgorithmTrace[] }> {
  await withinMs(flushRecords(), flushWithinMs, undefined)
  const open = await store()
  const wanted = named ?? 'last'
  if (wanted === 'last')
    return { traces: redactJson(await open.listAlgorithmTraces({ limit: newest }), redact) }
  const one = await open.findAlgorithmTrace(wanted)
  const traces = one ? [one] : await open.listAlgorithmTraces({ runId: wanted, limit: mostOfRun })
  if (traces.length === 0)
    throw new PmlError(
      'NOT_FOUND',
      `Nothing was scored under "${wanted}".`,
      'Give the id of a decision or of a run; the newest are told by: pml explain last',
    )
  return { traces: redactJson(traces, redact) }
}
