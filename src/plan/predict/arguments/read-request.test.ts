import { expect, it } from 'vitest'
import { readRequest } from './read-request.js'
import { shapeOf } from './shape-of.js'

it.each([
  ['mia_li_3668', 'a_a_9999'],
  ['NO6JO3', 'X6'],
  ['JFK', 'A3'],
  ['2024-05-20', '9999-99-99'],
  ['Boston', 'Aa'],
  ['/srv/a.md', '/a/a.a'],
  ['東京', '東京'],
  ['', ''],
])('%s has the shape %s', (value, shape) => {
  expect(shapeOf(value)).toBe(shape)
})

it('values stand by their shape, in the order in which they are said', () => {
  const { byShape } = readRequest('Move K1NW8N to BOS, not 4OG6T3; I am "ann_lee_12".')
  expect(byShape.get('X6')).toEqual(['K1NW8N', '4OG6T3'])
  expect(byShape.get('a_a_99')).toEqual(['ann_lee_12'])
  expect(byShape.get('A3')).toEqual(['BOS'])
})

it.each([
  ['on May 20', '-99-99', '-05-20'],
  ['on the 3rd of December', '-99-99', '-12-03'],
  ['by Sept. 9th, 2023 at the latest', '9999-99-99', '2023-09-09'],
  ['from 20 May 2024 on', '9999-99-99', '2024-05-20'],
])('%s says a day', (text, shape, day) => {
  expect(readRequest(text).byShape.get(shape)).toContain(day)
})

it('says whole words, however they are written, and nothing that is too short to mean anything', () => {
  const { says } = readRequest('Please read Quarterly Report.md of ann.lee for me')
  expect(says('quarterly report.md')).toBe(true)
  expect(says('ANN.LEE')).toBe(true)
  expect(says('port.md')).toBe(false)
  expect(says('me')).toBe(false)
  expect(says('')).toBe(false)
})

it('a request of megabytes is read as far as one would be', () => {
  const start = performance.now()
  const request = readRequest('May 1 a@b.c/d-e_f '.repeat(200_000))
  expect(performance.now() - start).toBeLessThan(1_000)
  expect([...request.byShape.values()].flat().length).toBeLessThan(5_000)
})
