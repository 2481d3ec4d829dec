/**
 * What a JSON Schema says about one place in a value: `entities`, 0, `name`. Follows properties, items, prefixItems, local
 * `$ref`, anyOf, oneOf, allOf and additionalProperties. Never throws, whatever a server calls a schema.
 */
import { isObject, type Json, type JsonObject } from '../../model/json.js'

/** True: an array fits there. False: what is wanted is known, and an array is not. Undefined: the schema does not say. */
export function acceptsArrayAt(schema: Json, place: readonly (string | number)[]): boolean | undefined {
  const verdict = judge(schema, { place, at: 0, root: schema, open: [], budget: { left: mostSchemas } })
  return verdict === 'array' ? true : verdict === 'single' ? false : undefined
}

/** `#`, `#/$defs/Name`, or any other place in the same schema; undefined where there is none. */
export function followRef(root: Json, ref: string): Json | undefined {
  if (!ref.startsWith('#')) return undefined
  if (ref === '#') return root
  if (ref[1] !== '/') return undefined
  let found: Json | undefined = root
  for (const part of ref.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, key)) return undefined
    found = (found as { readonly [key: string]: Json })[key]
  }
  return found
}

/** `absent`: the place cannot be there. */
type Verdict = 'array' | 'single' | 'unknown' | 'absent'

interface Looking {
  readonly place: readonly (string | number)[]
  readonly at: number
  readonly root: Json
  /** References followed since the last step of the place: one met again leads round in a circle. */
  readonly open: readonly string[]
  readonly budget: { left: number }
}

/** Real schemas need some ten for a place; a hostile one can double with every level. */
const mostSchemas = 2_000

function judge(schema: Json, looking: Looking): Verdict {
  if (!isObject(schema) || looking.budget.left-- <= 0) return 'unknown'
  const here = looking.at === looking.place.length ? judgeHere(schema) : judgeBeneath(schema, looking)
  return both([
    here,
    judgeRef(schema, looking),
    ...list(schema.allOf).map((one) => judge(one, looking)),
    ...[schema.anyOf, schema.oneOf].map((choices) => either(list(choices).map((one) => judge(one, looking)))),
  ])
}

function judgeHere(schema: JsonObject): Verdict {
  if (schema.type !== undefined) return [schema.type].flat().includes('array') ? 'array' : 'single'
  if (schema.const !== undefined) return Array.isArray(schema.const) ? 'array' : 'single'
  if (Array.isArray(schema.enum)) return schema.enum.some(Array.isArray) ? 'array' : 'single'
  if (arrayKeywords.some((name) => name in schema)) return 'array'
  // Strictly they would let an array pass, but whoever writes them means the kind they are about.
  return singleKeywords.some((name) => name in schema) ? 'single' : 'unknown'
}

const arrayKeywords = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']
const singleKeywords = [
  ...['properties', 'additionalProperties', 'required', 'pattern', 'format', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]

function judgeBeneath(schema: JsonObject, looking: Looking): Verdict {
  const step = looking.place[looking.at]!
  const kind = typeof step === 'number' ? 'array' : 'object'
  if (schema.type !== undefined && ![schema.type].flat().includes(kind)) return 'absent'
  const inner = typeof step === 'number' ? itemAt(schema, step) : propertyAt(schema, step)
  if (inner === undefined) return 'unknown'
  return inner === false ? 'absent' : judge(inner, { ...looking, at: looking.at + 1, open: [] })
}

function propertyAt(schema: JsonObject, key: string): Json | undefined {
  const { properties, patternProperties, additionalProperties } = schema
  if (isObject(properties) && Object.hasOwn(properties, key)) return properties[key]
  // A server's patterns are not run here: they may take for ever.
  return patternProperties === undefined ? additionalProperties : undefined
}

/** As a list, `items` is what older drafts call prefixItems. */
function itemAt({ prefixItems, items, additionalItems }: JsonObject, index: number): Json | undefined {
  if (Array.isArray(items)) return index < items.length ? items[index] : additionalItems
  return Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items
}

function judgeRef({ $ref }: JsonObject, looking: Looking): Verdict {
  if (typeof $ref !== 'string' || looking.open.includes($ref)) return 'unknown'
  const target = followRef(looking.root, $ref)
  return target === undefined ? 'unknown' : judge(target, { ...looking, open: [...looking.open, $ref] })
}

/** All of them hold: the one that rules something out decides. */
function both(verdicts: readonly Verdict[]): Verdict {
  return (['absent', 'single', 'array'] as const).find((one) => verdicts.includes(one)) ?? 'unknown'
}

/** One of them holds: those in which the place cannot be have no say. */
function either(verdicts: readonly Verdict[]): Verdict {
  const possible = verdicts.filter((verdict) => verdict !== 'absent')
  if (possible.length === 0) return verdicts.length === 0 ? 'unknown' : 'absent'
  if (possible.includes('array')) return 'array'
  return possible.every((verdict) => verdict === 'single') ? 'single' : 'unknown'
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
