import { crashPoint } from '../model/crash-point.js'
import type { Plan } from '../model/plan.js'
import type { RunStatus } from '../model/run.js'
import type { RunEvent } from '../model/run-event.js'
import type { RunProgress, RunState } from '../model/run-state.js'
import { EventLog } from './event-log.js'
import { reduceState, type StateUpdate } from './reduce-state.js'

/** One change of a run, and what is told of it. */
export interface Update extends StateUpdate {
  readonly events: readonly RunEvent[]
  /** The run as it is with this change. */
  readonly status: RunStatus
  readonly endedAt?: number
  readonly progress: RunProgress
  readonly plan?: Plan
}

/** What is to be stored as one: all or nothing. */
export type Step = Omit<Update, 'events'> & Required<StateUpdate>

/**
 * Changes in order, each stored before it is told. Changes made in one go (before anything is awaited) are stored as one, and so
 * are those that came while the last ones were being stored: no command is taken off the list without its effect, and a wide plan
 * costs few writes. What cannot be stored is tried again for as long as it takes: meanwhile nothing is told, and nobody who
 * waits for `write` goes on.
 */
export interface Journal {
  readonly events: AsyncIterable<RunEvent>
  /** As it was told: never ahead of what is stored. */
  told(): Told
  /** Resolves when the change is stored and told. Never rejects; after `close` it never resolves. */
  write(update: Update): Promise<void>
  /** Nothing waits to be stored. */
  isIdle(): boolean
  /** Why the last attempt to store failed; undefined while all is well. */
  trouble(): string | undefined
  /** No more events. */
  end(): void
  /** Gives up what is not stored yet. */
  close(): void
}

export interface Told {
  readonly state: RunState
  readonly status: RunStatus
  readonly endedAt?: number
}

export interface JournalOptions {
  readonly runId: string
  readonly told: Told
  record(step: Step): Promise<void>
  onEvent(event: RunEvent): void
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** A run of 100 tasks tells some 300 events; a reader that is further behind looks at the run instead. */
const keptEvents = 2_000
const firstRetryMs = 50
/** A database that comes back is not kept waiting longer. */
const slowestRetryMs = 1_000

export function createJournal(options: JournalOptions): Journal {
  const { runId, record, onEvent, sleep } = options
  const log = new EventLog<RunEvent>({
    capacity: keptEvents,
    lost: (count) => ({ type: 'events-lost', runId, count }),
  })
  const closed = new AbortController()
  let told = options.told
  let waiting: { readonly update: Update; readonly resolve: () => void }[] = []
  let isFlushing = false
  let trouble: string | undefined

  const store = async (step: Step): Promise<void> => {
    for (
      let delayMs = firstRetryMs;
      !closed.signal.aborted;
      delayMs = Math.min(delayMs * 2, slowestRetryMs)
    ) {
      try {
        crashPoint('checkpoint-begin')
        await record(step)
        crashPoint('checkpoint-stored')
        trouble = undefined
        return
      } catch (error) {
        trouble = error instanceof Error ? error.message : String(error)
        await sleep(delayMs, closed.signal).catch(() => {})
      }
    }
  }

  const flush = async (): Promise<void> => {
    isFlushing = true
    // What is written in the same go belongs together.
    await null
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await store(merge(batch.map(({ update }) => update)))
      if (closed.signal.aborted) return
      for (const { update, resolve } of batch) {
        told = {
          state: reduceState(told.state, update),
          status: update.status,
          ...(update.endedAt !== undefined && { endedAt: update.endedAt }),
        }
        for (const event of update.events) {
          log.push(event)
          onEvent(event)
        }
        resolve()
      }
      crashPoint('checkpoint-told')
      // Who was waiting goes on now, and what they write is stored as one.
      await null
    }
    isFlushing = false
  }

  return {
    events: log,
    told: () => told,
    write(update) {
      const written = new Promise<void>((resolve) => waiting.push({ update, resolve }))
      if (!isFlushing) void flush()
      return written
    },
    isIdle: () => !isFlushing,
    trouble: () => trouble,
    end: () => log.end(),
    close() {
      closed.abort()
      log.end()
    },
  }
}

/** Of each task and decision the last state counts. */
function merge(updates: readonly Update[]): Step {
  const last = updates.at(-1)!
  const plan = updates.findLast((update) => update.plan !== undefined)?.plan
  const removed = new Set<string>()
  const tasks = new Map<string, NonNullable<Update['tasks']>[number]>()
  for (const update of updates) {
    for (const id of update.removedTasks ?? []) {
      removed.add(id)
      tasks.delete(id)
    }
    for (const task of update.tasks ?? []) tasks.set(task.id, task)
  }
  return {
    status: last.status,
    ...(last.endedAt !== undefined && { endedAt: last.endedAt }),
    progress: last.progress,
    ...(plan !== undefined && { plan }),
    messages: updates.flatMap(({ messages = [] }) => messages),
    tasks: [...tasks.values()],
    removedTasks: [...removed].filter((id) => !tasks.has(id)),
    decisions: [
      ...new Map(updates.flatMap(({ decisions = [] }) => decisions).map((one) => [one.id, one])).values(),
    ],
    context: Object.assign({}, ...updates.map(({ context = {} }) => context)),
  }
}
