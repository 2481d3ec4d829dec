import { expect, it } from 'vitest'
import { seededRandom } from '../../../model/seeded-random.js'
import type { ToolId } from '../../../model/tool.js'
import { createRating } from './create-rating.js'
import { logit, type RatedCall, ratingNames } from './rate-call.js'

const prior = { base: { tool: 1 }, ledger: { base: 1, source: 1 } }

/** A call whose tool is next with this likelihood; all others say nothing. */
function rated(toolNext: number, cell: string): RatedCall {
  return {
    ...{ tool: 's:a' as ToolId, arguments: {}, sources: {}, weakest: 'none', key: 'k', next: 0.1, toolNext },
    features: ratingNames.map((name) => (name === 'tool' ? logit(toolNext) : 0)),
    cells: [cell, `^ ${cell}`, `^ ${cell} made`],
  }
}

it('before anything came of predictions, what speaks for a call is all', () => {
  expect(createRating(prior).probability(rated(0.8, 'a'))).toBeCloseTo(0.8, 6)
})

it('predictions of one kind that are used more than was expected lift the next of that kind, and no others', () => {
  const rating = createRating(prior)
  for (let at = 0; at < 60; at++) rating.learn({ call: rated(0.3, 'good'), used: true })
  for (let at = 0; at < 60; at++) rating.learn({ call: rated(0.3, 'bad'), used: false })
  expect(rating.probability(rated(0.3, 'good'))).toBeGreaterThan(0.4)
  expect(rating.probability(rated(0.3, 'bad'))).toBeLessThan(0.15)
})

it('a kind that comes to be used is followed', () => {
  const rating = createRating(prior)
  for (let at = 0; at < 300; at++) rating.learn({ call: rated(0.5, 'a'), used: false })
  const before = rating.probability(rated(0.5, 'a'))
  for (let at = 0; at < 300; at++) rating.learn({ call: rated(0.5, 'a'), used: true })
  expect(rating.probability(rated(0.5, 'a'))).toBeGreaterThan(before + 0.3)
})

it('fitted to outcomes, it is right on average', () => {
  const random = seededRandom(3)
  const outcomes = Array.from({ length: 3_000 }, () => {
    const toolNext = 0.05 + 0.9 * random()
    return { call: rated(toolNext, 'a'), used: random() < toolNext / 2 }
  })
  const rating = createRating(prior)
  rating.fit(outcomes)
  expect(rating.probability(rated(0.8, 'a'))).toBeCloseTo(0.4, 1)
  expect(rating.probability(rated(0.2, 'a'))).toBeCloseTo(0.1, 1)
})

it('a tool is likelier within three calls than as the next, and no likelihood is certain', () => {
  const { toolProbability } = createRating(prior)
  for (const next of [0.1, 0.3, 0.5, 0.7]) expect(toolProbability(next)).toBeGreaterThan(next)
  for (const next of [0, 1, Number.NaN]) expect(toolProbability(next)).toBeGreaterThan(0)
  expect(toolProbability(1)).toBeLessThan(1)
})

it('its state, loaded elsewhere, says the same', () => {
  const rating = createRating(prior)
  for (let at = 0; at < 50; at++) rating.learn({ call: rated(0.4, `c${at % 3}`), used: at % 2 === 0 })
  const other = createRating(prior)
  other.load(rating.state())
  expect(other.probability(rated(0.4, 'c1'))).toBe(rating.probability(rated(0.4, 'c1')))
})

it('kinds that were not counted for longest are forgotten first', () => {
  const rating = createRating(prior)
  for (let at = 0; at < 2_000; at++) rating.learn({ call: rated(0.4, `c${at}`), used: true })
  const { cells } = rating.state()
  expect(cells).toHaveLength(5_000)
  expect(cells.at(-1)![0]).toContain('c1999')
})
