import { expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import { isStoreAway } from './is-store-away.js'

it.each([
  ['57P01', true],
  ['08006', true],
  ['53300', true],
  ['ECONNREFUSED', true],
  ['EPIPE', true],
  [undefined, true],
  ['22021', false],
  ['23505', false],
  ['54000', false],
])('code %s: %s', (code, isAway) => {
  const cause = Object.assign(new Error('no'), code === undefined ? {} : { code })
  expect(isStoreAway(new StoreError('cannot be saved', '', { cause }))).toBe(isAway)
})

it('what cannot be written down is refused', () => {
  expect(isStoreAway(new StoreError('cannot be saved', '', { cause: new RangeError('too deep') }))).toBe(
    false,
  )
})

it('what is no error of the store is not its absence', () => {
  expect(isStoreAway(new Error('no'))).toBe(false)
})
