import type { Trace } from '../model/trace.js'
import type { StoredTrace } from '../store/store.js'

/** What was learned in one go: the traces of one run. */
export interface Lesson {
  readonly traces: readonly Trace[]
  /** Of its last trace. */
  readonly position: number
}

/** The traces as they were learned from: each lesson begins with the one trace that has no parent. */
export async function* lessonsOf(batches: AsyncIterable<readonly StoredTrace[]>): AsyncGenerator<Lesson> {
  let traces: Trace[] = []
  let position = 0
  for await (const batch of batches)
    for (const stored of batch) {
      if (stored.trace.parentId === undefined && traces.length > 0) {
        yield { traces, position }
        traces = []
      }
      traces.push(stored.trace)
      position = stored.position
    }
  if (traces.length > 0) yield { traces, position }
}
