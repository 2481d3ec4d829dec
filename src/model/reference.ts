/**
 * `{"$from": "taskId.path"}`: how one task's arguments point into another's result.
 *
 *     reference = task step*          task: any text without . [ ]
 *     step      = .name | [0] | ["odd key"] | [*]
 *
 * `[*]` takes the rest of the path in every item of an array and gives the array of what it found. Only own fields of
 * objects and items of arrays can be reached: no path leads to a prototype, whatever it is called.
 */
import { ReferenceSyntaxError } from '../errors.js'
import { isObject, type Json, type JsonObject } from './json.js'

export interface Reference {
  readonly text: string
  readonly task: string
  readonly path: readonly Step[]
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

/** A reference is an object with `$from` and nothing else; beside other keys, `$from` is data like any other. */
export function isReference(value: unknown): value is { readonly $from: unknown } {
  if (!isObject(value)) return false
  const keys = Object.keys(value)
  return keys.length === 1 && keys[0] === '$from'
}

/** Every reference within a value, in order, duplicates included. Walks with a list, not with calls: depth costs nothing. */
export function collectReferences(value: unknown): readonly Reference[] {
  const references: Reference[] = []
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (isReference(next)) {
      if (typeof next.$from !== 'string') throw new ReferenceSyntaxError(String(JSON.stringify(next.$from)))
      references.push(parseReference(next.$from))
    } else if (next !== null && typeof next === 'object') {
      const children = Object.values(next)
      for (let i = children.length - 1; i >= 0; i--) open.push(children[i])
    }
  }
  return references
}

export function readPath(value: Json, path: readonly Step[]): Found {
  return readFrom(value, path, 0, '')
}

function readFrom(value: Json, path: readonly Step[], depth: number, at: string): Found {
  const step = path[depth]
  if (!step) return { found: true, value }
  if (step.kind === 'each') return readEach(value, path, depth + 1, at)
  const next = readStep(value, step)
  if (next === undefined) return { found: false, at, there: describe(value) }
  return readFrom(next, path, depth + 1, at + writeStep(step))
}

function readEach(value: Json, path: readonly Step[], depth: number, at: string): Found {
  if (!Array.isArray(value)) return { found: false, at, there: describe(value) }
  const values: Json[] = []
  for (const [i, item] of value.entries()) {
    const found = readFrom(item, path, depth, `${at}[${i}]`)
    if (!found.found) return found
    values.push(found.value)
  }
  return { found: true, value: values }
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

function writeStep(step: Exclude<Step, { kind: 'each' }>): string {
  if (step.kind === 'index') return `[${step.index}]`
  return /^[\w-]+$/.test(step.key) ? `.${step.key}` : `[${JSON.stringify(step.key)}]`
}

function describe(value: Json): string {
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
