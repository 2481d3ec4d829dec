import { splitWords } from '../../model/words/split-words.js'
import { stem } from '../../model/words/stem.js'
import type { ShapedField } from './describe-tool.js'
import { cosine } from './place-tools.js'

/** Parameters that take whatever there is. */
const anything = new Set(
  `text data content contents message body input value query keyword keywords string payload items item number num num1 num2 sentence prompt note
  notes title description subject word source document`
    .split(/\s+/)
    .map(stem),
)
/** What a thing goes by. A field of only these words says nothing of whose it is. */
export const pointers: ReadonlySet<string> = new Set(
  'id ids name key uri url path number code title slug'.split(' ').map(stem),
)

/** Types that fit are something: `the age as the length`. */
const possible = 0.1
/** Two unrelated texts of the static model are some .2 alike, two that say the same some .8. */
const unrelated = 0.2
const alike = 0.8

export interface FieldFit {
  /** In [0, 1]. */
  readonly score: number
  readonly type: number
  readonly words: number
  readonly meaning: number
}

/** How well an output of one tool would serve as an input of another. `thing`: what the producer's name speaks of. */
export function fitFields(output: ShapedField, input: ShapedField, thing: ReadonlySet<string>): FieldFit {
  const type = fitTypes(output, input)
  if (type === 0) return nothing
  const words = fitWords(output.words, input.words, thing)
  const meaning = clamp((cosine(output.vector, input.vector) - unrelated) / (alike - unrelated))
  const open = input.words.length > 0 && input.words.every((word) => anything.has(word)) ? 0.3 : 0
  // A name or an id is not the thing itself.
  const isPointer =
    input.words.length > 0 &&
    input.words.every((word) => pointers.has(word)) &&
    !output.words.some((word) => pointers.has(word))
  const described = words > 0 ? 0 : shareDescribed(output, input)
  const likeness =
    (isPointer ? pointerFactor : 1) *
    Math.max(
      words,
      0.55 * described + 0.45 * meaning,
      0.55 * words + 0.45 * meaning + open * (1 - words),
      possible,
    )
  return { score: type * Math.min(1, likeness), type, words, meaning }
}

const pointerFactor = 0.6

/** `content` for `observations`, "an array of observation contents". */
function shareDescribed(output: ShapedField, input: ShapedField): number {
  if (output.words.length === 0 || input.description === '') return 0
  const said = new Set(splitWords(input.description).map(stem))
  return output.words.every((word) => said.has(word) && !pointers.has(word)) ? 1 : 0
}

const nothing: FieldFit = { score: 0, type: 0, words: 0, meaning: 0 }

/** 1: as it is; less where it is converted, picked out of a list, or taken one by one. */
export function fitTypes(output: ShapedField, input: ShapedField): number {
  if (output.types.size === 0 || input.types.size === 0) return 0.8
  let best = 0
  for (const from of output.types)
    for (const to of input.types) best = Math.max(best, fitType(from, to, output, input))
  return best * (output.lists > 0 && !input.types.has('array') ? 0.9 : 1)
}

function fitType(from: string, to: string, output: ShapedField, input: ShapedField): number {
  if (from === to) return from === 'boolean' ? 0.5 : 1
  if (from === 'integer' && to === 'number') return 1
  if (from === 'number' && to === 'integer') return 0.9
  if (to === 'string') return textOf.get(from) ?? 0.8
  if (to === 'array') {
    const wants = input.itemTypes
    return wants.size === 0 || wants.has(from) || (from === 'integer' && wants.has('number')) ? 0.85 : 0.4
  }
  if (from === 'array') {
    const holds = output.itemTypes
    return holds.size === 0 || holds.has(to) || (to === 'number' && holds.has('integer')) ? 0.7 : 0.3
  }
  if (from === 'string' && (to === 'number' || to === 'integer')) return 0.5
  return 0
}

const textOf: ReadonlyMap<string, number> = new Map([
  ['number', 0.9],
  ['integer', 0.9],
  ['array', 0.8],
  ['object', 0.5],
  ['boolean', 0.3],
])

/** Share of the words that both say. A bare `id` or `name` is that of the producer's thing. */
function fitWords(output: readonly string[], input: readonly string[], thing: ReadonlySet<string>): number {
  if (output.length === 0 || input.length === 0) return 0
  if (output.join(' ') === input.join(' ')) return 1
  const bare = output.every((word) => pointers.has(word))
  const from = new Set(bare ? [...thing, ...output] : output)
  const common = input.filter((word) => from.has(word)).length
  // A pointer alone in common says nothing: every tool has an id.
  const telling = input.filter((word) => from.has(word) && !pointers.has(word)).length
  return telling === 0 ? 0.15 * Math.min(1, common) : (2 * common) / (from.size + input.length)
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}
