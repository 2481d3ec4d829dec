import type { CapabilityId } from '../model/capability.js'
import type { ToolId } from '../model/tool.js'
import type { ToolSuccess } from './capability-shelf.js'
import { reachOf } from './reach-of.js'
import { successRate } from './reliability-of.js'
import { fewestObservations, type NeedsGraph } from './transitive-reliability.js'

/** How likely the tools of a capability, those of what it calls included, all succeed called one by one. Undefined: of one too little is known. */
export function toolsSuccess(
  id: CapabilityId,
  {
    graph,
    toolSuccess,
  }: { readonly graph: NeedsGraph; readonly toolSuccess: (tool: ToolId) => ToolSuccess | undefined },
): number | undefined {
  let product = 1
  for (const tool of reachOf(id, graph).tools) {
    const known = toolSuccess(tool)
    if (known === undefined || known.count < fewestObservations) return undefined
    product *= successRate(known.successes, known.count)
  }
  return product
}
