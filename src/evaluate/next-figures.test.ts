import { expect, it } from 'vitest'
import { seededRandom } from '../model/seeded-random.js'
import { nextFigures, nextIntervals } from './next-figures.js'
import { nextFloors } from './next-floors.js'

const step = (ranked: string, before: string, came: string) => ({ ranked: ranked.split(' '), before, came })

it('counts hits by place, and those of new tools apart', () => {
  const figures = nextFigures([step('a b', 'a', 'a'), step('a b c', 'a', 'b'), step('a', 'a', 'z')])
  expect(figures).toMatchObject({
    steps: 3,
    'hit@1': 1 / 3,
    'hit@3': 2 / 3,
    mrr: 0.5,
    'novel_hit@1': 0,
    'novel_hit@3': 0.5,
  })
  expect(nextFigures([])).toMatchObject({ steps: 0, 'hit@1': 0, mrr: 0 })
})

it('the interval lies around the mean, and is wider where sessions differ as wholes', () => {
  const hit = step('a', 'b', 'a')
  const miss = step('b', 'b', 'a')
  const random = () => seededRandom(1)
  const mixed = Array.from({ length: 20 }, () => [hit, miss])
  const apart = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? [hit, hit] : [miss, miss]))
  const [low, high] = nextIntervals(apart, { random: random() })['hit@1']
  expect(nextIntervals(mixed, { random: random() })['hit@1']).toEqual([0.5, 0.5])
  expect(low).toBeLessThan(0.4)
  expect(high).toBeGreaterThan(0.6)
})

it('the floors, by hand', () => {
  const floors = nextFloors([
    ['a', 'b', 'c'],
    ['x', 'b', 'd'],
    ['x', 'b', 'd', 'd'],
  ])
  const rank = (name: string, ...before: string[]) =>
    floors.find((floor) => floor.name === name)!.rank(before)
  expect(rank('markov_1', 'a', 'b')).toEqual(['d', 'c', 'b'])
  expect(rank('markov_2', 'a', 'b')).toEqual(['c', 'd', 'b'])
  expect(rank('markov_2', 'new')).toEqual(['b', 'd', 'c'])
  expect(rank('repeat_last', 'a', 'b')).toEqual(['b'])
  expect(rank('most_frequent', 'a')).toEqual(['b', 'd', 'c'])
  expect(rank('recency_list', 'a', 'x', 'a')).toEqual(['a', 'x', 'b', 'd', 'c'])
})
