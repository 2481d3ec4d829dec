/**
 * How well risk is told from words alone: every tool of a set by its name and description, as one of a server of the user's own without
 * annotations, without a file of permissions and without anybody's word, through the very code the gateway rates with.
 */
import { noPermissions } from '../model/permissions.js'
import { rateRisk } from '../model/rate-risk.js'
import type { Risk } from '../model/risk.js'
import { seededRandom } from '../model/seeded-random.js'
import { rateByPattern } from './name-patterns.js'
import { type RiskRow, readRisks } from './read-risks.js'
import { type RiskFigures, type RiskIntervals, riskFigures, riskIntervals } from './risk-figures.js'

export interface RiskReport extends RiskFigures, RiskIntervals {
  readonly tools: number
  readonly read_only: number
  readonly destructive: number
  /** Name patterns only, on the same tools. */
  readonly floor: RiskFigures
}

export interface RiskPrediction {
  readonly name: string
  readonly risk: Risk
}

export interface BenchRiskOptions {
  readonly set: string
  /** For the resamples of the intervals. */
  readonly seed: number
  onPrediction(prediction: RiskPrediction): void
}

export async function benchRisk({ set, seed, onPrediction }: BenchRiskOptions): Promise<RiskReport> {
  const rows = await readRisks(set)
  const rated = rows.map((row) => ({ row, risk: rateRow(row) }))
  for (const { row, risk } of rated) onPrediction({ name: row.name, risk })
  return {
    ...riskFigures(rated),
    ...riskIntervals(rated, seededRandom(seed)),
    tools: rows.length,
    read_only: rows.filter(({ readOnly }) => readOnly).length,
    destructive: rows.filter(({ destructive }) => destructive).length,
    floor: riskFigures(rows.map((row) => ({ row, risk: rateByPattern(row.name) }))),
  }
}

function rateRow({ name, description }: RiskRow): Risk {
  const definition = { name, description, inputSchema: {} }
  const context = { isTrusted: true, override: undefined, permissions: noPermissions }
  return rateRisk({ server: '', name, definition }, context).risk
}
