import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { benchRisk, type RiskPrediction } from './bench-risk.js'
import { openTestSet, type TestSet } from './test-set.contract.js'

let set: TestSet
beforeAll(async () => {
  set = await openTestSet()
})
afterAll(() => set.remove())

const rows = [
  { name: 'blob_list', description: 'List blobs', readOnly: true, destructive: false },
  { name: 'limits', description: 'Get the limits of a region', readOnly: true, destructive: null },
  { name: 'thing', description: 'A thing', readOnly: true },
  { name: 'blob_delete', description: 'Delete a blob', readOnly: false, destructive: true },
  { name: 'blob_create', description: null, readOnly: false, destructive: true },
]

async function bench() {
  const predictions: RiskPrediction[] = []
  const report = await benchRisk({
    set: set.folder,
    seed: 42,
    onPrediction: (one) => void predictions.push(one),
  })
  return { report, predictions }
}

describe('figures', () => {
  it('count what was rated safe and should not be, what was found safe, and what may destroy', async () => {
    await set.write('risk', ...rows)
    const { report, predictions } = await bench()
    expect(report).toMatchObject({
      tools: 5,
      read_only: 3,
      destructive: 2,
      false_safe: 0,
      safe_recall: 2 / 3,
      accuracy: 4 / 5,
      destructive_as_dangerous: 1 / 2,
      floor: { false_safe: 0, safe_recall: 1 / 3, accuracy: 3 / 5 },
    })
    expect(predictions[3]).toEqual({ name: 'blob_delete', risk: 'dangerous' })
  })

  it('no error seen is not no error: the interval says how many there may be', async () => {
    await set.write('risk', ...rows)
    const { false_safe_interval } = (await bench()).report
    expect(false_safe_interval?.[1]).toBeCloseTo(1 - Math.sqrt(0.05))
  })

  it('a share of nothing is none', async () => {
    await set.write('risk', rows[0])
    const { report } = await bench()
    expect(report).toMatchObject({
      false_safe: 0,
      safe_recall: 1,
      false_safe_interval: null,
      destructive_as_dangerous: null,
    })
  })

  it('the same set gives the same report', async () => {
    await set.write('risk', ...rows)
    expect((await bench()).report).toEqual((await bench()).report)
  })
})

describe('a set that is wrong', () => {
  it.each([
    [[{ description: 'x', readOnly: true }], 'risk.jsonl:1: expected "name"'],
    [[rows[0], { name: 'a' }], 'risk.jsonl:2: expected "readOnly"'],
    [[{ name: 'a', readOnly: true, destructive: 'yes' }], 'risk.jsonl:1: expected "destructive"'],
    [[], 'No tool in the risk.jsonl'],
  ])('%j is told with its place', async (written, message) => {
    await set.write('risk', ...written)
    await expect(bench()).rejects.toThrow(message)
  })

  it('one that is not there is told', async () => {
    const options = { set: `${set.folder}/none`, seed: 42, onPrediction() {} }
    await expect(benchRisk(options)).rejects.toThrow('risk.jsonl cannot be read')
  })
})
