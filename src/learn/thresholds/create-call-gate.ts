/**
 * From which probability on a predicted call is run ahead, so that of those that are run at least `useful` are used. Learned from the ledger, for each
 * tool and source of its arguments by itself, as some sources promise more than they hold. Promises: the cut-off is the lowest from which on predictions
 * were used often enough; a few prove nothing, as the probabilities themselves stand beside what was seen; where nothing was seen it is `useful`.
 */
import { z } from 'zod'
import type { Json } from '../../model/json.js'
import type { ArgumentSource } from '../../model/predicted-call.js'
import type { SpeculationPreset } from '../../model/speculation.js'
import type { ToolId } from '../../model/tool.js'

export interface CallGate {
  /** Above 1: none may. */
  cutoff(call: GatedCall): number
  /** What came of a prediction, run ahead or not. */
  take(call: GatedCall & { readonly p: number }, used: boolean): void
  state(): Json
  /** What is no state of this kind starts anew. */
  load(state: Json | undefined): void
}

export interface GatedCall {
  readonly tool: ToolId
  readonly source: ArgumentSource
}

/** DESIGN 8: of the calls that are run ahead, so many are to be used. */
export const usefulShares: Readonly<Record<SpeculationPreset, number>> = { careful: 0.85, eager: 0.5 }

/** Probabilities in twentieths: finer ones would stand on single outcomes. */
const bins = 20
/** As much as so many predictions that went as they said. */
const trust = 10
/** Some hundred outcomes of a cell count. */
const keep = 0.99
const mostCells = 2_000

interface Cell {
  /** By bin. */
  readonly seen: number[]
  readonly used: number[]
  readonly expected: number[]
}

export function createCallGate({ useful }: { readonly useful: number }): CallGate {
  /** The one that was seen last is the last. */
  let cells = new Map<string, Cell>()
  const cutoffs = new Map<string, number>()

  return {
    cutoff(call) {
      const name = nameOf(call)
      const cell = cells.get(name)
      if (cell === undefined) return useful
      const known = cutoffs.get(name) ?? findCutoff(cell, useful)
      cutoffs.set(name, known)
      return known
    },
    take({ p, ...call }, used) {
      if (!(p >= 0 && p <= 1)) return
      const name = nameOf(call)
      const cell = cells.get(name) ?? { seen: zeros(), used: zeros(), expected: zeros() }
      cells.delete(name)
      cells.set(name, cell)
      if (cells.size > mostCells) cells.delete(cells.keys().next().value!)
      for (const counts of [cell.seen, cell.used, cell.expected])
        for (let bin = 0; bin < bins; bin++) counts[bin]! *= keep
      const bin = Math.min(bins - 1, Math.floor(p * bins))
      cell.seen[bin]! += 1
      cell.used[bin]! += used ? 1 : 0
      cell.expected[bin]! += p
      cutoffs.delete(name)
    },
    state: () => ({
      version: 1,
      cells: [...cells].map(([name, { seen, used, expected }]) => ({
        name,
        ...{ seen: [...seen], used: [...used], expected: [...expected] },
      })),
    }),
    load(state) {
      const read = stateSchema.safeParse(state)
      cells = new Map(
        read.success ? read.data.cells.slice(-mostCells).map(({ name, ...cell }) => [name, cell]) : [],
      )
      cutoffs.clear()
    },
  }
}

function nameOf({ tool, source }: GatedCall): string {
  return `${tool} ${source}`
}

function zeros(): number[] {
  return Array<number>(bins).fill(0)
}

/** All from a bin on have to be used often enough together: a bad bin among good ones does not end it. */
function findCutoff({ seen, used, expected }: Cell, useful: number): number {
  let [count, good, hoped] = [0, 0, 0]
  let cutoff = nothingRuns
  for (let bin = bins - 1; bin >= 0; bin--) {
    count += seen[bin]!
    good += used[bin]!
    hoped += expected[bin]!
    const promised = count < 1e-6 ? (bin + 0.5) / bins : hoped / count
    if ((good + trust * promised) / (count + trust) >= useful) cutoff = bin / bins
    else if (count < 1e-6) return Math.min(cutoff, useful)
  }
  return cutoff
}

const nothingRuns = 1.01

const counts = z.array(z.number().min(0).finite()).length(bins)
const stateSchema = z.object({
  version: z.literal(1),
  cells: z.array(z.object({ name: z.string(), seen: counts, used: counts, expected: counts })),
})
