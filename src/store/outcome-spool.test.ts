import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { silentLog } from '../model/log.js'
import { formatToolId } from '../model/tool.js'
import { openOutcomeSpool, type SpooledOutcome } from './outcome-spool.js'

const homes: string[] = []
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'pml-spool-'))
  homes.push(home)
  return home
}

const open = (dataDirectory: string) => openOutcomeSpool({ dataDirectory, log: silentLog })
const outcome = (id: string, errorCode?: string): SpooledOutcome => ({
  ...{ id, session: 's', tool: formatToolId('files', 'read'), startedAt: 1, endedAt: 2 },
  ...(errorCode !== undefined && { errorCode }),
})

it('gives the next process what was not cleared', () => {
  const home = newHome()
  const first = open(home)
  expect(first.left).toEqual([])
  first.append(outcome('a'))
  first.append(outcome('b', 'TOOL_ERROR'))
  // Killed: never closed.
  const second = open(home)
  expect(second.left).toEqual([outcome('a'), outcome('b', 'TOOL_ERROR')])
  second.keepOnly([])
  expect(open(home).left).toEqual([])
  second.append(outcome('c'))
  expect(open(home).left).toEqual([outcome('c')])
})

it('keeps those that are not stored yet, and goes on after them', () => {
  const home = newHome()
  const spool = open(home)
  for (const id of ['a', 'b', 'c']) spool.append(outcome(id))
  spool.keepOnly([outcome('c')])
  spool.append(outcome('d'))
  expect(open(home).left).toEqual([outcome('c'), outcome('d')])
})

it('leaves out a line that a kill cut off, and one that is none of ours', () => {
  const home = newHome()
  open(home).append(outcome('a'))
  appendFileSync(join(home, 'outcomes.spool'), '{"id":7}\nnonsense\n{"id":"b","sess')
  expect(open(home).left).toEqual([outcome('a')])
})

it('is for its owner alone, and writes no more than 4 MB', () => {
  const home = newHome()
  const spool = open(home)
  const long = outcome('x'.repeat(100_000))
  for (let i = 0; i < 60; i++) spool.append(long)
  const file = join(home, 'outcomes.spool')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file).length).toBeLessThan(4.2 * 1024 * 1024)
})

it('a directory that cannot be written costs nothing but the promise', () => {
  const spool = open(join(newHome(), 'missing'))
  spool.append(outcome('a'))
  spool.keepOnly([])
  spool.close()
})
