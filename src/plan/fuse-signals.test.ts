import { describe, expect, it } from 'vitest'
import { fuseSignals, type Sees } from './fuse-signals.js'

const all: readonly Sees[] = ['words', 'letters', 'meaning']

it('gives what was computed by hand', () => {
  const words = fuseSignals('words')
  expect(words.evidence(1, 0.5)).toBe(1)
  // -6.46 + 5.54 * ln 2 + 4.91 * 1/2 = -.164965
  expect(words.semantic(1, 2)).toBeCloseTo(0.458852, 5)

  const letters = fuseSignals('letters')
  expect(letters.evidence(2, 1)).toBeCloseTo(2.2)
  // -6.89 + 5.43 * ln 3.2 + 2.66 * 2.2 / 2.2 = 2.085909
  expect(letters.semantic(2.2, 2)).toBeCloseTo(0.889526, 5)

  const meaning = fuseSignals('meaning')
  expect(meaning.evidence(1, 0.5)).toBe(1.5)
  // -6.91 + 3.24 * ln 2.5 + 3.14 * 1.5 / 3 = -2.371218
  expect(meaning.semantic(1.5, 2)).toBeCloseTo(0.085394, 5)
})

describe.each(all)('with an embedding that sees %s', (sees) => {
  const { evidence, semantic } = fuseSignals(sees)

  it('semantic grows with the evidence, within (0, 1), whatever the request', () => {
    for (const possible of [0, 0.1, 1, 3, 20, 128]) {
      let before = 0
      for (let amount = 0; amount <= 200; amount += 0.05) {
        const now = semantic(amount, possible)
        expect(now).toBeGreaterThan(before)
        expect(now).toBeLessThan(1)
        before = now
      }
    }
  })

  it('no evidence is next to nothing', () => {
    expect(semantic(0, 5)).toBeLessThan(0.01)
  })

  it('the same evidence says more where it is all that was asked for', () => {
    expect(semantic(1, 1)).toBeGreaterThan(semantic(1, 4))
  })

  it('evidence never falls with words or with nearness', () => {
    for (let words = 0; words < 5; words += 0.5)
      for (let nearness = 0; nearness < 2; nearness += 0.25) {
        expect(evidence(words + 0.5, nearness)).toBeGreaterThan(evidence(words, nearness))
        expect(evidence(words, nearness + 0.25)).toBeGreaterThanOrEqual(evidence(words, nearness))
      }
  })
})

it('without an embedding, no nearness brings in a tool that shares no word', () => {
  expect(fuseSignals('words').leastNearness).toBe(Number.POSITIVE_INFINITY)
})
