import { expect, it } from 'vitest'
import { closestName, closestNames } from './closest-name.js'

it.each([
  ['serch', 'search'],
  ['stauts', 'status'],
  ['toolss', 'tools'],
  ['xyzzy', undefined],
  ['', undefined],
])('%j was meant as %j', (typed, expected) => {
  expect(closestName(typed, ['serve', 'search', 'status', 'tools', 'call', 'up'])).toBe(expected)
})

it('the most alike come first, and what has nothing in common does not come', () => {
  const names = ['files:write_file', 'files:read-files', 'files:read_file', 'web:search']
  expect(closestNames('files:readfile', names, 3)).toEqual(['files:read_file', 'files:read-files'])
  expect(closestNames('zzz', names, 3)).toEqual([])
})
