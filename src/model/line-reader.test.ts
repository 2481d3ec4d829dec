import { describe, expect, test } from 'vitest'
import { createLineReader } from './line-reader.js'

function read(chunks: readonly Buffer[], maxBytes = 1000) {
  const lines: string[] = []
  const oversize: { bytes: number; head: string; tail: string }[] = []
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => lines.push(line.toString('latin1')),
    onOversize: ({ bytes, head, tail }) =>
      oversize.push({ bytes, head: head.toString('latin1'), tail: tail.toString('latin1') }),
  })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return { lines, oversize }
}

/** mulberry32: a small seeded source, so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function cut(bytes: Buffer, random: () => number): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + Math.floor(random() * 40)
    chunks.push(bytes.subarray(at, end))
    at = end
  }
  return chunks
}

describe('lines of a byte stream', () => {
  test('however the stream is cut, the same lines come out', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const random = seeded(seed)
      const bytes = Buffer.from(
        Array.from({ length: 400 }, () => (random() < 0.1 ? 10 : Math.floor(random() * 256))),
      )
      const expected = bytes
        .toString('latin1')
        .split('\n')
        .filter((line) => line !== '')
      expect(read(cut(bytes, random)).lines).toEqual(expected)
    }
  })

  test('a line too long is skipped to its newline, told with both its ends, and the next one lives', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const random = seeded(seed)
      const long = `{"id":7,${'x'.repeat(1000 + Math.floor(random() * 2000))},"end":1}`
      const { lines, oversize } = read(cut(Buffer.from(`before\n${long}\nafter\n`), random))
      expect(lines).toEqual(['before', 'after'])
      expect(oversize).toEqual([{ bytes: long.length, head: long.slice(0, 512), tail: long.slice(-512) }])
    }
  })

  test('a line of exactly the limit is kept', () => {
    expect(read([Buffer.from(`${'a'.repeat(1000)}\n`)]).lines).toHaveLength(1)
    expect(read([Buffer.from(`${'a'.repeat(1001)}\n`)]).oversize).toHaveLength(1)
  })

  test('64 MB in chunks of 64 KB take less than two seconds, as one line or as an oversize one', () => {
    const chunk = Buffer.alloc(65_536, 'x')
    const chunks = [...Array.from({ length: 1024 }, () => chunk), Buffer.from('\n')]
    const startedAt = Date.now()
    expect(read(chunks, 2 ** 27).lines).toHaveLength(1)
    expect(read(chunks, 1000).oversize).toHaveLength(1)
    expect(Date.now() - startedAt).toBeLessThan(2000)
  })
})
