import type { RunEvent } from '../model/run-event.js'
import { EventLog } from './event-log.js'

/**
 * Events in order, each recorded before it is announced: who hears of a finished step can rely on its record. A record
 * that fails or hangs is left behind without a word: `record` is the caller's and reports its own troubles; a run is
 * never lost for its journal.
 */
export interface Journal {
  readonly events: AsyncIterable<RunEvent>
  /** Resolves when the event is recorded and announced; never rejects. */
  write(event: RunEvent): Promise<void>
  end(): void
}

/** A write of the store takes milliseconds. One that takes this long hangs, and those after it are not waited for. */
const longestRecordMs = 10_000

export function createJournal(record: (event: RunEvent) => Promise<void>): Journal {
  const log = new EventLog<RunEvent>()
  let tail = Promise.resolve()
  let hanging = false

  const recordOne = async (event: RunEvent): Promise<void> => {
    const recorded = attempt(() => record(event))
    if (hanging || (await settlesWithin(recorded, longestRecordMs))) return
    hanging = true
  }

  return {
    events: log,
    write(event) {
      tail = tail.then(() => recordOne(event)).then(() => log.push(event))
      return tail
    },
    end: () => log.end(),
  }
}

/** Runs it, whatever it throws, now or later. */
async function attempt(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch {}
}

async function settlesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const inTime = await Promise.race([promise.then(() => true), late])
  clearTimeout(timer)
  return inTime
}
