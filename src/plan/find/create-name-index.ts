/**
 * Any form of a tool's name -> the tool. Promises: an exact form always wins over a forgiving one, and a forgiving one
 * counts only when it can mean a single tool: a call never reaches a tool by guess. Never ranks by meaning; that is search.
 */

import { editDistance } from '../../model/edit-distance.js'
import type { Tool, ToolId } from '../../model/tool.js'
import { splitWords } from '../../model/words/split-words.js'
import { foldName } from './fold-name.js'

export interface NameIndex {
  /** `server:tool`, `server__tool`, the wire name, any of these as a client prefixes them, or a bare tool name. */
  resolve(name: string): Tool | undefined
  /** The ids most like a name that did not resolve, best first. */
  closest(name: string, limit: number): readonly string[]
}

/** Wire names have at most 64 characters; with a client's own prefix nothing sensible is longer than this. */
const longestName = 256
/** Below this a name is not similar but another one; in between, three of ten letters may differ. */
const leastSimilarity = 0.4

export function createNameIndex(tools: readonly Tool[], wireNames: ReadonlyMap<string, ToolId>): NameIndex {
  const byId = new Map<string, Tool>(tools.map((tool) => [tool.id, tool]))
  const byPlainName = groupBy(tools, (tool) => `${tool.server}__${tool.name}`)
  const byBareName = groupBy(tools, (tool) => tool.name)
  const byFold = groupBy(tools, (tool) => foldName(tool.id))
  for (const [wire, id] of wireNames) {
    const tool = byId.get(id)
    if (tool) addTo(byFold, foldName(wire), tool)
  }
  const byBareFold = groupBy(tools, (tool) => foldName(tool.name))

  // Made when the first name is not found, which may be never.
  let shapes: readonly ToolShape[] | undefined

  const exact = (name: string): Tool | undefined =>
    byId.get(name) ?? byId.get(wireNames.get(name) ?? '') ?? onlyOne(byPlainName.get(name))

  return {
    resolve(name) {
      if (name.length > longestName) return undefined
      const asked = [name.trim(), ...withoutPrefix(name.trim())]
      return (
        firstOf(asked, exact) ??
        firstOf(asked, (form) => onlyOne(byBareName.get(form))) ??
        firstOf(asked, (form) => onlyOne(byFold.get(foldName(form)))) ??
        firstOf(asked, (form) => onlyOne(byBareFold.get(foldName(form))))
      )
    },
    closest(name, limit) {
      const cut = name.slice(0, longestName).trim()
      const asked = [cut, ...withoutPrefix(cut)].map(toShape)
      shapes ??= shapesOf(tools)
      return nearest(asked, shapes, Math.max(0, limit))
    },
  }
}

/** Clients write `mcp__<their name for us>__tool`; `pml` is our own name and no server's. */
function withoutPrefix(name: string): readonly string[] {
  const rest = name.replace(/^mcp__.+?__/, '')
  const own = rest.replace(/^pml(?:__|[:./])/, '')
  return [rest, own].filter((form) => form !== name && form !== '')
}

/** Tools that their servers no longer list give way to those that are there. */
function onlyOne(tools: readonly Tool[] | undefined): Tool | undefined {
  if (!tools) return undefined
  if (tools.length === 1) return tools[0]
  const listed = tools.filter((tool) => tool.listed)
  return listed.length === 1 ? listed[0] : undefined
}

interface Shape {
  readonly folded: string
  readonly words: ReadonlySet<string>
}

interface ToolShape {
  readonly id: ToolId
  readonly shapes: readonly Shape[]
}

function toShape(name: string): Shape {
  return { folded: foldName(name), words: new Set(splitWords(name)) }
}

function shapesOf(tools: readonly Tool[]): readonly ToolShape[] {
  return tools
    .filter((tool) => tool.listed)
    .map((tool) => ({ id: tool.id, shapes: [toShape(tool.id), toShape(tool.name)] }))
}

/**
 * By the better of spelling and shared words, with or without the server: a typo keeps the letters, a guess the words.
 * Words are cheap to compare, so they come first and set the bar; it rises with the worst of those kept, and most
 * distances are given up early.
 */
function nearest(asked: readonly Shape[], tools: readonly ToolShape[], limit: number): readonly ToolId[] {
  const candidates = tools
    .map(({ id, shapes }) => ({ id, shapes, shared: best(asked, shapes, sharedWords) }))
    .sort((a, b) => b.shared - a.shared)
  const kept: { readonly id: ToolId; readonly similarity: number }[] = []
  let bar = leastSimilarity
  for (const { id, shapes, shared } of candidates) {
    const similarity = Math.max(
      shared,
      best(asked, shapes, (a, b) => spelling(a, b, Math.max(bar, shared))),
    )
    if (similarity < bar) continue
    kept.push({ id, similarity })
    kept.sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
    if (kept.length > limit) kept.pop()
    if (kept.length === limit) bar = kept.at(-1)?.similarity ?? 1
  }
  return kept.map(({ id }) => id)
}

function best(
  asked: readonly Shape[],
  shapes: readonly Shape[],
  compare: (a: Shape, b: Shape) => number,
): number {
  let highest = 0
  for (const a of asked) for (const b of shapes) highest = Math.max(highest, compare(a, b))
  return highest
}

/** 1 - distance / length; 0 where that is below `bar`. */
function spelling(a: Shape, b: Shape, bar: number): number {
  const longest = Math.max(a.folded.length, b.folded.length)
  if (longest === 0) return 0
  const limit = Math.floor(longest * (1 - bar) + 1e-9)
  const distance = editDistance(a.folded, b.folded, limit)
  return distance > limit ? 0 : 1 - distance / longest
}

/** Dice's coefficient: twice the shared words over all words. Below 1, for words in another order are not the name. */
function sharedWords(a: Shape, b: Shape): number {
  let shared = 0
  for (const word of a.words) if (b.words.has(word)) shared++
  const all = a.words.size + b.words.size
  return all === 0 ? 0 : (0.95 * 2 * shared) / all
}

function firstOf(forms: readonly string[], find: (form: string) => Tool | undefined): Tool | undefined {
  for (const form of forms) {
    const tool = find(form)
    if (tool) return tool
  }
  return undefined
}

function groupBy(tools: readonly Tool[], keyOf: (tool: Tool) => string): Map<string, Tool[]> {
  const groups = new Map<string, Tool[]>()
  for (const tool of tools) addTo(groups, keyOf(tool), tool)
  return groups
}

function addTo(groups: Map<string, Tool[]>, key: string, tool: Tool): void {
  const group = groups.get(key)
  if (!group) groups.set(key, [tool])
  else if (!group.includes(tool)) group.push(tool)
}
