import { afterEach, beforeEach, expect, it } from 'vitest'
import { UsageError } from '../errors.js'
import { benchNext, type NextPrediction } from './bench-next.js'
import { openTestSet, type TestSet } from './test-set.contract.js'

let set: TestSet
beforeEach(async () => {
  set = await openTestSet()
})
afterEach(() => set.remove())

/** Two ways of working, each in half of the tasks; two sessions of each task. */
const rows = Array.from({ length: 80 }, (_, at) => ({
  id: `s${at}`,
  group: `g${at >> 1}`,
  query: at % 4 < 2 ? 'cancel the order' : 'ship the order',
  steps: at % 4 < 2 ? ['find', 'cancel', 'refund'] : ['find', 'pack', 'ship'],
}))

it('foretells what the request and the step before settle, with the floors beside', async () => {
  await set.write('seqs', ...rows)
  const predictions: NextPrediction[] = []
  const report = await benchNext({
    set: set.folder,
    seed: 42,
    onPrediction: (prediction) => void predictions.push(prediction),
  })
  expect(report.steps).toBe(predictions.length)
  expect(report['hit@1']).toBe(1)
  expect(report.mrr).toBe(1)
  // Without the request nobody can tell what comes after `find`.
  expect(report.request_hidden['hit@1']).toBeLessThan(1)
  expect(report.request_hidden['hit@3']).toBe(1)
  expect(report.floors.markov_1['hit@1']).toBeLessThan(1)
  expect(report.floors.repeat_last['hit@1']).toBe(0)
  expect(report.interval['hit@1']).toEqual([1, 1])
  const [first] = predictions
  expect(first).toMatchObject({ step: 1 })
  expect(['cancel', 'pack']).toContain(first!.ranked[0])
})

it('is the same each time, but for the clock', async () => {
  await set.write('seqs', ...rows)
  const once = async () => {
    const { p95_ms, ...figures } = await benchNext({ set: set.folder, seed: 7, onPrediction: () => {} })
    expect(p95_ms).toBeGreaterThan(0)
    return figures
  }
  expect(await once()).toEqual(await once())
})

it('a set without sessions to ask for is refused', async () => {
  await set.write('seqs', { id: 'a', query: 'x', steps: ['t', 't'] })
  await expect(benchNext({ set: set.folder, seed: 42, onPrediction: () => {} })).rejects.toThrow(UsageError)
  await set.write('seqs', ...rows.map((row) => ({ ...row, steps: ['find'] })))
  await expect(benchNext({ set: set.folder, seed: 42, onPrediction: () => {} })).rejects.toThrow('No step in')
})
