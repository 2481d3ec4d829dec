import { expect, it } from 'vitest'
import type { Status } from '../gateway/status.js'
import { checkGateway } from './check-gateway.js'

it.each([
  [
    'the shipped model is damaged',
    { trouble: 'Embedder "static": its model file x is damaged. Reinstall casys-pml.' },
    'Until then search goes by words.',
  ],
  [
    'another cannot be opened, and the shipped one serves',
    {
      model: 'static-1',
      trouble: 'Embedder "bge-m3": it is not downloaded. Run: pml model use bge-m3',
    },
    'Or go back to the static model: pml model use static',
  ],
])('says what to do about search where %s', (_, search, fix) => {
  const findings = check({ search })
  expect(findings).toContainEqual(expect.objectContaining({ check: 'search', message: search.trouble, fix }))
})

it('says nothing of search that goes well', () => {
  expect(check({ search: { model: 'static-1' } }).some(({ check }) => check === 'search')).toBe(false)
})

function check(status: Partial<Status>) {
  const whole = { servers: [], pid: process.pid, runs: [], ...status } as unknown as Status
  return checkGateway(
    { status: whole, tools: [] },
    { config: undefined, withoutProgram: new Set(), waitedMs: 0 },
  )
}
