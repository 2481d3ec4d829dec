/** Which references of a task's arguments are taken one by one, as planTasks will decide it (plan-tasks.ts). */
import type { Json, JsonObject } from '../../model/json.js'
import { isEach, type PlacedReference, placeReferences } from '../../model/reference.js'
import type { Tool } from '../../model/tool.js'
import { acceptsArrayAt } from '../wire/schema-at.js'

/** One call for each element of a list: the result is a list, too. */
export function isDoneForEach(args: JsonObject, tool: Tool): boolean {
  return spreadIn(args).some((one) => takesList(one, tool) === false)
}

/**
 * The same list where one value is wanted and where a list is cannot be told apart: then each is meant, in a list of its own.
 * What it was given stays as it is.
 */
export function untangleLists(args: JsonObject, tool: Tool): JsonObject {
  const spread = spreadIn(args)
  const each = new Set(
    spread.filter((one) => takesList(one, tool) === false).map(({ reference }) => reference.text),
  )
  const torn = spread.filter((one) => each.has(one.reference.text) && takesList(one, tool) === true)
  return torn.reduce((changed, { place }) => wrapAt(changed, place) as JsonObject, args)
}

function spreadIn(args: JsonObject): readonly PlacedReference[] {
  return placeReferences(args).filter(
    ({ reference }) => reference.path.some(isEach) && reference.as !== 'list',
  )
}

/** Undefined: the schema does not say. */
function takesList({ place }: PlacedReference, { definition }: Tool): boolean | undefined {
  return acceptsArrayAt(definition.inputSchema, place)
}

function wrapAt(value: Json, [step, ...rest]: readonly (string | number)[]): Json {
  if (step === undefined) return [value]
  if (Array.isArray(value)) return value.map((item: Json, at) => (at === step ? wrapAt(item, rest) : item))
  const holder = value as JsonObject
  return { ...holder, [step]: wrapAt(holder[step]!, rest) }
}
