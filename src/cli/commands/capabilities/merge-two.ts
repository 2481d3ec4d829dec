import type { CapabilityReport } from '../../../gateway/capabilities-api.js'
import { countOf } from '../../count-of.js'
import { printJson, printLine } from '../../io.js'
import { pathOf, shown, type Telling } from './telling.js'

export async function mergeTwo(kept: string, gone: string, { api, io, json }: Telling): Promise<number> {
  const left = (await api.post(pathOf(kept, 'merge'), { gone })) as CapabilityReport
  if (json) printJson(io, left)
  else
    printLine(
      io,
      `${shown(gone)} is gone; its uses are those of ${left.name} now: ${countOf(left.uses, 'use')}.`,
    )
  return 0
}
