/**
 * How far meaning is trusted over structure at a node while nobody asks for anything (see local-alpha.ts): the confidence is the heat
 * that reaches it from what was used just now, by a random walk with restart.
 *
 * Tools have heat from their neighbours. Capabilities lie in layers above them, tool / capability / meta-capability, and heat goes along
 * `dependency` and `contains` edges there: within a layer at .9 of the edge's weight, up at .7, down at .5, so that what was just
 * used warms what it is a part of more than that warms its other parts.
 */
import type { NodeId } from '../model/edge.js'
import type { KnowledgeGraph, Neighbour } from './knowledge-graph.js'
import { localAlpha } from './local-alpha.js'
import { randomWalk } from './random-walk.js'

export function passiveAlpha(
  node: NodeId,
  context: readonly NodeId[],
  graph: Pick<KnowledgeGraph, 'neighbours' | 'observations'>,
): number {
  const heat = randomWalk({ seeds: context, neighbours: graph.neighbours })
  return localAlpha(heat.get(node) ?? 0, graph.observations(node))
}

export type LayeredGraph = Pick<KnowledgeGraph, 'outgoing' | 'incoming' | 'observations'>

export function passiveCapabilityAlpha(
  node: NodeId,
  context: readonly NodeId[],
  graph: LayeredGraph,
): number {
  const levels = new Map<NodeId, number>()
  const heat = randomWalk({
    seeds: context,
    neighbours: (from) => layeredNeighbours(from, graph, (other) => levelOf(other, graph, levels)),
  })
  return localAlpha(heat.get(node) ?? 0, graph.observations(node))
}

const sameLevel = 0.9
const up = 0.7
const down = 0.5

function layeredNeighbours(
  node: NodeId,
  graph: LayeredGraph,
  levelOf: (node: NodeId) => number,
): readonly Neighbour[] {
  const strongest = new Map<NodeId, number>()
  const here = levelOf(node)
  for (const { edge, weight } of [...graph.outgoing(node), ...graph.incoming(node)]) {
    if (edge.type !== 'dependency' && edge.type !== 'contains') continue
    const other = edge.from === node ? edge.to : edge.from
    const there = levelOf(other)
    const factor = there === here ? sameLevel : there > here ? up : down
    strongest.set(other, Math.max(strongest.get(other) ?? 0, factor * weight))
  }
  return Array.from(strongest, ([other, weight]) => ({ node: other, weight }))
}

/** 0 a tool, 1 a capability, 2 one that contains capabilities. */
function levelOf(node: NodeId, graph: LayeredGraph, known: Map<NodeId, number>): number {
  const before = known.get(node)
  if (before !== undefined) return before
  const holdsCapabilities = graph
    .outgoing(node)
    .some(({ edge }) => edge.type === 'contains' && isCapability(edge.to))
  const level = !isCapability(node) ? 0 : holdsCapabilities ? 2 : 1
  known.set(node, level)
  return level
}

/** `cap` is no server's name. */
function isCapability(node: NodeId): boolean {
  return node.startsWith('cap:')
}
