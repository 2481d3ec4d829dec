import type { Tool } from '../../model/tool.js'
import { wireName } from '../../model/wire-name.js'
import { splitWords } from '../../model/words/split-words.js'
import { stem } from '../../model/words/stem.js'
import { stopWords } from '../../model/words/stop-words.js'
import { createMisspeltFinder } from './find-misspelt.js'
import { foldName } from './fold-name.js'

/**
 * How near a query is to the name of a tool. Steps, not measurements: they only have to order the kinds of match, and
 * all of them stand above what text alone can reach.
 */
export const nearness = {
  /** The query is the name, in any form. */
  exact: 1,
  /** The query mentions the name: "call github:create_issue for me". */
  mentioned: 0.98,
  /** The same words in another order or inflection: "issues create". */
  sameWords: 0.95,
  /** The name but for a slip of the fingers. */
  misspelt: 0.9,
} as const

/** Slot of a tool -> nearness; tools that are not near are absent. */
export type NameMatches = ReadonlyMap<number, number>

export interface NameMatcher {
  add(slot: number, tool: Tool): void
  /** With the tool as it was added. */
  remove(slot: number, tool: Tool): void
  match(query: string): NameMatches
}

/** Names are shorter than this; a longer query is prose and can only mention one. */
const longestName = 200
const mostMentions = 32
const identifiers = /[\p{L}\p{N}]+(?:[_:./-]+[\p{L}\p{N}]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*/gu
/** Said around a name, part of none that would be missed. */
const nouns = new Set(['tool', 'tools', 'mcp', 'server'])

/** `isKnown` says whether a word occurs anywhere in the catalogue: a known word is no spelling mistake. */
export function createNameMatcher(isKnown: (word: string) => boolean): NameMatcher {
  const byFold = new Map<string, number[]>()
  const byWords = new Map<string, number[]>()
  // Made when the first misspelt name comes after a change.
  let findMisspelt: ((name: string) => readonly string[]) | undefined

  return {
    add(slot, tool) {
      for (const fold of foldsOf(tool)) add(byFold, fold, slot)
      for (const words of wordKeysOf(tool)) add(byWords, words, slot)
      findMisspelt = undefined
    },
    remove(slot, tool) {
      for (const fold of foldsOf(tool)) drop(byFold, fold, slot)
      for (const words of wordKeysOf(tool)) drop(byWords, words, slot)
      findMisspelt = undefined
    },
    match(query) {
      const found = new Map<number, number>()
      const note = (slots: readonly number[] | undefined, value: number) => {
        for (const slot of slots ?? []) if ((found.get(slot) ?? 0) < value) found.set(slot, value)
      }
      for (const mention of firstMentions(query)) note(byFold.get(foldName(mention)), nearness.mentioned)
      if (query.length > longestName) return found

      const folded = foldName(query.replace(/^mcp__.+?__/, ''))
      note(byFold.get(foldName(query)), nearness.exact)
      note(byFold.get(folded), nearness.exact)
      const words = splitWords(query)
      note(byWords.get(wordKey(withoutSmallTalk(words))), nearness.sameWords)
      if (found.size === 0 && !words.every(isKnown)) {
        findMisspelt ??= createMisspeltFinder(byFold.keys())
        for (const fold of findMisspelt(folded)) note(byFold.get(fold), nearness.misspelt)
      }
      return found
    },
  }
}

function foldsOf(tool: Tool): ReadonlySet<string> {
  const short = withoutPrefix(splitWords(tool.name), splitWords(tool.server)).join('_')
  return new Set([tool.id, tool.name, wireName(tool.id, 'server'), short].map(foldName))
}

function wordKeysOf(tool: Tool): ReadonlySet<string> {
  const server = splitWords(tool.server)
  const own = splitWords(tool.name)
  return new Set([own, [...server, ...own], withoutPrefix(own, server)].map(wordKey))
}

/** Many tools repeat their server's name: `github:github_create_issue` is also "create issue". */
function withoutPrefix(own: readonly string[], server: readonly string[]): readonly string[] {
  const repeats = own.length > server.length && server.every((word, i) => word === own[i])
  return repeats ? own.slice(server.length) : own
}

function withoutSmallTalk(words: readonly string[]): readonly string[] {
  const rest = words.filter((word) => !stopWords.has(word) && !nouns.has(word))
  return rest.length > 0 ? rest : words
}

function wordKey(words: readonly string[]): string {
  return [...new Set(words.map(stem))].sort().join(' ')
}

function firstMentions(query: string): readonly string[] {
  const mentions: string[] = []
  for (const [text] of query.matchAll(identifiers)) {
    mentions.push(text)
    if (mentions.length === mostMentions) break
  }
  return mentions
}

function add(map: Map<string, number[]>, key: string, slot: number): void {
  if (key === '') return
  const slots = map.get(key)
  if (slots) slots.push(slot)
  else map.set(key, [slot])
}

function drop(map: Map<string, number[]>, key: string, slot: number): void {
  const left = map.get(key)?.filter((other) => other !== slot)
  if (left?.length) map.set(key, left)
  else map.delete(key)
}
