/**
 * `real[]` in PostgreSQL's binary form (array_send, array_recv): reading a million numbers from text takes the embedded
 * database two seconds, and this a tenth of it. All in 32 bits, the highest byte first:
 *
 *     dimensions (0 or 1), has nulls (0), type of the elements, then for the dimension its size and first index;
 *     then for each element its size in bytes (4) and the element
 *
 * Reference: PostgreSQL, src/backend/utils/adt/arrayfuncs.c.
 */
const realType = 700
const headerBytes = 12
const dimensionBytes = 8
const elementBytes = 8

/** The numbers of all vectors in one array. */
export function packVectors(vectors: readonly Float32Array[]): Uint8Array {
  const size = vectors.reduce((sum, { length }) => sum + length, 0)
  const bytes = Buffer.alloc(size === 0 ? headerBytes : headerBytes + dimensionBytes + size * elementBytes)
  bytes.writeInt32BE(realType, 8)
  if (size === 0) return bytes
  bytes.writeInt32BE(1, 0)
  bytes.writeInt32BE(size, 12)
  bytes.writeInt32BE(1, 16)
  let at = headerBytes + dimensionBytes
  for (const vector of vectors)
    for (const number of vector) {
      bytes.writeInt32BE(4, at)
      bytes.writeFloatBE(number, at + 4)
      at += elementBytes
    }
  return bytes
}

export function unpackVector(bytes: Buffer): Float32Array {
  if (bytes.readInt32BE(0) === 0) return new Float32Array()
  const vector = new Float32Array(bytes.readInt32BE(12))
  const first = headerBytes + dimensionBytes + 4
  for (let at = 0; at < vector.length; at++) vector[at] = bytes.readFloatBE(first + at * elementBytes)
  return vector
}
