import { expect, it } from 'vitest'
import { many, sequence, tool } from './test-next-tools.contract.js'
import { weighWords } from './weigh-words.js'
import { createWordLikeness } from './word-likeness.js'

const intents = createWordLikeness()
const past = [
  ...many(4, 'find drop', 'cancel the flight'),
  ...many(4, 'find keep', 'book a flight'),
  sequence('silent', 'other'),
]

it('a word speaks for the tools that were used where it was said, and against the others', () => {
  const weights = weighWords('cancel it', past, intents)
  expect(weights.get(tool('drop'))).toBeGreaterThan(0.3)
  expect(weights.get(tool('keep'))).toBeLessThan(-0.3)
  expect(weights.get(tool('find'))).toBeCloseTo(0)
})

it('a word that is always said, or was said once, or never, says nothing', () => {
  const once = [...past, sequence('one', 'find rare', 'a zebra flight')]
  for (const intent of ['flight', 'zebra', 'unheard', ''])
    for (const name of ['find', 'drop', 'keep'])
      expect(weighWords(intent, once, intents).get(tool(name))).toBeCloseTo(0)
})

it('nothing is known of a tool whose sessions said nothing, nor where nobody said anything', () => {
  expect(weighWords('cancel it', past, intents).has(tool('other'))).toBe(false)
  expect(weighWords('cancel it', many(3, 'a b'), intents).size).toBe(0)
})
