/**
 * What capabilities gave that only read, for a moment: the same call of the same session again is answered at once. Whatever may have
 * changed something at a server drops what was read there, before it is begun and when it has ended.
 */
import { createResultCache } from '../capabilities/create-result-cache.js'
import type { Programs } from '../execute/programs.js'
import { type CapabilityId, isCapabilityId } from '../model/capability.js'
import { serverOf } from '../model/server-of.js'
import type { ToolId } from '../model/tool.js'
import type { CallTool } from '../model/tool-call.js'

export interface KeepResultsOptions {
  readonly callTool: CallTool
  /** Whether calls of this tool change nothing, for certain. */
  isSafe(tool: ToolId): boolean
  reach(id: CapabilityId): { readonly tools: ReadonlySet<ToolId>; readonly isWhole: boolean }
  /** Another number after every change of what may be called, and how. */
  revision(): number
  now(): number
}

export interface KeptResults extends Pick<Programs, 'kept' | 'mark' | 'keep'> {
  /** In the place of the servers'. */
  readonly callTool: CallTool
  /** Something at this server is another. */
  moved(server: string): void
}

const mostKept = 500

export function keepResults({ callTool, isSafe, reach, revision, now }: KeepResultsOptions): KeptResults {
  const cache = createResultCache({ now, most: mostKept })
  /** How many changes there were so far, and the last one at each server. */
  let changes = 0
  const lastChange = new Map<string, number>()
  const moved = (server: string): void => {
    changes += 1
    lastChange.set(server, changes)
    cache.drop(server)
  }
  const mayChange = async (call: Parameters<CallTool>[0]): ReturnType<CallTool> => {
    const server = serverOf(call.tool)
    moved(server)
    try {
      return await callTool(call)
    } finally {
      moved(server)
    }
  }
  return {
    callTool: (call) => (isSafe(call.tool) ? callTool(call) : mayChange(call)),
    moved,
    mark: () => changes,
    kept({ tool, arguments: args, session }) {
      if (!isCapabilityId(tool)) return undefined
      const found = cache.get(tool, { session, args, revision: revision() })
      return found && { value: found.value, at: found.keptAt }
    },
    keep({ tool, arguments: args, session }, value, mark) {
      if (!isCapabilityId(tool)) return
      const { tools, isWhole } = reach(tool)
      if (!isWhole || ![...tools].every(isSafe)) return
      const servers = new Set([...tools].map(serverOf))
      if ([...servers].some((server) => (lastChange.get(server) ?? 0) > mark)) return
      cache.keep(tool, { session, args, revision: revision() }, { value, servers })
    },
  }
}
