/** More changes than this nobody reads, and finding the fewest takes their square. */
const mostEdits = 2_000

/**
 * What changes in a file, as a unified diff without lines of context: those may hold what is nobody's business. Line
 * breaks of either kind are the same.
 *
 * E. W. Myers, An O(ND) Difference Algorithm and Its Variations, 1986: files of megabytes with a few changes far apart
 * cost no more than their changes.
 */
export function diffText(before: string, after: string): readonly string[] {
  const a = lines(before)
  const b = lines(after)
  const trace = furthestPaths(a, b)
  if (trace === undefined) return [`@@ ${a.length} lines become ${b.length} @@`]
  return writeHunks(a, b, matches(trace, a.length, b.length))
}

function lines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}

/** For every number of edits, how far each diagonal (-d to d) gets; the last one reaches the end. */
function furthestPaths(a: readonly string[], b: readonly string[]): readonly Int32Array[] | undefined {
  const trace: Int32Array[] = []
  for (let d = 0; d <= mostEdits; d++) {
    const before = trace[d - 1]
    const now = new Int32Array(2 * d + 1)
    for (let k = -d; k <= d; k += 2) {
      let x = before === undefined ? 0 : startOf(before, d, k)
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      now[k + d] = x
      if (x >= a.length && x - k >= b.length) return [...trace, now]
    }
    trace.push(now)
  }
  return undefined
}

/** Where diagonal k begins after d edits: one line added below, or one taken from the left. */
function startOf(before: Int32Array, d: number, k: number): number {
  return isAdded(before, d, k) ? before[k + d]! : before[k + d - 2]! + 1
}

function isAdded(before: Int32Array, d: number, k: number): boolean {
  return k === -d || (k !== d && before[k + d - 2]! < before[k + d]!)
}

/** The lines that stay, as pairs of their places, first to last. */
function matches(trace: readonly Int32Array[], ends: number, endsAfter: number) {
  const pairs: (readonly [number, number])[] = []
  let x = ends
  let k = ends - endsAfter
  for (let d = trace.length - 1; d >= 0; d--) {
    const before = trace[d - 1]
    const start = before === undefined ? 0 : startOf(before, d, k)
    for (; x > start; x--) pairs.push([x - 1, x - 1 - k])
    if (before === undefined) break
    const added = isAdded(before, d, k)
    if (!added) x--
    k += added ? 1 : -1
  }
  return pairs.reverse()
}

function writeHunks(
  a: readonly string[],
  b: readonly string[],
  pairs: readonly (readonly [number, number])[],
): readonly string[] {
  const written: string[] = []
  let i = 0
  let j = 0
  for (const [x, y] of [...pairs, [a.length, b.length] as const]) {
    if (x > i || y > j) written.push(`@@ -${range(i, x)} +${range(j, y)} @@`)
    for (; i < x; i++) written.push(`-${a[i]}`)
    for (; j < y; j++) written.push(`+${b[j]}`)
    i = x + 1
    j = y + 1
  }
  return written
}

function range(from: number, to: number): string {
  const count = to - from
  return count === 1 ? `${from + 1}` : `${count === 0 ? from : from + 1},${count}`
}
