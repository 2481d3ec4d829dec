/**
 * Cosines of a query with every vector of a catalogue, in memory. Vectors are kept as bytes. Up to `exactUpTo` of them are all
 * compared; above that the signs of their components choose who is, by Hamming distance: an eighth of the bytes to read.
 * Slots are the caller's numbers, small and reused.
 *
 * M. S. Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002, for why signs estimate angles.
 */
import { countBits } from '../model/count-bits.js'
import { createDotKernel } from './dot-kernel.js'
import { quantise, signBits } from './quantise.js'

export interface VectorIndex {
  readonly size: number
  set(slot: number, vector: Float32Array): void
  remove(slot: number): void
  has(slot: number): boolean
  /**
   * Writes the cosine of each slot into `cosines`; slots that are empty or that the prefilter passes over become 0, but
   * never those of `also`.
   */
  compare(query: Float32Array, cosines: Float32Array, also: Iterable<number>): void
  /** The cosine of each of these slots, in their order; 0 where one is empty. */
  compareAt(query: Float32Array, slots: readonly number[]): Float32Array
  /** Cosine of two slots; undefined where one is empty. */
  cosine(a: number, b: number): number | undefined
}

export interface VectorIndexOptions {
  readonly dimensions: number
  /** Above so many vectors the signs choose who is compared. */
  readonly exactUpTo?: number
  /** How many the prefilter lets pass. */
  readonly rescored?: number
}

/** See bench/search: comparing 100,000 takes less time than choosing whom to compare. */
const defaults = { exactUpTo: 100_000, rescored: 2_000 }

/** Sums are read in blocks, so that what grows lies at the end of the memory: query, sums of a block, vectors. */
const blockSize = 4_096
const pageBytes = 65_536

export function createVectorIndex(options: VectorIndexOptions): VectorIndex {
  const { dimensions, exactUpTo, rescored } = { ...defaults, ...options }
  const wordsEach = Math.ceil(dimensions / 32)
  const stride = Math.ceil(dimensions / 16) * 16
  const sumsAt = stride
  const vectorsAt = sumsAt + blockSize * 4
  const kernel = createDotKernel()
  let capacity = 0
  /** All of the kernel's memory; a new array whenever that has grown. */
  let bytes = new Int8Array(kernel.memory.buffer)
  let scales = new Float32Array(0)
  let signs = new Uint32Array(0)
  let size = 0

  const grow = (slot: number): void => {
    if (slot < capacity) return
    capacity = Math.max(1_024, capacity * 2, slot + 1)
    const pages = Math.ceil((vectorsAt + capacity * stride) / pageBytes)
    kernel.memory.grow(Math.max(0, pages - kernel.memory.buffer.byteLength / pageBytes))
    bytes = new Int8Array(kernel.memory.buffer)
    scales = copyInto(new Float32Array(capacity), scales)
    signs = copyInto(new Uint32Array(capacity * wordsEach), signs)
  }
  const has = (slot: number): boolean => slot < capacity && scales[slot]! !== 0

  /** The query lies at 0. */
  const compareBlock = (start: number, count: number, scale: number, cosines: Float32Array): void => {
    kernel.dots(vectorsAt + start * stride, count, stride, 0, sumsAt)
    const sums = new Int32Array(kernel.memory.buffer, sumsAt, count)
    for (let i = 0; i < count; i++) cosines[start + i] = sums[i]! * scales[start + i]! * scale
  }

  return {
    get size() {
      return size
    },
    set(slot, vector) {
      if (vector.length !== dimensions)
        throw new RangeError(`A vector of ${vector.length} where ${dimensions} were expected.`)
      grow(slot)
      if (has(slot)) size--
      const quantised = quantise(vector)
      bytes.set(quantised.values, vectorsAt + slot * stride)
      // A vector of zeros says nothing: it stays empty.
      scales[slot] = quantised.scale
      signBits(vector, signs, slot * wordsEach)
      if (has(slot)) size++
    },
    remove(slot) {
      if (!has(slot)) return
      scales[slot] = 0
      size--
    },
    has,
    compare(query, cosines, also) {
      const { values, scale } = quantise(query)
      bytes.set(values)
      const end = Math.min(capacity, cosines.length)
      cosines.fill(0)
      if (size <= exactUpTo) {
        for (let start = 0; start < end; start += blockSize)
          compareBlock(start, Math.min(blockSize, end - start), scale, cosines)
        return
      }
      for (const slot of nearestBySigns(query, end)) compareBlock(slot, 1, scale, cosines)
      for (const slot of also) if (slot < end) compareBlock(slot, 1, scale, cosines)
    },
    compareAt(query, slots) {
      const { values, scale } = quantise(query)
      bytes.set(values)
      const sum = new Int32Array(kernel.memory.buffer, sumsAt, 1)
      return Float32Array.from(slots, (slot) => {
        if (!has(slot)) return 0
        kernel.dots(vectorsAt + slot * stride, 1, stride, 0, sumsAt)
        return sum[0]! * scales[slot]! * scale
      })
    },
    cosine(a, b) {
      if (!has(a) || !has(b)) return undefined
      kernel.dots(vectorsAt + a * stride, 1, stride, vectorsAt + b * stride, sumsAt)
      return new Int32Array(kernel.memory.buffer, sumsAt, 1)[0]! * scales[a]! * scales[b]!
    },
  }

  /** Distances are small whole numbers, so counting them gives the bar without sorting. */
  function nearestBySigns(query: Float32Array, end: number): readonly number[] {
    const asked = new Uint32Array(wordsEach)
    signBits(query, asked, 0)
    const distances = new Uint16Array(end)
    const counts = new Uint32Array(dimensions + 1)
    for (let slot = 0; slot < end; slot++) {
      if (scales[slot]! === 0) continue
      let distance = 0
      const start = slot * wordsEach
      for (let word = 0; word < wordsEach; word++) distance += countBits(signs[start + word]! ^ asked[word]!)
      distances[slot] = distance
      counts[distance]!++
    }
    let bar = 0
    for (let passed = counts[0]!; passed < rescored && bar < dimensions; passed += counts[bar]!) bar++
    const nearest: number[] = []
    for (let slot = 0; slot < end; slot++) {
      if (scales[slot]! !== 0 && distances[slot]! <= bar) nearest.push(slot)
    }
    return nearest
  }
}

function copyInto<Values extends { set(from: Values): void }>(to: Values, from: Values): Values {
  to.set(from)
  return to
}
