import { randomBytes } from 'node:crypto'
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.js'

/**
 * One process holds a data directory. The lock is a file `holder.N.lock` that names its process; the highest N counts.
 * Whoever finds the highest holder dead links N + 1 into place: a link is made once or not at all, so one process wins.
 * A live lock is never removed by anyone but its owner's successor, so there is no moment in which two can hold.
 *
 *     holder.4.lock (dead)  ->  A links holder.5.lock, wins; B's link fails, B looks again and finds A
 */
export interface HolderFacts {
  /** `command`: holds for one command and ends by itself. */
  readonly role: 'gateway' | 'command'
  /** The configuration in force. */
  readonly config: string
}

export type LockOwner = ProcessIdentity & HolderFacts

export interface HeldLock {
  readonly held: true
  readonly generation: number
  /** The facts have changed; whoever looks from now on reads the new ones. */
  restate(facts: HolderFacts): void
  release(): void
}

export type LockAttempt =
  | HeldLock
  | { readonly held: false; readonly generation: number; readonly by: LockOwner }

export function takeLock(directory: string, facts: HolderFacts): LockAttempt {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (;;) {
    const newest = newestLock(directory)
    if (newest?.owner && isAlive(newest.owner))
      return { held: false, generation: newest.generation, by: newest.owner }
    const generation = (newest?.generation ?? 0) + 1
    if (!linkLock(directory, generation, facts)) continue
    // A process that slept since it looked may have linked a number that others have long passed.
    if (newestLock(directory)?.generation !== generation) {
      rmSync(lockFile(directory, generation), { force: true })
      continue
    }
    removeOlder(directory, generation)
    return {
      held: true,
      generation,
      restate: (next) => rewriteLock(directory, generation, next),
      release: () => markReleased(directory, generation),
    }
  }
}

function newestLock(directory: string): { generation: number; owner: LockOwner | undefined } | undefined {
  let generation = 0
  for (const name of listFiles(directory)) {
    const match = /^holder\.(\d+)\.lock$/.exec(name)
    if (match) generation = Math.max(generation, Number(match[1]))
  }
  if (generation === 0) return undefined
  return { generation, owner: readOwner(lockFile(directory, generation)) }
}

function listFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function readOwner(file: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(readFileSync(file, 'utf8')) as LockOwner
    return typeof owner.pid === 'number' ? owner : undefined
  } catch {
    return undefined
  }
}

function linkLock(directory: string, generation: number, facts: HolderFacts): boolean {
  const draft = writeDraft(directory, facts)
  try {
    linkSync(draft, lockFile(directory, generation))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Renamed over the old one, so that a reader finds one or the other; the number stays, and with it who holds. */
function rewriteLock(directory: string, generation: number, facts: HolderFacts): void {
  const draft = writeDraft(directory, facts)
  try {
    if (newestLock(directory)?.generation === generation) renameSync(draft, lockFile(directory, generation))
  } finally {
    rmSync(draft, { force: true })
  }
}

function writeDraft(directory: string, facts: HolderFacts): string {
  const draft = join(directory, `.lock.${process.pid}.${randomBytes(6).toString('hex')}`)
  writeFileSync(draft, JSON.stringify({ ...identifyProcess(process.pid), ...facts }), { mode: 0o600 })
  return draft
}

function removeOlder(directory: string, generation: number): void {
  for (const name of listFiles(directory)) {
    const match = /^holder\.(\d+)\.lock$/.exec(name)
    if (match && Number(match[1]) < generation) rmSync(join(directory, name), { force: true })
  }
}

/** The file stays, without an owner: were it removed, numbers would start again and a sleeper could pass for the newest. */
function markReleased(directory: string, generation: number): void {
  try {
    truncateSync(lockFile(directory, generation))
  } catch {
    // A successor has already removed it.
  }
}

function lockFile(directory: string, generation: number): string {
  return join(directory, `holder.${generation}.lock`)
}
