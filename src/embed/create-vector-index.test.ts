import { expect, it } from 'vitest'
import { countBits } from '../model/count-bits.js'
import { seededRandom } from '../model/seeded-random.js'
import { createVectorIndex, type VectorIndex } from './create-vector-index.js'
import { createDotKernel, plainKernel } from './dot-kernel.js'
import { quantise } from './quantise.js'

const dimensions = 64

it('gives the cosine of every vector within .005, whatever the vectors are', () => {
  const random = seededRandom(42)
  const vectors = Array.from({ length: 200 }, () => unit(dimensions, random))
  const index = createVectorIndex({ dimensions })
  vectors.forEach((vector, slot) => {
    index.set(slot, vector)
  })
  const query = unit(dimensions, random)
  const cosines = new Float32Array(200)
  index.compare(query, cosines, [])
  vectors.forEach((vector, slot) => {
    expect(Math.abs(cosines[slot]! - dot(vector, query))).toBeLessThan(0.005)
  })
  expect(index.cosine(3, 7)).toBeCloseTo(dot(vectors[3]!, vectors[7]!), 2)
})

it('a removed slot is empty and can be taken again', () => {
  const index = createVectorIndex({ dimensions: 2 })
  index.set(0, Float32Array.of(1, 0))
  index.set(5_000, Float32Array.of(0, 1))
  index.remove(0)
  const cosines = new Float32Array(6_000).fill(9)
  index.compare(Float32Array.of(1, 0), cosines, [0])
  expect([cosines[0], cosines[5_000], index.size]).toEqual([0, 0, 1])
  expect(index.cosine(0, 5_000)).toBeUndefined()
  index.set(0, Float32Array.of(0, 1))
  expect(index.cosine(0, 5_000)).toBeCloseTo(1, 5)
})

it('a vector of zeros is like nothing, and one of another length is refused', () => {
  const index = createVectorIndex({ dimensions: 2 })
  index.set(0, new Float32Array(2))
  expect([index.size, index.has(0)]).toEqual([0, false])
  expect(() => index.set(1, new Float32Array(3))).toThrow('A vector of 3 where 2 were expected.')
})

it('above the bound the prefilter keeps at least 95 % of the true first ten', () => {
  const random = seededRandom(7)
  // Vectors of texts lie in clusters, so these do too.
  const centres = Array.from({ length: 40 }, () => unit(256, random))
  const near = () => blend(centres[Math.floor(random() * 40)]!, unit(256, random), 0.5)
  const exact = createVectorIndex({ dimensions: 256, exactUpTo: 100_000 })
  const filtered = createVectorIndex({ dimensions: 256, exactUpTo: 1_000, rescored: 600 })
  for (let slot = 0; slot < 20_000; slot++) {
    const vector = near()
    exact.set(slot, vector)
    filtered.set(slot, vector)
  }
  let kept = 0
  for (let i = 0; i < 20; i++) {
    const query = near()
    const all = new Float32Array(20_000)
    const some = new Float32Array(20_000)
    exact.compare(query, all, [])
    filtered.compare(query, some, [])
    const first = [...all.keys()].sort((a, b) => all[b]! - all[a]!).slice(0, 10)
    kept += first.filter((slot) => some[slot] === all[slot]).length
  }
  expect(kept / 200).toBeGreaterThan(0.95)
})

it('what the caller asks for is compared even where the prefilter passes it over', () => {
  const random = seededRandom(1)
  const index = createVectorIndex({ dimensions, exactUpTo: 10, rescored: 5 })
  const vectors = Array.from({ length: 100 }, () => unit(dimensions, random))
  vectors.forEach((vector, slot) => {
    index.set(slot, vector)
  })
  const opposite = vectors[42]!.map((value) => -value)
  const cosines = new Float32Array(100)
  index.compare(opposite, cosines, [])
  expect(cosines[42]).toBe(0)
  index.compare(opposite, cosines, [42])
  expect(cosines[42]).toBeCloseTo(-1, 2)
})

it('slots that are named are compared as all are, in the order of their names', () => {
  const random = seededRandom(5)
  const index = createVectorIndex({ dimensions })
  for (let slot = 0; slot < 100; slot++) index.set(slot, unit(dimensions, random))
  index.remove(7)
  const query = unit(dimensions, random)
  const cosines = new Float32Array(100)
  index.compare(query, cosines, [])
  expect(compareAt(index, query, [42, 7, 0, 99, 42])).toEqual(
    [42, 7, 0, 99, 42].map((slot) => cosines[slot]! + 0),
  )
  expect(compareAt(index, query, [])).toEqual([])
})

it('of slots that are named, one that is empty, was removed or never was is 0, whatever came before it', () => {
  const index = createVectorIndex({ dimensions: 2 })
  const query = Float32Array.of(1, 0)
  expect(compareAt(index, query, [0, 5_000])).toEqual([0, 0])
  index.set(0, query)
  index.set(1, query)
  index.set(2, new Float32Array(2))
  index.remove(1)
  expect(compareAt(index, query, [0, 1, 2, 3, 5_000])).toEqual([expect.closeTo(1, 5), 0, 0, 0, 0])
  expect(compareAt(index, new Float32Array(2), [0])).toEqual([0])
})

it('slots that are named are compared where the prefilter passes over them', () => {
  const random = seededRandom(1)
  const index = createVectorIndex({ dimensions, exactUpTo: 10, rescored: 5 })
  const vectors = Array.from({ length: 100 }, () => unit(dimensions, random))
  vectors.forEach((vector, slot) => {
    index.set(slot, vector)
  })
  const opposite = vectors[42]!.map((value) => -value)
  expect(compareAt(index, opposite, [42])).toEqual([expect.closeTo(-1, 2)])
})

it('bytes keep the largest value, and bits are counted', () => {
  expect([...quantise(Float32Array.of(0.5, -1, 0)).values]).toEqual([64, -127, 0])
  expect([0, 1, 0xffffffff, 0x0f0f].map(countBits)).toEqual([0, 1, 32, 8])
})

it('the kernel sums to the last unit, and so does the one for processors without it', () => {
  const random = seededRandom(3)
  const stride = 48
  for (const kernel of [createDotKernel(), createDotKernel(() => plainKernel()), brokenKernel()]) {
    const bytes = new Int8Array(kernel.memory.buffer)
    for (let i = 0; i < stride * 9; i++) bytes[4_096 + i] = Math.floor(random() * 255) - 127
    bytes.fill(-127, 4_096, 4_096 + stride)
    kernel.dots(4_096, 8, stride, 4_096 + 8 * stride, 128)
    const sums = [...new Int32Array(kernel.memory.buffer, 128, 8)]
    const expected = Array.from({ length: 8 }, (_, n) => {
      let sum = 0
      for (let i = 0; i < stride; i++) sum += bytes[4_096 + n * stride + i]! * bytes[4_096 + 8 * stride + i]!
      return sum
    })
    expect(sums).toEqual(expected)
  }
})

function brokenKernel() {
  return createDotKernel(() => {
    throw new Error('no vector instructions here')
  })
}

/** Without -0, which is the same to all but a test. */
function compareAt(index: VectorIndex, query: Float32Array, slots: readonly number[]): readonly number[] {
  return Array.from(index.compareAt(query, slots), (cosine) => cosine + 0)
}

function unit(length: number, random: () => number): Float32Array {
  return normalised(Float32Array.from({ length }, () => random() + random() + random() - 1.5))
}

function blend(a: Float32Array, b: Float32Array, share: number): Float32Array {
  return normalised(a.map((value, i) => value * share + b[i]! * (1 - share)))
}

function normalised(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}
