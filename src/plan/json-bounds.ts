/**
 * How deep and how large a value is, counting no further than just beyond the bounds. Walks with a list, not with calls:
 * a value of any depth costs no stack.
 */
export function measureJson(
  value: unknown,
  bounds: { readonly depth: number; readonly values: number },
): { readonly depth: number; readonly values: number } {
  let deepest = 0
  let values = 0
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }]
  while (open.length > 0 && deepest <= bounds.depth && values <= bounds.values) {
    const next = open.pop()!
    values++
    if (next.value === null || typeof next.value !== 'object') continue
    deepest = Math.max(deepest, next.depth + 1)
    for (const child of Object.values(next.value)) open.push({ value: child, depth: next.depth + 1 })
  }
  return { depth: deepest, values }
}

/** A value in a few words, for an error that says what came instead. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 60) : value) ?? typeof value
  return `${typeof value} ${text}`
}
