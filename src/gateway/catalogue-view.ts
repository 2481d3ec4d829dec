/**
 * What the gateway derives from the catalogue: wire names, the index of names, the exposure decision and the listing.
 * All of it belongs to one revision of the catalogue and is rebuilt when the tools, not merely the servers' states, have
 * changed; so between two revisions the listing is one and the same array for every connection.
 */
import { isCapabilityId } from '../model/capability.js'
import type { PmlConfig } from '../model/config.js'
import type { Log } from '../model/log.js'
import type { ServerState } from '../model/server.js'
import type { Tool, ToolDefinition, ToolId } from '../model/tool.js'
import { withinMs } from '../model/within-ms.js'
import { createNameIndex, type NameIndex } from '../plan/find/create-name-index.js'
import { chooseExposure, type Exposure } from './exposure.js'
import { buildListing, sameListing } from './listing.js'
import { metaToolNames, metaToolTokens } from './tools/definitions.js'
import { assignWireNames, type WireNames } from './wire-names.js'

export interface Catalogue {
  servers(): readonly ServerState[]
  tools(): readonly Tool[]
  onChange(listener: () => void): () => void
  settled(options: { timeoutMs: number; onlyUnknown?: boolean; server?: string }): Promise<void>
}

export interface View {
  readonly tools: readonly Tool[]
  readonly wireNames: WireNames
  /** Tools their servers list now, quarantined ones included. */
  readonly names: NameIndex
  readonly exposure: Exposure
  readonly listing: readonly ToolDefinition[]
  /** Estimated where counts are still missing. */
  readonly listingTokens: number
}

export interface CatalogueView {
  current(): View
  /** The listing, for a client: from now on it is told of changes. */
  giveListing(): View['listing']
  servers(): readonly ServerState[]
  /** On a first run: waits, once and within bounds, for servers that have never been seen. */
  firstSettled(atMostMs?: number): Promise<void>
  /** Waits within bounds for the server that a name names, where it is still coming up. */
  serverSettled(name: string): Promise<void>
  /** Counts a use of a tool; `hybrid` takes it up with the next revision, so that a listing never changes by being used. */
  countUse(id: ToolId): void
  close(): void
}

export interface CatalogueViewOptions {
  config(): PmlConfig
  readonly catalogue: Catalogue
  countTokens(tools: readonly Tool[]): void
  /** The listing differs from the one before. */
  onListingChange(): void
  readonly log: Log
}

/** Counting takes a second or two; a count that is missing after this long has failed and is asked for again. */
const countedWithinMs = 60_000

export function createCatalogueView(options: CatalogueViewOptions): CatalogueView {
  const { config, catalogue } = options
  const usage = new Map<ToolId, number>()
  /** Hashes whose counts are on their way. */
  const asked = new Set<string>()
  const askingAgain = new Set<NodeJS.Timeout>()
  let view: View | undefined
  let builtFor: PmlConfig | undefined
  /** The catalogue's list as it was last looked at. It is another one as soon as anything changed, before changes are told. */
  let seen: readonly Tool[] | undefined
  /** The listing that clients have, or have been told to fetch. */
  let told: View['listing'] | undefined
  let announcing: NodeJS.Immediate | undefined
  let settling: Promise<void> | undefined

  const askForCounts = (tools: readonly Tool[]): void => {
    const uncounted = tools.filter(
      (tool) => tool.tokens === undefined && !asked.has(tool.hash) && !isCapabilityId(tool.id),
    )
    if (uncounted.length === 0) return
    for (const tool of uncounted) asked.add(tool.hash)
    options.countTokens(uncounted)
    const askAgain = setTimeout(() => {
      askingAgain.delete(askAgain)
      for (const tool of uncounted) asked.delete(tool.hash)
      askForCounts(catalogue.tools())
    }, countedWithinMs).unref()
    askingAgain.add(askAgain)
  }

  const current = (): View => {
    const now = config()
    const tools = catalogue.tools()
    if (view !== undefined && tools === seen && builtFor === now) return view
    seen = tools
    if (view !== undefined && builtFor === now && sameTools(tools, view.tools)) return view
    builtFor = now
    view = buildView(tools, now, usage, view?.listing)
    askForCounts(tools)
    return view
  }

  const announce = (): void => {
    announcing = undefined
    // A first list that still waits for servers will hold what they bring.
    if (told === undefined && settling !== undefined) return
    const before = told
    try {
      told = current().listing
      if (before !== undefined && told !== before) options.onListingChange()
    } catch (error) {
      // Nobody waits here who could be told, and the next list says it again.
      options.log.error('the changed catalogue could not be taken up', { error })
    }
  }
  const unsubscribe = catalogue.onChange(() => {
    announcing ??= setImmediate(announce)
  })

  return {
    current,
    giveListing() {
      const { listing } = current()
      told ??= listing
      return listing
    },
    servers: () => catalogue.servers(),
    firstSettled(atMostMs) {
      settling ??= catalogue
        .settled({ timeoutMs: config().firstListWaitMs, onlyUnknown: true })
        .catch((error: unknown) => options.log.warn('the servers were not waited for', { error }))
      return atMostMs === undefined ? settling : withinMs(settling, atMostMs, undefined)
    },
    async serverSettled(name) {
      const isNamed = ({ name: server, status }: ServerState): boolean =>
        (status === 'waiting' || status === 'connecting') &&
        (name.startsWith(`${server}:`) || name.startsWith(`${server}__`))
      const named = catalogue.servers().filter(isNamed)
      if (named.length === 0) return
      const timeoutMs = config().firstListWaitMs
      await Promise.all(named.map(({ name: server }) => catalogue.settled({ timeoutMs, server })))
    },
    countUse(id) {
      usage.set(id, (usage.get(id) ?? 0) + 1)
    },
    close() {
      unsubscribe()
      clearImmediate(announcing)
      for (const timer of askingAgain) clearTimeout(timer)
    },
  }
}

function buildView(
  tools: readonly Tool[],
  config: PmlConfig,
  usage: ReadonlyMap<ToolId, number>,
  before: View['listing'] | undefined,
): View {
  const wireNames = assignWireNames(tools, config.prefix, metaToolNames)
  const listed = tools.filter((tool) => tool.listed)
  const names = lazy(() => createNameIndex(listed, wireNames.byName))
  const pinned = config.exposure === 'hybrid' ? config.hybrid.pinned : []
  const exposure = chooseExposure({
    mode: config.exposure,
    tools,
    contextWindow: config.contextWindow,
    hybridBudget: config.hybrid.tokenBudget,
    pinned: new Set(pinned.flatMap((name) => names().resolve(name)?.id ?? [])),
    usage,
  })
  const listing = buildListing(exposure, wireNames.byId)
  return {
    tools,
    wireNames,
    get names() {
      return names()
    },
    exposure,
    // An equal listing stays the same array: that is how a change is noticed.
    listing: before !== undefined && sameListing(before, listing) ? before : listing,
    listingTokens: exposure.tokens + (exposure.withMetaTools ? metaToolTokens : 0),
  }
}

function sameTools(a: readonly Tool[], b: readonly Tool[]): boolean {
  return a.length === b.length && a.every((tool, i) => tool === b[i] || sameTool(tool, b[i]!))
}

function sameTool(a: Tool, b: Tool): boolean {
  return (
    a.id === b.id &&
    a.hash === b.hash &&
    a.listed === b.listed &&
    a.tokens === b.tokens &&
    a.changed?.hash === b.changed?.hash &&
    a.definition === b.definition
  )
}

function lazy<Value>(make: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= make()
    return value
  }
}
