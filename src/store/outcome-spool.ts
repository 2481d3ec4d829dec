/**
 * How calls went that are not in the database yet: one line each, written before the call is answered and gone when the database
 * has it. A line takes some 20 microseconds, and survives the death of the process at any moment; the database takes a thousand.
 */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../model/log.js'
import type { ToolId } from '../model/tool.js'

/** What is needed to count it: arguments and result are not written here. */
export interface SpooledOutcome {
  readonly id: string
  readonly session: string
  readonly tool: ToolId
  readonly errorCode?: string
  readonly startedAt: number
  readonly endedAt: number
}

export interface OutcomeSpool {
  /** Those that an earlier process left. */
  readonly left: readonly SpooledOutcome[]
  /** Never throws: what cannot be written is not worth a call. */
  append(outcome: SpooledOutcome): void
  /** All others are in the database. */
  keepOnly(outcomes: readonly SpooledOutcome[]): void
  close(): void
}

const fileName = 'outcomes.spool'
/** A database that is away for long: some 15,000 outcomes. */
const mostBytes = 4 * 1024 * 1024
const mostKept = 10_000

export function openOutcomeSpool({
  dataDirectory,
  log,
}: {
  readonly dataDirectory: string
  readonly log: Log
}): OutcomeSpool {
  const file = join(dataDirectory, fileName)
  const left = readLines(file)
  let descriptor: number | undefined
  let bytes = 0
  let isClosed = false
  const give = (error: unknown): void => {
    log.warn('How calls went cannot be written down at once; a kill may lose the last ones.', {
      error: String(error),
    })
  }
  const open = (): number | undefined => {
    try {
      descriptor ??= openSync(file, 'a', 0o600)
    } catch (error) {
      // Told once: it will not be another one by the next call.
      bytes = mostBytes
      give(error)
    }
    return descriptor
  }
  /** The old file or the new one, never half of it. */
  const replace = (outcomes: readonly SpooledOutcome[]): void => {
    const text = outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join('')
    writeFileSync(`${file}.new`, text, { mode: 0o600 })
    renameSync(`${file}.new`, file)
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
    bytes = text.length
    open()
  }

  return {
    left,
    append(outcome) {
      if (bytes >= mostBytes) return
      const to = descriptor ?? open()
      if (to === undefined) return
      const line = `${JSON.stringify(outcome)}\n`
      try {
        writeSync(to, line)
        bytes += line.length
      } catch (error) {
        bytes = mostBytes
        give(error)
      }
    },
    keepOnly(outcomes) {
      if (isClosed || (descriptor === undefined && left.length === 0)) return
      try {
        if (outcomes.length > 0) return replace(outcomes.slice(-mostKept))
        const to = open()
        if (to !== undefined) ftruncateSync(to)
        bytes = 0
      } catch (error) {
        give(error)
      }
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor)
      descriptor = undefined
      isClosed = true
      bytes = mostBytes
    },
  }
}

/** A line that was cut off by a kill, or is none of ours, is left out. */
function readLines(file: string): readonly SpooledOutcome[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    try {
      const { id, session, tool, errorCode, startedAt, endedAt } = JSON.parse(line) as SpooledOutcome
      const isWhole =
        [id, session, tool].every((value) => typeof value === 'string') &&
        [startedAt, endedAt].every((value) => Number.isFinite(value))
      return isWhole
        ? [{ id, session, tool, startedAt, endedAt, ...(typeof errorCode === 'string' && { errorCode }) }]
        : []
    } catch {
      return []
    }
  })
}
