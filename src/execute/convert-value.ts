import { ConversionError } from '../errors.js'
import type { Json } from '../model/json.js'
import { type Conversion, describeJson, isEach, type Reference } from '../model/reference.js'

/**
 * The value of a reference as its `$as` wants it. Only what loses nothing is done:
 *
 *     text      a number or a boolean as it is written; an object or an array as its JSON
 *     number    a text that reads exactly so, as JSON writes numbers: "42", "4.2"; no "", " 1", "007", "0x1F", "1e999", and no
 *               whole number too large to be kept digit by digit, as ids can be
 *     boolean   the texts "true" and "false"
 *     list      a single value as a list of one
 *
 * What is so already stays. Of what `[*]` gathered each value is converted; a list it is already.
 *
 * @throws ConversionError for anything else
 */
export function convertValue(value: Json, reference: Reference): Json {
  if (reference.as === undefined) return value
  const lists = reference.path.filter(isEach).length
  if (lists > 0 && reference.as === 'list') return value
  return convertWithin(value, reference, reference.as, lists)
}

/** One value of those that `[*]` found. */
export function convertItem(value: Json, reference: Reference): Json {
  return reference.as === undefined ? value : convertWithin(value, reference, reference.as, 0)
}

function convertWithin(value: Json, reference: Reference, as: Conversion, lists: number): Json {
  if (lists > 0 && Array.isArray(value))
    return value.map((item) => convertWithin(item, reference, as, lists - 1))
  const converted = converters[as](value)
  if (converted !== undefined) return converted
  throw new ConversionError(reference.text, as, show(value), wanted[as])
}

const converters: Readonly<Record<Conversion, (value: Json) => Json | undefined>> = {
  text: toText,
  number: toNumber,
  boolean: toBoolean,
  list: (value) => (Array.isArray(value) ? value : [value]),
}

const wanted: Readonly<Record<Conversion, string>> = {
  text: '"$as": "text" takes anything but null.',
  number: '"$as": "number" takes a number, or text that reads exactly so, as "42" or "4.2".',
  boolean: '"$as": "boolean" takes a boolean, or the text "true" or "false".',
  list: '"$as": "list" takes anything.',
}

function toText(value: Json): string | undefined {
  if (value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toNumber(value: Json): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value))
    return undefined
  const number = Number(value)
  if (/^-?\d+$/.test(value)) return Number.isSafeInteger(number) ? number : undefined
  return Number.isFinite(number) ? number : undefined
}

function toBoolean(value: Json): boolean | undefined {
  if (typeof value === 'boolean') return value
  return value === 'true' ? true : value === 'false' ? false : undefined
}

const mostShown = 40

function show(value: Json): string {
  if (typeof value !== 'string') return describeJson(value)
  return `text ${JSON.stringify(value.length > mostShown ? `${value.slice(0, mostShown)}...` : value)}`
}
