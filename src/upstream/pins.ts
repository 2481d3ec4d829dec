/**
 * Pins: a tool is approved as it was first seen. What a server sends later under the same name is either the same, by
 * its hash, or it waits in `changed` until a person accepts it. Pure functions over the tool as data.
 */
import { formatToolId, hashDefinition, type Tool, type ToolDefinition } from '../model/tool.js'

/** The server lists this definition now. */
export function seeDefinition(
  known: Tool | undefined,
  server: string,
  definition: ToolDefinition,
  now: number,
): Tool {
  const hash = hashDefinition(definition)
  if (known === undefined) {
    const { name } = definition
    return { id: formatToolId(server, name), server, name, definition, hash, listed: true, flags: [] }
  }
  const { changed, ...approved } = known
  // Fields outside the hash may be newer; what was approved stays the same.
  if (hash === known.hash) return { ...approved, definition, listed: true }
  const seenAt = changed?.hash === hash ? changed.seenAt : now
  return { ...approved, listed: true, changed: { definition, hash, seenAt } }
}

/** The server does not list it any more; its pin stays, so that it cannot come back as something else unseen. */
export function loseTool(tool: Tool): Tool {
  return tool.listed ? { ...tool, listed: false } : tool
}

/**
 * The store's pin against what this process knows: the stored approval wins over a first sight of ours. `seen` says that
 * ours comes from the living server, and not from the same past as the store's.
 */
export function adoptPin(ours: Tool | undefined, stored: Tool, seen: boolean): Tool {
  if (ours === undefined) return seen ? loseTool(stored) : stored
  if (!seen) return { ...stored, ...withTokens(stored.tokens ?? tokensOf(ours, stored.hash)) }
  const latest = ours.changed ?? { definition: ours.definition, hash: ours.hash, seenAt: Date.now() }
  const { changed: _, ...approved } = stored
  const tokens = withTokens(stored.tokens ?? tokensOf(ours, stored.hash))
  if (latest.hash === stored.hash) {
    return { ...approved, ...tokens, definition: latest.definition, listed: ours.listed }
  }
  return { ...approved, ...tokens, listed: ours.listed, changed: latest }
}

/** A person accepted what the server sends now. */
export function acceptChange(tool: Tool): Tool {
  if (tool.changed === undefined) return tool
  const { changed, tokens: _, ...rest } = tool
  return { ...rest, definition: changed.definition, hash: changed.hash }
}

function tokensOf(tool: Tool, hash: string): number | undefined {
  return tool.hash === hash ? tool.tokens : undefined
}

function withTokens(tokens: number | undefined): { readonly tokens?: number } {
  return tokens === undefined ? {} : { tokens }
}
