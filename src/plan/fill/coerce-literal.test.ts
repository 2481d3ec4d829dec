import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/json.js'
import { findLiterals } from '../read/find-literals.js'
import { makeField } from '../wire/shape-tools.contract.js'
import { coerceGiven, coerceLiterals } from './coerce-literal.js'

const text = { type: 'string' }
const number = { type: 'number' }
const list = (items: Json) => ({ type: 'array', items })
const oneAsList = 'a single value as a list of one'

describe('coerceLiterals', () => {
  it.each<[string, Json, Json, string?]>([
    ['"5"', text, '5'],
    ['5', number, 5],
    ['"5"', number, 5],
    ['$1,000', number, 1000, '"$1,000" as the number 1000'],
    ['$1,000', text, '$1,000'],
    ['5', { type: ['integer', 'null'] }, 5],
    ['5.5', number, 5.5],
    ['"true"', { type: 'boolean' }, true],
    ['"RED"', { enum: ['red', 'green'] }, 'red'],
    ['5', { enum: [5, 6] }, 5],
    ['"x"', list(text), ['x'], oneAsList],
    ['5', list(number), [5], oneAsList],
    ['1, 2, 3', list(number), [1, 2, 3]],
    ['"a" and "b"', { type: ['string', 'array'], items: text }, ['a', 'b']],
    ['"a"', { type: ['string', 'array'], items: text }, 'a'],
    ['"RED" and "GREEN"', list({ enum: ['red', 'green'] }), ['red', 'green']],
    ['"x"', {}, 'x'],
  ])('makes of %s for %j the value %j', (said, property, value, how) => {
    const coerced = coerceLiterals(
      findLiterals(`now use ${said} for this request please`),
      makeField('x', property),
    )
    expect(coerced).toEqual({ value, ...(how !== undefined && { how }) })
  })

  it.each<[string, Json]>([
    ['"five"', number],
    ['5.5', { type: 'integer' }],
    ['"yes"', { type: 'boolean' }],
    ['"blue"', { enum: ['red'] }],
    ['"blue"', list({ enum: ['red'] })],
    ['"x"', { type: 'object' }],
    ['"x"', list(number)],
    ['nothing', text],
  ])('does not guess what %s would be for %j', (said, property) => {
    expect(coerceLiterals(findLiterals(`use ${said} here`), makeField('x', property))).toBeUndefined()
  })
})

describe('coerceGiven', () => {
  it.each<[Json, Json, Json, string | undefined]>([
    ['5', number, 5, '"5" as the number 5'],
    ['5', { type: 'integer' }, 5, '"5" as the number 5'],
    ['true', { type: 'boolean' }, true, '"true" as true'],
    [5, text, '5', '5 as text'],
    [false, text, 'false', 'false as text'],
    ['x', list(text), ['x'], oneAsList],
    ['5', list(number), [5], `"5" as the number 5, ${oneAsList}`],
    [{ a: 1 }, list({ type: 'object' }), [{ a: 1 }], oneAsList],
  ])('makes %j fit %j', (given, property, value, how) => {
    expect(coerceGiven(given, makeField('x', property))).toEqual({ value, how })
  })

  it.each<[Json, Json]>([
    ['5', text],
    ['5.5', { type: 'integer' }],
    ['1e5', number],
    ['', number],
    [' 5 ', number],
    ['12345678901234567890', number],
    ['TRUE', { type: 'boolean' }],
    [5, { type: ['string', 'number'] }],
    [null, list(text)],
    [['x'], list(text)],
    ['x', { type: ['array', 'string'] }],
    [{ $from: 'a.b' }, text],
    ['x', {}],
  ])('leaves %j for %j as it is', (given, property) => {
    expect(coerceGiven(given, makeField('x', property))).toEqual({ value: given })
  })
})
