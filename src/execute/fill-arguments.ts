import type { Json, JsonObject } from '../model/json.js'
import { isReference, type Reference, readReference } from '../model/reference.js'

/**
 * Arguments with every `{"$from": ...}` replaced by the value that `read` gives for it. Values are shared, not copied: nobody
 * changes them. Copies are made of own fields only, so a key named `__proto__` stays a field.
 */
export function fillArguments(args: JsonObject, read: (reference: Reference) => Json): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, fill(value, read)]))
}

/** Recursion is bounded: planTasks refuses arguments deeper than 64, and results are not walked. */
function fill(value: Json, read: (reference: Reference) => Json): Json {
  if (isReference(value)) return read(readReference(value))
  if (Array.isArray(value)) return value.map((item) => fill(item, read))
  if (value !== null && typeof value === 'object') return fillArguments(value as JsonObject, read)
  return value
}
