import { describe, expect, it } from 'vitest'
import { editDistance } from './edit-distance.js'

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['read', 'read', 0],
    ['read', 'raed', 1],
    ['read', 'rea', 1],
    ['read', 'reads', 1],
    ['read', 'real', 1],
    ['kitten', 'sitting', 3],
    ['abcd', 'badc', 2],
  ])('%j and %j are %i apart', (a, b, distance) => {
    expect(editDistance(a, b, 10)).toBe(distance)
    expect(editDistance(b, a, 10)).toBe(distance)
  })

  it('says limit + 1 for everything beyond the limit', () => {
    expect(editDistance('kitten', 'sitting', 2)).toBe(3)
    expect(editDistance('a', 'abcdef', 2)).toBe(3)
    expect(editDistance('xbcd', 'axcdb', 1)).toBe(2)
  })
})
