import { describe, expect, it } from 'vitest'
import type { Decision } from '../model/decision.js'
import type { TaskOutcome } from '../model/run.js'
import type { RunState } from '../model/run-state.js'
import { emptyState, reduceState } from './reduce-state.js'

const task = (id: string, status: TaskOutcome['status'] = 'pending', parent?: string): TaskOutcome =>
  ({ id, tool: 'fake:x', arguments: {}, status, ...(parent !== undefined && { parent }) }) as TaskOutcome
const decision = (id: string, why = ''): Decision => ({ id, why }) as Decision
const said = (text: string) => ({ at: 0, from: 'agent', text }) as const

describe('reduceState', () => {
  it('appends messages, tasks and decisions, and merges context', () => {
    const before = reduceState(emptyState, {
      messages: [said('one')],
      tasks: [task('a'), task('b')],
      decisions: [decision('1')],
      context: { kept: 1, changed: 1 },
    })
    const after = reduceState(before, {
      messages: [said('two')],
      tasks: [task('a', 'complete'), task('c')],
      decisions: [decision('1', 'answered'), decision('2')],
      context: { changed: 2 },
    })
    expect(after).toEqual({
      messages: [said('one'), said('two')],
      tasks: [task('a', 'complete'), task('b'), task('c')],
      decisions: [decision('1', 'answered'), decision('2')],
      context: { kept: 1, changed: 2 },
    })
  })

  it('puts elements behind their task by place, in whatever order they come', () => {
    const elements = [10, 2, 0, 1].map((place) => task(`a[${place}]`, 'pending', 'a'))
    const { tasks } = reduceState({ ...emptyState, tasks: [task('a'), task('b')] }, { tasks: elements })
    expect(tasks.map(({ id }) => id)).toEqual(['a', 'a[0]', 'a[1]', 'a[2]', 'a[10]', 'b'])
  })

  it('forgets first and adds then, so that one update can replace', () => {
    const before = {
      ...emptyState,
      tasks: [task('a'), task('a[0]', 'failed', 'a'), task('a[1]', 'failed', 'a')],
    }
    const { tasks } = reduceState(before, {
      removedTasks: ['a[0]', 'a[1]', 'never was'],
      tasks: [task('a[0]', 'pending', 'a')],
    })
    expect(tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(['a pending', 'a[0] pending'])
  })

  it('leaves what it was given as it was, and gives back what did not change', () => {
    const before: RunState = Object.freeze({
      messages: Object.freeze([said('one')]) as RunState['messages'],
      tasks: Object.freeze([task('a')]) as RunState['tasks'],
      decisions: Object.freeze([decision('1')]) as RunState['decisions'],
      context: Object.freeze({ a: 1 }),
    })
    const after = reduceState(before, {})
    for (const key of ['messages', 'tasks', 'decisions', 'context'] as const)
      expect(after[key]).toBe(before[key])
    reduceState(before, {
      messages: [said('x')],
      tasks: [task('a', 'failed')],
      removedTasks: ['a'],
      context: { a: 2 },
    })
  })

  it('takes no notice of how an update is cut: one with all is as many with a little each', () => {
    const updates = [
      { tasks: [task('a')] },
      { tasks: [task('a', 'running'), task('a[1]', 'pending', 'a')] },
      { tasks: [task('a[0]', 'pending', 'a')], context: { n: 1 } },
      { tasks: [task('a[1]', 'complete', 'a')], messages: [said('x')], context: { n: 2 } },
    ]
    const whole = reduceState(emptyState, {
      tasks: updates.flatMap(({ tasks }) => tasks),
      messages: [said('x')],
      context: { n: 2 },
    })
    expect(updates.reduce(reduceState, emptyState)).toEqual(whole)
  })

  it('takes under 0.05 ms for a run of a hundred tasks', () => {
    let state = reduceState(emptyState, { tasks: Array.from({ length: 100 }, (_, at) => task(`t${at}`)) })
    const times = Array.from({ length: 2_000 }, (_, at) => {
      const before = performance.now()
      state = reduceState(state, { tasks: [task(`t${at % 100}`, 'complete')] })
      return performance.now() - before
    })
    expect(times.toSorted((a, b) => a - b)[1_000]).toBeLessThan(0.05)
  })
})
