import type { Json, JsonObject } from '../model/json.js'
import { looksLikeId } from '../model/looks-like-id.js'
import { isRedacted } from '../model/redact.js'
import { looksLikeLines } from './looks-like-lines.js'
import {
  boundShape,
  cut,
  joinShapes,
  levelsKept,
  nothing,
  propertiesKept,
  readShape,
  type Shape,
  type Text,
  type TypeName,
  writeShape,
} from './schema-shape.js'

/**
 * The JSON Schema of one result, as it would be read by who wires it: types, fields, what lists hold. No values: nothing of
 * the text of a result stands in it but the names of its fields.
 *
 *     an object                       properties, all required
 *     one with keys that are data     additionalProperties: `{"2024-01-01": 3, ...}`
 *     a list                          items, merged over its first elements
 *     a text                          of one line: nothing more is said; `format: "lines"` where it is a list with a thing on each
 *                                     line; else `contentMediaType: "text/plain"`
 */
export function inferSchema(value: Json): JsonObject {
  return writeShape(boundShape(shapeOf(value, 0, { values: mostValues })))
}

/**
 * The schema of what either says. A join: the same in any order, however grouped, however often. Bounded like each of them
 * (schema-shape.ts); only where a bound has left something out may the order decide what.
 */
export function mergeSchemas(a: JsonObject, b: JsonObject): JsonObject {
  return writeShape(boundShape(joinShapes(readShape(a), readShape(b))))
}

/** Rows of a list are alike, and the fiftieth has shown which fields may be missing. */
const mostElements = 50
/** A result of 10 KB, the largest that traces keep whole, has some 3,000. */
const mostValues = 20_000

interface Budget {
  values: number
}

function shapeOf(value: Json, level: number, budget: Budget): Shape {
  budget.values -= 1
  if (typeof value === 'string') return { ...scalar('string'), text: textKind(value) }
  if (value === null || typeof value !== 'object') return scalar(scalarType(value))
  return Array.isArray(value)
    ? { ...scalar('array'), items: itemsOf(value, level, budget) }
    : { ...scalar('object'), fields: fieldsOf(value as JsonObject, level, budget) }
}

function scalar(type: TypeName): Shape {
  return { ...nothing, types: new Set([type]) }
}

function scalarType(value: null | boolean | number): TypeName {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  return Number.isInteger(value) ? 'integer' : 'number'
}

function textKind(text: string): Text {
  if (!text.trim().includes('\n')) return 'line'
  return looksLikeLines(text) ? 'lines' : 'prose'
}

function itemsOf(items: readonly Json[], level: number, budget: Budget): Shape['items'] {
  if (level >= levelsKept || budget.values <= 0) return cut
  return mergeAll(items.slice(0, mostElements), level, budget)
}

function fieldsOf(value: JsonObject, level: number, budget: Budget): Shape['fields'] {
  if (level >= levelsKept || budget.values <= 0) return cut
  const keys = Object.keys(value).filter((key) => !isRedacted(key))
  if (keys.length > propertiesKept || keys.filter(looksLikeId).length * 2 > keys.length) {
    const values = keys.slice(0, mostElements).map((key) => value[key]!)
    return { each: mergeAll(values, level, budget) }
  }
  const properties = new Map(keys.map((key) => [key, shapeOf(value[key]!, level + 1, budget)]))
  return { properties, required: new Set(keys) }
}

function mergeAll(values: readonly Json[], level: number, budget: Budget): Shape {
  let merged = nothing
  for (const value of values) {
    if (budget.values <= 0) break
    merged = joinShapes(merged, shapeOf(value, level + 1, budget))
  }
  return merged
}
