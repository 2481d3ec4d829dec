/** What a program reads from `args` already. */
import type { AnyNode, Identifier } from 'acorn'
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js'
import type { AnalysedProgram } from './analyse-program.js'
import { childrenOf } from './bind-names.js'
import { literalValue, plainKey } from './literal-value.js'
import { createTraceLiteral, describeUse, type TraceLiteral } from './trace-literal.js'

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
  const uses = new Map<string, Use[]>()
  const add: AddUse = (name, use) => {
    uses.set(name, [...(uses.get(name) ?? []), use])
  }
  const references = argsReferences(analysis)
  const isWhole = references.filter((reference) => !readReference(reference, analysis, add)).length > 0
  if (isWhole) for (const name of Object.keys(given)) if (!uses.has(name)) uses.set(name, [])
  const trace = createTraceLiteral(analysis)
  const parameters = [...uses].map(([name, all]) => toParameter(name, all, given, trace))
  return { parameters, isWhole }
}

type AddUse = (name: string, use: Use) => void

/** One place where a parameter is read. */
interface Use {
  readonly flowsFrom: AnyNode
  /** What is nothing but the parameter, for the structure; with what it falls back to, and without. */
  readonly plainAt?: AnyNode
  readonly fallbackAt?: AnyNode
  /** What is taken where it is not given. */
  readonly fallback?: Json
  readonly isOptional: boolean
}

function toParameter(name: string, uses: readonly Use[], given: JsonObject, trace: TraceLiteral): Parameter {
  const fallback = agreedFallback(uses)
  const nodes = uses.flatMap(
    ({ plainAt, fallbackAt }) => (fallback === undefined ? plainAt : fallbackAt) ?? [],
  )
  const isGiven = Object.hasOwn(given, name)
  const flow = uses.map(({ flowsFrom }) => trace.useOf(flowsFrom)).find((found) => found !== undefined)
  return {
    name,
    nodes,
    value: isGiven ? given[name] : fallback,
    isRequired: !uses.some(({ isOptional }) => isOptional) && (isGiven || Object.keys(given).length === 0),
    default: fallback,
    description: flow === undefined ? '' : describeUse(flow),
  }
}

/** Only where every place falls back to the same: else it is not the same whether the parameter is given or not. */
function agreedFallback(uses: readonly Use[]): Json | undefined {
  const texts = new Set(
    uses.map(({ fallback }) => (fallback === undefined ? undefined : canonicalJson(fallback))),
  )
  return texts.size === 1 ? uses[0]?.fallback : undefined
}

/** False where nobody can say which parameters are read. */
function readReference(id: Identifier, { bindings }: AnalysedProgram, add: AddUse): boolean {
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
      if (value.type !== 'AssignmentPattern') add(name, { flowsFrom: value, isOptional: false })
      else add(name, { flowsFrom: value, ...fallbackOf(value.right, value.right), isOptional: true })
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
  if (parent?.type === 'AssignmentExpression' && parent.left === node) return false
  if (parent?.type === 'LogicalExpression' && parent.left === node && parent.operator !== '&&') {
    const fallback = parent.operator === '??' ? fallbackOf(parent.right, parent) : {}
    add(key, { flowsFrom: parent, plainAt: node, ...fallback, isOptional: true })
  } else add(key, { flowsFrom: node, plainAt: node, isOptional })
  return true
}

function fallbackOf(node: AnyNode, at: AnyNode): Pick<Use, 'fallback' | 'fallbackAt'> {
  const fallback = literalValue(node)
  return fallback === undefined ? {} : { fallback, fallbackAt: at }
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
