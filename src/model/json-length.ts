/**
 * The JSON length of a value in characters, or `limit` as soon as it is known to be longer: large values are never walked
 * to their end. Iterative, so that no depth of nesting can exhaust the stack.
 */
export function jsonLength(value: unknown, limit: number): number {
  const open: unknown[] = [value]
  let length = 0
  while (open.length > 0 && length < limit) {
    const one = open.pop()
    if (typeof one === 'string') length += one.length + 2
    else if (Array.isArray(one)) {
      length += 2 + one.length
      for (let i = 0; i < one.length && i < limit; i++) open.push(one[i])
    } else if (typeof one === 'object' && one !== null) {
      length += 2
      for (const key in one) {
        length += key.length + 4
        if (length >= limit) break
        open.push((one as Record<string, unknown>)[key])
      }
    } else length += 5
  }
  return Math.min(length, limit)
}
