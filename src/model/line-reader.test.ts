import { describe, expect, it } from 'vitest'
import { createLineReader, type OversizeLine } from './line-reader.js'

function read(chunks: readonly Buffer[], maxBytes = 1_000_000) {
  const lines: string[] = []
  const oversize: OversizeLine[] = []
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => lines.push(line.toString()),
    onOversize: (line) => oversize.push(line),
  })
  for (const chunk of chunks) reader.push(chunk)
  return { lines, oversize }
}

describe('line reader', () => {
  it('gives the same lines however the bytes are cut', () => {
    const text = 'one\r\ntwo\n\nthrée — ok\n{"a":1}\nunfinished'
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size++) {
      const chunks: Buffer[] = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      expect(read(chunks).lines).toEqual(['one', 'two', 'thrée — ok', '{"a":1}'])
    }
  })

  it('drops a line above the limit, keeps its ends, and goes on with the next', () => {
    const long = Buffer.from(`{"id":7,${'x'.repeat(50_000)}"end":1}\nnext\n`)
    const chunks: Buffer[] = []
    for (let at = 0; at < long.length; at += 777) chunks.push(long.subarray(at, at + 777))
    const { lines, oversize } = read(chunks, 1_000)
    expect(lines).toEqual(['next'])
    expect(oversize).toHaveLength(1)
    expect(oversize[0]!.bytes).toBe(long.indexOf('\n'))
    expect(oversize[0]!.head.toString()).toMatch(/^\{"id":7,/)
    expect(oversize[0]!.tail.toString()).toMatch(/"end":1\}$/)
  })

  it('reads 64 MB that arrive in small chunks in linear time', () => {
    const chunk = Buffer.alloc(16_384, 0x61)
    const chunks = Array.from({ length: 4_096 }, () => chunk)
    const started = performance.now()
    const { lines } = read([...chunks, Buffer.from('\n')], 128_000_000)
    expect(lines[0]).toHaveLength(16_384 * 4_096)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
