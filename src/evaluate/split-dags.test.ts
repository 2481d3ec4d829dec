import { expect, it } from 'vitest'
import { shuffle } from './draw.js'
import type { Dag } from './read-dags.js'
import { splitDags } from './split-dags.js'

const rows = (count: number, split?: string): readonly Dag[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${split}${at}`,
    query: 'x',
    tools: [],
    edges: [],
    fields: undefined,
    stages: undefined,
    split,
  }))
const ids = (dags: readonly Dag[]) => dags.map(({ id }) => id)

it('the test rows of a set are held out', () => {
  const { asked, learned } = splitDags([...rows(2, 'train'), ...rows(1, 'test'), ...rows(1, 'valid')], 42)
  expect(ids(asked)).toEqual(['test0'])
  expect(ids(learned)).toEqual(['train0', 'train1', 'valid0'])
})

it('a set without test rows is split by id, a fifth held out, the same for the same seed', () => {
  const all = rows(1_000, 'train')
  const { asked, learned } = splitDags(all, 42)
  expect(asked.length + learned.length).toBe(1_000)
  expect(asked.length).toBeGreaterThan(160)
  expect(asked.length).toBeLessThan(240)
  expect(ids(splitDags(all.toReversed(), 42).asked).sort()).toEqual(ids(asked).sort())
  expect(ids(splitDags(all, 43).asked)).not.toEqual(ids(asked))
})

it('an order drawn hangs on its words alone', () => {
  const letters = [...'abcdefgh']
  expect(shuffle(letters, 42, 'x')).toEqual(shuffle(letters, 42, 'x'))
  expect(shuffle(letters, 42, 'x')).not.toEqual(shuffle(letters, 42, 'y'))
  expect(shuffle(letters, 42, 'x').toSorted()).toEqual(letters)
})
