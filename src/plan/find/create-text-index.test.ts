import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../model/seeded-random.js'
import { createTextIndex, type FieldTerms, type TextIndex } from './create-text-index.js'

const fields = [
  { weight: 2, b: 0.5, usualLength: 4 },
  { weight: 1, b: 0.75, usualLength: 8 },
]
const documents: readonly FieldTerms[] = [
  [
    [1, 1, 2],
    [1, 3],
  ],
  [[2], []],
  [[], [4, 4, 4, 4, 4, 4, 4, 4]],
]

function indexOf(entries: Iterable<readonly [number, FieldTerms]>): TextIndex {
  const index = createTextIndex(fields)
  for (const [slot, document] of entries) index.add(slot, document)
  return index
}

function score(index: TextIndex, terms: readonly number[], slots: number): number[] {
  const scores = new Float64Array(slots)
  for (const term of terms) index.addScores(term, scores)
  return [...scores]
}

describe('BM25F', () => {
  const index = indexOf(documents.entries())

  it('idf is ln(1 + (N - n + .5) / (n + .5)), the highest that of a term in one document', () => {
    expect(index.idf(1)).toBeCloseTo(Math.log(1 + 2.5 / 1.5), 12)
    expect(index.idf(2)).toBeCloseTo(Math.log(1 + 1.5 / 2.5), 12)
    expect(index.highestIdf()).toBe(index.idf(1))
    expect(index.idf(99)).toBe(0)
  })

  it('gives what was computed by hand', () => {
    // Document 0, field 0 of 3 terms: 2 / (1 - .5 + .5 * 3/4) = 16/7 each; field 1 of 2: 1 / (1 - .75 + .75 * 2/8) = 16/7.
    // Term 1 is there three times: 48/7, saturated 48/7 / (1.2 + 48/7) = .851064. Term 2 once: .655738.
    // Document 1: 2 / (1 - .5 + .5 * 1/4) = 3.2, saturated 3.2 / 4.4 = .727273. Document 2: 8 / 9.2 = .869565.
    expect(score(index, [1], 3)).toEqual([expect.closeTo(0.980829 * 0.851064, 5), 0, 0])
    expect(score(index, [1, 2], 3)).toEqual([
      expect.closeTo(0.980829 * 0.851064 + 0.470004 * 0.655738, 5),
      expect.closeTo(0.470004 * 0.727273, 5),
      0,
    ])
    expect(score(index, [4], 3)).toEqual([0, 0, expect.closeTo(0.980829 * 0.869565, 5)])
  })

  it('a word in two fields saturates once: it is less than the two apart', () => {
    const both = indexOf([[0, [[1], [1]]]])
    const apart = indexOf([[0, [[1], [2]]]])
    expect(score(both, [1], 1)[0]).toBeLessThan(score(apart, [1, 2], 1)[0]!)
  })

  it('a term of a longer field counts less', () => {
    const one = indexOf([[0, [[1], []]]])
    const many = indexOf([[0, [[1, 5, 6, 7, 8], []]]])
    expect(score(many, [1], 1)[0]).toBeLessThan(score(one, [1], 1)[0]!)
  })
})

describe('an index that changes', () => {
  it('is at once as if what was removed had never been there, but for the scores of removed slots', () => {
    const index = indexOf(documents.entries())
    const without = indexOf([
      [1, documents[1]!],
      [2, documents[2]!],
    ])
    index.remove(0)
    expect(index.size).toBe(2)
    expect(score(index, [1, 2, 4], 3).slice(1)).toEqual(score(without, [1, 2, 4], 3).slice(1))
    expect([index.idf(1), index.idf(2)]).toEqual([0, without.idf(2)])
    index.sweep()
    expect(score(index, [1, 2, 4], 3)).toEqual(score(without, [1, 2, 4], 3))
  })

  it('equals one built from nothing, after any changes', () => {
    const random = seededRandom(5)
    const index = createTextIndex(fields)
    const there = new Map<number, FieldTerms>()
    for (let round = 0; round < 50; round++) {
      for (const slot of there.keys()) {
        if (random() > 0.3) continue
        index.remove(slot)
        there.delete(slot)
      }
      index.sweep()
      for (let slot = 0; slot < 30; slot++) {
        if (there.has(slot) || random() > 0.5) continue
        const terms = () => Array.from({ length: Math.floor(random() * 6) }, () => Math.floor(random() * 12))
        const document = [terms(), terms()]
        index.add(slot, document)
        there.set(slot, document)
      }
      const fresh = indexOf(there)
      expect(index.size).toBe(there.size)
      for (let term = 0; term < 13; term++) {
        expect(index.idf(term)).toBe(fresh.idf(term))
        expect(score(index, [term], 30)).toEqual(score(fresh, [term], 30))
      }
    }
  })

  it('empty, it knows nothing and fails at nothing', () => {
    const index = createTextIndex(fields)
    index.remove(3)
    index.sweep()
    expect([index.size, index.idf(0), index.highestIdf()]).toEqual([0, 0, 0])
    expect(score(index, [0, 1], 2)).toEqual([0, 0])
    index.add(0, [[], []])
    expect(index.size).toBe(1)
  })
})
