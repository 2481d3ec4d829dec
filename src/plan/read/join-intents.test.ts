import { expect, it } from 'vitest'
import { joinIntents } from './join-intents.js'
import { readIntent } from './read-intent.js'

const join = (first: string, second: string) => joinIntents(readIntent(first), readIntent(second))

it('the clauses of both stand one after the other, each where its text is', () => {
  const { text, clauses } = join('read notes.md and summarize it', 'send "hello" to ann@example.com')
  expect(text).toBe('read notes.md and summarize it. send "hello" to ann@example.com')
  expect(clauses.map((clause) => clause.text)).toEqual([
    'read notes.md',
    'summarize it',
    'send "hello" to ann@example.com',
  ])
  for (const clause of clauses) {
    expect(text.startsWith(clause.text, clause.start)).toBe(true)
    for (const literal of clause.literals)
      expect(text.slice(literal.start, literal.end)).toContain(literal.text)
    for (const { at } of clause.words) expect(text.slice(at)).toMatch(/^[\p{L}\p{N}]/u)
  }
})

it('what the second says never becomes a part of the first', () => {
  for (const second of ['Summarize', 'then send it', '把结果发给我', '"'])
    expect(join('go to 5th st', second).clauses.at(-1)!.text).toBe(second)
  expect(join('say "hello', 'and "goodbye" too').clauses).toHaveLength(2)
})

it('without a first there is only the second', () => {
  for (const first of ['', '  \n']) expect(join(first, 'read notes.md')).toEqual(readIntent('read notes.md'))
})
