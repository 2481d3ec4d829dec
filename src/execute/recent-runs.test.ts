import { expect, it } from 'vitest'
import type { Run } from '../model/run.js'
import { createRecentRuns } from './recent-runs.js'

const ended = (id: string, chars = 0): Run => ({
  ...{ id, status: 'complete', startedAt: 0, tasks: [] },
  intent: 'x'.repeat(chars),
})

it('keeps the last runs by number', () => {
  const recent = createRecentRuns({ runs: 2, bytes: 1_000_000 })
  for (const id of ['a', 'b', 'c']) recent.keep(ended(id))
  expect(['a', 'b', 'c'].map((id) => recent.get(id)?.id)).toEqual([undefined, 'b', 'c'])
})

it('keeps fewer when they are large, and the newest in any case', () => {
  const recent = createRecentRuns({ runs: 100, bytes: 10_000 })
  for (const id of ['a', 'b', 'c']) recent.keep(ended(id, 2_000))
  expect(['a', 'b', 'c'].map((id) => recent.get(id)?.id)).toEqual([undefined, 'b', 'c'])
  recent.keep(ended('huge', 50_000))
  expect(['b', 'c', 'huge'].map((id) => recent.get(id)?.id)).toEqual([undefined, undefined, 'huge'])
  recent.keep(ended('small'))
  expect(['huge', 'small'].map((id) => recent.get(id)?.id)).toEqual([undefined, 'small'])
})
