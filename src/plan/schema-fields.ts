/**
 * The fields of a JSON Schema (2020-12), flat: what a tool takes or gives, one entry for each place that can hold a value.
 *
 *     {repo: {id}, files: [{name}]}   ->   repo.id, files, files[*].name
 *
 * Follows properties, items, prefixItems, local $ref, allOf, anyOf and oneOf. A schema comes from a server, so it is walked within
 * bounds: a $ref that leads back to itself ends there, and what is deeper or more than anybody wires is left out.
 */
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { followRef } from './schema-at.js'

export interface Field {
  /** `files[*].name`; empty for the value itself. */
  readonly path: string
  /** The last key on the way; empty where there is none. */
  readonly name: string
  /** Stems of the name. */
  readonly words: readonly string[]
  /** Empty: anything. */
  readonly types: ReadonlySet<string>
  /** Of an array: what its items are. */
  readonly itemTypes: ReadonlySet<string>
  readonly description: string
  readonly format?: string
  readonly choices?: readonly Json[]
  readonly default?: Json
  /** It must be there whenever what holds it is, up to the top. */
  readonly isRequired: boolean
  /** It must be there whenever what holds it is. */
  readonly isRequiredHere: boolean
  /** How many lists it stands in: `files[*].name` in one. */
  readonly lists: number
  /** Holds other fields, which are listed as well. */
  readonly isContainer: boolean
}

const deepest = 6
const mostFields = 200
const mostVariants = 8

export function schemaFields(schema: unknown): readonly Field[] {
  if (!isObject(schema)) return []
  const fields: Field[] = []
  walk(schema, { root: schema, path: '', name: '', isRequired: true, isRequiredHere: true, lists: 0, depth: 0, open: [] }, fields)
  return fields
}

interface Place {
  readonly root: JsonObject
  readonly path: string
  readonly name: string
  readonly isRequired: boolean
  readonly isRequiredHere: boolean
  readonly lists: number
  readonly depth: number
  /** Schemas that are being walked: one of them again is a circle. */
  readonly open: readonly JsonObject[]
}

function walk(given: unknown, place: Place, fields: Field[]): void {
  if (fields.length >= mostFields || place.depth > deepest) return
  const schema = flatten(given, place.root, [])
  if (schema === undefined || place.open.includes(schema.source)) return
  const inside = { ...place, depth: place.depth + 1, open: [...place.open, schema.source] }
  const properties = [...schema.properties]
  const items = schema.items
  const isContainer = properties.length > 0 || (items !== undefined && hasProperties(items, place.root))
  if (place.path !== '' || !isContainer) {
    const itemTypes = items === undefined ? none : (flatten(items, place.root, [])?.types ?? none)
    fields.push(toField(schema, place, { itemTypes, isContainer }))
  }
  for (const [name, property] of properties)
    walk(
      property,
      {
        ...inside,
        path: joinKey(place.path, name),
        name,
        isRequired: place.isRequired && schema.required.has(name),
        isRequiredHere: schema.required.has(name),
      },
      fields,
    )
  if (items !== undefined && hasProperties(items, place.root))
    walk(items, { ...inside, path: `${place.path}[*]`, lists: place.lists + 1 }, fields)
}

const none: ReadonlySet<string> = new Set()

function toField(
  schema: Flat,
  { path, name, isRequired, isRequiredHere, lists }: Place,
  more: Pick<Field, 'itemTypes' | 'isContainer'>,
): Field {
  return {
    path,
    name,
    words: splitWords(name).map(stem),
    types: schema.types,
    description: schema.description,
    ...(schema.format !== undefined && { format: schema.format }),
    ...(schema.choices !== undefined && { choices: schema.choices }),
    ...(schema.default !== undefined && { default: schema.default }),
    isRequired,
    isRequiredHere,
    lists,
    ...more,
  }
}

/** A schema with its references and variants in one: what any of them allows. */
interface Flat {
  readonly source: JsonObject
  readonly types: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, Json>
  readonly required: ReadonlySet<string>
  readonly items?: Json
  readonly description: string
  readonly format?: string
  readonly choices?: readonly Json[]
  readonly default?: Json
}

function flatten(given: unknown, root: JsonObject, seen: readonly JsonObject[]): Flat | undefined {
  if (!isObject(given) || seen.includes(given) || seen.length > deepest) return undefined
  const next = [...seen, given]
  const target = typeof given.$ref === 'string' ? flatten(followRef(root, given.$ref), root, next) : undefined
  const all = [target, ...variants(given.allOf, root, next)].filter((one) => one !== undefined)
  const any = [...variants(given.anyOf, root, next), ...variants(given.oneOf, root, next)]
  const parts = [...all, ...any]
  const types = typesOf(given)
  const properties = new Map<string, Json>()
  for (const part of parts) for (const [name, one] of part.properties) properties.set(name, one)
  if (isObject(given.properties))
    for (const [name, one] of Object.entries(given.properties)) properties.set(name, one as Json)
  const items = itemsOf(given) ?? parts.find((part) => part.items !== undefined)?.items
  const choices = choicesOf(given) ?? all.find((part) => part.choices)?.choices ?? anyChoices(any)
  const described = [given.description, given.title].find((text) => typeof text === 'string' && text !== '')
  const format = typeof given.format === 'string' ? given.format : parts.find((part) => part.format)?.format
  const fallback = given.default ?? parts.find((part) => part.default !== undefined)?.default
  return {
    source: target?.source ?? given,
    types: types.size > 0 ? types : new Set(parts.flatMap((part) => [...part.types])),
    properties,
    required: new Set([...namesIn(given.required), ...all.flatMap((part) => [...part.required]), ...inEvery(any)]),
    ...(items !== undefined && { items }),
    description:
      typeof described === 'string' ? described : (parts.find((part) => part.description)?.description ?? ''),
    ...(format !== undefined && { format }),
    ...(choices !== undefined && { choices }),
    ...(fallback !== undefined && { default: fallback }),
  }
}

function variants(given: unknown, root: JsonObject, seen: readonly JsonObject[]): readonly Flat[] {
  if (!Array.isArray(given)) return []
  return given.slice(0, mostVariants).flatMap((one) => flatten(one, root, seen) ?? [])
}

function typesOf(schema: JsonObject): ReadonlySet<string> {
  const said = Array.isArray(schema.type) ? schema.type : [schema.type]
  const types = said.filter((type): type is string => typeof type === 'string' && type !== 'null')
  if (types.length > 0) return new Set(types)
  if (isObject(schema.properties)) return new Set(['object'])
  if (schema.items !== undefined || schema.prefixItems !== undefined) return new Set(['array'])
  const values = choicesOf(schema)
  return new Set(values?.map((value) => (value === null ? 'null' : typeof value)) ?? [])
}

function choicesOf(schema: JsonObject): readonly Json[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum as readonly Json[]
  return schema.const === undefined ? undefined : [schema.const as Json]
}

/** Where every variant is a choice, all of them are; where one is open, anything goes. */
function anyChoices(any: readonly Flat[]): readonly Json[] | undefined {
  if (any.length === 0 || any.some((part) => part.choices === undefined)) return undefined
  return any.flatMap((part) => part.choices!)
}

function itemsOf(schema: JsonObject): Json | undefined {
  if (isObject(schema.items)) return schema.items as Json
  return Array.isArray(schema.prefixItems) ? (schema.prefixItems[0] as Json) : undefined
}

function hasProperties(schema: unknown, root: JsonObject): boolean {
  return (flatten(schema, root, [])?.properties.size ?? 0) > 0
}

function namesIn(required: unknown): readonly string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : []
}

function inEvery(any: readonly Flat[]): readonly string[] {
  if (any.length === 0) return []
  return [...any[0]!.required].filter((name) => any.every((part) => part.required.has(name)))
}

/** As model/reference.ts reads it. */
export function joinKey(path: string, key: string): string {
  if (!/^[^.[\]\s"']+$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}
