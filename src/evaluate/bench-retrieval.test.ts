import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStaticEmbedder } from '../embed/static-embedder.js'
import { benchRetrieval, type Prediction } from './bench-retrieval.js'

/** The development sets lie beside the repository and never in it; without them there is nothing to measure. */
const sets = fileURLToPath(new URL('../../../shared/eval/', import.meta.url))

const asked = {
  azure_mcp: { 'recall@1': 0.68 },
  stabletoolbench: { 'ndcg@10': 0.77 },
  bfcl_live_multiple: { 'recall@1': 0.62, 'recall@5': 0.86 },
} as const

describe('search on public data', () => {
  for (const [set, least] of Object.entries(asked)) {
    const isThere = existsSync(join(sets, set))
    const title = `reaches on ${set} what was asked for, and beats plain BM25`
    it.skipIf(!isThere)(isThere ? title : `${title} (skipped: ../shared/eval is not there)`, async () => {
      const report = await bench(join(sets, set))
      for (const [figure, value] of Object.entries(least))
        expect(report[figure as keyof typeof report], figure).toBeGreaterThanOrEqual(value)
      expect(report['ndcg@10']).toBeGreaterThan(report.floor['ndcg@10'])
      expect(report['recall@1']).toBeGreaterThan(report.floor['recall@1'])
      expect(report.calibration_error).toBeLessThan(0.15)
    })
  }
})

describe('sets', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pml-set-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const write = (name: string, rows: readonly unknown[]) =>
    writeFile(join(folder, `${name}.jsonl`), `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)

  it('gives a ranking for each request, under the ids of the set', async () => {
    await write('tools', [
      { id: 't1', server: 'a:b', name: 'read_file', description: 'Reads a file', inputSchema: null },
      { id: 't2', server: 'a:b', name: 'read_file', description: 'Reads a table', inputSchema: {} },
      { id: 't2', server: 'a:b', name: 'twice', description: 'An id that was there before' },
    ])
    await write('queries', [
      { id: 'q1', query: 'show the table', gold: ['t2', 't2'] },
      { id: 7, query: 'nothing is wanted', gold: [] },
    ])
    const seen: Prediction[] = []
    const report = await bench(folder, seen)
    expect(report).toMatchObject({ queries: 1, tools: 2, 'recall@1': 1, 'all_gold@10': 1 })
    expect(seen).toEqual([{ id: 'q1', ranked: ['t2'] }])
  })

  it('says which line of which file is wrong', async () => {
    await write('tools', [{ id: 't1', name: 'x' }, { name: 'no id' }])
    await expect(bench(folder)).rejects.toThrow(/tools\.jsonl:2: expected "id", a text/)
    await writeFile(join(folder, 'tools.jsonl'), '{"id":"t1"}\n{broken\n')
    await expect(bench(folder)).rejects.toThrow(/tools\.jsonl:2: expected one JSON object/)
    await expect(bench(join(folder, 'absent'))).rejects.toThrow(/tools\.jsonl cannot be read: ENOENT/)
  })

  it('a set without requests is refused, and one without the wanted tools says so', async () => {
    await write('tools', [])
    await write('queries', [])
    await expect(bench(folder)).rejects.toThrow('wants a tool')
    await write('queries', [{ id: 'q', query: 'anything', gold: ['nowhere'] }])
    expect(await bench(folder)).toMatchObject({ queries: 1, tools: 0, 'recall@1': 0, unknown_gold: 1 })
  })
})

function bench(set: string, seen: Prediction[] = []) {
  return benchRetrieval({
    set,
    embedder: createStaticEmbedder(),
    onPrediction: (prediction) => void seen.push(prediction),
  })
}
