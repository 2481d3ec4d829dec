import { expect, it } from 'vitest'
import { ResultHandleError } from '../errors.js'
import { createResultStore } from './result-store.js'

it('pages follow one another without a gap, and never split a character', () => {
  const store = createResultStore({ maxBytes: 1_000_000 })
  const text = 'aé🎉'.repeat(100)
  const handle = store.keepText(text)
  let read = ''
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = store.read(handle, offset, 7)
    if (page.kind !== 'text') throw new Error('a text was kept')
    expect(Buffer.from(page.text).toString()).toBe(page.text)
    read += page.text
    offset = page.next
  }
  expect(read).toBe(text)
})

it('a page beyond the end is empty, and a limit of one still moves on', () => {
  const store = createResultStore({ maxBytes: 1_000 })
  const handle = store.keepText('🎉🎉')
  expect(store.read(handle, 99, 10)).toMatchObject({ text: '', total: 4 })
  expect(store.read(handle, 0, 1)).toMatchObject({ text: '🎉', next: 2 })
})

it('memory is bounded: what was read longest ago goes first', () => {
  const store = createResultStore({ maxBytes: 600 })
  const [a, b] = [store.keepText('a'.repeat(100)), store.keepText('b'.repeat(100))]
  store.read(a, 0, 10)
  const c = store.keepText('c'.repeat(150))
  expect(() => store.read(b, 0, 10)).toThrow(ResultHandleError)
  expect(store.read(a, 0, 1).kind).toBe('text')
  expect(store.read(c, 0, 1).kind).toBe('text')
})

it('the newest is kept even when it alone is above the bound', () => {
  const store = createResultStore({ maxBytes: 10 })
  const first = store.keepText('x'.repeat(100))
  expect(store.read(first, 0, 10).kind).toBe('text')
  store.keepText('y'.repeat(100))
  expect(() => store.read(first, 0, 10)).toThrow(ResultHandleError)
})

it('the same content is kept once, under one handle, and counts as new', () => {
  const store = createResultStore({ maxBytes: 500 })
  const a = store.keepText('a'.repeat(100))
  const b = store.keepText('b'.repeat(100))
  for (let i = 0; i < 10; i++) expect(store.keepText('a'.repeat(100))).toBe(a)
  expect(store.read(b, 0, 1).kind).toBe('text')
  expect(store.keepBlob('a'.repeat(10), 'image/png')).not.toBe(store.keepText('a'.repeat(10)))
})
