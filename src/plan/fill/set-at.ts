import type { Json } from '../../model/json.js'

type Holder = Record<string, Json> | Json[]

/**
 * Puts a value at a path like `entities[0].name`, making what is on the way, and replacing what can hold nothing. Keys are own
 * fields, whatever they are called.
 */
export function setAt(root: Record<string, Json>, path: string, value: Json): void {
  const steps = [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(
    ([, index, quoted, name]) =>
      index !== undefined
        ? Number(index)
        : quoted !== undefined
          ? (JSON.parse(`"${quoted}"`) as string)
          : name!,
  )
  let holder: Holder = root
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1
    const next: Json = isLast ? value : (read(holder, step) ?? (typeof steps[at + 1] === 'number' ? [] : {}))
    Object.defineProperty(holder, step, { value: next, writable: true, enumerable: true, configurable: true })
    holder = next as Holder
  }
}

function read(holder: Holder, step: string | number): Json | undefined {
  const there = Object.hasOwn(holder, step) ? (holder as Record<string | number, Json>)[step] : undefined
  return typeof there === 'object' && there !== null ? there : undefined
}
