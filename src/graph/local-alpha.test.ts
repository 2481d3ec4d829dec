import { expect, it } from 'vitest'
import { coherence, localAlpha } from './local-alpha.js'

const points = (...all: [cosine: number, weight: number][]) =>
  all.map(([cosine, weight]) => ({ cosine, weight }))

it('alpha is 1 without observations or confidence, and falls to .5 with both', () => {
  expect(localAlpha(1, 0)).toBe(1)
  expect(localAlpha(0, 1_000)).toBe(1)
  expect(localAlpha(1, 5)).toBe(0.75)
  expect(localAlpha(0.8, 15)).toBeCloseTo(1 - 0.5 * 0.8 * 0.75, 12)
  expect(localAlpha(1, 1e9)).toBeCloseTo(0.5, 6)
})

it('no neighbour or one shows no agreement', () => {
  expect([coherence([]), coherence(points([0.9, 0.9]))]).toEqual([0, 0])
})

it('full agreement of three neighbours is 2/4, opposition 0', () => {
  expect(coherence(points([0.1, 0.2], [0.2, 0.4], [0.3, 0.6]))).toBeCloseTo(0.5, 12)
  expect(coherence(points([0.3, 0.2], [0.2, 0.4], [0.1, 0.6]))).toBeCloseTo(0, 12)
})

it("is Pearson's r in between", () => {
  // cosines .1 .2 .3 (deviations -.1 0 .1), weights .2 .5 .3 (mean 1/3): covariance .1 * (.3 - .2) = .01
  // sums of squares .02 and .38 - 3 / 9 = .046667; r = .01 / sqrt(.02 * .046667) = .327327
  expect(coherence(points([0.1, 0.2], [0.2, 0.5], [0.3, 0.3]))).toBeCloseTo((0.5 * (0.327327 + 1)) / 2, 6)
})

it('where all weights or all cosines are the same, nothing is said either way', () => {
  expect(coherence(points([0.1, 0.35], [0.9, 0.35], [0.4, 0.35]))).toBe(0.25)
  expect(coherence(points([0.3, 0.1], [0.3, 0.9], [0.1 + 0.2, 0.4]))).toBe(0.25)
})

it('old edges, weak all together, agree as well as fresh ones', () => {
  const faded = points([0.1, 0.2e-9], [0.2, 0.4e-9], [0.3, 0.6e-9])
  expect(coherence(faded)).toBeCloseTo(0.5, 9)
})
