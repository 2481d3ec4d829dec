/**
 * A tool may need what the intent does not give and nobody else in the plan makes: `book a table at a Chinese restaurant` needs the
 * restaurant's name. Then a tool that gives it is looked for, one whose own inputs the intent fills.
 */
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { JsonObject } from '../model/json.js'
import { isCallable, type Tool, type ToolId } from '../model/tool.js'
import { splitWords } from '../model/words/split-words.js'
import type { ToolSearch } from './find/create-tool-search.js'
import type { Clause } from './read/read-intent.js'
import { roleOf, type ShapedField, type ToolShape, type ToolShapes } from './wire/describe-tool.js'
import { fitFields, pointers } from './wire/fit-fields.js'
import { fitLiteral } from './wire/fit-literal.js'
import type { Field } from './wire/schema-fields.js'

export interface Need {
  readonly shape: ToolShape
  readonly input: ShapedField
  readonly clause: Clause
}

export interface Prerequisite {
  readonly tool: Tool
  readonly score: number
  readonly why: string
}

export interface PrerequisiteDeps {
  readonly search: ToolSearch['search']
  readonly graph: Pick<KnowledgeGraph, 'incoming'>
  readonly shapes: Pick<ToolShapes, 'of'>
  tool(id: ToolId): Tool | undefined
  outputSchema(tool: Tool): JsonObject | undefined
  /** Tools that the request does not want. */
  readonly ruledOut: ReadonlySet<ToolId>
}

const candidateCount = 12
/** A producer must be more than possible: adding a call that nobody asked for has to be worth it. */
const leastScore = 0.55

export async function findPrerequisite(
  need: Need,
  deps: PrerequisiteDeps,
): Promise<Prerequisite | undefined> {
  const candidates = await collect(need, deps)
  const shapes = await deps.shapes.of(candidates, deps.outputSchema)
  let best: Prerequisite | undefined
  for (const shape of shapes) {
    const rated = rate(shape, need, deps)
    if (rated !== undefined && rated.score > (best?.score ?? leastScore)) best = rated
  }
  return best
}

async function collect({ shape, input, clause }: Need, deps: PrerequisiteDeps): Promise<readonly Tool[]> {
  const name = splitWords(input.name).join(' ')
  const queries = [
    `find ${[...shape.thing].join(' ')} ${name} ${clause.text}`,
    `list search ${shape.tool.server} ${name}`,
  ]
  const found = (
    await Promise.all(queries.map((query) => deps.search(query, { limit: candidateCount, context: [] })))
  ).flat()
  const learned = deps.graph.incoming(shape.tool.id).slice(0, candidateCount)
  const ids = new Set([...learned.map(({ edge }) => edge.from), ...found.map(({ tool }) => tool.id)])
  return [...ids].flatMap((id) => {
    const tool = id === shape.tool.id || deps.ruledOut.has(id) ? undefined : deps.tool(id)
    return tool !== undefined && isCallable(tool) ? [tool] : []
  })
}

function rate(
  shape: ToolShape,
  { shape: consumer, input, clause }: Need,
  deps: PrerequisiteDeps,
): Prerequisite | undefined {
  const role = shape.verb === undefined ? undefined : roleOf(shape.verb)
  if (role !== 'gives') return undefined
  const seen = deps.graph
    .incoming(consumer.tool.id)
    .find(({ edge }) => edge.from === shape.tool.id && edge.count > 0)
  const fit = bestFit(shape, input, clause)
  if (fit === 0 || (seen === undefined && !isOfOneThing(shape, consumer, input))) return undefined
  const { filled, needed } = fillable(shape, clause)
  if (filled < needed) return undefined
  const isNear = shape.tool.server === consumer.tool.server
  // What uses more of what the intent says is the better reading of it.
  const used = literalsUsed(shape, clause)
  const score =
    fit +
    (isNear ? 0.15 : 0) +
    Math.min(0.3, 0.15 * used) +
    (seen === undefined ? 0 : 0.3 * seen.weight + 0.1)
  const why = `gives ${input.path} for ${consumer.tool.id}`
  return { tool: shape.tool, score: Math.min(surest, score), why }
}

/** Nobody asked for it. Of those that were added on the development sets, some three in four were wanted. */
const surest = 0.8

/** Both speak of one thing: `FindRestaurants` for the `restaurant_name` of `ReserveRestaurant`. */
function isOfOneThing(producer: ToolShape, consumer: ToolShape, input: Field): boolean {
  const things = [...consumer.thing, ...input.words.filter((word) => !pointers.has(word))]
  return things.some((word) => producer.thing.has(word))
}

/** Only what a thing goes by is looked up: a name, an id, a path. Dates, amounts and texts are the caller's to say. */
export function canBeLookedUp({ words }: Field): boolean {
  return words.some((word) => pointers.has(word))
}

function bestFit(shape: ToolShape, input: ShapedField, clause: Clause): number {
  const own = new Set(shape.inputs.map(({ words }) => words.join(' ')))
  const fits = shape.outputs
    .filter(({ words }) => !own.has(words.join(' ')))
    .map((output) => fitFields(output, input, shape.thing).score)
  const spoken = clause.forEach && speaksOfMany(shape, input) ? 0.5 : 0
  return Math.max(0, spoken, ...fits)
}

/** `Returns full paths to all matching items`, for a `path`: a server that answers in text says in words what it gives. */
function speaksOfMany(shape: ToolShape, input: Field): boolean {
  const { description = '' } = shape.tool.definition
  const last = splitWords(input.name).at(-1)
  if (last === undefined) return false
  const many = new RegExp(`\\b${escaped(last)}s\\b`, 'i')
  return (
    many.test(description) &&
    /\b(?:returns?|lists?|gets?|gives?|all|matching|search(?:es)?|find(?:s|ing)?)\b/i.test(description)
  )
}

function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '\\$&')
}

function fillable(shape: ToolShape, clause: Clause): { readonly filled: number; readonly needed: number } {
  const required = shape.inputs.filter(
    (field) => field.isRequired && !field.isContainer && field.default === undefined,
  )
  const filled = required.filter((field) =>
    clause.literals.some((literal) => fitLiteral(literal, field) > 0.2),
  )
  return { filled: filled.length, needed: required.length }
}

function literalsUsed(shape: ToolShape, clause: Clause): number {
  return clause.literals.filter((literal) => shape.inputs.some((field) => fitLiteral(literal, field) > 0.5))
    .length
}
