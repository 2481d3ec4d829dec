import { expect, test } from 'vitest'
import { closestNames, distance } from './closest-names.js'

test('the distance is that of Levenshtein', () => {
  expect([distance('kitten', 'sitting'), distance('', 'abc'), distance('same', 'same')]).toEqual([3, 3, 0])
})

test('the most alike come first, and what has nothing in common does not come', () => {
  const names = ['files:read_file', 'files:write_file', 'web:search', 'files:read-files']
  expect(closestNames('files:readfile', names, 3)).toEqual([
    'files:read_file',
    'files:read-files',
    'files:write_file',
  ])
  expect(closestNames('zzz', names, 3)).toEqual([])
})
