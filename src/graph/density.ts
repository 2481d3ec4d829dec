/** Share of the possible ordered pairs of nodes that have an edge; a graph of fewer than two nodes has no pairs. */
export function density(nodes: number, pairs: number): number {
  return nodes < 2 ? 0 : pairs / (nodes * (nodes - 1))
}
