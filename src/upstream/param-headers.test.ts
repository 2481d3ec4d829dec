import { describe, expect, it } from 'vitest'
import { paramHeaderFault, paramHeaders, schemaHeaderFault } from './param-headers.js'

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    inner: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
    free: { type: 'string' },
  },
}

describe('arguments as headers', () => {
  it('are the declared ones that have a value, at any depth', () => {
    expect(paramHeaders(schema, { region: 'eu', inner: { count: 3 }, free: 'x' })).toEqual({
      'Mcp-Param-Region': 'eu',
      'Mcp-Param-Count': '3',
    })
    expect(paramHeaders(schema, { region: null, inner: { count: 2 ** 60 } })).toEqual({})
  })

  it.each(['', ' eu', 'über', 'a\nb', '=?base64?ZXU=?='])('%j travels in base64', (region) => {
    const headers = paramHeaders(schema, { region })
    expect(headers['Mcp-Param-Region']).toBe(`=?base64?${Buffer.from(region).toString('base64')}?=`)
    expect(paramHeaderFault(schema, { region }, (name) => lowered(headers)[name])).toBeUndefined()
  })

  it.each([
    ['missing', {}],
    ['another value', { 'mcp-param-region': 'us' }],
    ['base64 without its padding', { 'mcp-param-region': '=?base64?ZXU?=' }],
    ['base64 with other characters', { 'mcp-param-region': '=?base64?ZX!!U=?=' }],
    ['one that no argument stands for', { 'mcp-param-region': 'eu', 'mcp-param-count': '1' }],
  ] as const)('a header that is %s is a fault', (_, headers) => {
    const read = (name: string) => (headers as Record<string, string>)[name.toLowerCase()]
    expect(paramHeaderFault(schema, { region: 'eu' }, read)).toMatch(/Mcp-Param-/)
  })
})

describe('schemas that ask for headers that cannot be', () => {
  const property = (fields: object) => ({ type: 'object', properties: { a: fields } })
  it.each([
    [property({ type: 'string', 'x-mcp-header': '' })],
    [property({ type: 'string', 'x-mcp-header': 'a b' })],
    [property({ type: 'string', 'x-mcp-header': 'ä' })],
    [property({ type: 'number', 'x-mcp-header': 'A' })],
    [property({ type: 'object', 'x-mcp-header': 'A' })],
    [property({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } })],
    [{ ...property({}), oneOf: [property({ type: 'string', 'x-mcp-header': 'A' })] }],
    [
      {
        properties: {
          a: { type: 'string', 'x-mcp-header': 'A' },
          b: { type: 'string', 'x-mcp-header': 'a' },
        },
      },
    ],
  ])('%j', (wrong) => {
    expect(schemaHeaderFault(wrong as never)).toMatch(/x-mcp-header/)
  })

  it('a proper one, a property of that name and a default value are none', () => {
    expect(schemaHeaderFault(schema)).toBeUndefined()
    expect(schemaHeaderFault({ properties: { 'x-mcp-header': { type: 'string' } } })).toBeUndefined()
    expect(schemaHeaderFault(property({ default: { 'x-mcp-header': '' } }) as never)).toBeUndefined()
  })
})

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return new Proxy(Object.fromEntries(entries), {
    get: (target, name) => target[String(name).toLowerCase()],
  })
}
