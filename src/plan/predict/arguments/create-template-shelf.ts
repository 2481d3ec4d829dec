/**
 * Where counted ways are kept: by tool and argument, bounded. Knows at any time which rows have changed since somebody stored them, and which
 * are gone. What is counted, and when, is for create-templates.ts to say.
 */
import type { DataflowTemplate } from '../../../model/dataflow-template.js'
import type { ToolId } from '../../../model/tool.js'
import { newPlace, type Place } from './argument-place.js'
import { formatWay, type Way } from './argument-way.js'
import { type CountedWay, leastRight, mostAfter } from './counted-way.js'
import { createClassRates } from './create-class-rates.js'
import type { Tally } from './tally.js'
import {
  type ArgumentSet,
  afterRow,
  createRowReader,
  type ReadRow,
  rowName,
  setRow,
  type TalliedRow,
  wayRows,
} from './template-rows.js'
import { keyOf } from './value-key.js'

export interface TemplateShelf {
  /** Ways that are known. */
  readonly size: number
  place(at: PlaceName): Place | undefined
  /** The same, made where there is none; it is the one that was used last. */
  openPlace(at: PlaceName): Place
  sets(tool: ToolId): ReadonlyMap<string, ArgumentSet>
  /** For a set that is not known yet, the least frequent one goes. */
  keepSet(tool: ToolId, set: ArgumentSet): void
  /** For a way that is not known yet, the one that was right least often goes. */
  keepWay(at: PlaceName, counted: CountedWay): void
  dropWay(at: PlaceName, counted: CountedWay): void
  /** A way's counts after this tool are gone. */
  dropAfter(at: PlaceName, counted: CountedWay, after: ToolId, tally: Tally): void
  /** The counts of a way have changed by so much. */
  shift(way: Way, count: number, hits: number): void
  classRate(way: Way): number
  /** Forgets the tools that were not called for longest, where there is too much. */
  trim(): void
  changes(): { readonly changed: readonly DataflowTemplate[]; readonly removed: readonly DataflowTemplate[] }
  all(): readonly DataflowTemplate[]
  load(templates: readonly DataflowTemplate[]): void
}

export interface PlaceName {
  readonly tool: ToolId
  /** Empty: several together. */
  readonly argument: string
}

/** Of one argument: more ways than these lead to the same few values. */
const mostWays = 48
const mostConstants = 40
const mostSets = 8
/** Of one tool: who has more takes names of things for names of arguments. Those not given for longest go first. */
export const mostPlaces = 40
/** Some 35 MB: bench/speculate/cost.js. */
const mostInAll = 40_000

interface ToolTemplates {
  /** The one that was given last is the last. */
  readonly places: Map<string, Place>
  readonly sets: Map<string, ArgumentSet>
}

export function createTemplateShelf(): TemplateShelf {
  /** The one that was called last is the last. */
  const tools = new Map<ToolId, ToolTemplates>()
  const classes = createClassRates()
  const changedTools = new Set<ToolId>()
  const removed = new Map<string, DataflowTemplate>()
  let size = 0

  const openTool = (tool: ToolId): ToolTemplates =>
    moveToEnd(tools, tool, () => ({ places: new Map(), sets: new Map() }))
  const openPlace = ({ tool, argument }: PlaceName): Place => {
    const { places } = openTool(tool)
    const place = moveToEnd(places, argument, newPlace)
    changedTools.add(tool)
    if (places.size > mostPlaces) dropPlace({ tool, argument: places.keys().next().value! })
    return place
  }
  const dropRows = (rows: readonly TalliedRow[]): void => {
    for (const { tally, toRow } of rows) if (tally.isStored) removed.set(rowName(toRow()), toRow())
  }
  const dropWay = ({ tool, argument }: PlaceName, counted: CountedWay): void => {
    const place = tools.get(tool)!.places.get(argument)!
    place.habits = undefined
    if (!mapOf(place, counted.way).delete(nameOf(counted.way))) return
    classes.shift(counted.way, -counted.count, -counted.hits)
    size -= 1
    dropRows(wayRows(tool, argument, counted))
  }
  const dropPlace = (at: PlaceName): void => {
    const { places } = tools.get(at.tool)!
    for (const counted of waysOf(places.get(at.argument)!)) dropWay(at, counted)
    places.delete(at.argument)
  }
  const dropTool = (tool: ToolId): void => {
    const { places, sets } = tools.get(tool)!
    for (const argument of [...places.keys()]) dropPlace({ tool, argument })
    dropRows([...sets.values()].map((set) => setRow(tool, set)))
    tools.delete(tool)
  }
  const keepWay = (at: PlaceName, counted: CountedWay): void => {
    const place = openPlace(at)
    place.habits = undefined
    const known = mapOf(place, counted.way)
    known.set(nameOf(counted.way), counted)
    classes.shift(counted.way, counted.count, counted.hits)
    size += 1
    if (known.size > (counted.way.kind === 'constant' ? mostConstants : mostWays))
      dropWay(at, leastRight(known))
  }
  const keepSet = (tool: ToolId, set: ArgumentSet): void => {
    const { sets } = openTool(tool)
    changedTools.add(tool)
    sets.set(setName(set.names), set)
    if (sets.size <= mostSets) return
    const least = [...sets.values()].reduce((a, b) => (b.count < a.count ? b : a))
    sets.delete(setName(least.names))
    dropRows([setRow(tool, least)])
  }
  const trim = (): void => {
    while (size > mostInAll && tools.size > 1) dropTool(tools.keys().next().value!)
  }
  const rowsOf = (tool: ToolId): readonly TalliedRow[] => {
    const { places, sets } = tools.get(tool)!
    return [
      ...[...sets.values()].map((set) => setRow(tool, set)),
      ...[...places].flatMap(([argument, place]) =>
        waysOf(place).flatMap((counted) => wayRows(tool, argument, counted)),
      ),
    ]
  }

  const loadRow = (template: DataflowTemplate, read: ReadRow | undefined): void => {
    if (read === undefined) return
    if (read.kind === 'set') keepSet(template.tool, { names: read.names, ...storedTally(template) })
    else loadWay(read.way, { tool: template.tool, argument: read.argument }, storedTally(template))
  }
  const loadWay = (way: Way, at: PlaceName, tally: Tally): void => {
    const known = mapOf(openPlace(at), way).get(nameOf(way))
    if (known !== undefined) dropWay(at, known)
    keepWay(at, { way, ...tally, after: new Map() })
  }
  const loadAfter = (template: DataflowTemplate, after: ToolId, read: ReadRow | undefined): void => {
    if (read?.kind !== 'way') return
    const place = tools.get(template.tool)?.places.get(read.argument)
    const counted = place && mapOf(place, read.way).get(nameOf(read.way))
    if (counted === undefined || counted.after.size >= mostAfter) return
    counted.after.set(after, storedTally(template))
  }

  return {
    get size() {
      return size
    },
    place: ({ tool, argument }) => tools.get(tool)?.places.get(argument),
    openPlace,
    sets: (tool) => tools.get(tool)?.sets ?? new Map(),
    keepSet,
    keepWay,
    dropWay,
    dropAfter: ({ tool, argument }, counted, after, tally) =>
      dropRows([afterRow(tool, argument, counted, after, tally)]),
    shift: classes.shift,
    classRate: classes.rate,
    trim,
    changes() {
      const changed = [...changedTools]
        .filter((tool) => tools.has(tool))
        .flatMap(rowsOf)
        .filter(({ tally }) => tally.isChanged)
        .map(toStored)
      // What was forgotten and came back is there.
      if (removed.size > 0) for (const row of changed) removed.delete(rowName(row))
      const gone = [...removed.values()]
      changedTools.clear()
      removed.clear()
      return { changed, removed: gone }
    },
    all: () => [...tools.keys()].flatMap((tool) => rowsOf(tool).map(({ toRow }) => toRow())),
    load(templates) {
      tools.clear()
      classes.clear()
      removed.clear()
      size = 0
      // The tool that was called last is to be the last again.
      const byTime = templates.toSorted((a, b) => a.lastAt - b.lastAt)
      const read = createRowReader()
      for (const template of byTime) if (template.after === '') loadRow(template, read(template))
      for (const template of byTime)
        if (template.after !== '') loadAfter(template, template.after, read(template))
      changedTools.clear()
      trim()
    },
  }
}

export function setName(names: readonly string[]): string {
  return names.join('\n')
}

export function waysOf({ ways, constants }: Place): readonly CountedWay[] {
  return [...ways.values(), ...constants.values()]
}

function mapOf({ ways, constants }: Place, way: Way): Map<string, CountedWay> {
  return way.kind === 'constant' ? constants : ways
}

function nameOf(way: Way): string {
  return way.kind === 'constant' ? keyOf(way.value) : formatWay(way)
}

function storedTally({ count, hits, lastAt }: DataflowTemplate): Tally {
  return { count, hits, lastAt, isChanged: false, isStored: true }
}

function toStored({ tally, toRow }: TalliedRow): DataflowTemplate {
  tally.isChanged = false
  tally.isStored = true
  return toRow()
}

function moveToEnd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make()
  map.delete(key)
  map.set(key, known)
  return known
}
