/**
 * The fields of a JSON Schema (2020-12), flat: what a tool takes or gives, one entry for each place that can hold a value.
 *
 *     {repo: {id}, files: [{name}]}   ->   repo, repo.id, files, files[*], files[*].name
 *
 * Follows properties, items, prefixItems, local $ref, allOf, anyOf and oneOf. A schema comes from a server, so it is walked within
 * bounds: a $ref that leads back to itself ends there, each part is looked at once however often it is referred to, and what is
 * deeper or more than anybody wires is left out.
 */
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { splitWords } from '../../model/words/split-words.js'
import { stem } from '../../model/words/stem.js'
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
  /** Of an array: what its items can be, where that is a choice. */
  readonly itemChoices?: readonly Json[]
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

/** Real schemas hold some ten fields, three deep; a union of constants may list a hundred. */
const deepest = 6
const mostFields = 200
const mostVariants = 100
/** How far references and variants may lead from one to the next. */
const longestChain = 20
/** A name is a word or five. */
const longestName = 200

export function schemaFields(schema: unknown): readonly Field[] {
  if (!isObject(schema)) return []
  const fields: Field[] = []
  const top = { path: '', name: '', isRequired: true, isRequiredHere: true, lists: 0, open: [] }
  walk(schema, top, { root: schema, known: new Map(), holding: new Map() }, fields)
  return fields
}

interface Place {
  readonly path: string
  readonly name: string
  readonly isRequired: boolean
  readonly isRequiredHere: boolean
  readonly lists: number
  /** Schemas that are being walked: one of them again is a circle. */
  readonly open: readonly (JsonObject | true)[]
}

interface Document {
  readonly root: JsonObject
  /** What each part says, found out once. */
  readonly known: Map<JsonObject, Flat>
  /** Whether it holds fields within so many levels. */
  readonly holding: Map<Flat, boolean[]>
}

function walk(given: Json, place: Place, document: Document, fields: Field[]): void {
  const schema = flatten(given, document)
  if (schema === undefined || isNothing(schema)) return
  const inner = innerPlaces(schema, place, document)
  if (place.path !== '' || inner.length === 0)
    fields.push(toField(schema, place, { ...itemsField(schema, document), isContainer: inner.length > 0 }))
  for (const one of inner) {
    if (fields.length >= mostFields) return
    walk(one.schema, one.place, document, fields)
  }
}

interface Inner {
  readonly schema: Json
  readonly place: Place
}

/** None where they are open already or too deep: it is one value then, and no container. */
function innerPlaces(schema: Flat, outer: Place, document: Document): readonly Inner[] {
  if (outer.open.length >= deepest || isOpen(schema, outer.open)) return []
  const place = { ...outer, open: [...outer.open, schema.source] }
  const { path, isRequired, lists, open } = place
  const properties = [...schema.properties].flatMap(([name, property]) => {
    const flat = flatten(property, document)
    if (flat === undefined || isNothing(flat)) return []
    const isRequiredHere = schema.required.has(name)
    const needed = { isRequired: isRequired && isRequiredHere, isRequiredHere }
    return [{ schema: property, place: { ...place, path: joinKey(path, name), name, ...needed } }]
  })
  const items = [
    ...schema.tuple.map((item, at) => ({ schema: item, place: { ...place, path: `${path}[${at}]` } })),
    ...listOf(schema.items).map((item) => ({
      schema: item,
      place: { ...place, path: `${path}[*]`, lists: lists + 1 },
    })),
  ]
  return [...properties, ...items.filter((item) => canHold(item.schema, open, document))]
}

function canHold(given: Json, open: Place['open'], document: Document): boolean {
  const schema = flatten(given, document)
  return schema !== undefined && !isOpen(schema, open) && holdsFields(given, deepest - open.length, document)
}

/** A list of plain values is one field; one of objects, or of lists of objects, holds others. */
function holdsFields(given: Json, levels: number, document: Document): boolean {
  const schema = flatten(given, document)
  if (schema === undefined || levels <= 0) return false
  if (schema.properties.size > 0) return true
  const known = document.holding.get(schema)?.[levels]
  if (known !== undefined) return known
  const holds = [...schema.tuple, ...listOf(schema.items)].some((item) =>
    holdsFields(item, levels - 1, document),
  )
  const answers = document.holding.get(schema) ?? []
  answers[levels] = holds
  document.holding.set(schema, answers)
  return holds
}

function isOpen({ source }: Flat, open: Place['open']): boolean {
  return source !== true && open.includes(source)
}

function listOf(items: Json | undefined): readonly Json[] {
  return items === undefined ? [] : [items]
}

function itemsField(schema: Flat, document: Document): Pick<Field, 'itemTypes' | 'itemChoices'> {
  const items = [...schema.tuple, ...listOf(schema.items)].flatMap((item) => flatten(item, document) ?? [])
  const choices = joinChoices(items)
  return { itemTypes: joinTypes(items), ...(choices !== undefined && { itemChoices: choices }) }
}

function toField(
  schema: Flat,
  { path, name, isRequired, isRequiredHere, lists }: Place,
  more: Pick<Field, 'itemTypes' | 'itemChoices' | 'isContainer'>,
): Field {
  return {
    path,
    name,
    words: splitWords(name.slice(0, longestName)).map(stem),
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
  /** The schema that references led to; `true` is one that every place may share. */
  readonly source: JsonObject | true
  /** Only `null`: no value can be there. */
  readonly types: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, Json>
  readonly required: ReadonlySet<string>
  readonly tuple: readonly Json[]
  readonly items?: Json
  readonly description: string
  readonly format?: string
  readonly choices?: readonly Json[]
  readonly default?: Json
}

const anything: Flat = {
  source: true,
  types: new Set(),
  properties: new Map(),
  required: new Set(),
  tuple: [],
  description: '',
}

/** Undefined: nothing can be there, or the way to it goes round in a circle. */
function flatten(given: unknown, document: Document, seen: readonly JsonObject[] = []): Flat | undefined {
  if (given === true) return anything
  if (!isObject(given) || seen.includes(given) || seen.length > longestChain) return undefined
  const known = document.known.get(given)
  if (known !== undefined) return known
  const flat = join(given, document, [...seen, given])
  document.known.set(given, flat)
  return flat
}

function join(given: JsonObject, document: Document, seen: readonly JsonObject[]): Flat {
  const target =
    typeof given.$ref === 'string' ? flatten(followRef(document.root, given.$ref), document, seen) : undefined
  const all = [...(target === undefined ? [] : [target]), ...variants(given.allOf, document, seen)]
  // Of a text or null, the text is what can be filled in.
  const any = [given.anyOf, given.oneOf]
    .flatMap((one) => variants(one, document, seen))
    .filter((one) => !isNothing(one))
  const isCut = [given.anyOf, given.oneOf].some((one) => Array.isArray(one) && one.length > mostVariants)
  const parts = [...all, ...any]
  const types = typesOf(given)
  const { tuple, items } =
    itemsOf(given) ?? parts.find((part) => part.items !== undefined || part.tuple.length > 0) ?? anything
  const choices =
    choicesOf(given) ?? all.find((part) => part.choices)?.choices ?? (isCut ? undefined : joinChoices(any))
  const described = [given.description, given.title].find((text) => typeof text === 'string' && text !== '')
  const format = typeof given.format === 'string' ? given.format : parts.find((part) => part.format)?.format
  const fallback = given.default ?? parts.find((part) => part.default !== undefined)?.default
  return {
    source: target?.source ?? given,
    types: types.size > 0 ? types : joinTypes(parts),
    properties: joinProperties(given, parts),
    required: new Set([
      ...namesIn(given.required),
      ...all.flatMap((part) => [...part.required]),
      ...(isCut ? [] : inEvery(any)),
    ]),
    tuple,
    ...(items !== undefined && { items }),
    description:
      typeof described === 'string' ? described : (parts.find((part) => part.description)?.description ?? ''),
    ...(format !== undefined && { format }),
    ...(choices !== undefined && { choices }),
    ...(fallback !== undefined && { default: fallback }),
  }
}

function variants(given: unknown, document: Document, seen: readonly JsonObject[]): readonly Flat[] {
  if (!Array.isArray(given)) return []
  return given.slice(0, mostVariants).flatMap((one) => flatten(one, document, seen) ?? [])
}

/** Its own first: where there are too many, the others are left out. */
function joinProperties(given: JsonObject, parts: readonly Flat[]): ReadonlyMap<string, Json> {
  const properties = new Map<string, Json>()
  const own = isObject(given.properties) ? Object.entries(given.properties) : []
  for (const entries of [own, ...parts.map((part) => part.properties)])
    for (const [name, one] of entries) {
      if (properties.size >= mostFields) return properties
      if (!properties.has(name)) properties.set(name, one)
    }
  return properties
}

function joinTypes(parts: readonly Flat[]): ReadonlySet<string> {
  return new Set(parts.flatMap((part) => [...part.types]))
}

/** Where every variant is a choice, all of them are; where one is open, anything goes. */
function joinChoices(any: readonly Flat[]): readonly Json[] | undefined {
  if (any.length === 0 || any.some((part) => part.choices === undefined)) return undefined
  return any.flatMap((part) => part.choices!)
}

function isNothing({ types }: Flat): boolean {
  return types.size === 1 && types.has('null')
}

function typesOf(schema: JsonObject): ReadonlySet<string> {
  const said = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter(
    (type) => typeof type === 'string',
  )
  if (said.length > 0) return withoutNull(said)
  if (isObject(schema.properties)) return new Set(['object'])
  if (schema.items !== undefined || schema.prefixItems !== undefined) return new Set(['array'])
  return withoutNull(choicesOf(schema)?.map(typeOf) ?? [])
}

function withoutNull(types: readonly string[]): ReadonlySet<string> {
  const others = types.filter((type) => type !== 'null')
  return new Set(others.length > 0 ? others : types)
}

function typeOf(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

function choicesOf(schema: JsonObject): readonly Json[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum
  return schema.const === undefined ? undefined : [schema.const]
}

/** As a list, `items` is what older drafts call prefixItems. */
function itemsOf({ items, prefixItems }: JsonObject): Pick<Flat, 'tuple' | 'items'> | undefined {
  const tuple = [prefixItems, items].find((one): one is readonly Json[] => Array.isArray(one)) ?? []
  if (tuple.length === 0 && !isObject(items)) return undefined
  return { tuple: tuple.slice(0, mostVariants), ...(isObject(items) && { items }) }
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
