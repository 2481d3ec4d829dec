import type { Tool } from '../model/tool.js'
import { wireName } from '../model/wire-name.js'
import { editDistance } from './edit-distance.js'
import { foldName } from './fold-name.js'
import { splitWords } from './split-words.js'
import { stem } from './stem.js'
import { stopWords } from './stop-words.js'

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

/** Index of a tool in the catalogue -> nearness; tools that are not near are absent. */
export type NameMatches = ReadonlyMap<number, number>

/** Names are shorter than this; a longer query is prose and can only mention one. */
const longestName = 200
const mostMentions = 32
const identifiers = /[\p{L}\p{N}]+(?:[_:./-]+[\p{L}\p{N}]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*/gu
/** Said around a name, part of none that would be missed. */
const nouns = new Set(['tool', 'tools', 'mcp', 'server'])

/** `isKnown` says whether a word occurs anywhere in the catalogue: a known word is no spelling mistake. */
export function createNameMatcher(tools: readonly Tool[], isKnown: (word: string) => boolean) {
  const byFold = new Map<string, number[]>()
  const byWords = new Map<string, number[]>()
  tools.forEach((tool, index) => {
    for (const form of forms(tool)) add(byFold, foldName(form), index)
    for (const words of wordForms(tool)) add(byWords, wordKey(words), index)
  })

  return function matchName(query: string): NameMatches {
    const found = new Map<number, number>()
    const note = (indexes: readonly number[] | undefined, value: number) => {
      for (const index of indexes ?? []) if ((found.get(index) ?? 0) < value) found.set(index, value)
    }
    for (const mention of firstMentions(query)) note(byFold.get(foldName(mention)), nearness.mentioned)
    if (query.length > longestName) return found

    const folded = foldName(query.replace(/^mcp__.+?__/, ''))
    note(byFold.get(foldName(query)), nearness.exact)
    note(byFold.get(folded), nearness.exact)
    const words = splitWords(query)
    note(byWords.get(wordKey(withoutSmallTalk(words))), nearness.sameWords)
    if (found.size === 0 && !words.every(isKnown)) {
      for (const fold of misspeltFolds(folded, byFold.keys())) note(byFold.get(fold), nearness.misspelt)
    }
    return found
  }
}

function forms(tool: Tool): ReadonlySet<string> {
  return new Set([tool.id, tool.name, wireName(tool.id, 'server'), withoutServer(tool).join('_')])
}

function wordForms(tool: Tool): readonly (readonly string[])[] {
  const own = splitWords(tool.name)
  return [own, [...splitWords(tool.server), ...own], withoutServer(tool)]
}

/** Many tools repeat their server's name: `github:github_create_issue` is also "create issue". */
function withoutServer(tool: Tool): readonly string[] {
  const server = splitWords(tool.server)
  const own = splitWords(tool.name)
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

/** One slip from 5 characters on, two from 9: shorter names are too close to one another to guess. */
function misspeltFolds(folded: string, names: Iterable<string>): readonly string[] {
  const allowed = folded.length >= 9 ? 2 : folded.length >= 5 ? 1 : 0
  if (allowed === 0) return []
  let best = allowed
  let nearest: string[] = []
  for (const name of names) {
    const distance = editDistance(folded, name, best)
    if (distance > best) continue
    if (distance < best) nearest = []
    best = distance
    nearest.push(name)
  }
  return nearest
}

function add(map: Map<string, number[]>, key: string, index: number): void {
  if (key === '') return
  const indexes = map.get(key)
  if (!indexes) map.set(key, [index])
  else if (indexes.at(-1) !== index) indexes.push(index)
}
