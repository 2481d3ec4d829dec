import { DirectedGraph } from 'graphology'
import dag from 'graphology-dag'

/** Ids that may run at the same time, first to last: topological generations. The edges must hold no circle, and no other ids. */
export function layerTasks(
  ids: readonly string[],
  edges: readonly { readonly from: string; readonly to: string }[],
): readonly (readonly string[])[] {
  const graph = new DirectedGraph()
  for (const id of ids) graph.addNode(id)
  for (const { from, to } of edges) {
    // It would be added, and nobody could run it.
    if (!graph.hasNode(from) || !graph.hasNode(to))
      throw new Error(`No task for the edge from ${from} to ${to}`)
    graph.mergeEdge(from, to)
  }
  return dag.topologicalGenerations(graph)
}
