import { expect, it } from 'vitest'
import { retrievalFigures } from './retrieval-figures.js'

it('two requests, computed by hand', () => {
  const figures = retrievalFigures([
    // Wanted at ranks 1 and 3 of two: gain 1 + 1/2 of 1 + 1/log2(3).
    { gold: ['a', 'b'], ranked: ['a', 'x', 'b'] },
    // Wanted at rank 6 of one.
    { gold: ['c'], ranked: ['1', '2', '3', '4', '5', 'c'] },
  ])
  expect(figures).toEqual({
    queries: 2,
    'recall@1': 0.25,
    'recall@5': 0.5,
    'recall@10': 1,
    'ndcg@10': expect.closeTo((1.5 / (1 + 1 / Math.log2(3)) + 1 / Math.log2(7)) / 2, 10),
    mrr: expect.closeTo((1 + 1 / 6) / 2, 10),
    'all_gold@10': 1,
  })
})

it('what is not found counts nothing, and no requests give no figures', () => {
  expect(retrievalFigures([{ gold: ['a'], ranked: [] }])).toMatchObject({
    'recall@10': 0,
    'ndcg@10': 0,
    mrr: 0,
  })
  expect(retrievalFigures([])).toMatchObject({ queries: 0, 'recall@1': 0 })
})
