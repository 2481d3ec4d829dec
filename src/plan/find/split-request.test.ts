import { expect, it } from 'vitest'
import { splitRequest } from './split-request.js'

it('sentences, lines and joined wishes are parts', () => {
  expect(splitRequest('Find a flight to Rome and book the cheapest one. What is the weather there?')).toEqual(
    ['Find a flight to Rome', 'book the cheapest one.', 'What is the weather there?'],
  )
  expect(splitRequest('read the log file\nsend it to Anna')).toEqual(['read the log file', 'send it to Anna'])
})

it('a request of one wish has no parts', () => {
  expect(splitRequest('list all storage accounts in my subscription')).toEqual([])
  expect(splitRequest('compare apples and pears')).toEqual([])
  expect(splitRequest('')).toEqual([])
})

it('a list of many things has eight parts at most', () => {
  expect(splitRequest('buy some more milk. '.repeat(100)).length).toBe(8)
})

it('a long text without an end takes no longer than it is', () => {
  const start = performance.now()
  for (const text of [' '.repeat(10_000), ', '.repeat(5_000), 'and '.repeat(2_500), '\n'.repeat(10_000)])
    splitRequest(text)
  expect(performance.now() - start).toBeLessThan(500)
})
