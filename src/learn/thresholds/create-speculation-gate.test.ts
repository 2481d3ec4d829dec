import { expect, it } from 'vitest'
import type { Json } from '../../model/json.js'
import { seededRandom } from '../../model/seeded-random.js'
import { createSpeculationGate, usefulShare } from './create-speculation-gate.js'

const open = () => createSpeculationGate({ useful: usefulShare })

/** Outcomes by `rate`, of predictions with a uniform score. */
function feed(gate: ReturnType<typeof open>, count: number, rate: (score: number) => number, seed = 1): void {
  const random = seededRandom(seed)
  for (let i = 0; i < count; i++) {
    const score = random()
    gate.take({ score, betaMean: 0.5 }, random() < rate(score))
  }
}

it('before anything was seen a score is what it says, and the cut-off is the share that is to go well', () => {
  const gate = open()
  expect(gate.probability({ score: 0.8, betaMean: 0.3 })).toBeCloseTo(0.8, 12)
  expect(gate.cutoff()).toBeCloseTo(0.91, 12)
})

it('scores that are right stay as they are, and the cut-off comes down as far as it may', () => {
  const gate = open()
  feed(gate, 4_000, (score) => score)
  expect(gate.probability({ score: 0.7, betaMean: 0.5 })).toBeCloseTo(0.7, 1)
  // The mean of what is above .82 is .91.
  expect(gate.cutoff()).toBeCloseTo(0.82, 1)
})

it('scores that promise too much are brought down', () => {
  const gate = open()
  feed(gate, 4_000, (score) => score ** 3)
  expect(gate.probability({ score: 0.8, betaMean: 0.5 })).toBeCloseTo(0.51, 1)
})

it('where scores say nothing, the rate of the tool does', () => {
  const gate = open()
  const random = seededRandom(2)
  for (let i = 0; i < 4_000; i++) {
    const betaMean = i % 2 === 0 ? 0.95 : 0.3
    gate.take({ score: 0.8 + random() / 5, betaMean }, random() < betaMean)
  }
  expect(gate.probability({ score: 0.9, betaMean: 0.95 })).toBeGreaterThan(gate.cutoff())
  expect(gate.probability({ score: 0.99, betaMean: 0.3 })).toBeLessThan(0.5)
})

it('where nothing goes well often enough nothing passes', () => {
  const gate = open()
  feed(gate, 2_000, () => 0.5)
  expect(gate.probability({ score: 0.99, betaMean: 0.5 })).toBeLessThan(gate.cutoff())
})

it('scores that come to mean something else are followed', () => {
  const gate = open()
  feed(gate, 3_000, (score) => score)
  feed(gate, 6_000, (score) => score / 2, 3)
  expect(gate.probability({ score: 0.95, betaMean: 0.5 })).toBeLessThan(0.65)
})

it('its state, loaded elsewhere, judges the same', () => {
  const gate = open()
  feed(gate, 500, (score) => score ** 2)
  const other = open()
  other.load(JSON.parse(JSON.stringify(gate.state())) as Json)
  expect(other.cutoff()).toBe(gate.cutoff())
  expect(other.probability({ score: 0.6, betaMean: 0.9 })).toBe(
    gate.probability({ score: 0.6, betaMean: 0.9 }),
  )
})

it.each([
  undefined,
  null,
  {},
  'x',
  { version: 2 },
  { version: 1, fit: { weights: [1], precision: [] }, seen: [], good: [] },
])('what is no state starts anew: %j', (state) => {
  const gate = open()
  feed(gate, 500, () => 0.2)
  gate.load(state as Json)
  expect(gate.cutoff()).toBe(open().cutoff())
  expect(gate.probability({ score: 0.6, betaMean: 0.9 })).toBeCloseTo(0.6, 12)
})

it('scores of 0, 1 and none break nothing', () => {
  const gate = open()
  for (const score of [0, 1, Number.NaN, -4, 7]) {
    for (let i = 0; i < 50; i++) gate.take({ score, betaMean: score }, i % 2 === 0)
    expect(gate.probability({ score, betaMean: score })).toBeGreaterThanOrEqual(0)
    expect(gate.probability({ score, betaMean: score })).toBeLessThanOrEqual(1)
  }
  expect(gate.probability({ score: Number.NaN, betaMean: Number.NaN })).toBeLessThan(0.91)
})
