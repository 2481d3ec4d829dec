import { expect, it } from 'vitest'
import type { Json } from '../../model/json.js'
import { callSignature } from './call-signature.js'

const signature = (properties: Json, required: string[] = []): string =>
  callSignature('f', { type: 'object', properties, required })

it('required parameters come first and optional ones carry a question mark', () => {
  expect(signature({ a: { type: 'string' }, b: { type: 'integer' } }, ['b'])).toBe(
    'f(b: integer, a?: string)',
  )
})

it('shows enums, unions, arrays and nested objects', () => {
  expect(signature({ mode: { enum: ['a', 'b', 3] } })).toBe('f(mode?: "a" | "b" | 3)')
  expect(signature({ x: { type: ['string', 'null'] } })).toBe('f(x?: string | null)')
  expect(
    signature({ x: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] } }),
  ).toBe('f(x?: string | number[])')
  expect(signature({ o: { type: 'object', properties: { p: { type: 'boolean' } }, required: ['p'] } })).toBe(
    'f(o?: {p: boolean})',
  )
  expect(signature({ l: { type: 'array', items: { enum: [1, 2] } } })).toBe('f(l?: (1 | 2)[])')
})

it('a name that is no identifier is quoted', () => {
  expect(signature({ 'a-b': { type: 'string' } })).toBe('f("a-b"?: string)')
})

it.each([
  [undefined],
  [null],
  [7],
  ['x'],
  [[]],
  [{}],
  [{ properties: [] }],
  [{ properties: { a: null, b: 7 } }],
])('a schema such as %j never fails', (schema) => {
  expect(callSignature('f', schema as Json)).toMatch(/^f\(/)
})

it('stays short however large or deep the schema is', () => {
  let deep: Json = { type: 'string' }
  for (let i = 0; i < 5_000; i++) deep = { type: 'object', properties: { a: deep } }
  const wide = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [`parameter${i}`, { type: 'string' }]),
  )
  expect(callSignature('f', deep).length).toBeLessThan(420)
  expect(signature(wide).length).toBeLessThan(420)
})
