import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { ToolId } from '../../../model/tool.js'
import { createSessionCalls } from './session-calls.js'
import { callKey } from './value-key.js'

const [a, b] = ['s:a', 's:b'] as ToolId[] as [ToolId, ToolId]

it('knows the newest call of each tool, and what arguments have been', () => {
  const session = createSessionCalls()
  session.push({ tool: a, arguments: { id: 1 }, result: { x: 'one' } })
  session.push({ tool: b, arguments: {} })
  session.push({ tool: a, arguments: { id: '2' }, result: { x: 'two' } })
  expect(session.latest.map(({ tool, at }) => [tool, at])).toEqual([
    [a, 3],
    [b, 2],
  ])
  expect(session.used(a, 'id')).toMatchObject({ last: '2', count: 2 })
  expect(session.used(a, 'id').has('1')).toBe(true)
  expect(session.used(b, 'id').count).toBe(0)
  expect(session.madeAgo(callKey(a, { id: '2' }))).toBe(0)
  expect(session.madeAgo(callKey(a, { id: 1 }))).toBe(2)
  expect(session.madeAgo(callKey(a, { id: 3 }))).toBeUndefined()
})

it('arguments that are used together are those of one call, also where some calls leave one out', () => {
  const session = createSessionCalls()
  session.push({ tool: a, arguments: { day: '1', flight: 'x' } })
  session.push({ tool: a, arguments: { flight: 'y' } })
  session.push({ tool: a, arguments: { day: '2', flight: 'z' } })
  const used = session.used(a, 'day', 'flight')
  expect(used.has('1\nx')).toBe(true)
  expect(used.has('2\ny')).toBe(false)
  expect(used).toMatchObject({ last: '2\nz', count: 2 })
})

it('counts how often a call stood among the first and another was made', () => {
  const session = createSessionCalls()
  const [first, second] = [callKey(a, { n: 1 }), callKey(a, { n: 2 })]
  session.show([first, second])
  session.push({ tool: a, arguments: { n: 1 } })
  expect([session.passedOver(first), session.passedOver(second), session.foretold]).toEqual([0, 1, 1])
  session.show([first, second])
  session.push({ tool: b, arguments: {} })
  expect([session.passedOver(first), session.passedOver(second), session.foretold]).toEqual([1, 2, 0])
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapMb(): number {
  collect()
  return process.memoryUsage().heapUsed / 1e6
}

it('calls and results of a megabyte each leave little behind', () => {
  const session = createSessionCalls()
  const before = heapMb()
  for (let at = 0; at < 60; at++) {
    const big = `${at}\n`.padEnd(1_000_000, `line-${at}-of-text\n`)
    session.hear(big)
    session.push({ tool: `s:t${at}` as ToolId, arguments: { path: `/f${at}`, content: big }, result: big })
  }
  expect(session.last?.arguments).toEqual({ path: '/f59' })
  expect(session.last?.seen.once('#line').length).toBeGreaterThan(0)
  expect(heapMb() - before).toBeLessThan(10)
})
