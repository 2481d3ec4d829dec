import { expect, it } from 'vitest'
import { neededObservations, promoteEdge } from './promote-edge.js'
import { edge } from './test-graph.contract.js'

it.each([
  [0.5, 2],
  [0.51, 3],
  [2 / 3, 3],
  [0.75, 4],
  [5 / 6, 4],
  [0.9, 5],
  [1, 5],
])('a mean alpha of %d asks for %i observations', (alpha, needed) => {
  expect(neededObservations(alpha)).toBe(needed)
})

const promote = (source: 'template' | 'inferred' | 'observed', count: number, alpha: number) =>
  promoteEdge(edge('a', 'b', 'sequence', { source, count }), () => alpha)

it('a template is inferred at the first observation, and an untouched one stays', () => {
  expect(promote('template', 0, 0.5)).toBe('template')
  expect(promote('template', 1, 0.5)).toBe('inferred')
})

it('inferred is observed as soon as its surroundings ask for no more', () => {
  expect([2, 3, 4, 5].map((count) => promote('inferred', count, 0.75))).toEqual([
    'inferred',
    'inferred',
    'observed',
    'observed',
  ])
  expect(promote('inferred', 2, 0.5)).toBe('observed')
  expect(promote('inferred', 4, 1)).toBe('inferred')
  expect(promote('inferred', 5, 1)).toBe('observed')
})

it('sources never go down', () => {
  expect(promote('observed', 1, 1)).toBe('observed')
})

it('alpha is asked for only where it decides', () => {
  const fail = () => {
    throw new Error('asked')
  }
  for (const count of [1, 5, 9])
    expect(() => promoteEdge(edge('a', 'b', 'sequence', { source: 'inferred', count }), fail)).not.toThrow()
})
