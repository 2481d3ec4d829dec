import { isDeepStrictEqual } from 'node:util'
import { formatToolId, type SeenChange, type Tool, type ToolDefinition, type ToolId } from '../model/tool.js'
import { flagDefinition, nameKey } from './flag-definition.js'
import { acceptChange, adoptPin, loseTool, seeDefinition } from './pins.js'

/**
 * Every tool we know, of servers that are configured now and of those that were: a pin outlives its server's absence.
 * Reads are cheap: the list is built when something changed and kept until the next change. A tool about which nothing
 * changed stays the very same object: that is how others know what to save or build anew.
 */
export class Catalogue {
  readonly #tools = new Map<ToolId, Tool>()
  /** Servers whose own list has been seen by this process. */
  readonly #seenServers = new Set<string>()
  /** Accepted by a person in this process: newer than anything the store may still hold. */
  readonly #acceptedHere = new Set<ToolId>()
  readonly #tokens = new Map<string, number>()
  #configured: ReadonlySet<string>
  #view: View | undefined

  constructor(known: readonly Tool[], configured: ReadonlySet<string>) {
    this.#configured = configured
    for (const tool of known) this.#tools.set(tool.id, tool)
  }

  tools(): readonly Tool[] {
    return this.#current().list
  }

  tool(id: string): Tool | undefined {
    return this.#current().byId.get(id)
  }

  /** How many tools the server lists. */
  count(server: string): number {
    return this.#current().counts.get(server) ?? 0
  }

  configure(servers: ReadonlySet<string>): void {
    this.#configured = servers
    this.#view = undefined
  }

  /** The whole list of one server, as it stands now. Returns the tools that this put into quarantine. */
  listed(server: string, definitions: readonly ToolDefinition[], now: number): readonly ToolId[] {
    const quarantined: ToolId[] = []
    const named = new Set(definitions.map((definition) => definition.name))
    for (const tool of this.#tools.values()) {
      if (tool.server === server && !named.has(tool.name)) this.#tools.set(tool.id, loseTool(tool))
    }
    for (const definition of definitions) {
      const id = formatToolId(server, definition.name)
      const known = this.#tools.get(id)
      const seen = seeDefinition(known, server, definition, now)
      if (seen.changed !== undefined && seen.changed.hash !== known?.changed?.hash) quarantined.push(id)
      this.#set(seen)
    }
    this.#seenServers.add(server)
    this.#view = undefined
    return quarantined
  }

  adoptPins(stored: readonly Tool[]): void {
    for (const pin of stored) {
      if (this.#acceptedHere.has(pin.id)) continue
      const ours = this.#tools.get(pin.id)
      this.#set(adoptPin(ours, pin, this.#seenServers.has(pin.server)))
    }
    this.#view = undefined
  }

  /** Returns those that had something to accept. */
  accept(seen: readonly SeenChange[]): readonly Tool[] {
    const accepted = seen
      .filter(({ id, hash }) => this.#tools.get(id)?.changed?.hash === hash)
      .map(({ id }) => id)
    for (const id of accepted) {
      this.#acceptedHere.add(id)
      this.#set(acceptChange(this.#tools.get(id)!))
    }
    this.#view = undefined
    return accepted.map((id) => this.tool(id) ?? this.#tools.get(id)!)
  }

  setTokens(counts: ReadonlyMap<string, number>): void {
    for (const [hash, tokens] of counts) this.#tokens.set(hash, tokens)
    for (const tool of this.#tools.values()) this.#set(tool)
    this.#view = undefined
  }

  #set(tool: Tool): void {
    const tokens = this.#tokens.get(tool.hash)
    const next = tokens === undefined ? tool : { ...tool, tokens }
    const before = this.#tools.get(tool.id)
    // Flags are the view's: they depend on the other tools.
    if (before === undefined || !isDeepStrictEqual(before, { ...next, flags: before.flags })) {
      this.#tools.set(tool.id, next)
    }
  }

  #current(): View {
    if (this.#view === undefined) {
      this.#view = buildView([...this.#tools.values()].filter(({ server }) => this.#configured.has(server)))
      for (const tool of this.#view.list) this.#tools.set(tool.id, tool)
    }
    return this.#view
  }
}

interface View {
  readonly list: readonly Tool[]
  readonly byId: ReadonlyMap<string, Tool>
  readonly counts: ReadonlyMap<string, number>
}

function buildView(tools: readonly Tool[]): View {
  const owners = new Map<string, Set<string>>()
  const counts = new Map<string, number>()
  for (const tool of tools) {
    if (!tool.listed) continue
    counts.set(tool.server, (counts.get(tool.server) ?? 0) + 1)
    const key = nameKey(tool.name)
    owners.set(key, (owners.get(key) ?? new Set()).add(tool.server))
  }
  const list = tools
    .map((tool) => {
      const sharers = owners.get(nameKey(tool.name)) ?? []
      const others = [...sharers].filter((server) => server !== tool.server).sort()
      const flags = flagsOf(tool, others)
      return isDeepStrictEqual(flags, tool.flags) ? tool : { ...tool, flags }
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  return { list, counts, byId: new Map(list.map((tool) => [tool.id, tool])) }
}

function flagsOf(tool: Tool, others: readonly string[]): readonly string[] {
  const own = cachedFlags(tool.definition)
  const changed = tool.changed === undefined ? [] : cachedFlags(tool.changed.definition)
  const shadows = others.length === 0 ? [] : [`same name as a tool of ${others.join(', ')}`]
  return [...new Set([...own, ...changed, ...shadows])]
}

const flagCache = new WeakMap<ToolDefinition, readonly string[]>()

function cachedFlags(definition: ToolDefinition): readonly string[] {
  let flags = flagCache.get(definition)
  if (flags === undefined) {
    flags = flagDefinition(definition)
    flagCache.set(definition, flags)
  }
  return flags
}
