/**
 * How probable it is that a hit of the search is what a wish asks for: what the wish says beyond the words that search compares, and
 * whether another tool would do as well.
 */
import type { Tool } from '../model/tool.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import type { ToolHit } from './find/create-tool-search.js'
import { shifted } from './rate-confidence.js'
import type { Clause } from './read/read-intent.js'
import { roleOf, sameFamily } from './wire/describe-tool.js'
import { fitLiteral } from './wire/fit-literal.js'
import { schemaFields } from './wire/schema-fields.js'

/** In log-odds: what the wish says beyond the words that search compares. */
const sameVerb = 0.9
const likeVerb = 0.6
const otherRole = -1
/** Against what takes none of the values that were given. */
const takesValues = 0.5
const outdated = -1.5
/** `each` and `every` are said of one at a time, `all` of many at once. */
const oneByOne = 0.6

/** A name that was written out is meant, whatever else is said. */
function rateHit({ tool, score, parts }: ToolHit, clause: Clause): number {
  if (parts.name > 0) return score
  return shifted(
    score,
    shiftByVerb(tool, clause) + shiftByNumber(tool, clause) + shiftByValues(tool, clause) + shiftByAge(tool),
  )
}

function shiftByVerb(tool: Tool, clause: Clause): number {
  const [verb, own] = [mainVerb(clause), toolVerb(tool)]
  if (verb === undefined || own === undefined) return 0
  if (verb === own) return sameVerb
  if (sameFamily(verb, own)) return likeVerb
  return roleOf(verb) === roleOf(own) ? 0 : otherRole
}

function shiftByNumber(tool: Tool, { text }: Clause): number {
  if (!/\b(?:each|every)\b/i.test(text)) return 0
  return takesMany(tool) ? -oneByOne : oneByOne
}

function shiftByValues(tool: Tool, { literals }: Clause): number {
  const values = literals.filter(({ kind }) => kind !== 'name')
  if (values.length === 0) return 0
  const fields = schemaFields(tool.definition.inputSchema).filter(({ isContainer }) => !isContainer)
  const taken = values.filter((literal) => fields.some((field) => fitLiteral(literal, field) >= 0.5))
  return takesValues * (2 * (taken.length / values.length) - 1)
}

function shiftByAge(tool: Tool): number {
  return isOutdated(tool) ? outdated : 0
}

function isOutdated({ definition }: Tool): boolean {
  return /\bdeprecated\b/i.test(definition.description ?? '')
}

/** Hits by how probable they are; of two that do the same, the one that is not outdated takes the place of the other. */
export function rankHits(hits: readonly ToolHit[], clause: Clause): readonly ToolHit[] {
  const ranked = hits
    .map((hit) => ({ ...hit, score: rateHit(hit, clause) }))
    .sort((a, b) => b.score - a.score)
  const [best] = ranked
  if (best === undefined || best.parts.name > 0 || !isOutdated(best.tool)) return ranked
  const current = ranked.find(({ tool }) => !isOutdated(tool) && isTwin(tool, best.tool))
  if (current === undefined) return ranked
  return [{ ...current, score: best.score }, ...ranked.filter((hit) => hit !== current && hit !== best)]
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

/**
 * In log-odds: who stands alone is right more often than its score says, and who has a rival less often. On the development sets a
 * tool with a rival of a tenth of its score was as often right as one with e times its odds, and one with an equal rival as one with
 * a third of them. One that does the same is no rival.
 */
export function withLead(best: ToolHit, rest: readonly ToolHit[]): number {
  if (best.parts.name > 0) return best.score
  const rival = rest.find((hit) => !isTwin(hit.tool, best.tool))
  return shifted(best.score, 1 - 2.5 * ((rival?.score ?? 0) / best.score))
}

/** `read_file` beside `read_text_file`: the same verb and the same required parameters, and one's name within the other's. */
function isTwin(a: Tool, b: Tool): boolean {
  if (a.server !== b.server) return false
  const [first, second] = [a, b].map((tool) => new Set(splitWords(tool.name).map(stem)))
  const isWithin =
    [...first!].every((word) => second!.has(word)) || [...second!].every((word) => first!.has(word))
  return isWithin && JSON.stringify(requiredOf(a)) === JSON.stringify(requiredOf(b))
}

function requiredOf({ definition }: Tool): readonly unknown[] {
  const { required } = definition.inputSchema
  return Array.isArray(required) ? required.toSorted() : []
}
