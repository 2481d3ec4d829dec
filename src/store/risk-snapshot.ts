/**
 * What people said of the risk of tools, as far as it must hold before the database is open: a start, or a database that is away, must not
 * make a tool that was set dangerous run unasked.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../model/json.js'
import type { RiskOverride } from '../model/risk-override.js'
import type { ToolId } from '../model/tool.js'
import { writeFileAtomically } from '../model/write-file-atomically.js'

export interface RiskSnapshot {
  readonly overrides: readonly RiskOverride[]
  /** Tools that people rejected again and again. */
  readonly refused: readonly ToolId[]
}

const fileName = 'risk.json'
const risks: readonly unknown[] = ['safe', 'moderate', 'dangerous']

/** What cannot be read says nothing. */
export function readRiskSnapshot(dataDirectory: string): RiskSnapshot {
  try {
    const read: unknown = JSON.parse(readFileSync(join(dataDirectory, fileName), 'utf8'))
    if (!isObject(read) || !Array.isArray(read.overrides) || !Array.isArray(read.refused)) return nothing
    return {
      overrides: (read.overrides as unknown[]).filter(isOverride),
      refused: (read.refused as unknown[]).filter((tool): tool is ToolId => typeof tool === 'string'),
    }
  } catch {
    return nothing
  }
}

export async function writeRiskSnapshot(dataDirectory: string, snapshot: RiskSnapshot): Promise<void> {
  await writeFileAtomically(join(dataDirectory, fileName), `${JSON.stringify(snapshot)}\n`, 0o600)
}

const nothing: RiskSnapshot = { overrides: [], refused: [] }

function isOverride(value: unknown): value is RiskOverride {
  return isObject(value) && typeof value.tool === 'string' && risks.includes(value.risk)
}
