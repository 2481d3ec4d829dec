import type { CapabilityShelf } from '../capabilities/capability-shelf.js'
import type { CapabilityGraph } from '../graph/create-cluster-analysis.js'
import { typeWeight } from '../graph/edge-weight.js'
import type { CapabilityDependency } from '../model/capability.js'

/** The capabilities as clustering sees them: with their tools, and with one another as far as that is sure. */
export function capabilityGraph(shelf: Pick<CapabilityShelf, 'all' | 'dependencies'>): CapabilityGraph {
  const capabilities = shelf.all()
  const links = shelf
    .dependencies()
    .map((edge) => ({ from: edge.from, to: edge.to, weight: weightOf(edge), type: edge.type }))
  return {
    nodes: [...new Set([...capabilities.map(({ id }) => id), ...capabilities.flatMap(({ tools }) => tools)])],
    memberships: capabilities.flatMap(({ id, tools }) => tools.map((tool) => ({ capability: id, tool }))),
    links: links.map(({ from, to, weight }) => ({ from, to, weight })),
    edges: links
      .filter(({ type }) => type === 'dependency' || type === 'contains')
      .map(({ from, to, weight }) => ({ from, to, weight })),
  }
}

function weightOf({ type, count, successes }: CapabilityDependency): number {
  return typeWeight[type] * ((successes + 1) / (count + 2))
}
