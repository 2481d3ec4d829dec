/** What is known of a value without running the code. */
import type { CallExpression } from 'acorn'
import type { FunctionNode } from './bind-names.js'

export type Value =
  | { readonly kind: 'known'; readonly value: string | number | boolean | null }
  /** `open`: there may be more fields; the text of what they come from. */
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Value>; readonly open?: string }
  | { readonly kind: 'array'; readonly items: readonly Value[] }
  /** A list of which every element is like this. */
  | { readonly kind: 'list'; readonly of: Value }
  /** Some elements of a list. */
  | { readonly kind: 'part'; readonly of: Value; readonly text: string }
  /** What a call gave. `isList`: the path goes through `[*]`, and this is the list of all it leads to. */
  | {
      readonly kind: 'from'
      readonly call: FoundCall
      readonly path: readonly PathStep[]
      readonly isList?: boolean
    }
  | { readonly kind: 'argument'; readonly path: readonly PathStep[] }
  /** What will be there once it is awaited. */
  | { readonly kind: 'pending'; readonly of: Value; readonly waitsFor: ReadonlySet<FoundCall> }
  /** One result of Promise.allSettled. */
  | { readonly kind: 'settled'; readonly of: Value }
  | {
      readonly kind: 'namespace'
      readonly root: 'tools' | 'capabilities'
      /** Undefined where it is computed. */
      readonly first?: string | undefined
      readonly depth: 0 | 1
    }
  | { readonly kind: 'tool'; readonly root: 'tools' | 'capabilities'; readonly name: string | undefined }
  | { readonly kind: 'function'; readonly node: FunctionNode }
  | { readonly kind: 'unknown'; readonly text: string; readonly deps: ReadonlySet<FoundCall> }

/** A key, an index, or every element. */
export type PathStep = string | number | typeof eachElement
export const eachElement = Symbol('[*]')

export interface FoundCall {
  readonly node: CallExpression
  readonly kind: 'tool' | 'capability'
  name: string | undefined
  argument: Value
  readonly inside: 'loop' | 'branch' | 'function' | undefined
  group: number | undefined
  /** What the code waited for last when it came here. */
  readonly after: ReadonlySet<FoundCall>
  /** How many functions it stands in. */
  readonly level: number
  isAwaited: boolean
  /** In the order in which the code comes to it. */
  readonly rank: number
}

export const nothing: ReadonlySet<FoundCall> = new Set()

/** The calls whose results are in it. */
export function depsOf(value: Value): ReadonlySet<FoundCall> {
  switch (value.kind) {
    case 'from':
      return new Set([value.call])
    case 'unknown':
      return value.deps
    case 'object':
    case 'array':
      return partDeps.of(value, depsOf)
    case 'list':
    case 'part':
    case 'pending':
    case 'settled':
      return depsOf(value.of)
    default:
      return nothing
  }
}

/** What has to be waited for before it is there. */
export function waitsFor(value: Value): ReadonlySet<FoundCall> {
  switch (value.kind) {
    case 'pending':
      return value.waitsFor
    case 'array':
    case 'object':
      return partWaits.of(value, waitsFor)
    case 'list':
    case 'part':
    case 'settled':
      return waitsFor(value.of)
    case 'unknown':
      return value.deps
    default:
      return nothing
  }
}

type Whole = Value & { readonly kind: 'object' | 'array' }

/** Of all parts together, worked out once: a value may be used in many places. */
function createPartSets() {
  const known = new WeakMap<Whole, ReadonlySet<FoundCall>>()
  return {
    of(value: Whole, setOf: (part: Value) => ReadonlySet<FoundCall>): ReadonlySet<FoundCall> {
      const found = known.get(value)
      if (found !== undefined) return found
      const parts = value.kind === 'array' ? value.items : [...value.fields.values()]
      const set = union(parts.map(setOf))
      known.set(value, set)
      return set
    },
  }
}

const partDeps = createPartSets()
const partWaits = createPartSets()

export function union(sets: readonly ReadonlySet<FoundCall>[]): ReadonlySet<FoundCall> {
  const filled = sets.filter((set) => set.size > 0)
  if (filled.length <= 1) return filled[0] ?? nothing
  const all = new Set<FoundCall>()
  for (const set of filled) for (const call of set) all.add(call)
  return all
}

export function unknown(text: string, ...from: readonly Value[]): Value {
  return { kind: 'unknown', text, deps: union(from.map(depsOf)) }
}

/** The value where it is there already: as `await` gives it, seen from what was awaited. */
export function settledOf(value: Value): Value {
  if (value.kind === 'pending') return settledOf(value.of)
  return value
}

export function fieldOf(given: Value, key: string | number | undefined, text: string): Value {
  const value = settledOf(given)
  if (value.kind === 'namespace') return nameOf(value, key)
  if (key === undefined) return unknown(text, value)
  switch (value.kind) {
    case 'object':
      return value.fields.get(String(key)) ?? unknown(text, value)
    case 'array':
      return (typeof key === 'number' ? value.items[key] : undefined) ?? unknown(text, value)
    case 'list':
      return unknown(text, value)
    case 'argument':
      return { kind: 'argument', path: [...value.path, key] }
    case 'settled':
      return key === 'value' ? value.of : unknown(text, value)
    case 'from': {
      if (value.isList) {
        const each = value.path.indexOf(eachElement)
        if (typeof key !== 'number' || each !== value.path.lastIndexOf(eachElement))
          return unknown(text, value)
        return { kind: 'from', call: value.call, path: value.path.with(each, key) }
      }
      // Of a list or a text; never a field that a tool gave.
      if (key === 'length') return unknown(text, value)
      return { kind: 'from', call: value.call, path: [...value.path, key] }
    }
    default:
      return unknown(text, value)
  }
}

function nameOf(namespace: Value & { kind: 'namespace' }, key: string | number | undefined): Value {
  const { root, first, depth } = namespace
  const name = key === undefined ? undefined : String(key)
  if (root === 'capabilities') return { kind: 'tool', root, name }
  if (depth === 0) return { kind: 'namespace', root, first: name, depth: 1 }
  return {
    kind: 'tool',
    root,
    name: first === undefined || name === undefined ? undefined : `${first}:${name}`,
  }
}

export function elementOf(given: Value, text: string): Value {
  const value = settledOf(given)
  switch (value.kind) {
    case 'array': {
      const [first, ...others] = value.items
      if (first === undefined) return unknown(text)
      return others.every((other) => isSame(first, other)) ? first : unknown(text, value)
    }
    case 'list':
      return value.of
    case 'part':
      return elementOf(value.of, text)
    case 'from': {
      if (value.isList) return { kind: 'from', call: value.call, path: value.path }
      return { kind: 'from', call: value.call, path: [...value.path, eachElement] }
    }
    case 'argument':
      return { kind: 'argument', path: [...value.path, eachElement] }
    default:
      return unknown(text, value)
  }
}

/** The list that `map` gives when its function gives this for each element. */
export function listOf(given: Value, isOwn: (call: FoundCall) => boolean): Value {
  const element = settledOf(given)
  if (element.kind !== 'from' || element.isList) return { kind: 'list', of: given }
  const { call, path } = element
  if (isOwn(call)) {
    const list: Value = { kind: 'from', call, path: [eachElement, ...path], isList: true }
    return given.kind === 'pending' ? { kind: 'pending', of: list, waitsFor: given.waitsFor } : list
  }
  return path.includes(eachElement) ? { kind: 'from', call, path, isList: true } : { kind: 'list', of: given }
}

export function isSame(one: Value, other: Value): boolean {
  if (one === other) return true
  if (one.kind === 'known' && other.kind === 'known') return one.value === other.value
  if (one.kind === 'from' && other.kind === 'from') {
    return (
      one.call === other.call &&
      one.isList === other.isList &&
      one.path.length === other.path.length &&
      one.path.every((step, index) => step === other.path[index])
    )
  }
  if (one.kind === 'argument' && other.kind === 'argument') {
    return (
      one.path.length === other.path.length && one.path.every((step, index) => step === other.path[index])
    )
  }
  if (one.kind === 'object' && other.kind === 'object') {
    return (
      one.open === undefined &&
      other.open === undefined &&
      one.fields.size === other.fields.size &&
      [...one.fields].every(([key, field]) => {
        const twin = other.fields.get(key)
        return twin !== undefined && isSame(field, twin)
      })
    )
  }
  if (one.kind === 'array' && other.kind === 'array') {
    return (
      one.items.length === other.items.length &&
      one.items.every((item, index) => isSame(item, other.items[index]!))
    )
  }
  return false
}

/** Either of them, as it may turn out. */
export function eitherOf(one: Value, other: Value, text: string): Value {
  if (isSame(one, other)) return one
  if (one.kind === 'object' && other.kind === 'object' && hasSameFields(one, other)) {
    const fields = [...one.fields].map(([key, field]): [string, Value] => [
      key,
      eitherOf(field, other.fields.get(key)!, key),
    ])
    return { kind: 'object', fields: new Map(fields) }
  }
  if (one.kind === 'pending' || other.kind === 'pending') {
    return {
      kind: 'pending',
      of: eitherOf(settledOf(one), settledOf(other), text),
      waitsFor: union([waitsFor(one), waitsFor(other)]),
    }
  }
  return unknown(text, one, other)
}

function hasSameFields(one: Value & { kind: 'object' }, other: Value & { kind: 'object' }): boolean {
  return (
    one.open === undefined &&
    other.open === undefined &&
    one.fields.size === other.fields.size &&
    [...one.fields.keys()].every((key) => other.fields.has(key))
  )
}
