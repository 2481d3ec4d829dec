import type { Tool } from '../model/tool.js'
import { wireName } from '../model/wire-name.js'
import { createMisspeltFinder } from './find-misspelt.js'
import { foldName } from './fold-name.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { stopWords } from '../model/words/stop-words.js'

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
    const { forms, wordForms } = namesOf(tool)
    for (const form of forms) add(byFold, foldName(form), index)
    for (const words of new Set(wordForms)) add(byWords, wordKey(words), index)
  })

  const findMisspelt = createMisspeltFinder(byFold.keys())

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
      for (const fold of findMisspelt(folded)) note(byFold.get(fold), nearness.misspelt)
    }
    return found
  }
}

interface ToolNames {
  readonly forms: ReadonlySet<string>
  readonly wordForms: readonly (readonly string[])[]
}

function namesOf(tool: Tool): ToolNames {
  const server = splitWords(tool.server)
  const own = splitWords(tool.name)
  const short = withoutPrefix(own, server)
  return {
    forms: new Set([tool.id, tool.name, wireName(tool.id, 'server'), short.join('_')]),
    wordForms: [own, [...server, ...own], short],
  }
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

function add(map: Map<string, number[]>, key: string, index: number): void {
  if (key === '') return
  const indexes = map.get(key)
  if (!indexes) map.set(key, [index])
  else if (indexes.at(-1) !== index) indexes.push(index)
}
