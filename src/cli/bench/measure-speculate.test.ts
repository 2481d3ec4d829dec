import { afterEach, beforeEach, expect, it } from 'vitest'
import { orderSessions } from '../../evaluate/test-calls.contract.js'
import { openTestSet, type TestSet } from '../../evaluate/test-set.contract.js'
import { measureSpeculate, readPreset } from './measure-speculate.js'

let set: TestSet
beforeEach(async () => {
  set = await openTestSet()
})
afterEach(() => set.remove())

it('seeds are averaged and lie apart; both presets, every cut-off and the misses are in the table', async () => {
  await set.write('calls', ...orderSessions(24))
  const { report, text, predictions } = await measureSpeculate({
    ...{ set: set.folder, seeds: [1, 2], preset: 'careful', hideRequest: true },
  })
  expect(report).toMatchObject({
    ...{ bench: 'speculate', seeds: [1, 2], preset: 'careful', request_hidden: true },
    ...{ calls: expect.any(Number), read_calls: expect.any(Number) },
    ...{ 'exact@1': expect.any(Number), 'exact@3': expect.any(Number) },
    ...{ 'turn_exact@1': expect.any(Number), 'turn_exact@3': expect.any(Number) },
    ...{ precision: expect.any(Number), waste: expect.any(Number), saved_share: expect.any(Number) },
    spread: { 'exact@1': expect.any(Number) },
  })
  expect(text).toContain('request hidden, means of seeds 1-2')
  for (const row of ['careful', 'eager', '0.1', '0.9', 'floor: constants', 'first not visible', 'result'])
    expect(text).toMatch(new RegExp(`^${row} +[\\d.]`, 'm'))
  expect(predictions[0]).toMatchObject({ call: 0, turn: 0 })
})

it('a preset that is none is refused', () => {
  expect(readPreset('eager')).toBe('eager')
  expect(() => readPreset('bold')).toThrow('--preset: expected careful or eager, got "bold"')
})
