/**
 * What a tool's description says that it does, by its verbs: what it leads with ("Lists ...", "This tool deletes ..."), and every further
 * deed in the place of a verb ("... and removes it", "will be overwritten"). English, by position and form alone: no parser is small
 * enough, and a wrong guess falls on the careful side. A text reads only where it leads with a verb that reads and nothing else in it
 * does more.
 */
import {
  acts,
  baseForm,
  changes,
  changesFirst,
  destroys,
  grave,
  isVerb,
  reads,
  rootForm,
  runnable,
  runs,
  sends,
  thingsToo,
} from './deed-verbs.js'
import { shownToPeople, statementWords } from './read-name.js'
import { wordSet } from './word-set.js'

export interface DescriptionReading {
  readonly deed: 'harms' | 'runs' | 'changes' | 'reads' | undefined
  /** By which word of it. */
  readonly word: string
  /** The text leads with it. */
  readonly isFirst: boolean
  /** No verb leads, but one that reads is there and none that does more: not enough alone. */
  readonly speaksOfReading: boolean
  /** It says so in so many words: "(read-only)". */
  readonly saysReadOnly: boolean
  /** A query language: what is given to it is a statement. */
  readonly namesLanguage: boolean
}

/** Characters. Longer ones are manuals; what was not looked at may say anything, so they never make a tool safe. */
const longestRead = 20_000

export function readDescription(description: string): DescriptionReading {
  const sentences = splitSentences(withoutTitle(description.slice(0, longestRead)))
  const lead = readLead(sentences[0] ?? [])
  const further = findDeed(sentences, lead)
  const namesLanguage = sentences.some((words) => words.some((_, at) => isLanguage(words, at, lead)))
  const found = (deed: DescriptionReading['deed'], word: string, isFirst: boolean): DescriptionReading => ({
    deed,
    word,
    isFirst,
    speaksOfReading: false,
    saysReadOnly: /\(read[- ]only\)|^\W*read[- ]only\b/i.test(description),
    namesLanguage,
  })
  if (lead.deed === 'harms') return found('harms', lead.word, true)
  if (further?.deed === 'harms') return found('harms', further.word, further.isFirst)
  if (lead.deed === 'runs' || lead.deed === 'changes') return found(lead.deed, lead.word, true)
  if (further !== undefined) return found(further.deed, further.word, false)
  if (description.length > longestRead) return found(undefined, '', false)
  if (lead.deed === 'reads') return found('reads', lead.word, true)
  const read = sentences.flat().find((word) => word.endsWith('s') && speaks(baseForm(word)))
  return { ...found(undefined, read ?? '', false), speaksOfReading: read !== undefined && lead.word === '' }
}

/** "Notion | Retrieve a page": what stands before is a title, unless it does something itself. */
function withoutTitle(text: string): string {
  const plain = text.replace(/^\s*(?:\[[^\]]{0,40}\]\s*){1,3}/, '')
  const title = /^\s*([\w/()&' -]{1,40}?)(?:\s*[|:]|\s[-–—])\s+/.exec(plain)
  const words = title?.[1]?.toLowerCase().match(/[a-z]+/g) ?? []
  return title === null || words.some((word) => isVerb(baseForm(word))) ? plain : plain.slice(title[0].length)
}

function speaks(base: string): boolean {
  return reads.has(base) || base === 'provide'
}

/** A SQL server is a thing, unless it is queried. */
function isLanguage(words: readonly string[], at: number, lead: Lead): boolean {
  if (!statementWords.has(words[at]!)) return false
  return (
    baseForm(lead.word) === 'query' || !/^(?:server|database|instance|db|pool)s?$/.test(words[at + 1] ?? '')
  )
}

/** Lower case, without marks but those that part or join; what is code or a name of code says nothing, unless it is one plain word. */
function splitSentences(text: string): readonly (readonly string[])[] {
  return text
    .replace(/[`"“”*]{1,3}([A-Za-z]{1,30})[`"“”*]{1,3}/g, ' $1 ')
    .replace(/`[^`\n]*`/g, ' # ')
    .replace(/\b(?:e\.g|i\.e|etc|vs)\./gi, ' ')
    .replace(/[^\s`]+/g, withoutCode)
    .split(/[.!?;:](?=\s|$)|\n|\s[-–—•|]+(?=\s)/)
    .map((sentence) =>
      (sentence.toLowerCase().match(/[a-z][a-z'’-]*|[,/&()#]|\d+/g) ?? []).slice(0, mostWords),
    )
    .filter((words) => words.some((word) => /[a-z]/.test(word)))
}

/** An option, an address, a file, an identifier; and no word is as long as that. */
function withoutCode(token: string): string {
  const isCode = token.length > 60 || /^(?:--?[a-z]|https?:)|_|\.[a-z]{2,4}$/i.test(token)
  return isCode ? ` # ${/[.,;:!?]$/.exec(token)?.[0] ?? ''}` : token
}

const mostWords = 4_000

interface Lead {
  readonly deed: DescriptionReading['deed']
  /** Empty where it leads with no verb that is known. */
  readonly word: string
  /** Where it stands in the first sentence. */
  readonly at: number
}

function readLead(words: readonly string[]): Lead {
  const at = skipOpening(words)
  const word = words[at] ?? ''
  const base = baseForm(word)
  const next = words.slice(at + 1)
  if (base === 'get' && next[0] === 'rid') return { deed: 'harms', word: 'get rid', at }
  if (runs.has(base)) {
    const what = next.slice(0, 8)
    // "Executes a search query" is given words.
    const isGiven = what.some((one) => runnable.has(one)) && !what.includes('search')
    return { deed: isGiven ? 'runs' : 'changes', word, at }
  }
  if (destroys.has(base) || sends.has(base)) return { deed: 'harms', word, at }
  if (changes.has(base) || thingsToo.has(base) || changesFirst.has(base)) return { deed: 'changes', word, at }
  return reads.has(base) || readsWith(base, next)
    ? { deed: makesAnew(next) || isPhrase(base, next, word !== base) ? 'changes' : 'reads', word, at }
    : { deed: undefined, word: '', at }
}

/** "This tool", "Use it to", "Allows you to", "[Beta]", "Quickly". */
function skipOpening(words: readonly string[]): number {
  let at = 0
  if (words[0] === '(') at = words.indexOf(')') + 1
  const rest = words.slice(at, at + 14).join(' ')
  const opening = openings.exec(rest)?.[0] ?? ''
  at += opening === '' ? 0 : opening.trim().split(' ').length
  while (adverbs.has(words[at] ?? '')) at++
  return at
}

const openings =
  /^(?:(?:please )?(?:use|using|call|invoke) (?:this|it)(?: tool| function| command| endpoint)? (?:to|for|when you (?:need|want) to) |used? to |(?:(?:this|the|an?) (?:[a-z-]+ ){0,2}?)?(?:tool|function|command|endpoint|operation|method|action|utility|helper) (?:(?:that|which) |(?:is |can be )?(?:used )?to |for |will |can |allows? (?:you|users?|agents?|clients?) to |lets (?:you|users?) )?|(?:allows?|enables?|lets?|helps?) (?:you |users? |agents? |clients? |the [a-z]+ )?(?:to )?|you can |(?:it|this) )/

const adverbs = wordSet(
  'quickly efficiently safely securely easily directly simply automatically asynchronously recursively programmatically also optionally then immediately permanently read-only readonly',
)

/** To get a new one is to make one. */
function makesAnew(next: readonly string[]): boolean {
  return (next[0] === 'a' || next[0] === 'an' || next[0] === 'one') && next[1] === 'new'
}

/** Check out, check a box, show a toast, return what was bought, list it for sale: another verb than it looks. */
function isPhrase(base: string, next: readonly string[], isThird: boolean): boolean {
  const [first = ''] = next
  const near = next.slice(0, 6)
  const speaksOf = (words: ReadonlySet<string>): boolean => near.some((word) => words.has(word))
  switch (base) {
    case 'check':
    case 'view':
      return first === 'out' || first === 'in' || first === 'off' || speaksOf(boxes)
    case 'browse':
      return first === 'to'
    case 'show':
    case 'display':
      return speaksOf(shownToPeople) || near.includes('on') || near.includes('to')
    case 'return':
      return !isThird && speaksOf(goods)
    case 'list':
      return next.includes('sale') || next.includes('marketplace')
    case 'fetch':
      return next.includes('remote') && speaksOf(versions)
    default:
      return false
  }
}

const boxes = wordSet('checkbox box radio')
const goods = wordSet(
  'item items order orders product products purchase purchases package packages book books goods rental car vehicle',
)
const versions = wordSet('repository refs origin branch branches upstream remote')

/** Some verbs read with what follows them, and do anything with something else. */
function readsWith(base: string, next: readonly string[]): boolean {
  const [first = ''] = next
  switch (base) {
    case 'look':
      return first === 'up' || first === 'for' || first === 'at' || first === 'through'
    case 'scan':
      return next.includes('for')
    case 'verify':
    case 'confirm':
      return first === 'if' || first === 'that' || first === 'whether'
    case 'test':
    case 'see':
      return first === 'if' || first === 'whether'
    // Words for whoever asked are left nowhere.
    case 'generate':
    case 'provide':
    case 'give':
    case 'extract':
    case 'produce':
      return texts.has(objectOf(next))
    case 'perform':
      return looks.has(objectOf(next))
    default:
      return false
  }
}

/** The last word of what the verb is about: "a mermaid architecture diagram | for ...". */
function objectOf(next: readonly string[]): string {
  const end = next.findIndex((word) => objectEnds.has(word))
  return next.slice(0, end === -1 ? undefined : end).at(-1) ?? ''
}

const objectEnds = wordSet(
  'to for of from in on at with by about based using that which who when where and or , ( / & # as into between across per given following matching if against',
)
const texts = wordSet(
  'command commands diagram diagrams instructions guidance guidelines recommendation recommendations suggestion suggestions explanation explanations summary summaries information info details documentation advice insights metadata statistics overview answer answers example examples text',
)

const looks = wordSet('search searches lookup lookups comparison')

interface Deed {
  readonly deed: 'harms' | 'changes'
  readonly word: string
  readonly isFirst: boolean
}

/** The worst thing it does beside what it leads with. Destroying counts as harm where it is one of several that lead: "Create or delete". */
function findDeed(sentences: readonly (readonly string[])[], lead: Lead): Deed | undefined {
  let found: Deed | undefined
  for (const [at, words] of sentences.entries()) {
    let isChain = at === 0 && lead.word !== ''
    for (let i = at === 0 ? lead.at + 1 : 0; i < words.length; i++) {
      const word = words[i]!
      const deed = readDeed(words, i, at === 0)
      if (deed === undefined) {
        if (!joins.has(word) && !acts(baseForm(word))) isChain = false
        continue
      }
      if (deed === 'final') return { deed: 'harms', word, isFirst: false }
      if (isChain && destroys.has(baseForm(word)) && lead.deed !== 'reads')
        return { deed: 'harms', word, isFirst: true }
      found ??= { deed: 'changes', word, isFirst: false }
    }
  }
  return found
}

function readDeed(
  words: readonly string[],
  at: number,
  isFirstSentence: boolean,
): 'changes' | 'final' | undefined {
  const word = words[at]!
  if (word === 'undone' && isDenied(words, at)) return 'final'
  if (isDenied(words, at)) return undefined
  if (finalWords.has(word)) return 'final'
  const before = beforeAdverbs(words, at)
  const previous = words[before] ?? ''
  const next = words[at + 1] ?? ''
  const base = baseForm(word)
  if (acts(base)) {
    const isThing = thingsToo.has(base)
    const isThird = word !== base
    if (before < 0)
      return isFirstSentence || !(isThing && !isThird) || next === 'it'
        ? leads(base, isThird, next)
        : undefined
    if (modals.has(previous)) return 'changes'
    if (previous === 'to') return isPurpose(words, before) ? 'changes' : undefined
    if (
      offered.has(previous) &&
      words.slice(Math.max(0, before - 2), before).some((one) => offers.has(baseForm(one)))
    )
      return 'changes'
    if (joins.has(previous))
      return !isThing || objects.has(next) || (grave.has(word) && isLastOf(previous, next))
        ? 'changes'
        : undefined
    if (isThird && subjects.has(previous)) return !isThing || objects.has(next) ? 'changes' : undefined
    return undefined
  }
  const root = rootForm(word)
  if (root === undefined) return undefined
  if (word.endsWith('ing'))
    return (previous === ',' && objects.has(next)) ||
      ((previous === 'by' || previous === 'after') && !thingsToo.has(root))
      ? 'changes'
      : undefined
  return isDone(words, at, before) ? 'changes' : undefined
}

/** "... and book", "... and book with the card": a deed as likely as a thing. */
function isLastOf(previous: string, next: string): boolean {
  return previous !== ',' && previous !== '(' && /^(?:|for|on|with|via|by|at|in|now|if|when)$/.test(next)
}

/** In a later sentence the reader may be told what to do: "Set limit to 5"; "Sets it" is the tool. */
function leads(base: string, isThird: boolean, next: string): 'changes' | undefined {
  if (isThird && thingsToo.has(base)) return objects.has(next) ? 'changes' : undefined
  return 'changes'
}

/** "can be used to delete", "allows you to": what it is for; "the rights needed to delete" are only spoken of. */
function isPurpose(words: readonly string[], to: number): boolean {
  return words.slice(Math.max(0, to - 4), to).some((word) => purposes.has(word))
}

/** "will be deleted", "is created if there is none"; not "that were deleted". */
function isDone(words: readonly string[], at: number, before: number): boolean {
  const previous = words[before] ?? ''
  if (previous === 'be') return /^(?:will|may|would|shall|might)$/.test(words[before - 1] ?? '')
  if (previous === 'gets') return true
  if (previous !== 'is' && previous !== 'are') return false
  return (
    before < at - 1 ||
    /^(?:if|when|after|afterwards|on|upon|once|automatically|immediately)$/.test(words[at + 1] ?? '')
  )
}

/** "does not create or change it": as far back as one thing is said. */
function isDenied(words: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - 4); i--) {
    const word = words[i]!.replace('’', "'")
    if (denials.has(word)) return true
    if (denialEnds.has(word)) return false
  }
  return false
}

const finalWords = wordSet('irreversible irreversibly unrecoverable')

function beforeAdverbs(words: readonly string[], at: number): number {
  let before = at - 1
  while (before >= 0 && adverbs.has(words[before]!)) before--
  return before
}

const joins = wordSet('and or then , / & (')
const modals = wordSet('can could will may might shall would')
const subjects = wordSet('it tool that which this operation command action function and')
const purposes = wordSet(
  'used use tool allows allow lets enables enable able ability attempts tries helps you',
)
const offered = wordSet('you users user agents clients')
const offers = wordSet('let allow enable help')
/** What follows a deed and seldom a thing. */
const objects = wordSet('a an the it them its their this that these those all any new one each every your to')
const denials = wordSet("not never without cannot can't don't doesn't won't no nor neither non")
const denialEnds = wordSet(', and but then ( )')
