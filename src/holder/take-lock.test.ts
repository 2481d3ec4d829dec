import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeLock as takeLockFor } from './take-lock.js'

const program = fileURLToPath(new URL('../../test/programs/hold-lock.js', import.meta.url))

const facts = { role: 'gateway', config: 'a.yaml' } as const
const takeLock = (place: string) => takeLockFor(place, facts)

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pml-lock-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe('the lock of a data directory', () => {
  it('is held by one process at a time, though holders are killed and many compete', async () => {
    const journal = join(directory, 'journal')
    writeFileSync(journal, '')
    const started = Date.now()
    while (Date.now() - started < 2_500) {
      const racers = Array.from({ length: 6 }, () =>
        spawn(process.execPath, [program, join(directory, 'home'), journal, '15']),
      )
      await Promise.all(racers.map((racer) => once(racer, 'exit')))
    }
    const lines = readFileSync(journal, 'utf8').trim().split('\n')
    expect(lines.length).toBeGreaterThan(100)
    for (let at = 0; at < lines.length; at += 2) {
      const [begin, pid] = lines[at]!.split(' ')
      expect([begin, lines[at + 1]]).toEqual(['begin', `end ${pid}`])
    }
  }, 60_000)

  it('tells who holds it, and no one after release', () => {
    const lock = takeLock(directory)
    expect(lock.held).toBe(true)
    expect(takeLock(directory)).toMatchObject({ held: false, by: { pid: process.pid, ...facts } })
    if (lock.held) lock.release()
    expect(takeLock(directory).held).toBe(true)
    expect(readdirSync(directory)).toHaveLength(1)
  })

  it('takes a damaged lock file, and one of a pid that now belongs to another process, as nobody’s', () => {
    writeFileSync(join(directory, 'holder.7.lock'), 'not json')
    const first = takeLock(directory)
    expect(first).toMatchObject({ held: true, generation: 8 })
    writeFileSync(join(directory, 'holder.9.lock'), JSON.stringify({ pid: process.pid, startTime: '1' }))
    expect(takeLock(directory)).toMatchObject({ held: true, generation: 10 })
  })
})
