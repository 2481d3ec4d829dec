import { type CapabilityId, isCapabilityId } from '../model/capability.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { Catalogue } from './catalogue-view.js'

export interface WholeCatalogue extends Catalogue {
  tool(id: ToolId): Tool | undefined
  /** Other capabilities are there, or one is another. */
  capabilitiesChanged(): void
}

/** The tools of the servers, and behind them the capabilities, as tools of a server that is nobody's. */
export function withCapabilities(
  servers: Catalogue & { tool(id: ToolId): Tool | undefined },
  capabilities: () => readonly Tool[],
  /** Also one that is not offered any more. */
  capability: (id: CapabilityId) => Tool | undefined,
): WholeCatalogue {
  let of: { readonly tools: readonly Tool[]; readonly capabilities: readonly Tool[] } | undefined
  let all: readonly Tool[] = []
  const listeners = new Set<() => void>()
  let told = capabilities()

  return {
    servers: () => servers.servers(),
    /** The same array until something has changed: that is how a change is noticed. */
    tools() {
      const now = { tools: servers.tools(), capabilities: capabilities() }
      if (of?.tools === now.tools && of.capabilities === now.capabilities) return all
      of = now
      all = now.capabilities.length === 0 ? now.tools : [...now.tools, ...now.capabilities]
      return all
    },
    tool: (id) => (isCapabilityId(id) ? capability(id) : servers.tool(id)),
    onChange(listener) {
      const stop = servers.onChange(listener)
      listeners.add(listener)
      return () => {
        stop()
        listeners.delete(listener)
      }
    },
    settled: (options) => servers.settled(options),
    capabilitiesChanged() {
      if (capabilities() === told) return
      told = capabilities()
      for (const listener of listeners) listener()
    },
  }
}
