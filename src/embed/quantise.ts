/** A vector in bytes: `values[i] * scale` is within half a step of what it was. */
export interface Quantised {
  readonly values: Int8Array
  readonly scale: number
}

/** The largest value becomes 127: a scale for each vector keeps the error of a cosine near .001. */
export function quantise(vector: Float32Array): Quantised {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const values = new Int8Array(vector.length)
  if (largest === 0 || !Number.isFinite(largest)) return { values, scale: 0 }
  for (let i = 0; i < vector.length; i++) values[i] = Math.round((vector[i]! / largest) * 127)
  return { values, scale: largest / 127 }
}

/** The signs alone, 32 to a word: what differs in few of them points the same way. */
export function signBits(vector: ArrayLike<number>, into: Uint32Array, offset: number): void {
  for (let word = 0; word * 32 < vector.length; word++) {
    let bits = 0
    for (let bit = 0; bit < 32 && word * 32 + bit < vector.length; bit++) {
      if (vector[word * 32 + bit]! > 0) bits |= 1 << bit
    }
    into[offset + word] = bits
  }
}
