/**
 * Tools as TypeScript declarations: what an agent reads before it writes code. Valid TypeScript for any schema a server may send; what is
 * too deep, too long or not understood is `any`.
 */
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { parseToolId, type ToolDefinition } from '../../model/tool.js'

export interface ToolToDeclare {
  readonly id: string
  readonly definition: Pick<ToolDefinition, 'description' | 'inputSchema' | 'outputSchema'>
}

export function declareTools(tools: readonly ToolToDeclare[]): string {
  const byServer = new Map<string, string[]>()
  for (const { id, definition } of tools) {
    const { server, tool } = parseToolId(id) ?? { server: id, tool: id }
    const lines = byServer.get(server) ?? []
    byServer.set(server, lines)
    lines.push(...commentOf(definition.description, '    '), `    ${toKey(tool)}${signatureOf(definition)}`)
  }
  const servers = [...byServer].flatMap(([server, lines]) => [`  ${toKey(server)}: {`, ...lines, '  }'])
  return ['declare const tools: {', ...servers, '}'].join('\n')
}

const deepest = 6
const mostProperties = 40
const mostChoices = 24
const longestType = 2_000
const longestComment = 200
const longestLiteral = 60

function signatureOf({ inputSchema, outputSchema }: ToolToDeclare['definition']): string {
  // Servers send what they like: what is no schema says nothing.
  const schema: JsonObject = isObject(inputSchema) ? inputSchema : {}
  const isEmpty = !isObject(schema.properties) || Object.keys(schema.properties).length === 0
  const isOptional = !Array.isArray(schema.required) || schema.required.length === 0
  const input = isEmpty && !hasVariants(schema) ? '{}' : typeOf(schema)
  const output = outputSchema === undefined ? 'any' : typeOf(outputSchema)
  return `(args${isOptional ? '?' : ''}: ${input}): Promise<${output}>`
}

function hasVariants(schema: JsonObject): boolean {
  return ['anyOf', 'oneOf', 'allOf', '$ref', 'additionalProperties'].some(
    (key) => typeof schema[key] === 'object' || typeof schema[key] === 'string',
  )
}

function typeOf(schema: JsonObject): string {
  const type = typeIn(schema, isObject(schema) ? schema : {}, 0, [])
  return type.length > longestType ? 'any' : type
}

function typeIn(schema: Json | undefined, root: JsonObject, depth: number, refs: readonly string[]): string {
  if (schema === false) return 'never'
  if (!isObject(schema) || depth > deepest) return 'any'
  if (typeof schema.$ref === 'string') {
    const target = refs.includes(schema.$ref) ? undefined : resolve(schema.$ref, root)
    return typeIn(target, root, depth + 1, [...refs, schema.$ref])
  }
  if (schema.const !== undefined) return literalType(schema.const)
  if (Array.isArray(schema.enum)) return oneOf(schema.enum.map((choice) => literalType(choice)))
  for (const key of ['anyOf', 'oneOf'] as const) {
    const variants = schema[key]
    if (Array.isArray(variants) && variants.length > 0 && !isObject(schema.properties)) {
      return oneOf(variants.map((variant) => typeIn(variant, root, depth + 1, refs)))
    }
  }
  if (Array.isArray(schema.allOf) && schema.allOf.length > 0 && !isObject(schema.properties)) {
    const parts = schema.allOf.slice(0, mostChoices).map((part) => typeIn(part, root, depth + 1, refs))
    const known = parts.filter((part) => part !== 'any')
    return known.length === 0 ? 'any' : known.map(inParentheses).join(' & ')
  }
  if (Array.isArray(schema.type)) {
    return oneOf(schema.type.map((type) => plainType({ ...schema, type }, root, depth, refs)))
  }
  return plainType(schema, root, depth, refs)
}

function plainType(schema: JsonObject, root: JsonObject, depth: number, refs: readonly string[]): string {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'number':
    case 'integer':
      return 'number'
    case 'array': {
      if (Array.isArray(schema.items) || schema.prefixItems !== undefined) return 'any[]'
      return `${inParentheses(typeIn(schema.items, root, depth + 1, refs))}[]`
    }
    case 'object':
      return objectType(schema, root, depth, refs)
    default:
      return isObject(schema.properties) ? objectType(schema, root, depth, refs) : 'any'
  }
}

function objectType(schema: JsonObject, root: JsonObject, depth: number, refs: readonly string[]): string {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  if (properties.length === 0) {
    if (schema.additionalProperties === false) return '{}'
    return isObject(schema.additionalProperties)
      ? `Record<string, ${typeIn(schema.additionalProperties, root, depth + 1, refs)}>`
      : 'Record<string, any>'
  }
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const fields = properties.slice(0, mostProperties).map(([name, property]) => {
    const type = typeIn(property, root, depth + 1, refs)
    return `${toKey(name)}${required.has(name) ? '' : '?'}: ${type}`
  })
  if (properties.length > mostProperties) fields.push('[key: string]: any')
  return `{ ${fields.join('; ')} }`
}

/** `#/$defs/Name` and the like; nothing outside of the schema is ever fetched. */
function resolve(ref: string, root: JsonObject): Json | undefined {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let at: Json | undefined = root
  for (const part of ref.slice(2).split('/').slice(0, 12)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

function oneOf(types: readonly string[]): string {
  const different = [...new Set(types)]
  if (different.length === 0) return 'never'
  if (different.includes('any') || different.length > mostChoices) return commonType(different)
  return different.join(' | ')
}

function commonType(types: readonly string[]): string {
  return types.every((type) => type.startsWith('"')) ? 'string' : 'any'
}

function literalType(value: Json): string {
  if (typeof value === 'string') return value.length > longestLiteral ? 'string' : JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  return 'any'
}

function inParentheses(type: string): string {
  return /[|&]/.test(type) ? `(${type})` : type
}

function toKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

function commentOf(description: unknown, indent: string): readonly string[] {
  if (typeof description !== 'string') return []
  const line = description.replace(/\s+/g, ' ').trim().replaceAll('*/', '* /')
  if (line === '') return []
  return [
    `${indent}/** ${line.length > longestComment ? `${line.slice(0, longestComment - 3)}...` : line} */`,
  ]
}
