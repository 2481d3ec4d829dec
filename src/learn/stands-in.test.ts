import { expect, it } from 'vitest'
import { standsIn } from './stands-in.js'

it.each([
  ['close #42.', 42],
  ['close issue 42', '42'],
  ['Read /tmp/a.txt, then stop', '/tmp/a.txt'],
  ['read "my notes.md"', 'my notes.md'],
  ["what is octocat's name", 'Octocat'],
  ['ask @octocat', 'octocat'],
  ['add a Person', 'person'],
  ['set it to -5 (cold)', -5],
  ['search for "the"', 'the'],
  ['über café', 'Café'],
])('in %j stands %j', (intent, value) => {
  expect(standsIn(intent, value)).toBe(true)
})

it.each([
  ['close #420', 42],
  ['version 4.42', 42],
  ['read /tmp/a.txt', '/tmp/a'],
  ['read src/plan', 'plan'],
  ['mail ann@example.org', 'ann'],
  ['read a file', 'a'],
  ['the categories', 'cat'],
  ['caféteria', 'café'],
  ['anything', ''],
  ['anything', ' '],
])('in %j does not stand %j', (intent, value) => {
  expect(standsIn(intent, value)).toBe(false)
})
