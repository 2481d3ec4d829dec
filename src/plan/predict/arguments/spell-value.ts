import type { Json } from '../../../model/json.js'
import type { Target } from './follow-way.js'
import { keyOf } from './value-key.js'

/**
 * A value as the argument takes it: `"42"` of a text as 42 where numbers were given as numbers, and the other way round. One that would
 * not be the same afterwards (`007`), or of which no such value was given yet, stays as it is.
 */
export function spellValue(value: Json, { numbersAre, booleansAre }: Target): Json {
  if (typeof value === 'object') return value
  const key = keyOf(value)
  if (numbersAre !== undefined && isNumberLike(key)) return numbersAre === 'number' ? Number(key) : key
  if (booleansAre !== undefined && isTruthLike(key)) return booleansAre === 'boolean' ? key === 'true' : key
  return value
}

export function isNumberLike(key: string): boolean {
  return /^-?\d{1,16}(?:\.\d{1,16})?$/.test(key) && String(Number(key)) === key
}

export function isTruthLike(key: string): boolean {
  return key === 'true' || key === 'false'
}
