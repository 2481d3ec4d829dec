import { setImmediate } from 'node:timers/promises'
import type { Experience } from '../model/experience.js'
import type { Log } from '../model/log.js'
import type { Trace } from '../model/trace.js'
import type { Store } from '../store/store.js'
import { createExperience } from './create-experience.js'
import { createOutputSchemas } from './create-output-schemas.js'
import { runsRemembered } from './create-run-memory.js'
import { type Lesson, lessonsOf } from './lessons-of.js'

export interface ExperienceKeeper {
  readonly experience: Experience
  /** Begins to read what is known: nobody waits for it. */
  load(store: Store): void
  /** Takes in lessons that were stored. Never rejects. */
  take(lessons: readonly (readonly Trace[])[], store: Store): Promise<void>
  /** Reads everything again, after a rebuild. */
  reload(store: Store): Promise<void>
  /** Resolves when nothing is being read. */
  settled(): Promise<void>
  close(): Promise<void>
}

const sliceMs = 8

/**
 * Keeps experience in step with the store. It is derived from traces, so trouble here is told and passed over.
 *
 * Nobody waits for what is read at the start. Measured with 2,000 runs of 5 calls and results of 1.5 KB, embedded, on two busy
 * cores: 2 to 3 s, of which this thread works half a second.
 */
export function keepExperience({ log }: { readonly log: Log }): ExperienceKeeper {
  const outputSchemas = createOutputSchemas()
  const experience = createExperience({ outputSchema: outputSchemas.of })
  const closing = new AbortController()
  let loading: Promise<void> = Promise.resolve()

  const recentLessons = (store: Store): AsyncIterable<Lesson> =>
    lessonsOf(store.loadRecentTraces({ runs: runsRemembered }))
  const report = (what: string, error: unknown): void => {
    if (!closing.signal.aborted) log.warn(what, { error: String(error) })
  }

  return {
    experience,
    load(store) {
      const read = async (): Promise<void> => {
        // What else is done while the store opens comes first.
        await setImmediate()
        outputSchemas.load(await store.loadOutputSchemas())
        await experience.load(inSlices(recentLessons(store), closing.signal))
      }
      loading = read().catch((error: unknown) =>
        report('How tools were used in earlier runs cannot be read: plans are made without it.', error),
      )
    },
    async take(lessons, store) {
      try {
        for (const traces of lessons) {
          experience.take(traces)
          outputSchemas.observe(traces)
        }
        await outputSchemas.save(store)
      } catch (error) {
        report('What the results of a run look like is not stored yet.', error)
      }
    },
    async reload(store) {
      await loading
      outputSchemas.reset(await store.loadOutputSchemas())
      await experience.load(recentLessons(store))
    },
    settled: () => loading,
    async close() {
      closing.abort(new Error('The gateway closes.'))
      await loading
    },
  }
}

/** A client's first requests come at the same time: they wait for no more than one slice. */
async function* inSlices<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  let begin = performance.now()
  for await (const item of items) {
    signal.throwIfAborted()
    yield item
    if (performance.now() - begin < sliceMs) continue
    await setImmediate()
    begin = performance.now()
  }
}
