/**
 * All capabilities, in memory: what they are called, how they go together, how far they can be relied on, and which of them are shown.
 * Pure: it never touches the store, the sandbox or the search index; whoever writes to the store tells it here, too.
 */
import type { Capability, CapabilityDependency, CapabilityId, NotedUse } from '../model/capability.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { Benefit } from './judge-benefit.js'
import type { TransitiveReliability } from './transitive-reliability.js'

export interface CapabilityShelf {
  /** Higher after every change of capabilities or of how they go together. */
  readonly revision: number
  /** In the place of everything that is there. Taken as it is: the store keeps circles out, and nothing here minds one. */
  load(capabilities: readonly Capability[], dependencies: readonly CapabilityDependency[]): void
  /** By age, then id. The same array until something changes. */
  all(): readonly Capability[]
  get(id: CapabilityId): Capability | undefined
  /**
   * By whatever form: id (`cap:...`), wire form (`cap__...`), name, the part of the id behind `cap:`, slug (also as camelCase), in this
   * order. A slug that several have finds none.
   */
  find(name: string): Capability | undefined
  ofStructure(structure: string): Capability | undefined
  /** Names that a new one may not have. */
  names(): ReadonlySet<string>
  /** Added, or in the place of the one with its id. */
  put(capability: Capability): void
  /** With all that it goes together with. False: it was not there. */
  remove(id: CapabilityId): boolean
  /** Counts, times, intents (newest first, no doubles, 8) and the newest 20 uses. Undefined: there is no such capability. */
  noteUse(id: CapabilityId, use: NotedUse): Capability | undefined
  /** `gone` is gone; its uses, intents and edges are those of `kept`. Undefined: one of them is not there, or they are one. */
  merge(kept: CapabilityId, gone: CapabilityId): Capability | undefined

  dependencies(): readonly CapabilityDependency[]
  /** Of whatever type, from it and to it. */
  dependenciesOf(id: CapabilityId): readonly CapabilityDependency[]
  /** Counts are added to what is there. Those that would close a circle among `dependency` or among `contains` are refused, and given. */
  addDependencies(added: readonly CapabilityDependency[]): readonly CapabilityDependency[]
  removeDependency(key: Pick<CapabilityDependency, 'from' | 'to' | 'type'>): boolean

  /** Capabilities that it calls, holds or needs, itself; by id. One that it calls may be gone. */
  needs(id: CapabilityId): readonly CapabilityId[]
  /** Capabilities that call, hold or need it, themselves; by id. */
  neededBy(id: CapabilityId): readonly CapabilityId[]
  /** Capabilities that call the tool themselves. */
  usersOf(tool: ToolId): readonly CapabilityId[]
  /** Kept until something beneath it changes. */
  transitive(id: CapabilityId): TransitiveReliability
  /** To be told whenever `toolSuccess` would answer differently for these: what was worked out with them is worked out anew. */
  toolsChanged(tools: Iterable<ToolId>): void

  /** Undefined: there is no such capability. */
  benefit(id: CapabilityId): Benefit | undefined
  /** Whether it is offered and listed. What is hidden can be called by name all the same. */
  isVisible(id: CapabilityId): boolean
  /** The visible ones, as tools of the server `cap`, by id. The same array until one of them changes. */
  tools(): readonly Tool[]
}

export interface ToolSuccess {
  readonly successes: number
  readonly count: number
}

export interface CapabilityShelfOptions {
  readonly now: () => number
  /** How a tool has done so far; undefined: nothing is known of it. */
  readonly toolSuccess: (tool: ToolId) => ToolSuccess | undefined
}

/** How many of the newest uses are kept. */
export const mostRecent = 20
export const mostIntents = 8
