import { expect, it } from 'vitest'
import { oneLine } from './one-line.js'

it.each([
  ['Reads a text file from disk. Then more.', 'Reads a text file from disk.'],
  ['First line\nsecond line', 'First line'],
  ['  \n\n  Indented text', 'Indented text'],
  ['a\u0000b\u200bc\u202ed\u001b[31m', 'a b c d [31m'],
  ['', ''],
  [undefined, ''],
])('%j is %j', (text, line) => {
  expect(oneLine(text)).toBe(line)
})

it('is short and quick whatever it is given', () => {
  expect(oneLine('word '.repeat(1_000_000)).length).toBeLessThanOrEqual(160)
  expect(oneLine(' '.repeat(1_000_000))).toBe('')
})
