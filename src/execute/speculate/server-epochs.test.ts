import { expect, test } from 'vitest'
import { createServerEpochs } from './server-epochs.js'

test('a write moves its server when it begins and when it ends, and no other', () => {
  const epochs = createServerEpochs({ now: () => 0 })
  const seen = [epochs.epoch('a')]
  const other = epochs.epoch('b')
  const end = epochs.beginWrite('a')
  seen.push(epochs.epoch('a'))
  expect(epochs.isWritten('a')).toBe(true)
  expect(epochs.isWritten('b')).toBe(false)
  end(true)
  seen.push(epochs.epoch('a'))
  end(true)
  seen.push(epochs.epoch('a'))
  expect(new Set(seen).size).toBe(3)
  expect(seen[3]).toBe(seen[2])
  expect(epochs.isWritten('a')).toBe(false)
  expect(epochs.epoch('b')).toBe(other)
})

test('a server is written until the last write has ended', () => {
  const epochs = createServerEpochs({ now: () => 0 })
  const ends = [epochs.beginWrite('a'), epochs.beginWrite('a')]
  ends[0]!(true)
  expect(epochs.isWritten('a')).toBe(true)
  ends[1]!(true)
  expect(epochs.isWritten('a')).toBe(false)
})

test('a write without an answer counts as under way for half a minute', () => {
  let ms = 0
  const epochs = createServerEpochs({ now: () => ms })
  epochs.beginWrite('a')(false)
  ms = 29_999
  expect(epochs.isWritten('a')).toBe(true)
  ms = 30_000
  expect(epochs.isWritten('a')).toBe(false)
})

test('an epoch never comes back, however many servers there are', () => {
  const epochs = createServerEpochs({ now: () => 0 })
  const seen = new Set<number>()
  for (let n = 0; n < 5_000; n++) {
    epochs.moved(n % 7 === 0 ? undefined : `s${n}`)
    epochs.moved('a')
    seen.add(epochs.epoch('a'))
  }
  expect(seen.size).toBe(5_000)
})
