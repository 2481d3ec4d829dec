import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../model/tool-call.js'
import { cutMetaKey, cutResult } from './cut-result.js'
import { createResultStore } from './result-store.js'
import { textOf } from './test-gateway.contract.js'

const store = createResultStore({ maxBytes: 64 * 1024 * 1024 })
const cut = (result: ToolResult, maxTokens = 1_000): ToolResult => cutResult(result, maxTokens, store)
const text = (length: number): ToolResult => ({
  content: [{ type: 'text', text: `start${'x'.repeat(length)}end` }],
})
const kept = (result: ToolResult): string => {
  const { handle } = (result._meta as Record<string, { handle: string }>)[cutMetaKey]!
  const page = store.read(handle, 0, 100_000_000)
  return page.kind === 'text' ? page.text : page.data
}

it('a result within the limit is the very same object', () => {
  const small = { ...text(2_900), structuredContent: { a: 1 }, _meta: { own: 1 } }
  expect(cut(small)).toBe(small)
})

it('a larger text is cut to its start and end, and the whole is kept', () => {
  const large = text(5_000_000)
  const result = cut(large)
  expect(textOf(result).length).toBeLessThan(2_000)
  expect(textOf(result)).toMatch(/control_workflow.*pml:\/\/result\/[\s\S]*start[\s\S]*end$/)
  expect(kept(result)).toBe(large.content[0]!.text)
})

it('cutting a result of 20 MB takes milliseconds: nothing is tokenised', () => {
  const large = text(20_000_000)
  const started = performance.now()
  cut(large)
  expect(performance.now() - started).toBeLessThan(500)
})

it('other fields, images and links stay', () => {
  const image = { type: 'image', data: 'A'.repeat(100_000), mimeType: 'image/png' }
  const result = cut({
    ...text(10_000),
    content: [...text(10_000).content, image],
    isError: true,
    _meta: { own: 1 },
  })
  expect(result).toMatchObject({ isError: true, _meta: { own: 1 } })
  expect(result.content[1]).toBe(image)
})

it('an image that no model would take is left out, and kept as a resource', () => {
  const data = 'A'.repeat(9 * 1024 * 1024)
  const result = cut({ content: [{ type: 'image', data, mimeType: 'image/png' }] })
  const handle = /pml:\/\/result\/([\w-]+)/.exec(textOf(result))![1]!
  expect(store.read(handle, 0, 1)).toEqual({ kind: 'blob', data, mimeType: 'image/png' })
})

describe('structured content', () => {
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }))

  it('is cut to a sample of the same shape, so that it still fits its schema', () => {
    const result = cut({ content: [], structuredContent: { rows, total: 2_000 } })
    const sample = result.structuredContent as { rows: unknown[]; total: number }
    expect(sample.total).toBe(2_000)
    expect(sample.rows[0]).toEqual(rows[0])
    expect(sample.rows.length).toBeLessThan(100)
    expect(kept(result)).toBe(JSON.stringify({ rows, total: 2_000 }))
  })

  it('is kept once when a text says the same, in whatever layout', () => {
    const structuredContent = { rows }
    const pretty = JSON.stringify(structuredContent, null, 2)
    expect(kept(cut({ content: [{ type: 'text', text: pretty }], structuredContent }))).toBe(pretty)
  })

  it('is left out when nothing small enough is left of it', () => {
    const structuredContent = Object.fromEntries(rows.map(({ id }) => ['k'.repeat(500) + id, id]))
    const result = cut({ content: [], structuredContent })
    expect(result.structuredContent).toBeUndefined()
    expect(kept(result)).toBe(JSON.stringify(structuredContent))
  })

  it('nested deeper than any stack is no danger', () => {
    let deep: ToolResult['structuredContent'] = 'x'.repeat(10_000)
    for (let i = 0; i < 3_000; i++) deep = [deep]
    expect(textOf(cut({ content: [], structuredContent: deep })).length).toBeLessThan(3_000)
  })
})
