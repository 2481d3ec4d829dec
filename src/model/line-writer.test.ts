import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLineWriter } from './line-writer.js'

function collect(highWaterMark = 16_384) {
  const writes: string[] = []
  const pending: (() => void)[] = []
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    write(chunk, _encoding, done) {
      writes.push(String(chunk))
      pending.push(done)
    },
  })
  const release = (): void => {
    for (const done of pending.splice(0)) done()
  }
  return { stream, writes, release }
}

it('lines of one turn leave together, in order', async () => {
  const { stream, writes } = collect()
  const writer = createLineWriter(stream)
  for (const line of ['a', 'b', 'c']) void writer.write(line)
  expect(writes).toEqual([])
  await nextTurn()
  expect(writes).toEqual(['a\nb\nc\n'])
})

it('a stream that is full is waited for', async () => {
  const { stream, release } = collect(4)
  const writer = createLineWriter(stream)
  await writer.write('too long for it')
  await nextTurn()
  let free = false
  const waiting = writer.write('next').then(() => {
    free = true
  })
  await nextTurn()
  expect(free).toBe(false)
  release()
  await nextTurn()
  release()
  await waiting
  expect(free).toBe(true)
})

it('flush hands on at once what was held back', () => {
  const { stream, writes } = collect()
  const writer = createLineWriter(stream)
  void writer.write('last words')
  writer.flush()
  expect(writes).toEqual(['last words\n'])
})
