/** Scales a vector to unit length, in place; one of zeros stays as it is. */
export function normalise(vector: Float32Array): Float32Array {
  let sum = 0
  for (let at = 0; at < vector.length; at++) sum += vector[at]! * vector[at]!
  if (sum === 0) return vector
  const scale = 1 / Math.sqrt(sum)
  for (let at = 0; at < vector.length; at++) vector[at]! *= scale
  return vector
}
