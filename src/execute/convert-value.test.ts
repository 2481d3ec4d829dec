import { describe, expect, it } from 'vitest'
import type { Json } from '../model/json.js'
import { type Conversion, parseReference } from '../model/reference.js'
import { convertItem, convertValue } from './convert-value.js'

const reference = (as: Conversion, text = 'a.b') => ({ ...parseReference(text), as })

describe('convertValue', () => {
  it.each<[Conversion, Json, Json]>([
    ['text', 'x', 'x'],
    ['text', 42, '42'],
    ['text', -4.5, '-4.5'],
    ['text', false, 'false'],
    ['text', { a: [1, null] }, '{"a":[1,null]}'],
    ['text', [], '[]'],
    ['number', 4.2, 4.2],
    ['number', '42', 42],
    ['number', '-4.20', -4.2],
    ['number', '1e3', 1000],
    ['boolean', true, true],
    ['boolean', 'false', false],
    ['list', 'x', ['x']],
    ['list', null, [null]],
    ['list', { a: 1 }, [{ a: 1 }]],
    ['list', [1], [1]],
  ])('as %s: %j is %j', (as, value, expected) => {
    expect(convertValue(value, reference(as))).toEqual(expected)
  })

  it.each<[Conversion, Json, string]>([
    ['text', null, 'null'],
    ['number', '', 'text ""'],
    ['number', ' ', 'text " "'],
    ['number', ' 42', 'text " 42"'],
    ['number', '0x1F', 'text "0x1F"'],
    ['number', '1e999', 'text "1e999"'],
    ['number', '007', 'text "007"'],
    ['number', '1,5', 'text "1,5"'],
    ['number', 'NaN', 'text "NaN"'],
    ['number', '12345678901234567890', 'text "12345678901234567890"'],
    ['number', true, 'a boolean'],
    ['number', [1], 'an array of 1'],
    ['boolean', 'True', 'text "True"'],
    ['boolean', 'yes', 'text "yes"'],
    ['boolean', 1, 'a number'],
    ['number', 'x'.repeat(100), `text "${'x'.repeat(40)}..."`],
  ])('as %s: %j is refused, with what was there and what is taken', (as, value, there) => {
    expect(() => convertValue(value, reference(as))).toThrow(
      expect.objectContaining({
        code: 'BAD_REFERENCE',
        message: `"a.b" cannot be taken as ${as}: it is ${there}.`,
        hint: expect.stringContaining(`"$as": "${as}" takes`),
      }),
    )
  })

  it('converts each value that [*] gathered, and leaves the list a list', () => {
    expect(convertValue(['1', '2'], reference('number', 'a[*].n'))).toEqual([1, 2])
    expect(convertValue([[1], [2, 3]], reference('text', 'a[*][*]'))).toEqual([['1'], ['2', '3']])
    expect(convertValue([1, 2], reference('list', 'a[*].n'))).toEqual([1, 2])
    expect(convertItem('1', reference('number', 'a[*].n'))).toBe(1)
  })
})
