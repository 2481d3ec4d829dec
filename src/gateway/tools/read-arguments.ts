import { BadArgumentsError } from '../../errors.js'
import type { Json, JsonObject } from '../../model/json.js'

/* Agents send `null`, "" and numbers as text for what they leave out or quote by mistake: what is clear is accepted. */

export function optionalText(tool: string, args: JsonObject, name: string): string | undefined {
  const value = args[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw expected(tool, name, 'a string')
  return value
}

export function requiredText(tool: string, args: JsonObject, name: string): string {
  const value = optionalText(tool, args, name)
  if (value === undefined) throw expected(tool, name, 'a string')
  return value
}

export function optionalCount(
  tool: string,
  args: JsonObject,
  name: string,
  bounds: { readonly min: number; readonly max: number },
): number | undefined {
  const value = args[name]
  if (value === undefined || value === null || value === '') return undefined
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || number < bounds.min)
    throw expected(tool, name, `a whole number from ${bounds.min}`)
  return Math.min(number, bounds.max)
}

export function optionalChoice<Choice extends string>(
  tool: string,
  args: JsonObject,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = optionalText(tool, args, name)
  if (value === undefined) return undefined
  const choice = choices.find((one) => one === value)
  if (choice === undefined) throw expected(tool, name, `one of ${choices.join(', ')}`)
  return choice
}

export function requiredChoice<Choice extends string>(
  tool: string,
  args: JsonObject,
  name: string,
  choices: readonly Choice[],
): Choice {
  const choice = optionalChoice(tool, args, name, choices)
  if (choice === undefined) throw expected(tool, name, `one of ${choices.join(', ')}`)
  return choice
}

export function optionalFlag(tool: string, args: JsonObject, name: string): boolean | undefined {
  const value = args[name]
  if (value === undefined || value === null || value === '') return undefined
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw expected(tool, name, 'true or false')
}

/** A single text counts as a list of one. */
export function optionalTexts(tool: string, args: JsonObject, name: string): readonly string[] | undefined {
  const value = args[name]
  if (value === undefined || value === null || value === '') return undefined
  const list = Array.isArray(value) ? value : [value]
  if (!list.every((one): one is string => typeof one === 'string'))
    throw expected(tool, name, 'a list of strings')
  return list
}

export function optionalObject(tool: string, args: JsonObject, name: string): JsonObject | undefined {
  const value: Json | undefined = args[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw expected(tool, name, 'an object')
  return value as JsonObject
}

export function requiredObject(tool: string, args: JsonObject, name: string): JsonObject {
  const value = optionalObject(tool, args, name)
  if (value === undefined) throw expected(tool, name, 'an object')
  return value
}

function expected(tool: string, name: string, what: string): BadArgumentsError {
  return new BadArgumentsError(tool, [{ path: `/${name}`, expected: what }])
}
