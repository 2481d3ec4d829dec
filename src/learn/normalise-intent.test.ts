import { expect, it } from 'vitest'
import { normaliseIntent } from './normalise-intent.js'

it.each([
  ['Read "a.txt" and count its lines', 'read notes/b.md, counting lines.'],
  ['close issue #42', 'Close the issue PROJ-118!'],
  ["what's on 2024-01-31?", 'whats on 1/2/2025'],
  ['mail ann@example.org', 'mail `bob`'],
  ["find 'the thing'", 'find https://a.example/x?y=1'],
])('%j asks for the same as %j', (a, b) => {
  const values = (intent: string) => normaliseIntent(intent).filter((word) => word !== 'what')
  expect(values(a)).toEqual(values(b))
})

it('direction and denial are kept, words with a digit in them are words', () => {
  expect(normaliseIntent('copy from S3 to disk, not mp3')).toEqual([
    'copi',
    'from',
    's3',
    'disk',
    'not',
    'mp3',
  ])
  expect(normaliseIntent('not from it')).toEqual(['not', 'from'])
})

it('a long text is read in no time, whatever it holds', () => {
  const begin = performance.now()
  for (const text of ['"', "'", '`', '1a', '.', '“', 'a/', '¹']) normaliseIntent(text.repeat(1_000_000))
  expect(performance.now() - begin).toBeLessThan(1_000)
})
