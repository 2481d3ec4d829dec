import type { RunEvent } from '../model/run-event.js'
import { withinMs } from '../model/within-ms.js'
import { EventLog } from './event-log.js'

/**
 * Events in order, each recorded before it is announced. A record that fails or hangs is passed over, for a run is never
 * lost for its journal: `record` is the caller's and reports its own troubles, and `isComplete` tells that one is missing.
 */
export interface Journal {
  readonly events: AsyncIterable<RunEvent>
  /** Resolves when the event is recorded, or passed over, and announced; never rejects. */
  write(event: RunEvent): Promise<void>
  /** False once a record has failed or was not there in time. */
  isComplete(): boolean
  end(): void
}

/**
 * A write of the store takes milliseconds, but a first start makes the database first, which takes a slow machine long. What
 * takes longer than this hangs, and those after it are not waited for.
 */
const longestRecordMs = 60_000

export function createJournal(record: (event: RunEvent) => Promise<void>): Journal {
  const log = new EventLog<RunEvent>()
  let tail = Promise.resolve()
  let hanging = false
  let complete = true

  const recordOne = async (event: RunEvent): Promise<void> => {
    const recorded = attempt(() => record(event))
    if (hanging) return
    const outcome = await withinMs(recorded, longestRecordMs, 'hangs')
    hanging = outcome === 'hangs'
    complete &&= outcome === 'recorded'
  }

  return {
    events: log,
    write(event) {
      tail = tail.then(() => recordOne(event)).then(() => log.push(event))
      return tail
    },
    isComplete: () => complete,
    end: () => log.end(),
  }
}

/** Runs it, whatever it throws, now or later. */
async function attempt(action: () => Promise<void>): Promise<'recorded' | 'failed'> {
  try {
    await action()
    return 'recorded'
  } catch {
    return 'failed'
  }
}
