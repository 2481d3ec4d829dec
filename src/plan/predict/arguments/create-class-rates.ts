import { type Way, wayClass } from './argument-way.js'

/** How often ways of a class are right: what stands in for a way of which little is known. */
export interface ClassRates {
  rate(way: Way): number
  /** The counts of a way have changed by so much. */
  shift(way: Way, count: number, hits: number): void
  clear(): void
}

/** As much as so many calls stand the priors beside what was counted. */
const trustInPrior = 20
const otherPrior = 0.2

/** Sums over all ways that are known, so that they are the same after these were stored and loaded. */
export function createClassRates(): ClassRates {
  const sums = new Map<string, { count: number; hits: number }>()
  return {
    rate(way) {
      const name = wayClass(way)
      const { count, hits } = sums.get(name) ?? { count: 0, hits: 0 }
      return (hits + trustInPrior * (priors[name] ?? otherPrior)) / (count + trustInPrior)
    },
    shift(way, count, hits) {
      const name = wayClass(way)
      const known = sums.get(name) ?? { count: 0, hits: 0 }
      // Rounding must not leave less than nothing.
      sums.set(name, { count: Math.max(0, known.count + count), hits: Math.max(0, known.hits + hits) })
    },
    clear: () => sums.clear(),
  }
}

/** Before anything was counted. From a first look at sessions of several servers; after some dozen calls they say nothing any more. */
const priors: Readonly<Record<string, number>> = {
  constant: 0.1,
  same: 0.2,
  step: 0.3,
  argument: 0.3,
  'result first': 0.3,
  'result last': 0.15,
  'result unused0': 0.5,
  'result unused1': 0.15,
  'result unused2': 0.1,
  'result after0': 0.5,
  'result after1': 0.1,
  'result after2': 0.1,
  'result named': 0.4,
  'row first': 0.4,
  'row unused0': 0.5,
  'row after0': 0.5,
  'row named': 0.5,
  'request first': 0.5,
  'request unused0': 0.5,
  'request named': 0.4,
  'join unused0': 0.6,
  'join after0': 0.6,
  'join first': 0.3,
}
