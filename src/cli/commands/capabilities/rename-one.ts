import type { CapabilityReport } from '../../../gateway/capabilities-api.js'
import { printJson, printLine } from '../../io.js'
import { pathOf, shown, type Telling } from './telling.js'

export async function renameOne(
  which: string,
  changes: { readonly name?: string; readonly description?: string },
  { api, io, json }: Telling,
): Promise<number> {
  const renamed = (await api.post(pathOf(which, 'rename'), changes)) as CapabilityReport
  if (json) printJson(io, renamed)
  else printLine(io, `${renamed.id} is ${renamed.name} now: ${shown(renamed.description)}`)
  return 0
}
