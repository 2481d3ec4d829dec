import { expect, it } from 'vitest'
import { tool } from './test-next-tools.contract.js'
import { createWordLikeness } from './word-likeness.js'

const asked = ['cancel my flight', 'book my flight', 'change my flight', 'weather in Paris']
const likeness = () => {
  const words = createWordLikeness()
  for (const intent of asked) words.learn(intent)
  return words
}

it('is 1 for the same words, 0 for none in common, and more by rare words than by usual ones', () => {
  const { between } = likeness()
  expect(between('cancel my flight', 'Cancelled flights')).toBeCloseTo(1)
  expect(between('cancel my flight', 'weather in Paris')).toBe(0)
  expect(between('cancel the flight', 'cancel the hotel')).toBeGreaterThan(
    between('cancel the flight', 'book the flight'),
  )
  expect(between('', 'the of')).toBe(0)
})

it('reads names of tools word by word', () => {
  const { names } = likeness()
  expect(names('cancel my flight', tool('cancel_flight'))).toBe(1)
  expect(names('cancel my flight', tool('cancelReservation'))).toBeGreaterThan(0)
  expect(names('cancel my flight', tool('cancelReservation'))).toBeLessThan(1)
  expect(names('cancel my flight', tool('get_weather'))).toBe(0)
})
