/**
 * Random walk with restart: the heat of nodes around some seeds. A walker follows edges by their weights and goes back to a seed,
 * any of them, with probability .15 at each step; heat is how often it is where, divided by the largest.
 *
 * Power iteration over typed arrays, on the part of the graph that can be reached from the seeds, until all changes
 * together are below 1e-4: the rest would not move a threshold.
 *
 * Reference: H. Tong, C. Faloutsos, J.-Y. Pan. Fast random walk with restart and its applications. ICDM 2006. Restart .15 is
 * the damping .85 of Page and Brin.
 */
import type { NodeId } from '../model/edge.js'
import type { Neighbour } from './knowledge-graph.js'

export interface RandomWalkOptions {
  readonly seeds: readonly NodeId[]
  /** Where a walker can go from here; weights need not add up to 1. */
  neighbours(node: NodeId): readonly Neighbour[]
}

export function randomWalk({ seeds, neighbours }: RandomWalkOptions): ReadonlyMap<NodeId, number> {
  const nodes = [...new Set(seeds)]
  const seedCount = nodes.length
  if (seedCount === 0) return new Map()
  const { starts, targets, shares } = reach(nodes, neighbours)

  let heat = new Float64Array(nodes.length).fill(1 / seedCount, 0, seedCount)
  let next = new Float64Array(nodes.length)
  for (let change = 1; change >= tolerance; [heat, next] = [next, heat]) {
    next.fill(0)
    let moved = 0
    for (let node = 0; node < nodes.length; node++)
      for (let i = starts[node]!; i < starts[node + 1]!; i++) {
        const step = (1 - restart) * heat[node]! * shares[i]!
        next[targets[i]!]! += step
        moved += step
      }
    // Who restarts, and who stands where no edge leads on, is at a seed again.
    for (let seed = 0; seed < seedCount; seed++) next[seed]! += (1 - moved) / seedCount
    change = next.reduce((sum, value, node) => sum + Math.abs(value - heat[node]!), 0)
  }
  const largest = heat.reduce((a, b) => Math.max(a, b), 0)
  return new Map(nodes.map((node, i) => [node, heat[i]! / largest]))
}

const restart = 0.15
const tolerance = 1e-4

/** Numbers what can be reached, seeds first, and lays its edges out in rows; `nodes` grows while it is walked. */
function reach(
  nodes: NodeId[],
  neighbours: RandomWalkOptions['neighbours'],
): {
  readonly starts: readonly number[]
  readonly targets: readonly number[]
  readonly shares: readonly number[]
} {
  const numbers = new Map(nodes.map((node, i) => [node, i]))
  const starts = [0]
  const targets: number[] = []
  const shares: number[] = []
  for (const node of nodes) {
    const around = neighbours(node)
    const total = around.reduce((sum, { weight }) => sum + weight, 0)
    for (const { node: other, weight } of around) {
      if (weight <= 0) continue
      let number = numbers.get(other)
      if (number === undefined) {
        number = nodes.push(other) - 1
        numbers.set(other, number)
      }
      targets.push(number)
      shares.push(weight / total)
    }
    starts.push(targets.length)
  }
  return { starts, targets, shares }
}
