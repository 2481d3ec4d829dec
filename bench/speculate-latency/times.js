// How long servers and agents take: log-normal, drawn from a hash, so that a call takes as long whether it is run ahead or not.
import { createHash } from 'node:crypto'

/** One for reads and writes. Issue 9: 100 ms to 2 s; 4 % are cut at the lower end and 2 % at the upper one. */
export const latency = { medianMs: 400, spread: 0.8, leastMs: 100, mostMs: 2_000 }
/** Between an answer and the next call: a model reads, and writes some fifty tokens. */
export const think = { medianMs: 1_500, spread: 0.6, leastMs: 500, mostMs: 5_000 }

export function drawMs({ medianMs, spread, leastMs, mostMs }, ...words) {
  const hash = createHash('sha256').update(JSON.stringify(words)).digest()
  // Of (0, 1]: the logarithm of 0 is none.
  const [u, v] = [hash.readUInt32BE(0), hash.readUInt32BE(4)].map((word) => (word + 1) / 2 ** 32)
  // G. E. P. Box, M. E. Muller, 1958.
  const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v)
  return Math.min(mostMs, Math.max(leastMs, medianMs * Math.exp(spread * normal)))
}
