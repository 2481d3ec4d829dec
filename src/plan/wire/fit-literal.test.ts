import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/json.js'
import { findLiterals } from '../read/find-literals.js'
import { fitLiteral, wantedKinds } from './fit-literal.js'
import { makeField } from './shape-tools.contract.js'

const text = { type: 'string' }
const number = { type: 'number' }
/** The first value of `use ...`. */
const value = (said: string) => findLiterals(`now use ${said} for this request please`)[0]!
const rate = (said: string, name: string, property: Json) =>
  fitLiteral(value(said), makeField(name, property))

describe('fitLiteral', () => {
  it.each<[string, string, Json]>([
    ['"hello"', 'when', number],
    ['Paris', 'count', { type: 'integer' }],
    ['5', 'done', { type: 'boolean' }],
    ['"blue"', 'colour', { enum: ['red', 'green'] }],
    ['Paris', 'date', text],
    ['Paris', 'x', { type: 'string', format: 'email' }],
    ['"blue"', 'colours', { type: 'array', items: { enum: ['red', 'green'] } }],
    ['5', 'grid', { type: 'array', items: { type: 'array', items: number } }],
  ])('has no place for %s in %s of %j', (said, name, property) => {
    expect(rate(said, name, property)).toBe(0)
  })

  it.each<[string, [string, Json], [string, Json]]>([
    ['5', ['count', number], ['title', text]],
    ['"5"', ['count', number], ['title', text]],
    ['5', ['count', { type: 'integer' }], ['title', text]],
    ['5.5', ['count', number], ['count', { type: 'integer' }]],
    ['2024-05-01', ['date', text], ['title', text]],
    ['"2024-05-01"', ['x', { type: 'string', format: 'date' }], ['title', text]],
    ['/etc/hosts', ['path', text], ['title', text]],
    ['a@b.org', ['email', text], ['name', text]],
    ['https://a.b', ['x', { type: 'string', format: 'uri' }], ['name', text]],
    ['Spanish', ['language', text], ['name', text]],
    ['Paris', ['city', text], ['language', text]],
    ['"red"', ['colour', { enum: ['Red'] }], ['colour', text]],
    ['20 %', ['tip_percentage', number], ['total', number]],
    ['$20', ['price', number], ['age', number]],
    ['20 miles', ['distance', number], ['weight', number]],
    ['5 nights', ['nights', number], ['rooms', number]],
    ['"x"', ['x', text], ['x', { type: 'object' }]],
    ['"x"', ['x', { type: 'array', items: text }], ['x', { type: 'array', items: number }]],
  ])('finds that %s is rather %j than %j', (said, better, worse) => {
    expect(rate(said, ...better)).toBeGreaterThan(rate(said, ...worse))
  })

  it('gives no more than 1 and no less than 0', () => {
    for (const said of ['$5', '5 nights', '"x"', 'Spanish', '20 %', '2024-05-01'])
      for (const [name, property] of [
        ['nights', number],
        ['price', number],
        ['x', true],
        ['language', text],
        ['x', { type: ['string', 'number', 'array'] }],
      ] as const) {
        const score = rate(said, name, property)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }
  })

  it.each([
    'constructor',
    '__proto__',
    'toString',
    'x-made-up',
  ])('knows no kind for the format %j', (format) => {
    expect(wantedKinds(makeField('x', { type: 'string', format }))).toBeUndefined()
    expect(rate('"x"', 'x', { type: 'string', format })).toBe(0.8)
    expect(rate('"x"', 'x', { type: format })).toBe(0.8)
  })
})
