import { expect, it } from 'vitest'
import { createRequestStates, type RequestStates } from './request-states.js'

const states = createRequestStates(Buffer.alloc(32, 7))
const request = 'a'.repeat(64)
const state = { ids: ['r1', 'd1', 'd2'], request }
const text = states.write('run', state, 'claude')

it('what was written is read again, by any gateway that has the key', () => {
  const other: RequestStates = createRequestStates(Buffer.alloc(32, 7))
  expect(other.read('run', text, 'claude')).toEqual(state)
})

it.each([
  ['of another client', text, 'cursor'],
  ['with another id', text.replace('d2', 'd3'), 'claude'],
  ['with one id less', text.replace(',d2', ''), 'claude'],
  ['with another request', text.replace(request, 'b'.repeat(64)), 'claude'],
  ['of another kind', text.replace('pml-run:', 'pml-decision:'), 'claude'],
  ['without a signature', text.slice(0, text.lastIndexOf(':')), 'claude'],
  ['with half a signature', text.slice(0, -2), 'claude'],
  [
    'with a signature of another key',
    createRequestStates(Buffer.alloc(32, 8)).write('run', state, 'claude'),
    'claude',
  ],
  ['with more behind it', `${text}:`, 'claude'],
  ['that is empty', '', 'claude'],
])('one %s is none', (_what, forged, client) => {
  expect(states.read(forged.startsWith('pml-decision:') ? 'decision' : 'run', forged, client)).toBeUndefined()
})
