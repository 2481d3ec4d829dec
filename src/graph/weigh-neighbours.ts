import { compareText } from '../model/compare-text.js'
import type { Edge } from '../model/edge.js'
import type { AdjacencyNode, AdjacencyPair } from './create-adjacency.js'
import { edgeWeight } from './edge-weight.js'
import type { Neighbour, WeightedEdge } from './knowledge-graph.js'

/** Everyone this node has an edge with, in either direction, by the strongest of them. Ties go by name: no order is chance. */
export function weighNeighbours(node: AdjacencyNode, at: number): readonly Neighbour[] {
  const found: Neighbour[] = []
  for (const pair of node.out.values()) found.push({ node: pair.to.id, weight: bothWays(pair, at) })
  for (const pair of node.in)
    if (pair.back === undefined) found.push({ node: pair.from.id, weight: bothWays(pair, at) })
  return found.sort((a, b) => b.weight - a.weight || compareText(a.node, b.node))
}

/** Every edge of these pairs, strongest first. */
export function weighEdges(pairs: Iterable<AdjacencyPair>, at: number): readonly WeightedEdge[] {
  const found: WeightedEdge[] = []
  for (const { edges } of pairs) for (const edge of edges) found.push({ edge, weight: edgeWeight(edge, at) })
  return found.sort((a, b) => b.weight - a.weight || compareKeys(a.edge, b.edge))
}

/**
 * The neighbours of a node, or about as many of them as asked for where it has more: drawn by name, so that the same ones
 * are drawn in whatever order they came. In no particular order of weight.
 */
export function drawNeighbours(node: AdjacencyNode, most: number, at: number): readonly Neighbour[] {
  const share = most / node.degree
  const found: Neighbour[] = []
  for (const pair of node.out.values())
    if (pair.to.lot < share) found.push({ node: pair.to.id, weight: bothWays(pair, at) })
  for (const pair of node.in)
    if (pair.back === undefined && pair.from.lot < share)
      found.push({ node: pair.from.id, weight: bothWays(pair, at) })
  // Sums differ in their last digit by order, too.
  return found.sort((a, b) => compareText(a.node, b.node))
}

export function strongestWeight(edges: readonly Edge[], at: number): number {
  let weight = 0
  for (const edge of edges) weight = Math.max(weight, edgeWeight(edge, at))
  return weight
}

function bothWays({ edges, back }: AdjacencyPair, at: number): number {
  const weight = strongestWeight(edges, at)
  return back === undefined ? weight : Math.max(weight, strongestWeight(back.edges, at))
}

function compareKeys(a: Edge, b: Edge): number {
  return compareText(a.from, b.from) || compareText(a.to, b.to) || compareText(a.type, b.type)
}
