/** What a program reads from `args` already. */
import type { AnyNode, Identifier } from 'acorn'
import type { Json, JsonObject } from '../../model/json.js'
import type { AnalysedProgram } from './analyse-program.js'
import { childrenOf } from './bind-names.js'
import { literalValue, plainKey } from './literal-value.js'
import { createTraceLiteral, describeUse } from './trace-literal.js'

export interface Parameter {
  readonly name: string
  readonly nodes: readonly AnyNode[]
  /** Undefined: not known. */
  readonly value: Json | undefined
  readonly isRequired: boolean
  readonly default: Json | undefined
  readonly description: string
}

export interface OwnParameters {
  readonly parameters: readonly Parameter[]
  /** `args` is used as a whole: more parameters would change what the program does. */
  readonly isWhole: boolean
}

/** In the order of the code. */
export function readParameters(analysis: AnalysedProgram, given: JsonObject): OwnParameters {
  const trace = createTraceLiteral(analysis)
  const byName = new Map<string, Parameter>()
  let isWhole = false
  const add: AddParameter = (name, { flowsFrom, standsAt }, fallback, isOptional) => {
    const known = byName.get(name)
    const use = flowsFrom && trace.useOf(flowsFrom)
    byName.set(name, {
      name,
      nodes: [...(known?.nodes ?? []), ...(standsAt === undefined ? [] : [standsAt])],
      value: Object.hasOwn(given, name) ? given[name] : (known?.value ?? fallback),
      isRequired:
        (known?.isRequired ?? true) &&
        !isOptional &&
        (Object.keys(given).length === 0 || Object.hasOwn(given, name)),
      default: known?.default ?? fallback,
      description: known?.description || (use === undefined ? '' : describeUse(use)),
    })
  }
  for (const reference of argsReferences(analysis)) {
    if (!readReference(reference, analysis, add)) isWhole = true
  }
  if (isWhole) {
    for (const name of Object.keys(given)) if (!byName.has(name)) add(name, {}, undefined, false)
  }
  return { parameters: [...byName.values()], isWhole }
}

type AddParameter = (name: string, place: Place, fallback: Json | undefined, isOptional: boolean) => void

interface Place {
  readonly flowsFrom?: AnyNode
  /** What is nothing but the parameter, for the structure. */
  readonly standsAt?: AnyNode
}

/** False where nobody can say which parameters are read. */
function readReference(id: Identifier, { bindings }: AnalysedProgram, add: AddParameter): boolean {
  const { parentOf } = bindings
  let parent = parentOf.get(id)
  if (parent?.type === 'VariableDeclarator' && parent.init === id && parent.id.type === 'ObjectPattern') {
    const { properties } = parent.id
    if (properties.some((property) => property.type === 'RestElement' || property.computed)) return false
    for (const property of properties) {
      if (property.type === 'RestElement') continue
      const name = plainKey(property.key)
      if (name === undefined) return false
      const { value } = property
      const fallback = value.type === 'AssignmentPattern' ? literalValue(value.right) : undefined
      const standsAt = value.type === 'AssignmentPattern' && fallback !== undefined ? value.right : undefined
      const place = { flowsFrom: value, ...(standsAt !== undefined && { standsAt }) }
      add(name, place, fallback, value.type === 'AssignmentPattern')
    }
    return true
  }
  if (parent?.type !== 'MemberExpression' || parent.object !== id) return false
  const key = parent.computed ? literalValue(parent.property) : plainKey(parent.property)
  if (typeof key !== 'string') return false
  let node: AnyNode = parent
  const isOptional = parent.optional
  parent = parentOf.get(node)
  if (parent?.type === 'ChainExpression') {
    node = parent
    parent = parentOf.get(node)
  }
  if (parent?.type === 'LogicalExpression' && parent.left === node && parent.operator !== '&&') {
    const fallback = literalValue(parent.right)
    const isWritten = fallback !== undefined && parent.operator === '??'
    add(
      key,
      { flowsFrom: parent, standsAt: isWritten ? parent : node },
      isWritten ? fallback : undefined,
      true,
    )
    return true
  }
  if (parent?.type === 'AssignmentExpression' && parent.left === node) return false
  add(key, { flowsFrom: node, standsAt: node }, undefined, isOptional)
  return true
}

function argsReferences({ parsed, bindings }: AnalysedProgram): readonly Identifier[] {
  const found: Identifier[] = []
  const visit = (node: AnyNode) => {
    if (node.type === 'Identifier') {
      if (node.name === 'args' && !bindings.variableOf.has(node) && isRead(node)) found.push(node)
      return
    }
    for (const child of childrenOf(node)) visit(child)
  }
  const isRead = (node: Identifier) => {
    const parent = bindings.parentOf.get(node)
    if (parent?.type === 'MemberExpression') return parent.object === node || parent.computed
    return parent?.type !== 'Property' || parent.value === node || parent.computed
  }
  visit(parsed.tree)
  return found
}
