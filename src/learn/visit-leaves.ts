import type { Json } from '../model/json.js'

/** Longer ones name something generated, which nobody will find there again. */
const longestPath = 200
/** Deeper than any answer that is meant to be used, and far below what would make paths long. */
const deepest = 32

/**
 * Tells of the strings and numbers inside a value, in its own order, each with where it stands: `items[0].id`,
 * `["odd key"]`; the value itself is ''. Stops when `visit` gives false, or after `mostSteps`, so that work is bounded
 * whatever the value holds, and walks with a list, so that no depth can exhaust the stack.
 */
export function visitLeaves(
  value: Json,
  mostSteps: number,
  visit: (leaf: string | number, path: string) => boolean,
): void {
  if (isLeaf(value)) visit(value, '')
  const open: Container[] = isContainer(value) ? [contain(value, '')] : []
  for (let steps = 0; open.length > 0 && steps < mostSteps; steps++) {
    const inner = open.at(-1)!
    if (inner.next >= inner.size) {
      open.pop()
      continue
    }
    const at = inner.next++
    const item = inner.keys === undefined ? inner.items[at] : inner.items[inner.keys[at]!]
    if (isLeaf(item)) {
      const path = pathTo(inner, at)
      if (path.length <= longestPath && !visit(item, path)) return
    } else if (isContainer(item) && open.length < deepest) {
      const path = pathTo(inner, at)
      if (path.length <= longestPath) open.push(contain(item, path))
    }
  }
}

/** As references are written (model/reference.ts), without the dot in front. */
export function joinPath(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

interface Container {
  readonly path: string
  readonly items: { readonly [key: string | number]: unknown }
  /** Absent for an array. */
  readonly keys: readonly string[] | undefined
  readonly size: number
  next: number
}

function contain(value: object, path: string): Container {
  const keys = Array.isArray(value) ? undefined : Object.keys(value)
  const size = keys === undefined ? (value as unknown[]).length : keys.length
  return { path, items: value as Container['items'], keys, size, next: 0 }
}

function pathTo({ path, keys }: Container, at: number): string {
  return keys === undefined ? `${path}[${at}]` : joinPath(path, keys[at]!)
}

function isLeaf(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
