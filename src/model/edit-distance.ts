/**
 * How many insertions, deletions, replacements and swaps of neighbours turn `a` into `b`, or `limit + 1` as soon as it
 * is clear that they are more than `limit`. Optimal string alignment, the restricted form of F. J. Damerau, "A technique
 * for computer detection and correction of spelling errors", CACM 7(3), 1964. Three rows of the table are kept.
 */
export function editDistance(a: string, b: string, limit: number): number {
  const tooFar = limit + 1
  if (Math.abs(a.length - b.length) > limit) return tooFar
  let before = new Uint16Array(b.length + 1)
  let previous = Uint16Array.from(before, (_, j) => j)
  let row = new Uint16Array(b.length + 1)
  let smallestBefore = 0
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1)
    row[0] = i
    let smallest = i
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1)
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (letter === other ? 0 : 1))
      const swapped = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1)
      row[j] = cost
      if (cost < smallest) smallest = cost
    }
    // A swap reaches back two rows, so both must be beyond the limit before giving up.
    if (smallest > limit && smallestBefore > limit) return tooFar
    smallestBefore = smallest
    ;[before, previous, row] = [previous, row, before]
  }
  return Math.min(previous[b.length]!, tooFar)
}
