/**
 * The tools that together cover an intent: for each wish the one that serves it best. A wish that only points back, `reserve it`,
 * is looked for together with what it points at. A tool that serves two wishes is taken once, unless each gives it values of its own.
 */
import { isCallable, type Tool, type ToolId } from '../model/tool.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { stopStems } from '../model/words/stop-words.js'
import type { ToolHit, ToolSearch } from './find/create-tool-search.js'
import { rankHits, withLead } from './rate-hit.js'
import type { LiteralKind } from './read/find-literals.js'
import type { Clause, Intent } from './read/read-intent.js'

export interface ChosenTool {
  readonly tool: Tool
  /** How probable it is that the tool is wanted. */
  readonly score: number
  /** Index of the clause it serves. */
  readonly clause: number
  /** Others that would nearly have been chosen, best first. */
  readonly runnersUp: readonly ToolHit[]
}

export interface Choice {
  readonly chosen: readonly ChosenTool[]
  /** Wishes that no tool serves. */
  readonly unserved: readonly string[]
  /** Tools that the request does not want. */
  readonly ruledOut: ReadonlySet<ToolId>
  /** Tools that are asked for in one place and ruled out in another. */
  readonly contradictions: readonly Tool[]
  /** Tools that would have been chosen, were there room for them. */
  readonly cut: readonly Tool[]
  /** What the definitions of the chosen ones take. */
  readonly tokens: number
}

export interface ChooseOptions {
  readonly search: ToolSearch['search']
  /** A tool that can be called now: what is found may be gone meanwhile. */
  tool(id: ToolId): Tool | undefined
  readonly tokenBudget: number
  /** The first clause that is to be served. */
  readonly from: number
  /** Tools that have served those before it. */
  readonly done: ReadonlySet<ToolId>
}

/** Below it a hit says no more than that something had to come first. */
const leastScore = 0.2
/** A clause that tells instead of asking gets a tool only where it plainly speaks of one. */
const leastTold = 0.5
/** A wish of fewer words of its own is looked for together with the one before. */
const fewWords = 2
const hitsPerWish = 8
/** A runner-up is worth a word where it comes so near. */
const nearlyAsGood = 0.8
/** More are no plan but a catalogue. */
const mostTools = 40

export async function chooseTools(intent: Intent, options: ChooseOptions): Promise<Choice> {
  const chosen: ChosenTool[] = []
  const unserved: string[] = []
  const ruledOut = new Map<ToolId, Tool>()
  const cut = new Map<ToolId, Tool>()
  let tokens = 0
  for (const [index, clause] of intent.clauses.entries()) {
    if (index < options.from) continue
    const before = leansOn(index, intent)
    const hits = await find(clause, before, options)
    if (clause.isRuledOut) {
      const [best] = hits
      if (best !== undefined && best.score >= leastScore) ruledOut.set(best.tool.id, best.tool)
      continue
    }
    const served = before === undefined ? none : servedBy(index - 1, chosen, options)
    const isNew = (tool: Tool): boolean => isAnotherCall(clause, tool, intent, chosen)
    const [best, ...rest] = hits.filter(({ tool }) => !served.has(tool.id) || isNew(tool))
    if (best === undefined || best.score < (clause.isWish ? leastScore : leastTold)) {
      if (asksForSomething(clause)) unserved.push(clause.text.trim())
      continue
    }
    if (chosen.some((one) => one.tool.id === best.tool.id) && !isNew(best.tool)) continue
    const cost = tokensOf(best.tool)
    if (chosen.length >= mostTools || (chosen.length > 0 && tokens + cost > options.tokenBudget)) {
      unserved.push(clause.text.trim())
      cut.set(best.tool.id, best.tool)
      continue
    }
    tokens += cost
    const runnersUp = rest.filter(({ score }) => score >= nearlyAsGood * best.score).slice(0, 3)
    chosen.push({ tool: best.tool, score: withLead(best, rest), clause: index, runnersUp })
  }
  const contradictions = [...ruledOut.values()].filter(({ id }) => chosen.some(({ tool }) => tool.id === id))
  return {
    chosen,
    unserved,
    ruledOut: new Set(ruledOut.keys()),
    contradictions,
    cut: [...cut.values()],
    tokens,
  }
}

/** Also in words that nobody here knows: `rm -rf /`. What tells something is longer, or begins with what it tells of. */
function asksForSomething(clause: Clause): boolean {
  if (clause.isWish) return ownWords(clause) > 0
  const [first] = clause.words
  return clause.words.length <= mostTerse && first !== undefined && !first.isValue && !tellers.has(first.stem)
}

const mostTerse = 6
const tellers = new Set(
  `the a an my your his her its our their this that these those there it i we you he she they which who what where when because since if so
  as for with from to at in on by of and or but name title date time all both each no yes thanks thank hi hello also`
    .split(/\s+/)
    .map(stem),
)

const none: ReadonlySet<ToolId> = new Set()

/** What a clause leans on is served already. */
function servedBy(
  clause: number,
  chosen: readonly ChosenTool[],
  { from, done }: ChooseOptions,
): ReadonlySet<ToolId> {
  if (clause < from) return done
  return new Set(chosen.filter((one) => one.clause === clause).map(({ tool }) => tool.id))
}

/** The clause before, where this one says too little by itself. */
function leansOn(index: number, { clauses }: Intent): Clause | undefined {
  return ownWords(clauses[index]!) <= fewWords ? clauses[index - 1] : undefined
}

/** What kind of thing a value is says what is wanted; what it says itself is noise: `read data/anna.json` reads a file. */
const kindWords: Partial<Record<LiteralKind, string>> = {
  path: 'file',
  url: 'url',
  email: 'email address',
  phone: 'phone number',
}

/** A name that came about by our own words is no name that was written out. */
function withoutName(hit: ToolHit): ToolHit {
  return { ...hit, score: Math.min(hit.score, surestByWords), parts: { ...hit.parts, name: 0 } }
}

const surestByWords = 0.8

function wishText({ text, start, literals }: Clause): string {
  let written = ''
  let at = start
  for (const { kind, start: from, end } of literals) {
    const word = kindWords[kind]
    if (word === undefined) continue
    written += `${text.slice(at - start, from - start)}${word}`
    at = end
  }
  return written + text.slice(at - start)
}

async function find(
  clause: Clause,
  before: Clause | undefined,
  { search, tool }: ChooseOptions,
): Promise<readonly ToolHit[]> {
  const own = wishText(clause)
  const texts = before === undefined ? [own] : [own, `${own} ${wishText(before)}`]
  const found = await Promise.all(texts.map((text) => search(text, { limit: hitsPerWish, context: [] })))
  const best = new Map<ToolId, ToolHit>()
  const isRewritten = own !== clause.text
  for (const hit of found.flat().map((one) => (isRewritten ? withoutName(one) : one)))
    if (hit.score > (best.get(hit.tool.id)?.score ?? 0)) best.set(hit.tool.id, hit)
  const callable = [...best.values()].filter((hit) => {
    const now = tool(hit.tool.id)
    return now !== undefined && isCallable(now)
  })
  return rankHits(callable, clause)
}

function ownWords({ words }: Clause): number {
  return words.filter(({ stem: word, isValue }) => !isValue && !stopStems.has(word)).length
}

/** `translate A to French and translate B to German` are two calls of one tool: both say its verb and bring their own values. */
function isAnotherCall(clause: Clause, tool: Tool, intent: Intent, chosen: readonly ChosenTool[]): boolean {
  const verb = clause.words[0]?.stem
  if (clause.literals.length === 0 || verb === undefined || !splitWords(tool.name).map(stem).includes(verb))
    return false
  const earlier = chosen.filter((one) => one.tool.id === tool.id).map((one) => intent.clauses[one.clause]!)
  return earlier.every((other) => other.literals.length > 0)
}

/** Where nobody has counted: four characters are about one token. */
export function tokensOf({ tokens, definition }: Tool): number {
  return (
    tokens ??
    Math.ceil(((definition.description?.length ?? 0) + JSON.stringify(definition.inputSchema).length) / 4)
  )
}
