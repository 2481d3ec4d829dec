import { existsSync, readFileSync } from 'node:fs'

/** A line of servers/ledger.js. */
export interface LedgerLine {
  /** Microseconds of the machine's steady clock. */
  readonly at: number
  readonly phase: 'begin' | 'end'
  readonly tool: string
  readonly token: string
  /** The same for both lines of a call. */
  readonly call: string
  readonly key?: string
  readonly pid: number
}

export function readLedger(file: string): readonly LedgerLine[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerLine)
}

/** The clock of the ledger. */
export function steadyNow(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}

/** Calls of these may be made again unasked: they read, are idempotent, or take a key. */
const repeatable: ReadonlySet<string> = new Set(['put', 'charge', 'read'])

export function isRepeatable(tool: string): boolean {
  return repeatable.has(tool)
}
