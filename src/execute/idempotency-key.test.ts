import { describe, expect, it } from 'vitest'
import { withKey } from './idempotency-key.js'

describe('withKey', () => {
  const args = { to: 'ada', amount: 3 }
  const keyOf = (given: Parameters<typeof withKey>[0], run = 'run', task = 'task') =>
    withKey(given, 'key', run, task).key

  it('gives the same call of the same run the same key, whatever the order of its arguments', () => {
    expect(keyOf(args)).toBe(keyOf({ amount: 3, to: 'ada' }))
    expect(keyOf(args)).toMatch(/^pml-[0-9a-f]{32}$/)
  })

  it('gives another run, task, element or other arguments another key', () => {
    const keys = [
      keyOf(args),
      keyOf(args, 'run 2'),
      keyOf(args, 'run', 'task[0]'),
      keyOf(args, 'run', 'task[1]'),
      keyOf({ ...args, amount: 4 }),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('leaves a key that the caller gave, and arguments of tools that take none', () => {
    expect(withKey({ key: 'mine' }, 'key', 'run', 'task')).toEqual({ key: 'mine' })
    expect(withKey({ key: '' }, 'key', 'run', 'task')).toEqual({ key: '' })
    expect(withKey(args, undefined, 'run', 'task')).toBe(args)
    expect(withKey({ key: null }, 'key', 'run', 'task').key).toMatch(/^pml-/)
  })
})
