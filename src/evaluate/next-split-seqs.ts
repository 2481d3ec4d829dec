import { shuffle } from './draw.js'
import type { Sequence } from './read-seqs.js'

/** A fifth of the tasks, rounded up. */
const heldOut = 0.2

/** All sessions of a task are on one side. Sorted first: the order of rows in a set does not matter. */
export function splitSeqs(
  sequences: readonly Sequence[],
  seed: number,
): { readonly learned: readonly Sequence[]; readonly asked: readonly Sequence[] } {
  const groups = [...new Set(sequences.map(({ group }) => group))].sort()
  const asked = new Set(shuffle(groups, seed).slice(0, Math.ceil(groups.length * heldOut)))
  return {
    learned: sequences.filter(({ group }) => !asked.has(group)),
    asked: sequences.filter(({ group }) => asked.has(group)),
  }
}
