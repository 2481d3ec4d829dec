import type { CapabilityReport } from '../../../gateway/capabilities-api.js'
import { redactJson } from '../../../model/redact.js'
import { coloursFor } from '../../colour.js'
import { printJson, printLine } from '../../io.js'
import { drawCapability } from './draw-capability.js'
import { pathOf, shown, type Telling } from './telling.js'

export async function tellCapability(name: string, { api, io, json }: Telling): Promise<number> {
  const report = (await api.get(pathOf(name))) as CapabilityReport
  if (json) {
    printJson(io, report)
    return 0
  }
  const isTerminal = io.stdout.isTTY === true
  const width = isTerminal ? (io.stdout.columns ?? 80) : Number.POSITIVE_INFINITY
  const options = { width, isTerminal, colours: coloursFor(io, io.stdout) }
  printLine(io, drawCapability(redactJson(report, shown), options))
  return 0
}
