/**
 * How many insertions, deletions, replacements and swaps of neighbours turn `a` into `b`, or `limit + 1` as soon as it
 * is clear that they are more than `limit`. Optimal string alignment, the restricted form of F. J. Damerau, "A technique
 * for computer detection and correction of spelling errors", CACM 7(3), 1964. Three rows of the table are kept.
 */
export function editDistance(a: string, b: string, limit: number): number {
  const tooFar = limit + 1
  if (Math.abs(a.length - b.length) > limit) return tooFar
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let smallest = i
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1)
      row.push(cost)
      if (cost < smallest) smallest = cost
    }
    // A swap reaches back two rows, so both must be beyond the limit before giving up.
    if (smallest > limit && Math.min(...previous) > limit) return tooFar
    before = previous
    previous = row
  }
  return Math.min(previous[b.length]!, tooFar)
}
