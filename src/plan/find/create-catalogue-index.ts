/**
 * What search knows of the catalogue: the words and names of every tool, each under a slot, a small number. It follows the
 * catalogue by its differences, a few milliseconds at a time so that requests go on meanwhile, and what it holds then
 * equals an index made from nothing.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Tool, ToolId } from '../../model/tool.js'
import { createTextIndex, type FieldWeight, type TextIndex } from './create-text-index.js'
import { createNameMatcher, type NameMatches } from './match-name.js'
import { type Field, toolText } from './tool-text.js'
import { createVocabulary, type Vocabulary } from './vocabulary.js'

export interface CatalogueIndex {
  /** Takes up these tools and no others, soon. */
  follow(tools: readonly Tool[]): void
  /** Resolves when the tools followed last, and no others, are there. */
  ready(): Promise<void>
  readonly text: TextIndex
  readonly vocabulary: Pick<Vocabulary, 'find'>
  matchName(query: string): NameMatches
  toolAt(slot: number): Tool | undefined
  slotOf(id: ToolId): number | undefined
  /** All slots are below this. */
  readonly end: number
}

/** Told of every slot, for indexes that keep something else about it. */
export interface SlotListener {
  added(slot: number, tool: Tool): void
  removed(slot: number): void
}

/**
 * Set by hand, by rank of what they say, and left round: a name is chosen with care, a parameter's description is about
 * the parameter. On the development sets any name weight of 2 to 4, server 1 to 2 and parameters .3 to 1 stays within
 * .01 NDCG@10, so there is nothing to tune here. Usual lengths are those of the training catalogues, rounded; against each
 * set's own means they change NDCG@10 by +.005 on fifteen training sets and by -.002 on six development sets.
 */
const weights: Readonly<Record<Field, FieldWeight>> = {
  server: { weight: 1, b: 0.5, usualLength: 4 },
  name: { weight: 2, b: 0.5, usualLength: 6 },
  title: { weight: 2, b: 0.5, usualLength: 4 },
  description: { weight: 1, b: 0.75, usualLength: 25 },
  parameters: { weight: 0.5, b: 0.5, usualLength: 10 },
  parameterText: { weight: 0.5, b: 0.75, usualLength: 30 },
}
const fields = Object.keys(weights) as Field[]

/** Longer would be felt by a request that comes meanwhile. */
const sliceMs = 8
/** Removed slots are taken out of the lists when they are this share of all; before, they cost a little time and memory. */
const sweptShare = 0.25

export function createCatalogueIndex(listener: SlotListener): CatalogueIndex {
  const vocabulary = createVocabulary()
  const text = createTextIndex(fields.map((field) => weights[field]))
  // The vocabulary keeps the words of tools that are gone; the text index knows which are still said.
  const names = createNameMatcher((word) => vocabulary.find(word).some((term) => text.idf(term) > 0))
  const slots = new Map<ToolId, number>()
  const tools: (Tool | undefined)[] = []
  const free: number[] = []
  const removed: number[] = []
  /** What is still to be done: the tool to take up, or undefined for one that is gone. */
  let waiting = new Map<ToolId, Tool | undefined>()
  let working: Promise<void> | undefined

  const add = (tool: Tool): void => {
    const slot = free.pop() ?? tools.length
    tools[slot] = tool
    slots.set(tool.id, slot)
    const said = toolText(tool)
    text.add(
      slot,
      fields.map((field) => vocabulary.learn(said[field])),
    )
    names.add(slot, tool)
    listener.added(slot, tool)
  }
  const remove = (id: ToolId): void => {
    const slot = slots.get(id)!
    names.remove(slot, tools[slot]!)
    text.remove(slot)
    listener.removed(slot)
    slots.delete(id)
    tools[slot] = undefined
    removed.push(slot)
    if (removed.length > sweptShare * tools.length) {
      text.sweep()
      for (const slot of removed.splice(0)) free.push(slot)
    }
  }
  const work = async (): Promise<void> => {
    while (waiting.size > 0) {
      const until = performance.now() + sliceMs
      for (const [id, tool] of waiting) {
        waiting.delete(id)
        if (slots.has(id)) remove(id)
        if (tool !== undefined) add(tool)
        if (performance.now() > until) break
      }
      await nextTurn()
    }
    working = undefined
  }

  return {
    follow(next) {
      waiting = new Map([...slots.keys()].map((id) => [id, undefined]))
      for (const tool of next) {
        const slot = slots.get(tool.id)
        // The object may be new for what search does not look at, such as its tokens.
        if (slot !== undefined && saysTheSame(tools[slot]!, tool)) {
          tools[slot] = tool
          waiting.delete(tool.id)
        } else waiting.set(tool.id, tool)
      }
      if (waiting.size > 0) working ??= work()
    },
    async ready() {
      while (working !== undefined) await working
    },
    text,
    vocabulary,
    matchName: (query) => names.match(query),
    toolAt: (slot) => tools[slot],
    slotOf: (id) => slots.get(id),
    get end() {
      return tools.length
    },
  }
}

function saysTheSame(a: Tool, b: Tool): boolean {
  return a.definition === b.definition || (a.hash !== '' && a.hash === b.hash)
}
