import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Run } from '../model/run.js'
import type { RunEvent } from '../model/run-event.js'
import { createJournal } from './journal.js'

const run: Run = { id: 'run-1', status: 'running', tasks: [], startedAt: 0 }
const event: RunEvent = { type: 'run-start', run }

describe('createJournal', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('records in order, one at a time', async () => {
    const story: string[] = []
    const journal = createJournal(async (next) => {
      story.push(`begin ${next.type}`)
      await new Promise((resolve) => setImmediate(resolve))
      story.push(`end ${next.type}`)
    })
    await Promise.all([journal.write(event), journal.write({ type: 'run-end', run })])
    expect(story).toEqual(['begin run-start', 'end run-start', 'begin run-end', 'end run-end'])
  })

  it('waits 10 seconds for a record that hangs, once, and not for those after it', async () => {
    vi.useFakeTimers()
    const journal = createJournal(() => new Promise(() => {}))
    const first = journal.write(event)
    await vi.advanceTimersByTimeAsync(60_000)
    await first
    await journal.write(event)
    await journal.write(event)
    expect(vi.getTimerCount()).toBe(0)
    expect(journal.isComplete()).toBe(false)
  })

  it('is complete until a record fails, and goes on after that', async () => {
    let broken = false
    const journal = createJournal(async () => {
      if (broken) throw new Error('disk full')
    })
    await journal.write(event)
    expect(journal.isComplete()).toBe(true)
    broken = true
    await journal.write(event)
    broken = false
    await journal.write(event)
    expect(journal.isComplete()).toBe(false)
  })
})
