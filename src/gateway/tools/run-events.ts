import type { RunEvent } from '../../model/run-event.js'

/** Events until the signal aborts, even while none comes. */
export async function* eventsUntil(
  events: AsyncIterable<RunEvent>,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void> {
  const reader = events[Symbol.asyncIterator]()
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  try {
    for (;;) {
      const next = await Promise.race([stopped, reader.next()])
      if (next === undefined || next.done === true) return
      yield next.value
    }
  } finally {
    // A reader that waits for its next event ends only then: it is not waited for.
    void reader.return?.()
  }
}
