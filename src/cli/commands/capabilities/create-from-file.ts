import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError } from '../../../errors.js'
import type { CapabilityReport } from '../../../gateway/capabilities-api.js'
import { isObject } from '../../../model/json.js'
import { type Io, printJson, printLine, readAll } from '../../io.js'
import { settledStatus } from '../../settled-status.js'
import { serversWithinMs, type Telling } from './telling.js'

/** @throws UsageError */
export async function readCode(file: string, io: Io): Promise<string> {
  if (file === '-') return readAll(io.stdin)
  try {
    return await readFile(resolve(io.cwd, file), 'utf8')
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}.`, 'Check the path.')
  }
}

export async function createFromFile(
  written: { readonly code: string; readonly name: string },
  { api, io, json }: Telling,
): Promise<number> {
  // The tools that it calls have to be known.
  await settledStatus(api, serversWithinMs)
  const reply = (await api.post('/api/capabilities', written)) as {
    readonly capability: CapabilityReport
    readonly isNew: boolean
  }
  const { capability, isNew } = reply
  if (json) printJson(io, reply)
  else if (isNew)
    printLine(
      io,
      `${capability.name} is there: ${capability.id}.${describeParameters(capability)}\nTry it: pml capabilities run ${capability.name}`,
    )
  else
    printLine(
      io,
      `A procedure of this structure is there already: ${capability.name}, ${capability.id}. Nothing was added.`,
    )
  return 0
}

function describeParameters({ inputSchema: { properties, required } }: CapabilityReport): string {
  const names = Object.keys(isObject(properties) ? properties : {})
  const needed = new Set(Array.isArray(required) ? required : [])
  const taken = names.filter((name) => needed.has(name)).join(', ')
  const optional = names.filter((name) => !needed.has(name)).join(', ')
  if (names.length === 0) return ' It takes no arguments.'
  if (taken === '') return ` It may be given ${optional}.`
  return ` It takes ${taken}${optional === '' ? '' : `, and may be given ${optional}`}.`
}
