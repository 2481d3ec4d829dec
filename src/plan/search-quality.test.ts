import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../model/json.js'
import { createToolSearch } from './create-tool-search.js'
import { makeTool } from './make-tool.contract.js'

/** The development sets lie beside the repository and never in it; without them there is nothing to measure. */
const sets = new URL('../../../shared/eval/', import.meta.url)

/** Floors: plain BM25 over the same texts (the sets' README). */
const floors = [
  ['azure_mcp', { recall1: 0.633, recall5: 0.935, ndcg10: 0.818 }],
  ['stabletoolbench', { recall1: 0.322, recall5: 0.687, ndcg10: 0.685 }],
  ['bfcl_live_multiple', { recall1: 0.618, recall5: 0.868, ndcg10: 0.77 }],
] as const

describe('search on public data', () => {
  for (const [set, floor] of floors) {
    const there = existsSync(new URL(`${set}/queries.jsonl`, sets))
    it.skipIf(!there)(
      `beats plain BM25 on ${set}${there ? '' : ' (skipped: ../shared/eval is not there)'}`,
      () => {
        const figures = measure(set)
        expect(figures.recall1).toBeGreaterThan(floor.recall1)
        expect(figures.recall5).toBeGreaterThan(floor.recall5)
        expect(figures.ndcg10).toBeGreaterThan(floor.ndcg10)
      },
    )
  }
})

function measure(set: string) {
  const rows = readRows<{
    id: string
    server: string
    name: string
    description: string
    inputSchema: JsonObject
  }>(set, 'tools')
  const rowIds = new Map(rows.map((row) => [`${row.server}:${row.name}`, row.id]))
  const search = createToolSearch(
    rows.map((row) =>
      makeTool(`${row.server}:${row.name}`, row.description, { inputSchema: row.inputSchema }),
    ),
  )
  const queries = readRows<{ query: string; gold: string[] }>(set, 'queries')
  const sums = { recall1: 0, recall5: 0, ndcg10: 0 }
  for (const { query, gold } of queries) {
    const found = search.search(query, { limit: 10 }).map((hit) => gold.includes(rowIds.get(hit.tool.id)!))
    const recall = (k: number) => found.slice(0, k).filter(Boolean).length / gold.length
    sums.recall1 += recall(1)
    sums.recall5 += recall(5)
    sums.ndcg10 += gain(found) / gain(Array(Math.min(10, gold.length)).fill(true))
  }
  return {
    recall1: sums.recall1 / queries.length,
    recall5: sums.recall5 / queries.length,
    ndcg10: sums.ndcg10 / queries.length,
  }
}

function gain(found: readonly boolean[]): number {
  return found.reduce((sum, hit, rank) => sum + (hit ? 1 / Math.log2(rank + 2) : 0), 0)
}

function readRows<T>(set: string, file: string): T[] {
  const text = readFileSync(new URL(`${set}/${file}.jsonl`, sets), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}
