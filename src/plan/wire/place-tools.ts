import { stopStems } from '../../model/words/stop-words.js'
import type { Clause, Intent } from '../read/read-intent.js'
import type { ToolShape } from './describe-tool.js'

/** Where an intent speaks of a tool. */
export interface ToolPlace {
  /** Index of the clause; -1: nowhere. */
  readonly clause: number
  /** Place in the text of the first word that speaks of it there. */
  readonly at: number
  readonly score: number
  /** How probable each clause is to be the one that speaks of it. */
  readonly chances: readonly number[]
}

export interface PlaceOptions {
  /** Of each clause. */
  readonly vectors: readonly Float32Array[]
}

/** A word of the name says more than one of the description; a parameter's name says little: many tools share it. */
const nameWeight = 1
const verbWeight = 0.6
const saidWeight = 0.35
const inputWeight = 0.25
const cosineWeight = 2
/** A wish has mostly one tool, but `book a table at a good restaurant` has two. */
const sharedPenalty = 0.35

/** Each tool gets the clause that speaks of it most; one that another has already taken counts less. */
export function placeTools(
  intent: Intent,
  shapes: readonly ToolShape[],
  { vectors }: PlaceOptions,
): readonly ToolPlace[] {
  const rarity = rarityOf(shapes)
  const scores = shapes.map((shape) =>
    intent.clauses.map(
      (clause, at) => scoreClause(clause, shape, rarity) + cosineWeight * cosine(vectors[at]!, shape.vector),
    ),
  )
  const places: ToolPlace[] = shapes.map(() => ({
    clause: -1,
    at: Number.MAX_SAFE_INTEGER,
    score: 0,
    chances: [],
  }))
  const taken = intent.clauses.map(() => 0)
  const open = new Set(shapes.keys())
  while (open.size > 0) {
    let best: { tool: number; clause: number; score: number } | undefined
    for (const tool of open)
      for (const clause of intent.clauses.keys()) {
        const score = scores[tool]![clause]! - sharedPenalty * taken[clause]!
        const isBetter = best === undefined || score > best.score
        // The same whatever order they came in.
        const isFirst =
          score === best?.score && tool !== best.tool && shapes[tool]!.tool.id < shapes[best.tool]!.tool.id
        if (isBetter || isFirst) best = { tool, clause, score }
      }
    if (best === undefined) break
    open.delete(best.tool)
    taken[best.clause]! += 1
    places[best.tool] = {
      clause: best.clause,
      at: firstWord(intent.clauses[best.clause]!, shapes[best.tool]!),
      score: best.score,
      chances: softmax(scores[best.tool]!),
    }
  }
  return places
}

/** A lead of so much makes a clause e times as probable. */
const temperature = 0.4

function softmax(scores: readonly number[]): readonly number[] {
  const most = Math.max(...scores)
  const raised = scores.map((score) => Math.exp((score - most) / temperature))
  const sum = raised.reduce((total, one) => total + one, 0)
  return raised.map((one) => one / sum)
}

function scoreClause(clause: Clause, shape: ToolShape, rarity: ReadonlyMap<string, number>): number {
  let score = 0
  const inputs = new Set(shape.inputs.flatMap(({ words }) => words))
  for (const word of new Set(clause.words.filter((one) => !one.isValue).map((one) => one.stem))) {
    if (stopStems.has(word)) continue
    const rare = rarity.get(word) ?? 1
    if (shape.thing.has(word)) score += nameWeight * rare
    else if (shape.verb === word) score += verbWeight * rare
    else if (shape.said.has(word)) score += saidWeight * rare
    else if (inputs.has(word)) score += inputWeight * rare
  }
  return score
}

/** 1 for a word that one of the tools says, less for one that many say. */
function rarityOf(shapes: readonly ToolShape[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const shape of shapes)
    for (const word of new Set([...shape.thing, ...shape.said, ...(shape.verb ? [shape.verb] : [])]))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Map([...counts].map(([word, count]) => [word, 1 / Math.sqrt(count)]))
}

function firstWord(clause: Clause, shape: ToolShape): number {
  const named = clause.words.find(
    ({ stem: word, isValue }) => !isValue && (shape.verb === word || shape.thing.has(word)),
  )
  return (named ?? clause.words[0])?.at ?? clause.start
}

export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}
