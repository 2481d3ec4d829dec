/** The names most like a name that does not exist, best first; none that has hardly anything in common with it. */
export function closestNames(name: string, candidates: Iterable<string>, limit: number): readonly string[] {
  const wanted = simplify(name)
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distance(wanted, simplify(candidate)) }))
    .filter(({ candidate, distance: d }) => d <= Math.max(2, Math.max(wanted.length, candidate.length) * 0.5))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}

const longest = 100

function simplify(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-_.]+/g, '_')
    .slice(0, longest)
}

/** Levenshtein distance (Wagner and Fischer 1974), one row at a time. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replace = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
