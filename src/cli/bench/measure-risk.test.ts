import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestSet, type TestSet } from '../../evaluate/test-set.contract.js'
import { measureRisk } from './measure-risk.js'

let set: TestSet
beforeAll(async () => {
  set = await openTestSet()
})
afterAll(() => set.remove())

it('gives the figures, a table with the floor beside them, and a line for each tool', async () => {
  await set.write(
    'risk',
    { name: 'blob_list', description: 'List blobs', readOnly: true, destructive: false },
    { name: 'limits', description: 'Get the limits', readOnly: true, destructive: null },
    { name: 'blob_delete', description: 'Delete a blob', readOnly: false, destructive: true },
  )
  const { report, text, predictions } = await measureRisk({ set: set.folder })
  expect(report).toMatchObject({ bench: 'risk', tools: 3, false_safe: 0, safe_recall: 1, accuracy: 1 })
  expect(text).toContain('3 tools: 2 only read, 1 may destroy; by names and descriptions alone')
  expect(text).toMatch(/risk +0\.000 +1\.000 +1\.000 +1\.000/)
  expect(text).toMatch(/floor: name patterns +0\.000 +0\.500 +0\.667 +1\.000/)
  expect(text).toContain('95 % of resamples: false_safe 0.000 to 0.950')
  expect(predictions).toEqual([
    { name: 'blob_list', risk: 'safe' },
    { name: 'limits', risk: 'safe' },
    { name: 'blob_delete', risk: 'dangerous' },
  ])
})
