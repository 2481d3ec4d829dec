import type { Trace } from '../model/trace.js'

/**
 * The children of one parent, in layers that follow one another: topological generations of what was declared, where
 * anything was; else by time: a call that starts after all of the layer before it have ended opens the next layer, so
 * calls that overlap stand in one.
 *
 * Generations: A. B. Kahn, Topological sorting of large networks, Communications of the ACM 5(11), 1962.
 */
export function layersOf<T extends Trace>(siblings: readonly T[]): readonly (readonly T[])[] {
  const ids = new Set(siblings.map(({ id }) => id))
  const isDeclared = siblings.some(({ dependsOn }) => dependsOn.some((id) => ids.has(id)))
  return isDeclared ? generations(siblings, ids) : timeLayers(siblings)
}

function generations<T extends Trace>(
  siblings: readonly T[],
  ids: ReadonlySet<string>,
): readonly (readonly T[])[] {
  const waitingFor = new Map(
    siblings.map((call) => [call.id, new Set(call.dependsOn.filter((id) => ids.has(id)))]),
  )
  const dependents = new Map<string, T[]>()
  for (const call of siblings)
    for (const id of waitingFor.get(call.id)!) {
      if (!dependents.has(id)) dependents.set(id, [])
      dependents.get(id)!.push(call)
    }
  const layers: T[][] = []
  let layer = siblings.filter(({ id }) => waitingFor.get(id)!.size === 0)
  while (layer.length > 0) {
    layers.push(layer)
    layer = layer.flatMap(({ id }) =>
      (dependents.get(id) ?? []).filter((next) => {
        const waiting = waitingFor.get(next.id)!
        return waiting.delete(id) && waiting.size === 0
      }),
    )
  }
  return layers
}

function timeLayers<T extends Trace>(siblings: readonly T[]): readonly (readonly T[])[] {
  const layers: T[][] = []
  let layer: T[] = []
  let start = Number.NaN
  let end = Number.NaN
  for (const call of siblings.toSorted((a, b) => a.startedAt - b.startedAt)) {
    // Within one millisecond nothing can be told apart, and calls started together often take less.
    if (call.startedAt < end || call.startedAt === start) {
      layer.push(call)
      end = Math.max(end, call.endedAt)
    } else {
      layer = [call]
      layers.push(layer)
      start = call.startedAt
      end = call.endedAt
    }
  }
  return layers
}
