import { expect, it } from 'vitest'
import { createSuggestedIntents } from './suggested-intents.js'

it('knows an intent again however it is spaced, in its session alone', () => {
  const suggested = createSuggestedIntents()
  suggested.note('s', 'Read the\n file')
  expect(suggested.has('s', ' read the file ')).toBe(true)
  expect(suggested.has('s', 'read the files')).toBe(false)
  expect(suggested.has('other', 'read the file')).toBe(false)
})

it('remembers the last 50 of a session, and those of the last 1,000 sessions', () => {
  const suggested = createSuggestedIntents()
  for (let i = 0; i < 51; i++) suggested.note('s', `intent ${i}`)
  expect(suggested.has('s', 'intent 0')).toBe(false)
  expect(suggested.has('s', 'intent 1')).toBe(true)
  for (let i = 0; i < 1_000; i++) suggested.note(`session ${i}`, 'x')
  expect(suggested.has('s', 'intent 50')).toBe(false)
  expect(suggested.has('session 0', 'x')).toBe(true)
})
