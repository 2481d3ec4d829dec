/** The known name that a typing slip would most likely have meant, if any is near enough to be worth saying. */
export function closestName(typed: string, known: Iterable<string>): string | undefined {
  const limit = Math.max(2, Math.floor(typed.length / 3))
  let best: { name: string; distance: number } | undefined
  for (const name of known) {
    if (Math.abs(name.length - typed.length) > limit) continue
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase())
    if (
      distance <= limit &&
      distance < name.length &&
      distance < (best?.distance ?? Number.POSITIVE_INFINITY)
    ) {
      best = { name, distance }
    }
  }
  return best?.name
}

/** Optimal string alignment: insert, delete, replace, or swap two neighbours. https://doi.org/10.1145/363958.363994 */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min(replaced, row[j]! + 1, next[j - 1]! + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, before[j - 2]! + 1)
      next.push(least)
    }
    before = row
    row = next
  }
  return row[b.length]!
}
