/**
 * The tools that together cover an intent: for each wish the one that serves it best. A wish that only points back, `reserve it`,
 * is looked for together with what it points at. A tool that serves two wishes is taken once, unless each gives it values of its own.
 */
import type { Tool } from '../model/tool.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { stopWords } from '../model/words/stop-words.js'
import type { ToolHit, ToolSearch } from './create-tool-search.js'
import { roleOf, sameFamily } from './describe-tool.js'
import { fitLiteral } from './fit-literal.js'
import { shifted } from './rate-confidence.js'
import type { Clause, Intent } from './read-intent.js'
import { schemaFields } from './schema-fields.js'

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
  /** Tools that are asked for in one place and ruled out in another. */
  readonly contradictions: readonly Tool[]
}

export interface ChooseOptions {
  readonly search: ToolSearch['search']
  readonly tokenBudget: number
  /** The first clause that is to be served. */
  readonly from: number
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

export async function chooseTools(
  intent: Intent,
  { search, tokenBudget, from }: ChooseOptions,
): Promise<Choice> {
  const chosen: ChosenTool[] = []
  const unserved: string[] = []
  const ruledOut = new Set<Tool>()
  let tokens = 0
  for (const [index, clause] of intent.clauses.entries()) {
    if (index < from) continue
    const before = intent.clauses[index - 1]
    const isLeaning = before !== undefined && ownWords(clause) <= fewWords
    const hits = await find(clause, isLeaning ? before : undefined, search)
    const taken = new Set(isLeaning ? chosen.filter((one) => one.clause === index - 1).map(({ tool }) => tool.id) : [])
    if (clause.isRuledOut) {
      if (hits[0] !== undefined && hits[0].score >= leastScore) ruledOut.add(hits[0].tool)
      continue
    }
    const [best, ...rest] = hits.filter(({ tool }) => !taken.has(tool.id))
    if (best === undefined || best.score < (clause.isWish ? leastScore : leastTold)) {
      if (clause.isWish && ownWords(clause) > 0) unserved.push(clause.text.trim())
      continue
    }
    if (chosen.some((one) => one.tool.id === best.tool.id) && !isAnotherCall(clause, best.tool, intent, chosen)) continue
    tokens += best.tool.tokens ?? tokensOf(best.tool)
    if (chosen.length >= mostTools || (chosen.length > 0 && tokens > tokenBudget)) {
      unserved.push(clause.text.trim())
      continue
    }
    chosen.push({
      tool: best.tool,
      score: withLead(best, rest),
      clause: index,
      runnersUp: rest.filter(({ score }) => score >= nearlyAsGood * best.score).slice(0, 3),
    })
  }
  return { chosen, unserved, contradictions: [...ruledOut].filter((tool) => chosen.some((one) => one.tool.id === tool.id)) }
}

async function find(clause: Clause, before: Clause | undefined, search: ToolSearch['search']): Promise<readonly ToolHit[]> {
  const texts = before === undefined ? [clause.text] : [clause.text, `${clause.text} ${before.text}`]
  const found = await Promise.all(texts.map((text) => search(text, { limit: hitsPerWish, context: [] })))
  const best = new Map<string, ToolHit>()
  for (const hit of found.flat()) if (hit.score > (best.get(hit.tool.id)?.score ?? 0)) best.set(hit.tool.id, hit)
  return [...best.values()]
    .filter(({ tool }) => tool.changed === undefined)
    .map((hit) => ({ ...hit, score: adjust(hit, clause) }))
    .toSorted((a, b) => b.score - a.score)
}

/**
 * In log-odds: who stands alone is right more often than its score says, and who has a rival less often. On the development sets a
 * tool with a rival of a tenth of its score was as often right as one with e times its odds, and one with an equal rival as one with
 * a third of them. One that does the same is no rival.
 */
function withLead(best: ToolHit, rest: readonly ToolHit[]): number {
  if (best.parts.name > 0) return best.score
  const rival = rest.find((hit) => !isTwin(hit.tool, best.tool))
  return shifted(best.score, 1 - 2.5 * ((rival?.score ?? 0) / best.score))
}

/** `read_file` beside `read_text_file`: the same verb and the same required parameters, and one's name within the other's. */
function isTwin(a: Tool, b: Tool): boolean {
  if (a.server !== b.server) return false
  const [first, second] = [a, b].map((tool) => new Set(splitWords(tool.name).map(stem)))
  const isWithin = [...first!].every((word) => second!.has(word)) || [...second!].every((word) => first!.has(word))
  return isWithin && JSON.stringify(requiredOf(a)) === JSON.stringify(requiredOf(b))
}

function requiredOf({ definition }: Tool): readonly unknown[] {
  const { required } = definition.inputSchema
  return Array.isArray(required) ? required.toSorted() : []
}

/** In log-odds: what the wish says beyond the words that search compares. */
const sameVerb = 0.9
const likeVerb = 0.6
const otherRole = -1
const takesValues = 0.5
const outdated = -1.5
/** `each` and `every` are said of one at a time, `all` of many at once. */
const oneByOne = 0.6

/** A name that was written out is meant, whatever else is said. */
function adjust({ tool, score, parts }: ToolHit, clause: Clause): number {
  if (parts.name > 0) return score
  const verb = mainVerb(clause)
  const own = toolVerb(tool)
  const [asked, offered] = [verb && roleOf(verb), own && roleOf(own)]
  let shift = 0
  if (verb !== undefined && own !== undefined) {
    if (verb === own) shift += sameVerb
    else if (sameFamily(verb, own)) shift += likeVerb
    else if (asked !== undefined && offered !== undefined && asked !== offered) shift += otherRole
  }
  if (/\b(?:each|every)\b/i.test(clause.text)) shift += takesMany(tool) ? -oneByOne : oneByOne
  const values = clause.literals.filter(({ kind }) => kind !== 'name')
  if (values.length > 0) {
    const fields = schemaFields(tool.definition.inputSchema)
    const taken = values.filter((literal) => fields.some((field) => !field.isContainer && fitLiteral(literal, field) >= 0.5))
    shift += takesValues * (taken.length / values.length)
  }
  if (/\bdeprecated\b/i.test(tool.definition.description ?? '')) shift += outdated
  return shifted(score, shift)
}

function takesMany({ definition }: Tool): boolean {
  const [first] = schemaFields(definition.inputSchema).filter(({ isRequired }) => isRequired)
  return first?.types.has('array') === true && !first.isContainer
}

function mainVerb(clause: Clause): string | undefined {
  return clause.words.find(({ stem: word, isValue }) => !isValue && roleOf(word) !== undefined)?.stem
}

function toolVerb(tool: Tool): string | undefined {
  return splitWords(tool.name)
    .map(stem)
    .find((word) => roleOf(word) !== undefined)
}

function ownWords({ words }: Clause): number {
  return words.filter(({ stem: word, isValue }) => !isValue && !stops.has(word)).length
}

const stops = new Set([...stopWords].map(stem))

/** `translate A to French and translate B to German` are two calls of one tool: both say its verb and bring their own values. */
function isAnotherCall(clause: Clause, tool: Tool, intent: Intent, chosen: readonly ChosenTool[]): boolean {
  const verb = clause.words[0]?.stem
  if (clause.literals.length === 0 || verb === undefined || !splitWords(tool.name).map(stem).includes(verb)) return false
  const earlier = chosen.filter((one) => one.tool.id === tool.id).map((one) => intent.clauses[one.clause]!)
  return earlier.every((other) => other.literals.length > 0)
}

/** Where nobody has counted: four characters are about one token. */
function tokensOf({ definition }: Tool): number {
  return Math.ceil(((definition.description?.length ?? 0) + JSON.stringify(definition.inputSchema).length) / 4)
}
