/**
 * What the parameters of a program might be, where nobody has run it: two programs that differ in the types of their parameters are two
 * procedures, so one that is written by hand has to have the types that it would have been learned with.
 */
import { liftProgram } from '../capabilities/program/lift-program.js'
import type { Program, ProgramCall } from '../capabilities/program/program.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'

/** By the tools and capabilities that they are handed to. */
export function exampleArguments(
  program: Program,
  inputSchemaOf: (name: string, kind: ProgramCall['kind']) => JsonObject | undefined,
): JsonObject {
  const { properties } = liftProgram(program).inputSchema
  const untyped = Object.entries(isObject(properties) ? properties : {}).filter(
    ([, schema]) => isObject(schema) && schema.type === undefined,
  )
  const examples = new Map<string, Json>(untyped.map(([name]) => [name, null]))
  for (const { kind, name, arguments: given } of program.calls) {
    const wanted = name === undefined ? undefined : inputSchemaOf(name, kind)?.properties
    if (!isObject(given) || !isObject(wanted)) continue
    for (const [key, value] of Object.entries(given)) {
      const [, parameter = '', each] = wholeOrEach.exec(isObject(value) ? String(value.$arg) : '') ?? []
      if (examples.get(parameter) !== null) continue
      const example = exampleOf(wanted[key])
      examples.set(parameter, each === undefined ? example : listOf(example))
    }
  }
  return Object.fromEntries(examples)
}

/** `path`, or `paths[*]`: each of a list. */
const wholeOrEach = /^([A-Za-z_$][\w$]*)(\[\*\])?$/

/** By the schema that it had where it comes from. */
export function examplesOfSchema({ properties }: JsonObject): JsonObject {
  if (!isObject(properties)) return {}
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema)]))
}

/** null: of any type. */
function exampleOf(schema: Json | undefined): Json {
  switch (isObject(schema) ? schema.type : undefined) {
    case 'string':
      return ''
    case 'number':
    case 'integer':
      return 0
    case 'boolean':
      return false
    case 'object':
      return {}
    case 'array':
      return listOf(exampleOf((schema as JsonObject).items))
    default:
      return null
  }
}

function listOf(item: Json): Json {
  return item === null ? [] : [item]
}
