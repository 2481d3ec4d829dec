/**
 * `{"$from": "taskId.path"}`: how one task's arguments point into another's result.
 *
 *     reference = task step*          task: any text without . [ ]
 *     step      = .name | [0] | ["odd key"] | [*]
 *
 * `[*]` takes the rest of the path in every item of an array and gives the array of what it found. A text is taken for the
 * array of its lines, trimmed and without the empty ones, as many servers answer a list so; `[0]` of a text leads nowhere.
 * Only own fields of objects and items of arrays can be reached: no path leads to a prototype, whatever it is called.
 *
 * `{"$from": "taskId.path", "$as": "number"}` says also what the value is to be made into (execute/convert-value.ts).
 */
import { ReferenceSyntaxError, UnknownConversionError } from '../errors.js'
import { isObject, type Json, type JsonObject } from './json.js'

export interface Reference {
  readonly text: string
  readonly task: string
  readonly path: readonly Step[]
  /** Absent: as it is. */
  readonly as?: Conversion
}

const conversions = ['text', 'number', 'boolean', 'list'] as const
export type Conversion = (typeof conversions)[number]

/** A reference, and where it stands in the arguments: `entities`, 0, `name`. */
export interface PlacedReference {
  readonly reference: Reference
  readonly place: readonly (string | number)[]
}

export type Step =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'each' }

export type Found = { readonly found: true; readonly value: Json } | Missing

export interface Missing {
  readonly found: false
  /** Where the path ended, as it would be written: `.items[3]`; empty for the result itself. */
  readonly at: string
  /** What is there instead, in words. */
  readonly there: string
}

/** Far above any path a person or a model writes. */
const longestReference = 1_000
const taskPart = /^[^.[\]]+/
const stepPart =
  /\.(?<name>[^.[\]\s"']+)|\[(?<index>\d{1,9})\]|\[(?<each>\*)\]|\[(?<quoted>"(?:[^"\\]|\\.)*")\]|\['(?<single>[^']*)'\]/y
const mostKeysShown = 12

export function parseReference(text: string): Reference {
  const task = text.length > longestReference ? undefined : taskPart.exec(text)?.[0]
  if (task === undefined || task.trim() !== task) throw new ReferenceSyntaxError(text)
  const path: Step[] = []
  const matcher = new RegExp(stepPart)
  matcher.lastIndex = task.length
  while (matcher.lastIndex < text.length) {
    const groups = matcher.exec(text)?.groups
    if (!groups) throw new ReferenceSyntaxError(text)
    path.push(toStep(groups, text))
  }
  return { text, task, path }
}

/** An object with `$from`, perhaps `$as`, and nothing else; beside other keys, `$from` is data like any other. */
export function isReference(value: unknown): value is WrittenReference {
  if (!isObject(value) || !Object.hasOwn(value, '$from')) return false
  const count = Object.keys(value).length
  return count === 1 || (count === 2 && Object.hasOwn(value, '$as'))
}

export interface WrittenReference {
  readonly $from: unknown
  readonly $as?: unknown
}

/** @throws ReferenceSyntaxError */
export function readReference({ $from, $as }: WrittenReference): Reference {
  if (typeof $from !== 'string') throw new ReferenceSyntaxError(String(JSON.stringify($from)))
  const reference = parseReference($from)
  // Models often write null for what they leave out.
  if ($as === undefined || $as === null) return reference
  const as = conversions.find((name) => name === $as)
  if (as === undefined) throw new UnknownConversionError(JSON.stringify({ $from, $as }), conversions)
  return { ...reference, as }
}

/** Every reference within a value, in order, duplicates included. */
export function collectReferences(value: unknown): readonly Reference[] {
  return placeReferences(value).map(({ reference }) => reference)
}

/** Walks with a list, not with calls, and writes a place only where a reference stands: depth costs nothing. */
export function placeReferences(value: unknown): readonly PlacedReference[] {
  const found: PlacedReference[] = []
  const open: Visited[] = [{ value, key: '', within: undefined }]
  while (open.length > 0) {
    const next = open.pop()!
    if (isReference(next.value)) found.push({ reference: readReference(next.value), place: placeOf(next) })
    else if (Array.isArray(next.value)) {
      for (let i = next.value.length - 1; i >= 0; i--)
        open.push({ value: next.value[i], key: i, within: next })
    } else if (isObject(next.value)) {
      for (const [key, item] of Object.entries(next.value).reverse())
        open.push({ value: item, key, within: next })
    }
  }
  return found
}

interface Visited {
  readonly value: unknown
  readonly key: string | number
  /** Absent for the value itself. */
  readonly within: Visited | undefined
}

function placeOf(visited: Visited): readonly (string | number)[] {
  const place: (string | number)[] = []
  for (let one = visited; one.within !== undefined; one = one.within) place.push(one.key)
  return place.reverse()
}

export function readPath(value: Json, path: readonly Step[]): Found {
  return readFrom(value, path, 0, '')
}

/**
 * What the path finds, one by one: each `[*]` in it goes on with every item, and lists within lists are laid end to end. An
 * item in which the rest of the path leads nowhere keeps its place. Without `[*]` the items of what it finds are meant.
 */
export function readPlaces(value: Json, path: readonly Step[]): readonly Found[] | Missing {
  const spread = path.some(isEach) ? path : [...path, { kind: 'each' as const }]
  return readPlacesFrom(value, spread, 0, '')
}

function readPlacesFrom(
  value: Json,
  path: readonly Step[],
  depth: number,
  at: string,
): readonly Found[] | Missing {
  const next = path.findIndex((step, i) => i >= depth && isEach(step))
  if (next < 0) return [readFrom(value, path, depth, at)]
  const list = readFrom(value, path.slice(0, next), depth, at)
  if (!list.found) return list
  const listAt = at + path.slice(depth, next).map(writeStep).join('')
  const items = itemsOf(list.value)
  if (items === undefined) return { found: false, at: listAt, there: describeJson(list.value) }
  return items.flatMap((item, i) => readPlacesFrom(item, path, next + 1, `${listAt}[${i}]`))
}

export function isEach(step: Step): boolean {
  return step.kind === 'each'
}

function readFrom(value: Json, path: readonly Step[], depth: number, at: string): Found {
  const step = path[depth]
  if (!step) return { found: true, value }
  if (step.kind === 'each') return readEach(value, path, depth + 1, at)
  const next = readStep(value, step)
  if (next === undefined) return { found: false, at, there: describeJson(value) }
  return readFrom(next, path, depth + 1, at + writeStep(step))
}

function readEach(value: Json, path: readonly Step[], depth: number, at: string): Found {
  const items = itemsOf(value)
  if (items === undefined) return { found: false, at, there: describeJson(value) }
  const values: Json[] = []
  for (const [i, item] of items.entries()) {
    const found = readFrom(item, path, depth, `${at}[${i}]`)
    if (!found.found) return found
    values.push(found.value)
  }
  return { found: true, value: values }
}

function itemsOf(value: Json): readonly Json[] | undefined {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return undefined
  return value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function readStep(value: Json, step: Exclude<Step, { kind: 'each' }>): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined
  if (Array.isArray(value)) {
    // `items.0` is how some languages write `items[0]`.
    const index = step.kind === 'index' ? step.index : /^\d{1,9}$/.test(step.key) ? Number(step.key) : -1
    return value[index]
  }
  const key = step.kind === 'index' ? String(step.index) : step.key
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
}

function toStep(groups: Readonly<Record<string, string | undefined>>, text: string): Step {
  if (groups.each !== undefined) return { kind: 'each' }
  if (groups.index !== undefined) return { kind: 'index', index: Number(groups.index) }
  if (groups.name !== undefined) return { kind: 'key', key: groups.name }
  if (groups.single !== undefined) return { kind: 'key', key: groups.single }
  try {
    return { kind: 'key', key: JSON.parse(groups.quoted!) as string }
  } catch {
    throw new ReferenceSyntaxError(text)
  }
}

function writeStep(step: Step): string {
  if (step.kind === 'each') return '[*]'
  if (step.kind === 'index') return `[${step.index}]`
  return /^[\w-]+$/.test(step.key) ? `.${step.key}` : `[${JSON.stringify(step.key)}]`
}

export function describeJson(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'string') return 'text'
  if (typeof value !== 'object') return `a ${typeof value}`
  const keys = Object.keys(value)
  if (keys.length === 0) return 'an object without fields'
  const more = keys.length > mostKeysShown ? ` and ${keys.length - mostKeysShown} more` : ''
  const shown = keys.slice(0, mostKeysShown).map((key) => (key.length > 60 ? `${key.slice(0, 60)}...` : key))
  return `an object with ${shown.join(', ')}${more}`
}
