import { shorten } from '../model/shorten.js'
import type { Speculation, SpeculationFigures } from '../model/speculation.js'
import { createCounter } from './create-counter.js'
import { noFigures, sumFigures, toFigures } from './speculation-figures.js'

/** What running ahead did since the process began. */
export interface SpeculationMetrics {
  /** A row of the ledger that is new or has changed; what is known of it already is not counted again. */
  take(entry: Speculation): void
  figures(): SpeculationFigures
  /** For Prometheus. */
  render(): string
}

/** Tools by name; those beyond are `other`, or servers could grow the page without end. */
const mostTools = 200
const longestTool = 200
/** A row changes within three calls of its session or while its result is kept: once so many others have come, it does no more. */
const remembered = 10_000

type Figure = keyof SpeculationFigures

const counted: Readonly<Record<Figure, readonly [name: string, help: string]>> = {
  predicted: ['predictions', 'Likely calls that were looked at.'],
  started: ['started', 'Calls run ahead.'],
  hits: ['hits', 'Calls whose result was there when they were asked for.'],
  joined: ['joined', 'Calls that were under way when they were asked for.'],
  wasted: ['wasted', 'Calls run ahead and not used.'],
  refused: ['refused', 'Likely calls that were not run ahead.'],
  right: ['right', 'Calls that were predicted, not run ahead, and asked for.'],
  wrong: ['wrong', 'Calls that were predicted, not run ahead, and not asked for.'],
  savedMs: ['saved_seconds', 'Waiting that was saved.'],
  cost: ['cost_dollars', 'What the calls cost that were run ahead.'],
}
const names = Object.keys(counted) as Figure[]

export function createSpeculationMetrics(): SpeculationMetrics {
  const counters = names.map((figure) => {
    const [name, help] = counted[figure]
    return { figure, counter: createCounter(`pml_speculation_${name}_total`, help) }
  })
  const tools = new Set<string>()
  /** By id of the row, what of it is counted. Two ages: forgetting the older one as a whole costs a row nothing. */
  let known = new Map<string, SpeculationFigures>()
  let older = known
  let all = noFigures

  const labelOf = (tool: string): string => {
    if (tools.size < mostTools) tools.add(tool)
    return tools.has(tool) ? shorten(tool, longestTool) : 'other'
  }
  return {
    take(entry) {
      const before = known.get(entry.id) ?? older.get(entry.id) ?? noFigures
      const added = growth(before, toFigures(entry))
      if (known.size >= remembered) {
        older = known
        known = new Map()
      }
      known.set(entry.id, sumFigures(before, added))
      all = sumFigures(all, added)
      const tool = labelOf(entry.tool)
      for (const { figure, counter } of counters) {
        const by = figure === 'savedMs' ? added.savedMs / 1_000 : added[figure]
        counter.add(figure === 'refused' ? { reason: entry.refusal ?? 'unknown' } : { tool }, by)
      }
    },
    figures: () => all,
    render: () => counters.map(({ counter }) => counter.render()).join(''),
  }
}

/** Each figure of a row only grows; one that is no number says nothing. */
function growth(before: SpeculationFigures, now: SpeculationFigures): SpeculationFigures {
  const grown = names.map((figure) => {
    const by = now[figure] - before[figure]
    return [figure, Number.isFinite(by) && by > 0 ? by : 0]
  })
  return Object.fromEntries(grown) as unknown as SpeculationFigures
}
