import { describe, expect, test } from 'vitest'
import { linearPattern } from './linear-pattern.js'

describe('patterns of ECMAScript, run by RE2', () => {
  test.each([
    ['^\\d{3}-[A-Z]+$', '123-AB', 'x123-AB'],
    ['^\\S+@\\S+$', 'a@b', 'a @b'],
    ['^[^\\s]+$', 'ab', 'a\u00a0b'],
    ['^\\s$', '\u2003', 'x'],
    ['^\\u00e9$', '\u00e9', 'e'],
    ['^\\ud83d\\ude00$', '\u{1f600}', 'x'],
    ['^\\u{1F600}$', '\u{1f600}', 'x'],
    ['^\\p{Letter}+$', '\u00e9a', '1'],
    ['^https?:\\/\\/', 'https://x', 'ftp://x'],
    ['^[\\w\\-.]+$', 'a-b.c', 'a b'],
    ['^\\cA$', '\u0001', 'A'],
    ['a$', 'ba', 'ba\n'],
  ])('%s', (source, fits, fails) => {
    // The same verdict as the engine that the pattern was written for.
    expect([new RegExp(source, 'u').test(fits), new RegExp(source, 'u').test(fails)]).toEqual([true, false])
    expect([linearPattern(source).test(fits), linearPattern(source).test(fails)]).toEqual([true, false])
  })

  test.each([
    '(?=a)b',
    '(a)\\1',
    '(?<!x)y',
    '[',
    '\\A\\z',
  ])('what RE2 cannot say is not checked: %s', (source) => {
    expect(linearPattern(source).test('anything')).toBe(true)
  })
})
