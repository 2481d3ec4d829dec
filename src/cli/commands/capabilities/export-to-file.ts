import { closeSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../../../errors.js'
import type { CapabilityFile } from '../../../gateway/capability-file.js'
import { countOf } from '../../count-of.js'
import { type Io, printJson, printLine } from '../../io.js'
import type { Telling } from './telling.js'

export interface ExportChoice {
  /** None: all. */
  readonly names: readonly string[]
  /** Absent: to standard output. */
  readonly file: string | undefined
  readonly isForced: boolean
  readonly withIntents: boolean
}

export async function exportToFile(
  { names, file, isForced, withIntents }: ExportChoice,
  { api, io, json }: Telling,
): Promise<number> {
  const exported = (await api.post('/api/capabilities/export', { names, withIntents })) as CapabilityFile
  if (file === undefined) {
    printJson(io, exported)
    return 0
  }
  write(file, exported, isForced, io)
  const written = exported.capabilities.map(({ name }) => name)
  if (json) printJson(io, { file, capabilities: written })
  else
    printLine(
      io,
      `Wrote ${file}: ${countOf(written.length, 'procedure')}${written.length > 0 ? ` (${written.join(', ')})` : ''}.`,
    )
  return 0
}

/** It says what somebody does: nobody else's to read. */
function write(file: string, exported: CapabilityFile, isForced: boolean, io: Io): void {
  try {
    const descriptor = openSync(resolve(io.cwd, file), isForced ? 'w' : 'wx', 0o600)
    try {
      writeSync(descriptor, `${JSON.stringify(exported, undefined, 2)}\n`)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST')
      throw new UsageError(`${file} is there already.`, 'Overwrite it with: --force')
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}.`, 'Give another file.')
  }
}
