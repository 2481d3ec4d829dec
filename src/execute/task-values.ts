import { BadReferenceError } from '../errors.js'
import type { Json } from '../model/json.js'
import { type Found, type Reference, readPath, readPlaces, type Step } from '../model/reference.js'
import type { TaskOutcome } from '../model/run.js'
import { convertValue } from './convert-value.js'

/** One of those that a task is done for: its value, or why there is none. */
export type Place = ElementPlace | { readonly wrong: Error }

/** What an element of a task done for each gave. */
export type ElementPlace = { readonly value: Json } | Hole

/** An element without a value: places after it keep their numbers. */
export interface Hole {
  /** `read[3]`. */
  readonly element: string
  /** It was to be left out if it failed: a list without it is whole. */
  readonly isLeftOut: boolean
}

/** What the tasks that ended gave, as references find it. */
export interface TaskValues {
  keep(task: string, result: Json): void
  /** Of a task done for each, also where it has no result as a whole. */
  keepPlaces(task: string, places: readonly ElementPlace[]): void
  /** It is to be done again. */
  forget(task: string): void
  /** @throws PmlError `BAD_REFERENCE` */
  read(reference: Reference): Json
  /** What a task done for each is done for. Converted it is not yet. @throws PmlError `BAD_REFERENCE` */
  readEach(reference: Reference): readonly Place[]
}

export function createTaskValues(): TaskValues {
  const results = new Map<string, Json>()
  const placesOf = new Map<string, readonly ElementPlace[]>()

  /** Where the path begins: a task's result, or one place of a task done for each; `read[1]` is its place, whoever is missing. */
  const begin = (reference: Reference): { value: Json; at: string; path: readonly Step[] } => {
    const { task, path } = reference
    const places = placesOf.get(task)
    const index = indexOf(path[0])
    if (index !== undefined && places !== undefined) {
      const place = places[index]
      if (place === undefined)
        throw new BadReferenceError(reference.text, task, `an array of ${places.length}`)
      if (isHole(place)) throw new BadReferenceError(reference.text, place.element, 'without a value')
      return { value: place.value, at: `${task}[${index}]`, path: path.slice(1) }
    }
    const value = results.get(task)
    if (value === undefined) throw new BadReferenceError(reference.text, task, 'not there')
    return { value, at: task, path }
  }

  return {
    keep: (task, result) => void results.set(task, result),
    keepPlaces: (task, places) => void placesOf.set(task, places),
    forget(task) {
      results.delete(task)
      placesOf.delete(task)
    },
    read(reference) {
      const { value, at, path } = begin(reference)
      const found = readPath(value, path)
      if (!found.found) throw new BadReferenceError(reference.text, at + found.at, found.there)
      return convertValue(found.value, reference)
    },
    readEach(reference) {
      const { task, path } = reference
      const places = placesOf.get(task)
      if (places !== undefined && path[0]?.kind === 'each')
        return places.flatMap((place, i) =>
          isHole(place) ? place : spread(place.value, path.slice(1), `${task}[${i}]`, reference),
        )
      const { value, at, path: rest } = begin(reference)
      const found = readPlaces(value, rest)
      if (!isList(found)) throw new BadReferenceError(reference.text, at + found.at, found.there)
      return found.map((one) => toPlace(one, at, reference))
    },
  }
}

export function elementPlace({ id, status, result }: TaskOutcome, isLeftOut: boolean): ElementPlace {
  return status === 'complete' && result !== undefined ? { value: result } : { element: id, isLeftOut }
}

/** A hole that nobody asked for. */
export function isGap(place: Place): boolean {
  return isHole(place) && !place.isLeftOut
}

export function isHole(place: Place): place is Hole {
  return 'element' in place
}

/** One element's value, or several where the path goes on with `[*]`. */
function spread(value: Json, path: readonly Step[], at: string, reference: Reference): readonly Place[] {
  const found = path.some(({ kind }) => kind === 'each') ? readPlaces(value, path) : readPath(value, path)
  return [found].flat().map((one) => toPlace(one, at, reference))
}

function toPlace(found: Found, at: string, { text }: Reference): Place {
  return found.found
    ? { value: found.value }
    : { wrong: new BadReferenceError(text, at + found.at, found.there) }
}

/** `items.0` is how some languages write `items[0]`. */
export function indexOf(step: Step | undefined): number | undefined {
  if (step?.kind === 'index') return step.index
  return step?.kind === 'key' && /^\d{1,9}$/.test(step.key) ? Number(step.key) : undefined
}

function isList<T>(value: readonly T[] | object): value is readonly T[] {
  return Array.isArray(value)
}
