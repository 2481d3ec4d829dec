import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readStateKey } from './state-key.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pml-state-key-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('is made once, of 32 bytes, for its owner alone, and stays', () => {
  const home = join(directory, 'new')
  const key = readStateKey(home)
  expect(key).toHaveLength(32)
  expect(readStateKey(home)).toEqual(key)
  expect(statSync(join(home, 'state-key')).mode & 0o777).toBe(0o600)
  expect(readStateKey(directory)).not.toEqual(key)
})

it.each(['', 'abc', `${'0'.repeat(63)}x`])('a file that holds no key (%j) is made anew', (text) => {
  const file = join(directory, 'state-key')
  writeFileSync(file, text)
  const key = readStateKey(directory)
  expect(key).toHaveLength(32)
  expect(readFileSync(file, 'utf8').trim()).toBe(key.toString('hex'))
})

it('a data directory that is a file is told with its name', () => {
  const file = join(directory, 'file')
  writeFileSync(file, '')
  expect(() => readStateKey(file)).toThrow(/state-key/)
})
