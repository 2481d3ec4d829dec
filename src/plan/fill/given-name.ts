import type { JsonObject } from '../../model/json.js'
import type { Field } from '../wire/schema-fields.js'

/** By what name a caller gave the value of an argument: `task.argument` before the argument alone; undefined: it did not. */
export function givenName(given: JsonObject, task: string, field: Field): string | undefined {
  const names = [firstPlace(field.path), field.path, field.name]
  return [...names.map((name) => `${task}.${name}`), ...names].find((name) => Object.hasOwn(given, name))
}

/** A list of the schema has one place in the arguments: the first. */
export function firstPlace(path: string): string {
  return path.replaceAll('[*]', '[0]')
}
