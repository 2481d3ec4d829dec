/**
 * From which probability on a predicted call is run ahead, so that of those that are run at least `useful` are used. Learned from the ledger, for each
 * tool and source of its arguments by itself, as some sources promise more than they hold. Promises: the cut-off is the lowest from which on predictions
 * were used often enough; a few prove nothing, as what was seen elsewhere stands beside them; where nothing was seen that alone counts.
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

/** DESIGN 8: of the calls that are run ahead, 85 and 50 of a hundred are to be used; `eager` with a margin, as it lives on sources that are seen seldom. */
export const usefulShares: Readonly<Record<SpeculationPreset, number>> = { careful: 0.85, eager: 0.6 }

/** Probabilities in twentieths: finer ones would stand on single outcomes. */
const bins = 20
/** As much as so many predictions that went as they went elsewhere. */
const trust = 10
/**
 * Of the predictions from a twentieth on, the share that was used: bench/speculate's development set, request seen, in sessions that were held out. Its
 * own figures stand in that README.
 */
const usedElsewhere = [
  0.3, 0.48, 0.52, 0.58, 0.62, 0.65, 0.68, 0.7, 0.73, 0.75, 0.765, 0.79, 0.81, 0.83, 0.852, 0.86, 0.873, 0.88,
  0.89, 0.92,
]
/** Some hundred outcomes of a cell count. */
const keep = 0.99
const mostCells = 2_000

interface Cell {
  /** By bin. */
  readonly seen: number[]
  readonly used: number[]
}

export function createCallGate({ useful }: { readonly useful: number }): CallGate {
  /** The one that was seen last is the last. */
  let cells = new Map<string, Cell>()
  const cutoffs = new Map<string, number>()
  const forget = (name: string): void => {
    cells.delete(name)
    cutoffs.delete(name)
  }

  return {
    cutoff(call) {
      const name = nameOf(call)
      const cell = cells.get(name)
      const known = cutoffs.get(name) ?? findCutoff(cell ?? nothingSeen, useful)
      if (cell !== undefined) cutoffs.set(name, known)
      return known
    },
    take({ p, ...call }, used) {
      if (!(p >= 0 && p <= 1)) return
      const name = nameOf(call)
      const cell = cells.get(name) ?? { seen: zeros(), used: zeros() }
      cells.delete(name)
      cells.set(name, cell)
      if (cells.size > mostCells) forget(cells.keys().next().value!)
      for (const counts of [cell.seen, cell.used]) for (let bin = 0; bin < bins; bin++) counts[bin]! *= keep
      const bin = Math.min(bins - 1, Math.floor(p * bins))
      cell.seen[bin]! += 1
      cell.used[bin]! += used ? 1 : 0
      cutoffs.delete(name)
    },
    state: () => ({
      version: 1,
      cells: [...cells].map(([name, { seen, used }]) => ({ name, seen: [...seen], used: [...used] })),
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
function findCutoff({ seen, used }: Cell, useful: number): number {
  let [count, good] = [0, 0]
  let cutoff = nothingRuns
  for (let bin = bins - 1; bin >= 0; bin--) {
    count += seen[bin]!
    good += used[bin]!
    if ((good + trust * usedElsewhere[bin]!) / (count + trust) >= useful) cutoff = bin / bins
  }
  return cutoff
}

const nothingSeen: Cell = { seen: zeros(), used: zeros() }
const nothingRuns = 1.01

const counts = z.array(z.number().min(0).finite()).length(bins)
const stateSchema = z.object({
  version: z.literal(1),
  cells: z.array(
    z
      .object({ name: z.string(), seen: counts, used: counts })
      .refine(({ seen, used }) => used.every((good, bin) => good <= seen[bin]!)),
  ),
})
