import { UsageError } from '../errors.js'
import { badRow, readLines, textOf } from './read-set.js'

/** One row of `risk.jsonl`: what a tool says of itself in words, and what its vendor flags it as. */
export interface RiskRow {
  readonly name: string
  readonly description: string
  readonly readOnly: boolean
  /** False also where the vendor does not say. */
  readonly destructive: boolean
}

export async function readRisks(directory: string): Promise<readonly RiskRow[]> {
  const rows = await readLines(directory, 'risk')
  if (rows.length === 0)
    throw new UsageError(
      `No tool in the risk.jsonl of ${directory}.`,
      'Rows: {"name": "...", "description": "...", "readOnly": true, "destructive": false}',
    )
  return rows.map(({ row, line }) => {
    const { readOnly, destructive, description } = row
    if (typeof readOnly !== 'boolean') throw badRow(directory, 'risk', line, '"readOnly", true or false')
    if (destructive !== undefined && destructive !== null && typeof destructive !== 'boolean')
      throw badRow(directory, 'risk', line, '"destructive", true, false or null')
    return {
      name: textOf(row, 'name', directory, 'risk', line),
      description: typeof description === 'string' ? description : '',
      readOnly,
      destructive: destructive === true,
    }
  })
}
