import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../model/run-event.js'
import { createJournal, type JournalOptions, type Step, type Update } from './journal.js'
import { emptyState } from './reduce-state.js'

const progress = { messages: [], context: {}, commands: [], isPaused: false }
const update = (count: number, more: Partial<Update> = {}): Update => ({
  events: [{ type: 'events-lost', runId: 'run-1', count }],
  status: 'running',
  progress,
  ...more,
})
const task = (id: string, status: 'running' | 'complete') =>
  ({ id, tool: 'fake:x', arguments: {}, status }) as never

function open(record: JournalOptions['record']) {
  const told: RunEvent[] = []
  const journal = createJournal({
    runId: 'run-1',
    told: { state: emptyState, status: 'running' },
    record,
    onEvent: (event) => void told.push(event),
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
  })
  return { journal, told: () => told.map((event) => (event as { count: number }).count) }
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('createJournal', () => {
  it('stores what is written in one go as one step, with the last state of each task', async () => {
    const steps: Step[] = []
    const { journal, told } = open(async (step) => void steps.push(step))
    const done = [
      journal.write(update(1, { tasks: [task('a', 'running')] })),
      journal.write(update(2, { tasks: [task('a', 'complete'), task('b', 'running')] })),
    ]
    await Promise.all(done)
    expect(steps.map(({ tasks }) => tasks.map(({ id, status }) => `${id} ${status}`))).toEqual([
      ['a complete', 'b running'],
    ])
    expect(told()).toEqual([1, 2])
  })

  it('stores what comes meanwhile as the next step, and tells nothing before it is stored', async () => {
    let store = (): void => {}
    const steps: Step[] = []
    const { journal, told } = open((step) => {
      steps.push(step)
      return new Promise((resolve) => {
        store = resolve
      })
    })
    void journal.write(update(1))
    await turn()
    void journal.write(update(2))
    void journal.write(update(3))
    await turn()
    expect([steps.length, told()]).toEqual([1, []])
    store()
    await turn()
    expect([steps.length, told()]).toEqual([2, [1]])
    store()
    await turn()
    expect([steps.length, told()]).toEqual([2, [1, 2, 3]])
  })

  it('tries again what cannot be stored, in order, and says why until it is', async () => {
    let isAway = true
    let attempts = 0
    const { journal, told } = open(async () => {
      attempts++
      if (isAway) throw new Error('disk full')
    })
    const written = journal.write(update(1, { tasks: [task('a', 'complete')] }))
    while (attempts < 3) await turn()
    expect(journal.trouble()).toBe('disk full')
    expect(journal.told().state.tasks).toEqual([])
    expect(told()).toEqual([])
    isAway = false
    await written
    expect(journal.trouble()).toBeUndefined()
    expect(journal.told().state.tasks).toHaveLength(1)
    expect(told()).toEqual([1])
  })

  it('gives up when it is closed, and tells nothing after that', async () => {
    const { journal, told } = open(async () => Promise.reject(new Error('away')))
    void journal.write(update(1))
    await turn()
    journal.close()
    await turn()
    const events: RunEvent[] = []
    for await (const event of journal.events) events.push(event)
    expect(events).toEqual([])
    expect(told()).toEqual([])
  })
})
