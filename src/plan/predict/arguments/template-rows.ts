/** Counts as rows that can be kept (model/dataflow-template.ts), and back. */
import type { DataflowTemplate } from '../../../model/dataflow-template.js'
import type { ToolId } from '../../../model/tool.js'
import { formatWay, readWay, type Way } from './argument-way.js'
import type { CountedWay } from './counted-way.js'
import type { Tally } from './tally.js'

/** Which arguments a call had, and how often. */
export interface ArgumentSet extends Tally {
  readonly names: readonly string[]
}

/** Something that was counted, and the row that says so. */
export interface TalliedRow {
  readonly tally: Tally
  toRow(): DataflowTemplate
}

/** Of a set of arguments. Named so that no way is: those are one word or JSON. */
const setSource = 'arguments'

export function wayRows(tool: ToolId, argument: string, counted: CountedWay): readonly TalliedRow[] {
  return [
    { tally: counted, toRow: () => wayRow(tool, argument, counted, '', counted) },
    ...[...counted.after].map(([after, tally]) => afterRow(tool, argument, counted, after, tally)),
  ]
}

export function afterRow(
  tool: ToolId,
  argument: string,
  counted: CountedWay,
  after: ToolId,
  tally: Tally,
): TalliedRow {
  return { tally, toRow: () => wayRow(tool, argument, counted, after, tally) }
}

export function setRow(tool: ToolId, set: ArgumentSet): TalliedRow {
  const { names, count, hits, lastAt } = set
  return {
    tally: set,
    toRow: () => ({ tool, parameter: '', after: '', source: setSource, value: names, count, hits, lastAt }),
  }
}

/** The same for the same row, whatever its counts. */
export function rowName({ tool, parameter, after, source, value }: DataflowTemplate): string {
  return JSON.stringify([tool, parameter, after, source, value])
}

export type ReadRow =
  | { readonly kind: 'set'; readonly names: readonly string[] }
  /** Of several arguments together it is empty. */
  | { readonly kind: 'way'; readonly argument: string; readonly way: Way }

/** For many rows: the same source, of which a way has up to five, is read once. */
export function createRowReader(): (template: DataflowTemplate) => ReadRow | undefined {
  const known = new Map<string, Way | undefined>()
  return (template) =>
    readRow(template, (source, value) => {
      if (value !== undefined) return readWay(source, value)
      if (!known.has(source)) known.set(source, readWay(source, value))
      return known.get(source)
    })
}

/** Undefined where it is none of ours: of a later version, or damaged. */
function readRow(
  { tool, parameter, source, value, count, hits, lastAt }: DataflowTemplate,
  read: typeof readWay,
): ReadRow | undefined {
  const areCounts = [count, hits, lastAt].every((one) => Number.isFinite(one) && one >= 0) && hits <= count
  if (!areCounts || tool === '') return undefined
  if (source === setSource) {
    const isNames = Array.isArray(value) && value.every((name) => typeof name === 'string')
    return isNames ? { kind: 'set', names: value as readonly string[] } : undefined
  }
  const way = read(source, value)
  return way && { kind: 'way', argument: way.kind === 'row' ? '' : parameter, way }
}

function wayRow(
  tool: ToolId,
  argument: string,
  { way }: CountedWay,
  after: ToolId | '',
  { count, hits, lastAt }: Tally,
): DataflowTemplate {
  const parameter = way.kind === 'row' ? way.fields.map(([name]) => name).join('+') : argument
  return {
    ...{ tool, parameter, after, source: formatWay(way) },
    ...(way.kind === 'constant' && { value: way.value }),
    ...{ count, hits, lastAt },
  }
}
