import { describe, expect, it } from 'vitest'
import { type Basis, fuseSignals } from './fuse-signals.js'

const all: readonly Basis[] = ['words', 'meaning']

it('gives what was computed by hand', () => {
  const words = fuseSignals('words')
  expect(words.evidence(1, 0.5)).toBe(1)
  // -10.1 + 5.89 * ln 2 + 1.35 * 1/2 + 5.54 * 1/2 = -2.572363
  expect(words.semantic(1, { possible: 2, lead: 2 })).toBeCloseTo(0.070938, 5)

  const meaning = fuseSignals('meaning')
  expect(meaning.evidence(1, 0.5)).toBe(1.5)
  // -12.72 + 3 * ln 2.5 + 1.4 * 1.5/3 + 8.43 * 1 = -0.841128
  expect(meaning.semantic(1.5, { possible: 2, lead: 1.5 })).toBeCloseTo(0.301297, 5)
})

describe.each(all)('by %s', (basis) => {
  const { evidence, semantic } = fuseSignals(basis)

  it('semantic grows with the evidence, within (0, 1), whatever the request', () => {
    for (const possible of [0, 0.1, 1, 3, 20, 128])
      for (const lead of [0, 1, 200]) {
        let before = 0
        for (let amount = 0; amount <= 200; amount += 0.05) {
          const now = semantic(amount, { possible, lead })
          expect(now).toBeGreaterThan(before)
          expect(now).toBeLessThan(1)
          before = now
        }
      }
  })

  it('no evidence is next to nothing, and so is the best of next to none', () => {
    expect(semantic(0, { possible: 5, lead: 3 })).toBeLessThan(0.01)
    expect(semantic(0.1, { possible: 5, lead: 0.1 })).toBeLessThan(0.03)
  })

  it('the same evidence says more where it is all that was asked for', () => {
    expect(semantic(1, { possible: 1, lead: 1 })).toBeGreaterThan(semantic(1, { possible: 4, lead: 1 }))
  })

  it('the same evidence says more where no other tool has as much', () => {
    expect(semantic(1, { possible: 2, lead: 1 })).toBeGreaterThan(semantic(1, { possible: 2, lead: 3 }))
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
