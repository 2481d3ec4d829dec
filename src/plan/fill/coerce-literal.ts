import type { Json } from '../../model/json.js'
import type { Literal } from '../read/find-literals.js'
import type { Field } from '../wire/schema-fields.js'

export interface Coerced {
  readonly value: Json
  /** What was done; absent where the value is as it was written. */
  readonly how?: string
}

/** Values of the request as the parameter wants them. Safe conversions alone: what would be a guess gives undefined. */
export function coerceLiterals(literals: readonly Literal[], field: Field): Coerced | undefined {
  const [first] = literals
  if (first === undefined) return undefined
  if (field.choices !== undefined) {
    return coerceChoice(first, field.choices)
  }
  if (field.types.has('array') && (literals.length > 1 || !field.types.has('string'))) {
    const items = literals.map((literal) => coerceItem(literal, field))
    if (items.some((item) => item === undefined)) return undefined
    const value = items.map((item) => item!.value)
    return literals.length === 1 ? { value, how: 'a single value as a list of one' } : { value }
  }
  return coerceOne(first, field.types)
}

function coerceItem(literal: Literal, { itemTypes, itemChoices }: Field): Coerced | undefined {
  return itemChoices === undefined ? coerceOne(literal, itemTypes) : coerceChoice(literal, itemChoices)
}

function coerceChoice({ text }: Literal, choices: readonly Json[]): Coerced | undefined {
  const choice = choices.find((one) => String(one).toLowerCase() === text.toLowerCase())
  return choice === undefined ? undefined : { value: choice }
}

function coerceOne(literal: Literal, types: ReadonlySet<string>): Coerced | undefined {
  if (types.size === 0 || types.has('string')) return { value: literal.text }
  if (types.has('number') || types.has('integer')) {
    const value = literal.number ?? exactNumber(literal.text)
    if (value === undefined || (!types.has('number') && !Number.isInteger(value))) return undefined
    return String(value) === literal.text
      ? { value }
      : { value, how: `${JSON.stringify(literal.text)} as the number ${value}` }
  }
  if (types.has('boolean') && /^(?:true|false)$/i.test(literal.text))
    return { value: literal.text.toLowerCase() === 'true' }
  return undefined
}

/** A value that the caller gave, made to fit: a number in a text, a single value for a list. Anything else stays as it is. */
export function coerceGiven(value: Json, field: Field): Coerced {
  const { types } = field
  if (types.size === 0) return { value }
  if (typeof value === 'string' && !types.has('string')) {
    const number = exactNumber(value)
    if (number !== undefined && (types.has('number') || (types.has('integer') && Number.isInteger(number))))
      return { value: number, how: `${JSON.stringify(value)} as the number ${number}` }
    if (types.has('boolean') && (value === 'true' || value === 'false'))
      return { value: value === 'true', how: `${JSON.stringify(value)} as ${value}` }
  }
  if ((typeof value === 'number' || typeof value === 'boolean') && types.has('string') && types.size === 1)
    return { value: String(value), how: `${value} as text` }
  if (!Array.isArray(value) && value !== null && types.has('array') && types.size === 1) {
    const item = coerceGiven(value, { ...field, types: field.itemTypes, itemTypes: new Set() })
    const how = 'a single value as a list of one'
    return { value: [item.value], how: item.how === undefined ? how : `${item.how}, ${how}` }
  }
  return { value }
}

function exactNumber(text: string): number | undefined {
  return /^-?\d{1,15}(?:\.\d{1,12})?$/.test(text) ? Number(text) : undefined
}
