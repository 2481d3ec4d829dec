/**
 * What can be seen to be wrong with the calls of a program before it runs. Never a false alarm: what is not known without running it is not
 * judged, nor is what a schema says in ways that are not looked at here.
 */
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import type { Program, ProgramCall, ProgramProblem } from './program.js'

export interface KnownTools {
  /** By the name as the code has it. */
  inputSchemaOf(name: string, kind: ProgramCall['kind']): JsonObject | undefined
  isKnown(name: string, kind: ProgramCall['kind']): boolean
  closest(name: string, kind: ProgramCall['kind']): readonly string[]
}

export function checkProgram(program: Program, known: KnownTools): readonly ProgramProblem[] {
  return program.calls.flatMap((call) => {
    const { name, kind, line, column } = call
    if (name === undefined) return []
    return problemsOf(call, name, kind, known)
      .slice(0, mostPerCall)
      .map((message) => ({ line, column, message }))
  })
}

const mostPerCall = 8
const deepest = 8

function problemsOf(
  call: ProgramCall,
  name: string,
  kind: ProgramCall['kind'],
  known: KnownTools,
): readonly string[] {
  if (!known.isKnown(name, kind)) {
    const near = known.closest(name, kind)
    return [`No ${kind} "${name}".${near.length > 0 ? ` Closest: ${near.join(', ')}.` : ''}`]
  }
  const schema = known.inputSchemaOf(name, kind)
  if (schema === undefined || call.arguments === undefined) return []
  return judge(call.arguments, schema, [], 0).map((problem) => `${name}: ${problem}`)
}

type Path = readonly (string | number)[]

function judge(value: Json, schema: Json | undefined, path: Path, depth: number): readonly string[] {
  // Keywords beside $ref are read differently from draft to draft.
  if (!isObject(schema) || schema.$ref !== undefined || depth > deepest || !isKnownValue(value)) return []
  const wrongType = judgeType(value, schema, path)
  if (wrongType !== undefined) return [wrongType]
  if (Array.isArray(value)) {
    if (!isObject(schema.items) || schema.prefixItems !== undefined) return []
    return value.flatMap((item, index) => judge(item, schema.items, [...path, index], depth + 1))
  }
  return isObject(value) ? judgeObject(value, schema, path, depth) : []
}

function judgeObject(value: JsonObject, schema: JsonObject, path: Path, depth: number): readonly string[] {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const problems: string[] = []
  const isOpen = Object.hasOwn(value, '$unknown')
  if (!isOpen && Array.isArray(schema.required)) {
    for (const name of schema.required) {
      if (typeof name !== 'string' || Object.hasOwn(value, name)) continue
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      // Whoever checks the call may fill it in.
      if (isObject(property) && property.default !== undefined) continue
      problems.push(`"${pathText([...path, name])}" is missing.`)
    }
  }
  const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined
  for (const [name, field] of Object.entries(value)) {
    if (name === '$unknown') continue
    if (Object.hasOwn(properties, name)) {
      problems.push(...judge(field, properties[name], [...path, name], depth + 1))
    } else if (isClosed && !isUndefined(field)) {
      const names = Object.keys(properties)
      const has = names.length === 0 ? 'It takes nothing' : `It takes ${names.slice(0, 12).join(', ')}`
      problems.push(`"${pathText([...path, name])}" is no argument. ${has}.`)
    }
  }
  return problems
}

function judgeType(value: Json, schema: JsonObject, path: Path): string | undefined {
  const where = path.length === 0 ? 'The argument' : `"${pathText(path)}"`
  const types =
    typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : []
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    return `${where} is ${shown(value)}, where ${types.join(' or ')} is expected.`
  }
  const isPlain = value === null || typeof value !== 'object'
  if (isPlain && Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    const choices = schema.enum.slice(0, 12).map((choice) => JSON.stringify(choice))
    return `${where} is ${shown(value)}, where one of ${choices.join(', ')} is expected.`
  }
  if (isPlain && schema.const !== undefined && schema.const !== value) {
    const isPlainConst = schema.const === null || typeof schema.const !== 'object'
    if (isPlainConst) return `${where} is ${shown(value)}, where ${JSON.stringify(schema.const)} is expected.`
  }
  return undefined
}

/** A type that nobody knows is passed. */
function hasType(value: Json, type: Json): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    default:
      return true
  }
}

function isKnownValue(value: Json): boolean {
  if (!isObject(value)) return true
  const isHole = '$from' in value || '$arg' in value
  return !isHole && !(Object.keys(value).length === 1 && '$unknown' in value)
}

function isUndefined(value: Json): boolean {
  return isObject(value) && value.$unknown === 'undefined'
}

function shown(value: Json): string {
  if (Array.isArray(value)) return 'an array'
  if (isObject(value)) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 40)}...` : text
}

function pathText(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')
}
