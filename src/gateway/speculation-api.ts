import { UsageError } from '../errors.js'
import type { PmlConfig } from '../model/config.js'
import type { ArgumentSource } from '../model/predicted-call.js'
import { type Redact, redactJson } from '../model/redact.js'
import type {
  Refusal,
  Speculation,
  SpeculationFigures,
  SpeculationMode,
  SpeculationPreset,
} from '../model/speculation.js'
import type { ToolId } from '../model/tool.js'
import { withinMs } from '../model/within-ms.js'
import type { Store, ToolSpeculations } from '../store/store.js'
import type { CatalogueView } from './catalogue-view.js'
import { noFigures, sumFigures, toFigures } from './speculation-figures.js'

/*
 * GET /api/speculation?since=MS&tool=T    SpeculationReport, of what was predicted since then; the last 7 days, of all tools, unless said
 */
export interface SpeculationReport {
  readonly mode: SpeculationMode
  readonly preset: SpeculationPreset
  readonly since: number
  readonly all: SpeculationFigures
  /** Who saved most first. */
  readonly tools: readonly ToolSpeculations[]
  /** By what the predictions stood or fell with; of the newest `of` predictions. */
  readonly bySource: Readonly<Partial<Record<ArgumentSource, SpeculationFigures>>>
  /** Why what was likely was not run ahead, how often; of the same ones. */
  readonly refusals: Readonly<Partial<Record<Refusal, number>>>
  readonly of: number
  /** Newest first. */
  readonly recent: readonly Speculation[]
}

export interface SpeculationDeps {
  config(): PmlConfig
  store(): Promise<Pick<Store, 'sumSpeculations' | 'listSpeculations'>>
  /** Writes what waits: who asks wants to know of what happened a moment ago. */
  flush(): Promise<void>
  readonly redact: Redact
}

const usualDays = 7
const dayMs = 24 * 60 * 60_000
/** Read row by row, where the sums of the store do not tell enough: a busy day has some thousands. */
const mostRead = 5_000
const mostRecent = 20
/** What is not written by then is told the next time. */
const flushWithinMs = 2_000

/** @throws UsageError */
export async function showSpeculation(
  query: URLSearchParams,
  { config, store, flush, redact, view }: SpeculationDeps & { readonly view: Pick<CatalogueView, 'current'> },
): Promise<SpeculationReport> {
  const since = readSince(query.get('since'))
  const tool = toolNamed(query.get('tool'), view)
  await withinMs(flush(), flushWithinMs, undefined)
  const open = await store()
  const [sums, rows] = await Promise.all([
    open.sumSpeculations(since),
    open.listSpeculations({ since, limit: mostRead, ...(tool !== undefined && { tool }) }),
  ])
  const tools = sums.filter((one) => tool === undefined || one.tool === tool).sort(bySaved)
  const { mode, preset } = config().speculation
  const report: SpeculationReport = {
    mode,
    preset,
    since,
    all: tools.reduce(sumFigures, noFigures),
    tools,
    bySource: figuresBySource(rows),
    refusals: countRefusals(rows),
    of: rows.length,
    recent: rows.slice(0, mostRecent),
  }
  return redactJson(report, redact)
}

function readSince(text: string | null): number {
  if (text === null) return Date.now() - usualDays * dayMs
  const since = Number(text)
  if (text === '' || !Number.isSafeInteger(since) || since < 0)
    throw new UsageError('"since" must be a time in milliseconds since 1970.')
  return since
}

/** In any form; one that is not there any more has its past under its id. */
function toolNamed(name: string | null, view: Pick<CatalogueView, 'current'>): ToolId | undefined {
  if (name === null || name === '') return undefined
  return view.current().names.resolve(name)?.id ?? (name as ToolId)
}

function bySaved(a: ToolSpeculations, b: ToolSpeculations): number {
  return b.savedMs - a.savedMs || b.predicted - a.predicted
}

function figuresBySource(rows: readonly Speculation[]): SpeculationReport['bySource'] {
  const figures: Partial<Record<ArgumentSource, SpeculationFigures>> = {}
  for (const row of rows) figures[row.source] = sumFigures(figures[row.source] ?? noFigures, toFigures(row))
  return figures
}

function countRefusals(rows: readonly Speculation[]): SpeculationReport['refusals'] {
  const counts: Partial<Record<Refusal, number>> = {}
  for (const { refusal } of rows) if (refusal !== undefined) counts[refusal] = (counts[refusal] ?? 0) + 1
  return counts
}
