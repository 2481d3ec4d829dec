import { isObject, type Json, type JsonObject } from '../../model/json.js'

const maxChars = 400
const maxProperties = 24
const maxDepth = 2

/**
 * A schema as an agent reads it fastest: `name(path: string, head?: number, mode?: "a" | "b")`. Optional parameters carry a
 * question mark, required ones come first. Schemas come from servers, so anything unexpected reads `unknown`.
 */
export function callSignature(name: string, inputSchema: Json | undefined): string {
  const text = `${name}(${isObject(inputSchema) ? properties(inputSchema, 0) : ''})`
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}...)`
}

function properties(schema: JsonObject, depth: number): string {
  if (!isObject(schema.properties)) return ''
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const entries = Object.entries(schema.properties)
  entries.sort(([a], [b]) => Number(required.has(b)) - Number(required.has(a)))
  const shown = entries
    .slice(0, maxProperties)
    .map(([key, one]) => `${propertyName(key)}${required.has(key) ? '' : '?'}: ${typeOf(one, depth)}`)
  if (entries.length > maxProperties) shown.push('...')
  return shown.join(', ')
}

function propertyName(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)
}

function typeOf(schema: Json | undefined, depth: number): string {
  if (!isObject(schema)) return 'unknown'
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal))
  const variants = schema.anyOf ?? schema.oneOf
  if (Array.isArray(variants) && depth < maxDepth)
    return union(variants.map((one: Json) => typeOf(one, depth + 1)))
  if (Array.isArray(schema.type))
    return union(schema.type.map((type: Json) => typeOf({ ...schema, type }, depth)))
  if (schema.type === 'array') {
    const item = depth < maxDepth ? typeOf(schema.items, depth + 1) : 'unknown'
    return item.includes(' ') ? `(${item})[]` : `${item}[]`
  }
  if (schema.type === 'object' || isObject(schema.properties)) {
    const inner = depth < maxDepth ? properties(schema, depth + 1) : ''
    return inner === '' ? 'object' : `{${inner}}`
  }
  return typeof schema.type === 'string' && /^[a-z]{1,10}$/.test(schema.type) ? schema.type : 'unknown'
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  return distinct.length > 8 ? `${distinct.slice(0, 8).join(' | ')} | ...` : distinct.join(' | ') || 'unknown'
}

function literal(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'unknown'
  return text.length <= 40 ? text : `${text.slice(0, 40)}...`
}
