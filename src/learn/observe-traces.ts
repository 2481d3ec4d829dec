import { type EdgeType, edgeKeyText, type Observation } from '../model/edge.js'
import type { ToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import { layersOf } from './layers-of.js'

/**
 * What the traces of one run say about edges:
 *
 *     dependency   the plan declared that one call waits for another
 *     provides     a value of one result reappeared in another call's arguments
 *     contains     a call was made by another call (not: by the run itself)
 *     sequence     calls of consecutive layers among the children of one parent (layers-of.ts); of calls that a client made by
 *                  itself, one after the other
 *
 * One observation per edge, however many pairs of calls stand for it, and a success where every later call succeeded: a run
 * that reads a hundred files has shown once that reading follows listing. No tool is paired with itself. A call that
 * was aborted was cut off by somebody else and says nothing as the later one.
 *
 * A pure function of the traces, so that replay gives what the run gave; traces that were learned from say also which edges
 * became sure then.
 */
export function observeTraces(traces: readonly Trace[]): readonly Observation[] {
  const calls = traces.filter(isCall)
  const byId = new Map(calls.map((call) => [call.id, call]))
  const at = traces.reduce((latest, { endedAt }) => Math.max(latest, endedAt), 0)
  const seen = new Map<string, Observation>()

  const promoted = traces.find((trace) => trace.promoted !== undefined)?.promoted?.map(edgeKeyText)
  const promotes = promoted && new Set(promoted)

  const add = (from: Pick<Call, 'tool'>, to: Call, type: EdgeType): void => {
    if (from.tool === to.tool || to.errorCode === aborted) return
    const key = edgeKeyText({ from: from.tool, to: to.tool, type })
    const known = seen.get(key)
    if (known === undefined && seen.size >= mostObservations) return
    seen.set(key, {
      ...{ from: from.tool, to: to.tool, type, at },
      success: to.success && (known?.success ?? true),
      ...(promotes && { promotes: promotes.has(key) }),
    })
  }
  const addFromId = (id: string, to: Call, type: EdgeType): void => {
    const from = byId.get(id) ?? to.follows?.find((earlier) => earlier.id === id)
    if (from !== undefined) add(from, to, type)
  }

  for (const call of calls) {
    for (const id of call.dependsOn) addFromId(id, call, 'dependency')
    for (const { from } of call.links) addFromId(from, call, 'provides')
    if (call.parentId !== undefined) addFromId(call.parentId, call, 'contains')
    const before = call.follows?.find(({ isJustBefore }) => isJustBefore)
    if (before !== undefined) add(before, call, 'sequence')
  }
  for (const siblings of groupBy(calls, ({ parentId }) => parentId).values()) {
    const layers = layersOf(siblings).map(oneOfEachTool)
    for (const [next, layer] of layers.slice(1).entries())
      for (const from of layers[next]!) for (const to of layer) add(from, to, 'sequence')
  }
  return [...seen.values()]
}

/** The code of a task that the run's end cut off. */
const aborted = 'ABORTED'

type Call = Trace & { readonly tool: ToolId }

/** Two layers of 32 tools are a thousand pairs already, and which of them follows which is not known. */
const mostToolsPerLayer = 32
/** A run with more is a batch of unrelated things; what was declared and what data flowed are taken first. */
const mostObservations = 5_000

function isCall(trace: Trace): trace is Call {
  return trace.tool !== undefined
}

function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

/** Pairs of tools count, not pairs of calls: each tool once, by a call that failed where there is one. */
function oneOfEachTool(layer: readonly Call[]): readonly Call[] {
  const tools = [...groupBy(layer, ({ tool }) => tool).values()].slice(0, mostToolsPerLayer)
  return tools.map((calls) => {
    const telling = calls.filter(({ errorCode }) => errorCode !== aborted)
    return telling.find(({ success }) => !success) ?? telling[0] ?? calls[0]!
  })
}
