/**
 * A JSON Schema of observed values while it is worked on. Shapes form a lattice: `joinShapes` gives the least shape that holds
 * both, so it is commutative, associative and idempotent, and a rebuild in any order comes to the same.
 *
 *     types      united; number holds integer
 *     text       line < lines < prose
 *     fields     properties united, required in both; above `propertiesKept`, or with a map: a map; with a cut one: cut
 *     items      joined; with a cut one: cut
 *
 * Bounds cut by level, not by node, so that what is left does not hang on who came first. A container that was cut has no
 * `properties`, no `items`: that is how the level is found again in a schema that was written.
 */
import { isObject, type Json, type JsonObject } from '../model/json.js'

export interface Shape {
  readonly types: ReadonlySet<TypeName>
  readonly text: Text | undefined
  readonly fields: Fields | typeof cut | undefined
  readonly items: Shape | typeof cut | undefined
}

const typeNames = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const
export type TypeName = (typeof typeNames)[number]

const texts = ['line', 'lines', 'prose'] as const
export type Text = (typeof texts)[number]

export type Fields =
  | { readonly properties: ReadonlyMap<string, Shape>; readonly required: ReadonlySet<string> }
  | { readonly each: Shape }

/** Something is inside, and what was not looked at. */
export const cut = 'cut'
export const nothing: Shape = {
  types: new Set(),
  text: undefined,
  fields: undefined,
  items: undefined,
}

/** As deep as arguments are ever wired from: `data.items[*].author.address.city`. */
export const levelsKept = 6
/** The widest rows of real servers, those of issue trackers, have some 50 fields; above that keys are data. */
export const propertiesKept = 60
/** Some 10 KB of schema. */
const nodesKept = 400

export function joinShapes(a: Shape, b: Shape): Shape {
  const types = new Set([...a.types, ...b.types])
  if (types.has('number')) types.delete('integer')
  return {
    types,
    text: texts[Math.max(textLevel(a.text), textLevel(b.text))],
    fields: joinFields(a.fields, b.fields),
    items: joinItems(a.items, b.items),
  }
}

/** The shape down to the deepest level at which it is small enough, and where nothing has been cut yet. */
export function boundShape(shape: Shape): Shape {
  const nodes: number[] = []
  let deepest = levelsKept
  visit(shape, 0, (inner, level) => {
    nodes[level] = (nodes[level] ?? 0) + 1
    if (inner.fields === cut || inner.items === cut) deepest = Math.min(deepest, level)
  })
  let last = 0
  let sum = 1
  while (last < deepest && sum + (nodes[last + 1] ?? 0) <= nodesKept) {
    last += 1
    sum += nodes[last] ?? 0
  }
  return cutBelow(shape, last)
}

export function readShape(schema: JsonObject): Shape {
  const named = Array.isArray(schema.type) ? schema.type : [schema.type]
  const types = new Set(typeNames.filter((name) => named.includes(name)))
  return {
    types,
    text: types.has('string') ? readText(schema) : undefined,
    fields: types.has('object') ? readFields(schema) : undefined,
    items: types.has('array') ? (isObject(schema.items) ? readShape(schema.items) : cut) : undefined,
  }
}

/** Keys in a fixed order: the same shape is the same text. */
export function writeShape({ types, text, fields, items }: Shape): JsonObject {
  const names = typeNames.filter((name) => types.has(name))
  return {
    ...(names.length > 0 && { type: names.length === 1 ? names[0]! : names }),
    ...(text === 'lines' && { format: 'lines' }),
    ...(text === 'prose' && { contentMediaType: 'text/plain' }),
    ...(fields !== undefined && fields !== cut && writeFields(fields)),
    ...(items !== undefined && items !== cut && { items: writeShape(items) }),
  }
}

function textLevel(text: Text | undefined): number {
  return text === undefined ? -1 : texts.indexOf(text)
}

function joinItems(a: Shape['items'], b: Shape['items']): Shape['items'] {
  if (a === undefined || b === undefined) return a ?? b
  return a === cut || b === cut ? cut : joinShapes(a, b)
}

function joinFields(a: Shape['fields'], b: Shape['fields']): Shape['fields'] {
  if (a === undefined || b === undefined) return a ?? b
  if (a === cut || b === cut) return cut
  if ('each' in a || 'each' in b) return { each: joinShapes(asOne(a), asOne(b)) }
  const properties = new Map(a.properties)
  for (const [key, shape] of b.properties) {
    const known = properties.get(key)
    properties.set(key, known === undefined ? shape : joinShapes(known, shape))
  }
  const required = new Set([...a.required].filter((key) => b.required.has(key)))
  return properties.size > propertiesKept
    ? { each: asOne({ properties, required }) }
    : { properties, required }
}

function asOne(fields: Fields): Shape {
  return 'each' in fields ? fields.each : [...fields.properties.values()].reduce(joinShapes, nothing)
}

function visit(shape: Shape, level: number, told: (shape: Shape, level: number) => void): void {
  told(shape, level)
  for (const inner of insideOf(shape)) visit(inner, level + 1, told)
}

function insideOf({ fields, items }: Shape): readonly Shape[] {
  const named = fields === undefined || fields === cut ? [] : fieldShapes(fields)
  return items === undefined || items === cut ? named : [...named, items]
}

function fieldShapes(fields: Fields): readonly Shape[] {
  return 'each' in fields ? [fields.each] : [...fields.properties.values()]
}

function cutBelow(shape: Shape, levels: number): Shape {
  const { fields, items } = shape
  const inner = (one: Shape): Shape => cutBelow(one, levels - 1)
  return {
    ...shape,
    fields: fields && (levels === 0 || fields === cut ? cut : mapFields(fields, inner)),
    items: items && (levels === 0 || items === cut ? cut : inner(items)),
  }
}

function mapFields(fields: Fields, change: (shape: Shape) => Shape): Fields {
  if ('each' in fields) return { each: change(fields.each) }
  const properties = new Map([...fields.properties].map(([key, shape]) => [key, change(shape)]))
  return { ...fields, properties }
}

function readText({ format, contentMediaType }: JsonObject): Text {
  if (contentMediaType !== undefined) return 'prose'
  return format === 'lines' ? 'lines' : 'line'
}

function readFields({ properties, required, additionalProperties }: JsonObject): Fields | typeof cut {
  if (isObject(additionalProperties)) return { each: readShape(additionalProperties) }
  if (!isObject(properties)) return cut
  const shapes = Object.entries(properties).map(([key, schema]): [string, Shape] => [
    key,
    isObject(schema) ? readShape(schema) : nothing,
  ])
  const names = Array.isArray(required) ? required : []
  return {
    properties: new Map(shapes),
    required: new Set(names.filter((name): name is string => typeof name === 'string')),
  }
}

function writeFields(fields: Fields): JsonObject {
  if ('each' in fields) return { additionalProperties: writeShape(fields.each) }
  const keys = [...fields.properties.keys()].sort()
  const properties: readonly [string, Json][] = keys.map((key) => [
    key,
    writeShape(fields.properties.get(key)!),
  ])
  const required = keys.filter((key) => fields.required.has(key))
  return { properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) }
}
