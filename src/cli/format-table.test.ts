import { expect, it } from 'vitest'
import { formatTable } from './format-table.js'
import { createProgress } from './progress.js'

it('aligns columns whatever their colour, and keeps a row on one line', () => {
  expect(
    formatTable(
      ['A', 'B', 'C'],
      [
        ['\u001b[32mok\u001b[39m', '1', 'two\n  lines'],
        ['longer', '22', ''],
      ],
    ),
  ).toBe('A       B   C\n\u001b[32mok\u001b[39m      1   two lines\nlonger  22')
})

it('cuts what does not fit', () => {
  expect(formatTable(['NAME', 'TEXT'], [['a', 'x'.repeat(50)]], 20)).toBe(
    `NAME  TEXT\na     ${'x'.repeat(11)}...`,
  )
})

it('progress is plain lines with the time of each step', () => {
  let now = 0
  const written: string[] = []
  const output = { write: (text: string) => written.push(text) }
  const progress = createProgress(
    { stderr: output, stdout: output, env: {}, cwd: '/', stdin: process.stdin },
    () => now,
  )
  progress.step('Reading')
  now = 40
  progress.step('Opening')
  now = 2540
  progress.done('ready')
  expect(written.join('')).toBe('Reading (40 ms)\nOpening (2.5 s)\nready (2.5 s)\n')
})
