import { expect, it } from 'vitest'
import { meanOfSeeds } from './mean-of-seeds.js'

it('figures are averaged wherever they stand, and the spread tells how far seeds lie apart', () => {
  const report = (f1: number, names: readonly string[]) => ({
    f1,
    stages: null,
    interval: [f1 - 1, f1 + 1],
    names,
    floors: { all: { f1: f1 / 2 } },
  })
  expect(meanOfSeeds([report(2, ['a']), report(4, ['b', 'a']), report(6, [])])).toEqual({
    f1: 4,
    stages: null,
    interval: [3, 5],
    names: ['a', 'b'],
    floors: { all: { f1: 2 } },
    spread: { f1: 4 },
  })
})

it('of a figure that some seeds do not have there is no mean', () => {
  expect(meanOfSeeds<{ stages: number | null }>([{ stages: 1 }, { stages: null }])).toEqual({
    stages: null,
    spread: {},
  })
})
