import type { CapabilityId } from '../model/capability.js'
import type { ToolId } from '../model/tool.js'
import type { NeedsGraph } from './transitive-reliability.js'

export interface Reach {
  /** Its own first, then those of what it needs; each once. */
  readonly tools: ReadonlySet<ToolId>
  /** What it needs, however deep, without itself. */
  readonly capabilities: ReadonlySet<CapabilityId>
  /** Needed, and not there. */
  readonly gone: ReadonlySet<CapabilityId>
}

/** Everything that a capability comes to call, however deep. */
export function reachOf(id: CapabilityId, graph: NeedsGraph): Reach {
  const seen = new Set<CapabilityId>([id])
  const tools = new Set<ToolId>()
  const gone = new Set<CapabilityId>()
  for (const one of seen) {
    const capability = graph.get(one)
    if (capability === undefined) gone.add(one)
    for (const tool of capability?.tools ?? []) tools.add(tool)
    for (const needed of graph.needs(one)) seen.add(needed)
  }
  seen.delete(id)
  for (const one of gone) seen.delete(one)
  return { tools, capabilities: seen, gone }
}
