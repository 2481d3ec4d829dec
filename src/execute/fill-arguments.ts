import { BadReferenceError } from '../errors.js'
import type { Json, JsonObject } from '../model/json.js'
import { isReference, parseReference, type Reference, readPath } from '../model/reference.js'

/**
 * Arguments with every `{"$from": ...}` replaced by the value it points to. `results` holds the results of finished
 * tasks. Values are shared, not copied: nobody changes them. Copies are made of own fields only, so a key named
 * `__proto__` stays a field.
 */
export function fillArguments(args: JsonObject, results: ReadonlyMap<string, Json>): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, fill(value, results)]))
}

/** Recursion is bounded: planTasks refuses arguments deeper than 64, and results are not walked. */
function fill(value: Json, results: ReadonlyMap<string, Json>): Json {
  if (isReference(value)) return resolve(parseReference(String(value.$from)), results)
  if (Array.isArray(value)) return value.map((item) => fill(item, results))
  if (value !== null && typeof value === 'object') return fillArguments(value as JsonObject, results)
  return value
}

function resolve(reference: Reference, results: ReadonlyMap<string, Json>): Json {
  const result = results.get(reference.task)
  if (result === undefined) {
    throw new BadReferenceError(reference.text, reference.task, 'not there')
  }
  const found = readPath(result, reference.path)
  if (!found.found) throw new BadReferenceError(reference.text, reference.task + found.at, found.there)
  return found.value
}
