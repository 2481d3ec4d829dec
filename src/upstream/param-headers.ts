/**
 * SEP-2243 (2026-07-28, Streamable HTTP): arguments whose schema says `x-mcp-header` are mirrored as `Mcp-Param-*` headers,
 * so that what stands between client and server can route by them without reading the body.
 */
import { isObject, type JsonObject } from '../model/json.js'

interface Declared {
  readonly path: readonly string[]
  readonly header: string
}

const keyword = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const plainValue = /^[\t\x20-\x7e]*$/
const encodedValue = /^=\?base64\?(.*)\?=$/s
const mirrored = new Set<unknown>(['string', 'integer', 'boolean'])
/** Values, not schemas: what looks like the keyword in there is none. */
const valueKeywords = new Set(['default', 'const', 'enum', 'examples'])

/** What is sent with a call. */
export function paramHeaders(schema: JsonObject, args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { path, header } of declaredIn(schema)) {
    const text = asText(valueAt(args, path))
    if (text !== undefined) headers[`Mcp-Param-${header}`] = encode(text)
  }
  return headers
}

/** What is wrong with the headers of a call, if anything. `header` gives one by its name, whatever its case. */
export function paramHeaderFault(
  schema: JsonObject,
  args: JsonObject,
  header: (name: string) => string | undefined,
): string | undefined {
  for (const { path, header: name } of declaredIn(schema)) {
    const expected = asText(valueAt(args, path))
    const sent = header(`mcp-param-${name}`)
    if (expected === undefined && sent === undefined) continue
    if (sent === undefined) return `the header Mcp-Param-${name} is missing`
    if (decode(sent) !== expected) return `the header Mcp-Param-${name} does not match ${path.join('.')}`
  }
  return undefined
}

/** Why no client may use a tool with this schema, if so: a header it asks for cannot be, or is claimed twice. */
export function schemaHeaderFault(schema: JsonObject): string | undefined {
  if (!JSON.stringify(schema).includes(keyword)) return undefined
  const seen = new Set<string>()
  const visit = (node: unknown, isReachable: boolean): string | undefined => {
    if (Array.isArray(node)) return firstOf(node, (inner) => visit(inner, false))
    if (!isObject(node)) return undefined
    if (keyword in node) {
      const fault = isReachable ? declarationFault(node, seen) : 'x-mcp-header stands where no property is'
      if (fault !== undefined) return fault
    }
    return firstOf(Object.entries(node), ([key, inner]) => {
      if (valueKeywords.has(key)) return undefined
      if (key === 'properties' && isObject(inner))
        return firstOf(Object.values(inner), (property) => visit(property, isReachable))
      return visit(inner, false)
    })
  }
  if (keyword in schema) return 'x-mcp-header stands on the whole'
  return visit(schema, true)
}

function declarationFault(node: Readonly<Record<string, unknown>>, seen: Set<string>): string | undefined {
  const name = node[keyword]
  if (typeof name !== 'string' || !token.test(name))
    return `x-mcp-header ${JSON.stringify(name)} is no header name`
  if (!mirrored.has(node.type)) return `x-mcp-header "${name}" stands on ${JSON.stringify(node.type)}`
  if (seen.has(name.toLowerCase())) return `x-mcp-header "${name}" is claimed twice`
  seen.add(name.toLowerCase())
  return undefined
}

function declaredIn(schema: unknown, path: readonly string[] = []): readonly Declared[] {
  if (!isObject(schema)) return []
  const header = schema[keyword]
  const own = typeof header === 'string' && token.test(header) ? [{ path, header }] : []
  if (!isObject(schema.properties)) return own
  const inner = Object.entries(schema.properties).flatMap(([key, next]) => declaredIn(next, [...path, key]))
  return [...own, ...inner]
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    args,
  )
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  const isExact = Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
  return isExact ? String(value) : undefined
}

/** What a header cannot carry as it is, or what would be taken for encoded, travels in base64. */
function encode(text: string): string {
  const isPlain = text !== '' && plainValue.test(text) && text === text.trim() && !encodedValue.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

/** Undefined for what is no proper base64, which Node would read all the same. */
function decode(value: string): string | undefined {
  const encoded = encodedValue.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined
}

function firstOf<Item>(
  items: readonly Item[],
  faultOf: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const fault = faultOf(item)
    if (fault !== undefined) return fault
  }
  return undefined
}
