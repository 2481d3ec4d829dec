import { stem } from '../../model/words/stem.js'
import type { Literal, LiteralKind } from '../read/find-literals.js'
import type { Field } from './schema-fields.js'

/** How well a value of the request fits a parameter, by type and by what the parameter is called, in [0, 1]; 0: not at all. */
export function fitLiteral(given: Literal, field: Field): number {
  const bare = given.inner === undefined ? 0 : fitPlain({ ...given, kind: given.inner }, field)
  // Quotes around a date are still a date, and hardly ever a title.
  return Math.max(bare, fitPlain(given, field) * (given.inner === undefined ? 1 : 0.5))
}

function fitPlain(literal: Literal, field: Field): number {
  const { types, itemTypes } = field
  if (field.choices !== undefined)
    return field.choices.some((choice) => sameText(choice, literal.text)) ? 1 : 0
  const wanted = wantedKinds(field)
  if (types.size === 0) return wanted === undefined || wanted.has(literal.kind) ? 0.5 : 0.1
  const best = Math.max(...[...types].map((type) => fitType(literal, type, itemTypes, wanted, field)))
  return best === 0 ? 0 : Math.max(0, Math.min(1, best + unitBonus(literal, field)))
}

function fitType(
  literal: Literal,
  type: string,
  itemTypes: ReadonlySet<string>,
  wanted: ReadonlySet<LiteralKind> | undefined,
  field: Field,
): number {
  if (type === 'number' || type === 'integer') {
    if (literal.kind === 'number') return type === 'integer' && !Number.isInteger(literal.number) ? 0.3 : 0.7
    return literal.kind === 'quoted' && /^-?\d+(?:\.\d+)?$/.test(literal.text) ? 0.6 : 0
  }
  if (type === 'array') {
    if (field.itemChoices !== undefined)
      return field.itemChoices.some((choice) => sameText(choice, literal.text)) ? 0.9 : 0
    const item = itemTypes.size === 0 ? 'string' : [...itemTypes][0]!
    return item === 'array' ? 0 : fitType(literal, item, noTypes, wanted, field) * 0.9
  }
  if (type === 'object') return literal.kind === 'date' || literal.kind === 'time' ? 0.3 : 0.1
  if (type === 'boolean') return 0
  if (literal.kind === 'name' && field.words.some((word) => word === 'languag'))
    return languages.has(literal.text.toLowerCase()) ? 1 : 0.1
  if (literal.kind === 'name' && languages.has(literal.text.toLowerCase())) return 0.2
  // Quotes are put around anything: what is of the very kind comes first.
  if (wanted !== undefined)
    return literal.kind === 'quoted'
      ? wanted.has('quoted')
        ? 0.6
        : 0.35
      : wanted.has(literal.kind)
        ? 0.9
        : 0
  // `to Bob`, where a name is asked for.
  if (literal.kind === 'name' && field.words.includes('name')) return 0.85
  return kindOfText[literal.kind]
}

const languages = new Set(
  `arabic bengali bulgarian catalan chinese cantonese mandarin croatian czech danish dutch english estonian finnish french german greek hebrew hindi
  hungarian icelandic indonesian italian japanese korean latin latvian lithuanian malay norwegian persian polish portuguese romanian russian serbian
  slovak slovenian spanish swahili swedish tamil telugu thai turkish ukrainian urdu vietnamese`.split(/\s+/),
)
const noTypes: ReadonlySet<string> = new Set()

/** How probable it is that a text parameter without a telling name means a value of this kind. */
const kindOfText: Readonly<Record<LiteralKind, number>> = {
  quoted: 0.8,
  name: 0.6,
  id: 0.5,
  path: 0.4,
  url: 0.4,
  email: 0.3,
  number: 0.25,
  date: 0.15,
  time: 0.1,
  phone: 0.25,
  // Only for who asks for such.
  glob: 0,
  place: 0,
}

const kindsByWord = new Map<string, readonly LiteralKind[]>()
const say = (words: string, ...kinds: LiteralKind[]): void => {
  for (const word of words.split(' ')) kindsByWord.set(stem(word), kinds)
}
say('date day birthdate birthday deadline due since until', 'date')
say('time hour clock', 'time', 'date')
say('url link website site webpage uri href', 'url')
say('email mail', 'email')
say('phone telephone mobile', 'phone', 'number', 'id')
say('path file folder directory filename dir', 'path', 'quoted', 'place')
say('pattern glob mask wildcard', 'glob', 'quoted')

const kindsByFormat: ReadonlyMap<string, readonly LiteralKind[]> = new Map([
  ['date', ['date']],
  ['time', ['time']],
  ['date-time', ['date', 'time']],
  ['email', ['email']],
  ['uri', ['url']],
  ['url', ['url']],
  ['uuid', ['id']],
  ['ipv4', ['id']],
])

const known = new WeakMap<Field, ReadonlySet<LiteralKind> | undefined>()

/** The kinds of value that a parameter asks for by its format or its name; undefined: any. */
export function wantedKinds(field: Field): ReadonlySet<LiteralKind> | undefined {
  if (!known.has(field)) known.set(field, findWanted(field))
  return known.get(field)
}

function findWanted(field: Field): ReadonlySet<LiteralKind> | undefined {
  const byFormat = field.format === undefined ? undefined : kindsByFormat.get(field.format)
  if (byFormat !== undefined) return new Set(byFormat)
  const kinds = field.words.flatMap((word) => kindsByWord.get(word) ?? [])
  return kinds.length === 0 ? undefined : new Set(kinds)
}

/** What a number with such a unit measures, and how the parameters for that are called. */
const measures: readonly (readonly [RegExp, ReadonlySet<string>])[] = (
  [
    ['%', 'rate percentage percent discount interest tax tip share ratio'],
    [
      '[$€£¥]|dollars?|euros?|usd|eur|gbp|yuan|yen|rupees?',
      'price amount cost total bill salary principal revenue expense loan budget fee payment allowance income balance rent fund value',
    ],
    [
      'seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|years?|yrs?',
      'time duration period term length day night week month year hour minute second age timeout interval',
    ],
    [
      'miles?|kilomet(?:er|re)s?|kms?|met(?:er|re)s?|feet|foot|ft|inch(?:es)?|cm|mm|yards?',
      'distance radius height width length depth size range',
    ],
    ['pounds?|lbs?|kgs?|kilos?|kilograms?|grams?|g|ounces?|oz|tons?', 'weight mass'],
  ] as const
).map(([unit, words]) => [new RegExp(`^(?:${unit})$`), new Set(words.split(' ').map(stem))])

function unitBonus({ unit }: Literal, { words }: Field): number {
  if (unit === undefined) return 0
  if (words.includes(stem(unit))) return 0.25
  const measure = measures.find(([pattern]) => pattern.test(unit))
  if (measure === undefined) return 0
  return words.some((word) => measure[1].has(word)) ? 0.2 : -0.35
}

function sameText(choice: unknown, text: string): boolean {
  return String(choice).toLowerCase() === text.toLowerCase()
}
