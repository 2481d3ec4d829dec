/**
 * What a capability is called: some telling words of what it was run for, in their order, as snake_case; of its tools' names where these are
 * too few. Never what it was about that one time: those are its parameters. The same input gives the same name.
 */
import { isCapabilityId } from '../model/capability.js'
import type { Json } from '../model/json.js'
import { parseToolId, type ToolId } from '../model/tool.js'
import { wordSet } from '../model/word-set.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { stopWords } from '../model/words/stop-words.js'
import { leaveOutValues } from './leave-out-values.js'
import { slugInId } from './slug-of.js'

export interface NamingOptions {
  readonly intent: string | undefined
  /** Tools and capabilities that it calls, in order. */
  readonly tools: readonly ToolId[]
  /** Names that others have. */
  readonly taken: ReadonlySet<string>
  /** What was lifted out of the code: none of it is a word of the name, unless the tools are named after it. */
  readonly values: Json
}

export function nameCapability({ intent, tools, taken, values }: NamingOptions): string {
  const ofTools = toolWords(tools)
  const words = intentWords(intent ?? '', ofTools, values).slice(0, mostIntentWords)
  if (words.length < fewestWords)
    for (const word of ofTools.telling)
      if (words.length < mostToolWords && !words.includes(word)) words.push(word)
  const name = joinWithin(words, longestName) || nameless
  return unique(reserved.has(name) ? `${name}_it` : name, taken)
}

/** What is wrong with a name that somebody chose; undefined: nothing. */
export function capabilityNameProblem(name: string, taken: ReadonlySet<string>): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    return 'A name is letters, digits and _, and starts with no digit.'
  if (name.length > longestName) return `A name has ${longestName} characters at most.`
  if (reserved.has(name) || name in Object.prototype) return `"${name}" means something else in code.`
  return taken.has(name) ? `Another capability is called "${name}".` : undefined
}

const longestName = 40
const mostIntentWords = 5
const mostToolWords = 6
/** One word alone is a verb without a thing, or a thing. */
const fewestWords = 2
const nameless = 'procedure'
/** Properties that every object or function has, or that make it look like a promise. */
const reserved = wordSet(
  'then catch finally constructor prototype name length caller arguments apply call bind',
)
/** Grammar that search keeps, and words that are values. */
const untold = wordSet(
  `after again always before between both each every everything first following given here last new next now old one ones only other out over
  per same them then via while within without
  two three four five six seven eight nine ten hundred thousand million today yesterday tomorrow tonight`,
)
/** Written in capitals, and yet kinds of things. */
const kinds = wordSet(
  'api cli css csv db dns faq html http ip json kpi md ocr pdf pr prs rss sql svg ui url urls usb xls xlsx xml yaml zip todo todos id ids ai',
)

interface ToolWords {
  /** Verbs and objects, in the order of the calls, each once. */
  readonly telling: readonly string[]
  /** Stems of these and of the servers' names. */
  readonly known: ReadonlySet<string>
}

function toolWords(tools: readonly ToolId[]): ToolWords {
  const telling = new Set<string>()
  const known = new Set<string>()
  for (const id of tools) {
    const { server, tool } = isCapabilityId(id)
      ? { server: '', tool: slugInId(id) }
      : (parseToolId(id) ?? { server: '', tool: id })
    const ofServer = plainWords(server)
    const ofTool = plainWords(tool)
    for (const word of [server.toLowerCase(), ...ofServer, ...ofTool]) known.add(stem(word))
    // Many servers put their name before every tool; it says nothing that the rest does not.
    const rest = ofTool.filter((word) => !ofServer.includes(word))
    for (const word of rest.length > 0 ? rest : ofTool) telling.add(word)
  }
  return { telling: [...telling], known }
}

function intentWords(intent: string, { known }: ToolWords, values: Json): string[] {
  const runs = leaveOutValues(intent, '')
    .split(/[^\p{L}\p{M}'_-]+/u)
    .filter((run) => run !== '')
  const lifted = valueWords(values)
  const isTitle = runs.filter(isCapitalised).length > runs.length * mostCapitals
  const words = new Set<string>()
  for (const [at, run] of runs.entries()) {
    const isKnown = (word: string): boolean => known.has(stem(word)) || kinds.has(word)
    const isProper = isCapitalised(run) && at > 0 && !isTitle
    const isIdentifier = /_|\p{Ll}\p{Lu}/u.test(run)
    const parts = plainWords(isIdentifier ? run : run.toLowerCase().replace(/'s?\b/g, ''))
    for (const word of known.has(stem(run.toLowerCase())) ? [run.toLowerCase()] : parts) {
      if (!/^[a-z]{2,}$/.test(word) || stopWords.has(word) || untold.has(word)) continue
      if ((isProper || isIdentifier || lifted.has(word)) && !isKnown(word)) continue
      words.add(word)
    }
  }
  return [...words]
}

/** Above that share it is how the request is written, and names no one. */
const mostCapitals = 0.6

function isCapitalised(run: string): boolean {
  return /^\p{Lu}/u.test(run)
}

function plainWords(text: string): string[] {
  return splitWords(text).filter((word) => /^[a-z]{2,}$/.test(word))
}

/** Of short values: the words of a long text are anybody's. Paths and the like are left out of a request as they are. */
function valueWords(values: Json): ReadonlySet<string> {
  const words = new Set<string>()
  const open: Json[] = [values]
  for (let looked = 0; open.length > 0 && looked < mostValues; looked++) {
    const value = open.pop()!
    if (typeof value === 'string') {
      if (value.length > longestValue) continue
      const ofValue = splitWords(leaveOutValues(value, ''))
      if (ofValue.length <= mostValueWords) for (const word of ofValue) words.add(word)
    } else if (typeof value === 'object' && value !== null)
      open.push(...Object.values(value).slice(0, mostValues))
  }
  return words
}

const mostValues = 1_000
const longestValue = 100
const mostValueWords = 6

/** Whole words, as many as have room; of a first one that has none, what has. */
function joinWithin(words: readonly string[], most: number): string {
  let name = (words[0] ?? '').slice(0, most)
  for (const word of words.slice(1)) {
    if (name.length + 1 + word.length > most) break
    name += `_${word}`
  }
  return name
}

function unique(name: string, taken: ReadonlySet<string>): string {
  for (let at = 1; ; at++) {
    const suffix = at === 1 ? '' : `_${at}`
    const candidate = name.slice(0, longestName - suffix.length).replace(/_+$/, '') + suffix
    if (!taken.has(candidate)) return candidate
  }
}
