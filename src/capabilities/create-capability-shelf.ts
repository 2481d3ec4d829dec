import type { Capability, CapabilityDependency, CapabilityId } from '../model/capability.js'
import { compareText } from '../model/compare-text.js'
import { parseToolId, type Tool, type ToolId } from '../model/tool.js'
import { wireName } from '../model/wire-name.js'
import type { CapabilityShelf, CapabilityShelfOptions } from './capability-shelf.js'
import { createDependencyBook, isNeed } from './create-dependency-book.js'
import { createIdIndex } from './create-id-index.js'
import { type Benefit, judgeBenefit } from './judge-benefit.js'
import { mergedCapability } from './merged-capability.js'
import { slugInId, slugOf } from './slug-of.js'
import { toolOfCapability } from './tool-of-capability.js'
import { toolsSuccess } from './tools-success.js'
import { type KnownReliability, transitiveReliability } from './transitive-reliability.js'
import { usedCapability } from './used-capability.js'

export function createCapabilityShelf({ now, toolSuccess }: CapabilityShelfOptions): CapabilityShelf {
  const capabilities = new Map<CapabilityId, Capability>()
  const book = createDependencyBook()
  const structures = createIdIndex<string>()
  const names = createIdIndex<string>()
  const otherNames = createIdIndex<string>()
  const slugs = createIdIndex<string>()
  const users = createIdIndex<ToolId>()
  const callers = createIdIndex<CapabilityId>()
  let revision = 0

  // What is worked out from all that, and kept until it may be another.
  let inOrder: readonly Capability[] | undefined
  let allNames: ReadonlySet<string> | undefined
  const needed = new Map<CapabilityId, readonly CapabilityId[]>()
  const needing = new Map<CapabilityId, readonly CapabilityId[]>()
  const reliabilities = new Map<CapabilityId, KnownReliability>()
  const benefits = new Map<CapabilityId, Benefit>()
  const listing = new Map<CapabilityId, { readonly of: Capability; readonly tool: Tool }>()
  let listed: readonly Tool[] = []
  let isListedStale = false
  let nextShownAt = Number.POSITIVE_INFINITY

  const index = (capability: Capability, change: 'add' | 'delete'): void => {
    const { id, name, structure, tools, calls } = capability
    structures[change](structure, id)
    names[change](name, id)
    for (const other of [wireName(id, 'server'), parseToolId(id)!.tool]) otherNames[change](other, id)
    for (const slug of new Set([slugOf(name), slugInId(id)])) slugs[change](slug, id)
    for (const tool of tools) users[change](tool, id)
    for (const call of calls) {
      callers[change](call, id)
      needing.delete(call)
    }
  }
  const neededBy = (id: CapabilityId): readonly CapabilityId[] => {
    const kept = needing.get(id)
    if (kept !== undefined) return kept
    const above = new Set(callers.get(id))
    for (const edge of book.of(id)) if (isNeed(edge) && edge.to === id) above.add(edge.from)
    above.delete(id)
    const sorted = [...above].sort(compareText)
    needing.set(id, sorted)
    return sorted
  }
  const needs = (id: CapabilityId): readonly CapabilityId[] => {
    const kept = needed.get(id)
    if (kept !== undefined) return kept
    const below = new Set(capabilities.get(id)?.calls)
    for (const edge of book.of(id)) if (isNeed(edge) && edge.from === id) below.add(edge.to)
    below.delete(id)
    const sorted = [...below].sort(compareText)
    needed.set(id, sorted)
    return sorted
  }
  const graph = { get: (id: CapabilityId) => capabilities.get(id), needs }
  /** Whoever has no reliability worked out has nobody above it that has, but for the first: it may just have come. */
  const forgetReliability = (id: CapabilityId): void => {
    reliabilities.delete(id)
    const open = [id]
    for (let one = open.pop(); one !== undefined; one = open.pop())
      for (const above of neededBy(one)) if (reliabilities.delete(above)) open.push(above)
  }
  const benefit = (id: CapabilityId): Benefit | undefined => {
    const capability = capabilities.get(id)
    if (capability === undefined) return undefined
    const kept = benefits.get(id)
    if (kept !== undefined && (kept.hiddenUntil === undefined || now() < kept.hiddenUntil)) return kept
    const judged = judgeBenefit(capability.recent, {
      now: now(),
      toolsSuccess: () => toolsSuccess(id, { graph, toolSuccess }),
    })
    benefits.set(id, judged)
    return judged
  }
  const toolOf = (capability: Capability): Tool => {
    const kept = listing.get(capability.id)
    if (kept !== undefined && isListedAlike(kept.of, capability)) return kept.tool
    const tool = toolOfCapability(capability)
    listing.set(capability.id, { of: capability, tool })
    return tool
  }
  const renewListed = (): void => {
    nextShownAt = Number.POSITIVE_INFINITY
    const visible: Tool[] = []
    for (const capability of capabilities.values()) {
      const { isHidden, hiddenUntil = nextShownAt } = benefit(capability.id)!
      if (isHidden) nextShownAt = Math.min(nextShownAt, hiddenUntil)
      else visible.push(toolOf(capability))
    }
    visible.sort((a, b) => compareText(a.id, b.id))
    if (visible.length !== listed.length || visible.some((tool, at) => tool !== listed[at])) listed = visible
    isListedStale = false
  }
  const changed = (): void => {
    revision++
    inOrder = undefined
  }
  const set = (capability: Capability): void => {
    const before = capabilities.get(capability.id)
    if (before !== undefined) index(before, 'delete')
    index(capability, 'add')
    capabilities.set(capability.id, capability)
    needed.delete(capability.id)
    benefits.delete(capability.id)
    forgetReliability(capability.id)
    allNames = undefined
    isListedStale = true
    changed()
  }
  const take = (id: CapabilityId): boolean => {
    const capability = capabilities.get(id)
    if (capability === undefined) return false
    forgetReliability(id)
    for (const edge of book.of(id)) {
      book.remove(edge)
      needed.delete(edge.from)
      needing.delete(edge.to)
    }
    index(capability, 'delete')
    capabilities.delete(id)
    for (const kept of [needed, benefits, listing]) kept.delete(id)
    allNames = undefined
    isListedStale = true
    changed()
    return true
  }
  const changeNeed = ({ from, to }: Pick<CapabilityDependency, 'from' | 'to'>): void => {
    needed.delete(from)
    needing.delete(to)
    forgetReliability(from)
  }

  return {
    get revision() {
      return revision
    },
    load(loaded, dependencies) {
      for (const kept of [capabilities, structures, names, otherNames, slugs, users, callers, book])
        kept.clear()
      for (const kept of [needed, needing, reliabilities, benefits, listing]) kept.clear()
      for (const dependency of dependencies) book.put(dependency)
      for (const capability of loaded) set(capability)
      needed.clear()
      needing.clear()
      allNames = undefined
      isListedStale = true
      changed()
    },
    all() {
      inOrder ??= [...capabilities.values()].sort(
        (a, b) => a.createdAt - b.createdAt || compareText(a.id, b.id),
      )
      return inOrder
    },
    get: (id) => capabilities.get(id),
    find(name) {
      const byId = capabilities.get(name as CapabilityId)
      if (byId !== undefined) return byId
      const [exact] = [...otherNames.get(name)].filter((id) => wireName(id, 'server') === name)
      const [id] = exact !== undefined ? [exact] : [...names.get(name), ...otherNames.get(name)]
      if (id !== undefined) return capabilities.get(id)
      const alike = slugs.get(slugOf(name))
      return alike.size === 1 ? capabilities.get([...alike][0]!) : undefined
    },
    ofStructure(structure) {
      const [id] = structures.get(structure)
      return id === undefined ? undefined : capabilities.get(id)
    },
    names() {
      allNames ??= names.keys()
      return allNames
    },
    put: set,
    remove: take,
    noteUse(id, use) {
      const before = capabilities.get(id)
      if (before === undefined) return undefined
      const wasHidden = benefit(id)!.isHidden
      const after = usedCapability(before, use)
      capabilities.set(id, after)
      benefits.delete(id)
      forgetReliability(id)
      if (benefit(id)!.isHidden !== wasHidden || !isListedAlike(before, after) || wasHidden)
        isListedStale = true
      changed()
      return after
    },
    merge(keptId, goneId) {
      const kept = capabilities.get(keptId)
      const gone = capabilities.get(goneId)
      if (kept === undefined || gone === undefined || keptId === goneId) return undefined
      const moved = book.of(goneId).map((edge) => ({
        ...edge,
        from: edge.from === goneId ? keptId : edge.from,
        to: edge.to === goneId ? keptId : edge.to,
      }))
      take(goneId)
      for (const edge of moved) if (book.add(edge)) changeNeed(edge)
      const merged = mergedCapability(kept, gone)
      set(merged)
      return merged
    },
    dependencies: () => book.all(),
    dependenciesOf: (id) => book.of(id),
    addDependencies(added) {
      const refused = added.filter((dependency) => {
        const isKnown = capabilities.has(dependency.from) && capabilities.has(dependency.to)
        if (!isKnown || !book.add(dependency)) return true
        if (isNeed(dependency)) changeNeed(dependency)
        return false
      })
      if (refused.length < added.length) changed()
      return refused
    },
    removeDependency(key) {
      if (!book.remove(key)) return false
      changeNeed(key)
      changed()
      return true
    },
    needs,
    neededBy,
    usersOf: (tool) => [...users.get(tool)].sort(compareText),
    transitive: (id) => transitiveReliability(id, graph, toolSuccess, reliabilities),
    toolsChanged(tools) {
      for (const tool of tools) for (const id of users.get(tool)) forgetReliability(id)
    },
    benefit,
    isVisible: (id) => benefit(id)?.isHidden === false,
    tools() {
      if (isListedStale || now() >= nextShownAt) renewListed()
      return listed
    },
  }
}

/** Whether a client would be told the same of both. */
function isListedAlike(a: Capability, b: Capability): boolean {
  return (
    a.name === b.name &&
    a.description === b.description &&
    a.inputSchema === b.inputSchema &&
    a.outputSchema === b.outputSchema
  )
}
