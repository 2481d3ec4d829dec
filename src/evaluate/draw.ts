import { createHash } from 'node:crypto'
import { seededRandom } from '../model/seeded-random.js'

/** A number in [0, 1) that hangs on these words alone: rows keep their place in a split whatever other rows there are. */
export function share(...words: readonly (string | number)[]): number {
  return hash(words) / 2 ** 32
}

/** The same order for the same words, and none that the list had before. R. A. Fisher, F. Yates, 1938. */
export function shuffle<Item>(
  items: readonly Item[],
  ...words: readonly (string | number)[]
): readonly Item[] {
  const random = seededRandom(hash(words))
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1))
    ;[shuffled[last], shuffled[at]] = [shuffled[at]!, shuffled[last]!]
  }
  return shuffled
}

function hash(words: readonly (string | number)[]): number {
  return createHash('sha256').update(words.join(':')).digest().readUInt32BE(0)
}
