import type { ShapedField, ToolShape } from './describe-tool.js'
import { fitFields } from './fit-fields.js'
import type { Field } from './schema-fields.js'

/** One tool of a pair, as the request speaks of it. */
export interface FitSide {
  readonly shape: ToolShape
  /** Words of its clause that are no values. */
  readonly words: ReadonlySet<string>
  /** The parameter that the clause points at, or the first one. */
  readonly meant?: ShapedField
  /** Parameters that the clause names without a value. */
  readonly named: ReadonlySet<Field>
  /** Parameters that have to come from somewhere. */
  readonly wanted: ReadonlySet<Field>
  /** Parameters that have their value already. */
  readonly filled: ReadonlySet<Field>
}

export interface Fit {
  readonly output: ShapedField
  readonly input: ShapedField
  readonly score: number
}

/** An output that the request names is meant; what is said where it is made counts half. */
const spokenBonus = 0.35
/** A parameter that is named without a value, `with the age as the argument`, is to be filled from somewhere. */
const namedBonus = 0.2
/** What a tool was given itself need not come from it. */
const echoFactor = 0.6
/** What is spoken of goes where it is meant to, not to whatever is still open. */
const alikeEnough = 0.2
/** What need not be there is filled only by what plainly is it. */
const sureOptional = 0.6
const optionalFactor = 0.7
const laterFactor = 0.03
/** From here on one place is as late as another. */
const lastPlace = 20

/**
 * Every output of `from` that would do for an input of `to` that nothing fills yet, best first. `isKept`: what the schemas alone say
 * of it is remembered for the next time.
 */
export function findFits(
  from: FitSide,
  to: FitSide,
  { isKept }: { readonly isKept: boolean },
): readonly Fit[] {
  const fits: Fit[] = []
  for (const { output, input, fit, score, place } of possibleFits(from.shape, to.shape, isKept)) {
    if (to.filled.has(input)) continue
    const isNamed = to.named.has(input)
    const isWanted = isNamed || to.wanted.has(input)
    if (!isWanted && fit < sureOptional) continue
    const spoken =
      spokenBonus * Math.max(shareIn(output.words, to.words), 0.5 * shareIn(output.words, from.words))
    const isMeant = isNamed || input === to.meant || fit >= alikeEnough
    const wanted = score + spoken * (isMeant ? 1 : 0.3) + (isNamed ? namedBonus : 0)
    const factor = (isWanted ? 1 : optionalFactor) * (1 - laterFactor * Math.min(place, lastPlace))
    fits.push({ output, input, score: Math.min(1, wanted * factor) })
  }
  return fits.sort((x, y) => y.score - x.score)
}

interface PossibleFit {
  readonly output: ShapedField
  readonly input: ShapedField
  readonly fit: number
  /** Less than the fit where the producer only gives back what it was given. */
  readonly score: number
  /** Of the input among its tool's. */
  readonly place: number
}

/** What the schemas of two tools say of one another, whatever is asked: worked out once. Shapes live as long as they are used. */
const known = new WeakMap<ToolShape, WeakMap<ToolShape, readonly PossibleFit[]>>()

/** Of a pair, half a microsecond each; real ones need some dozens, and a hostile schema has 200 fields on either side. */
const mostCompared = 2_000

function possibleFits(a: ToolShape, b: ToolShape, isKept: boolean): readonly PossibleFit[] {
  const before = known.get(a)?.get(b)
  if (before !== undefined) return before
  const fits = compareFields(a, b)
  if (isKept) {
    const ofA = known.get(a) ?? new WeakMap<ToolShape, readonly PossibleFit[]>()
    known.set(a, ofA.set(b, fits))
  }
  return fits
}

function compareFields(a: ToolShape, b: ToolShape): readonly PossibleFit[] {
  const echoes = echoesOf(a)
  const outputs = a.outputs.slice(0, Math.ceil(mostCompared / Math.max(1, b.inputs.length)))
  const fits: PossibleFit[] = []
  for (const [place, input] of b.inputs.entries()) {
    if (input.isContainer && input.types.has('object')) continue
    for (const output of outputs) {
      if (holdOther(output, input)) continue
      const { score: fit } = fitFields(output, input, a.thing)
      if (fit > 0)
        fits.push({
          output,
          input,
          fit,
          score: fit * (echoes.has(output) ? echoFactor : 1),
          place,
        })
    }
  }
  return fits
}

const knownEchoes = new WeakMap<ToolShape, ReadonlySet<Field>>()

/** Outputs that are called like an input of the same tool. */
function echoesOf(shape: ToolShape): ReadonlySet<Field> {
  const before = knownEchoes.get(shape)
  if (before !== undefined) return before
  const given = new Set(shape.inputs.map(({ words }) => words.join(' ')))
  const echoes = new Set<Field>(shape.outputs.filter(({ words }) => given.has(words.join(' '))))
  knownEchoes.set(shape, echoes)
  return echoes
}

/** A list of objects, or an object, is no list of numbers, whatever it is called. */
function holdOther(output: Field, input: Field): boolean {
  const holds = output.types.has('array') ? output.itemTypes : output.types
  if (!input.types.has('array') || holds.size === 0 || input.itemTypes.size === 0) return false
  return holds.has('object') !== input.itemTypes.has('object')
}

function shareIn(words: readonly string[], spoken: ReadonlySet<string>): number {
  return words.length === 0 ? 0 : words.filter((word) => spoken.has(word)).length / words.length
}
