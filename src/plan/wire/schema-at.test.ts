import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/json.js'
import { acceptsArrayAt, followRef } from './schema-at.js'

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const under = (schema: Json) => ({ type: 'object', properties: { x: schema } })

describe('acceptsArrayAt', () => {
  it.each<[string, Json, (string | number)[], boolean | undefined]>([
    ['a text', under(text), ['x'], false],
    ['a list', under(texts), ['x'], true],
    ['an item of a list', under(texts), ['x', 0], false],
    ['a list within a list', under({ type: 'array', items: texts }), ['x', 3], true],
    ['a text or a list', under({ type: ['string', 'array'] }), ['x'], true],
    ['a text or nothing', under({ type: ['string', 'null'] }), ['x'], false],
    ['a choice of texts', under({ enum: ['a', 'b'] }), ['x'], false],
    ['a constant', under({ const: 1 }), ['x'], false],
    ['a constant list', under({ const: [] }), ['x'], true],
    ['an object without type', under({ properties: {} }), ['x'], false],
    ['a list without type', under({ items: text }), ['x'], true],
    ['a description alone', under({ description: 'anything' }), ['x'], undefined],
    ['true', under(true), ['x'], undefined],
    ['a field nobody described', under(text), ['y'], undefined],
    ['a field by additionalProperties', { type: 'object', additionalProperties: text }, ['y'], false],
    ['a field that is not allowed', { ...under(text), additionalProperties: false }, ['y'], undefined],
    [
      'a field by a pattern',
      { patternProperties: { '(a+)+$': texts }, additionalProperties: text },
      ['y'],
      undefined,
    ],
    ['a field within a field', under(under(text)), ['x', 'x'], false],
    ['a field of an item', under({ type: 'array', items: under(text) }), ['x', 0, 'x'], false],
    ['an item of a text', under(text), ['x', 0], undefined],
    ['the first of a tuple', { prefixItems: [texts], items: text }, [0], true],
    ['beyond a tuple', { prefixItems: [texts], items: text }, [1], false],
    ['an older tuple', { items: [text], additionalItems: texts }, [1], true],
    ['one or many', under({ anyOf: [text, texts] }), ['x'], true],
    ['a text or null by oneOf', under({ oneOf: [text, { type: 'null' }] }), ['x'], false],
    ['a text or who knows', under({ anyOf: [text, {}] }), ['x'], undefined],
    ['several that all hold', under({ allOf: [{ description: 'd' }, text] }), ['x'], false],
    ['a place that one choice lacks', { anyOf: [text, under(texts)] }, ['x'], true],
    ['a place that no choice has', { anyOf: [text, texts] }, ['x'], undefined],
    ['the arguments themselves', under(text), [], false],
    ['a field named like a prototype', under(text), ['constructor'], undefined],
  ])('%s', (_, schema, place, expected) => {
    expect(acceptsArrayAt(schema, place)).toBe(expected)
  })

  it('follows references, also beside other keywords and round a tree', () => {
    const schema = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node', description: 'where to start' }, 'a/b': text },
      $defs: {
        node: {
          type: 'object',
          properties: { name: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    }
    expect(acceptsArrayAt(schema, ['root', 'children', 0, 'children', 7, 'name'])).toBe(false)
    expect(acceptsArrayAt(schema, ['root', 'children', 0, 'children'])).toBe(true)
    expect(acceptsArrayAt({ properties: { y: { $ref: '#/properties/x' }, x: texts } }, ['y'])).toBe(true)
    expect(acceptsArrayAt(under({ $ref: 'https://example.org/schema' }), ['x'])).toBeUndefined()
    expect(acceptsArrayAt(under({ $ref: '#/$defs/none' }), ['x'])).toBeUndefined()
    expect(followRef(schema, '#/properties/a~1b')).toBe(text)
    expect(followRef(schema, '#/properties/%zz')).toBeUndefined()
  })

  it('ends on references in a circle, and on schemas that double with every level', () => {
    const circle = {
      $ref: '#/$defs/a',
      $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }, text] } },
    }
    expect(acceptsArrayAt(circle, [])).toBeUndefined()
    const doubling = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `d${i}`,
        { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    )
    const before = performance.now()
    expect(acceptsArrayAt({ $ref: '#/$defs/d0', $defs: doubling }, [])).toBeUndefined()
    expect(performance.now() - before).toBeLessThan(500)
  })

  it.each<[string, Json]>([
    ['null', null],
    ['a list', [text]],
    ['a type that is none', { type: 7, properties: [], anyOf: 'x', allOf: [null, 3], $ref: 5 }],
  ])('takes %s for a schema without throwing', (_, schema) => {
    expect(() => acceptsArrayAt(schema, ['x', 0])).not.toThrow()
  })
})
