/**
 * Literals to parameters, so that one procedure serves for other files, names and numbers. What goes into the argument of a call is a required
 * parameter, named after the property; other literals are optional ones with what stood there as default. Rules look at where a literal
 * stands, never at what local variables are called, so two programs of one structure have the same parameters.
 *
 * Not lifted, because another one would be another program: names of fields and tools, cases of a switch, `true`, `false` and `null` outside of
 * arguments, 0 and 1 in conditions and sums, the empty text, patterns, what is only logged.
 */
import type { AnyNode, Identifier, TemplateElement } from 'acorn'
import { findSecrets, isSecret } from '../../clients/find-secrets.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { type AnalysedProgram, analysisOf } from './analyse-program.js'
import { childrenOf } from './bind-names.js'
import { CodeSyntaxError } from './code-syntax-error.js'
import { hashStructure } from './hash-structure.js'
import { literalValue, plainKey } from './literal-value.js'
import { parseProgram } from './parse-program.js'
import type { LiftedProgram, Program } from './program.js'
import { createTraceLiteral, type LiteralUse } from './trace-literal.js'

export interface LiftOptions {
  /** What the program was run with: parameters that it reads already get their types from it. */
  readonly arguments?: JsonObject
}

export function liftProgram(program: Program, options: LiftOptions = {}): LiftedProgram {
  const analysis = analysisOf(program)
  const given = options.arguments ?? {}
  const own = readParameters(analysis, given)
  const found = own.isWhole ? [] : findLiterals(analysis)
  const lifted = nameAll(found, own.parameters)
  const code = rewrite(analysis, lifted)
  if (lifted.length > 0 && !isReadable(code)) return assemble(analysis, program.code, own, [], given)
  return assemble(analysis, code, own, lifted, given)
}

interface Parameter {
  readonly name: string
  readonly nodes: readonly AnyNode[]
  /** Undefined: not known. */
  readonly value: Json | undefined
  readonly isRequired: boolean
  readonly default: Json | undefined
  readonly description: string
}

interface Literal {
  readonly node: AnyNode
  readonly value: Json
  readonly wanted: string
  readonly isRequired: boolean
  readonly description: string
}

type Named = Literal & { readonly name: string }

interface OwnParameters {
  readonly parameters: readonly Parameter[]
  /** `args` is used as a whole: more parameters would change what the program does. */
  readonly isWhole: boolean
}

const longestDefault = 2_000

// What the program reads from args already

function readParameters(analysis: AnalysedProgram, given: JsonObject): OwnParameters {
  const trace = createTraceLiteral(analysis)
  const byName = new Map<string, Parameter>()
  let isWhole = false
  const add = (name: string, node: AnyNode, fallback: Json | undefined, isOptional: boolean) => {
    const known = byName.get(name)
    const use = trace.useOf(node)
    byName.set(name, {
      name,
      nodes: [...(known?.nodes ?? []), node],
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
    for (const name of Object.keys(given))
      if (!byName.has(name)) add(name, analysis.parsed.tree, undefined, false)
  }
  return { parameters: [...byName.values()], isWhole }
}

type AddParameter = (name: string, node: AnyNode, fallback: Json | undefined, isOptional: boolean) => void

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
      const isDefaulted = value.type === 'AssignmentPattern'
      add(name, value, isDefaulted ? literalValue(value.right) : undefined, isDefaulted)
    }
    return true
  }
  if (parent?.type !== 'MemberExpression' || parent.object !== id) return false
  const key = parent.computed ? literalValue(parent.property) : plainKey(parent.property)
  if (typeof key !== 'string') return false
  let node: AnyNode = parent
  let isOptional = parent.optional
  parent = parentOf.get(node)
  if (parent?.type === 'ChainExpression') {
    node = parent
    parent = parentOf.get(node)
  }
  if (parent?.type === 'LogicalExpression' && parent.left === node && parent.operator !== '&&') {
    const fallback = literalValue(parent.right)
    isOptional = true
    if (fallback !== undefined && parent.operator === '??') {
      add(key, parent, fallback, true)
      return true
    }
    add(key, node, fallback, true)
    return true
  }
  if (parent?.type === 'AssignmentExpression' && parent.left === node) return false
  add(key, node, undefined, isOptional)
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

// What is written out

function findLiterals(analysis: AnalysedProgram): readonly Literal[] {
  const { parsed, bindings, calls } = analysis
  const { parentOf } = bindings
  const trace = createTraceLiteral(analysis)
  const toolCalls = new Set<AnyNode>(calls.map(({ node }) => node))
  const found: Literal[] = []
  visit(parsed.tree)
  return found

  function visit(node: AnyNode): void {
    if (isLeftAlone(node)) return
    if (node.type === 'TemplateLiteral' && node.expressions.length > 0) {
      for (const quasi of node.quasis) addText(quasi)
      for (const expression of node.expressions) visit(expression)
      return
    }
    const value = node.type === 'ObjectExpression' ? undefined : literalValue(node)
    if (value !== undefined) {
      const literal = Array.isArray(value) ? judgeList(node, value) : judge(node, value)
      if (literal !== undefined) {
        if (!bindings.isDeclaredAt('args', node)) found.push(literal)
        return
      }
      if (!Array.isArray(value)) return
    }
    for (const child of childrenOf(node)) visit(child)
  }

  /** What another text, or another number, would make another program. */
  function isLeftAlone(node: AnyNode): boolean {
    const parent = parentOf.get(node)
    switch (node.type) {
      case 'TaggedTemplateExpression':
      case 'ImportExpression':
        return true
      case 'LogicalExpression':
        return isArgs(node.left)
      case 'AssignmentPattern':
        return parent?.type === 'Property' && isArgsPattern(parent)
      case 'CallExpression':
        return isNamed(node.callee, 'console') || isNamed(node.callee, 'JSON', 'stringify')
    }
    switch (parent?.type) {
      case 'MemberExpression':
        return parent.property === node
      case 'Property':
      case 'MethodDefinition':
      case 'PropertyDefinition':
        return parent.key === node
      case 'SwitchCase':
        return parent.test === node
      case 'ExpressionStatement':
        return parent.directive !== undefined && node.type === 'Literal'
      default:
        return false
    }
  }

  function addText(quasi: TemplateElement): void {
    const text = quasi.value.cooked
    // Between two values a dash or a slash says how they are put together, not which they are.
    if (text === null || text === undefined || !/[\p{L}\p{N}]/u.test(text)) return
    const template = parentOf.get(quasi)!
    const use = trace.useOf(template)
    if (bindings.isDeclaredAt('args', template)) return
    found.push(
      use === undefined
        ? {
            node: quasi,
            value: text,
            wanted: aroundOf(template) ?? 'text',
            isRequired: false,
            description: 'A part of a text',
          }
        : {
            node: quasi,
            value: text,
            wanted: nameOfUse(use),
            isRequired: true,
            description: `A part of ${describeUse(use)}`,
          },
    )
  }

  function judge(node: AnyNode, value: Json): Literal | undefined {
    const parent = parentOf.get(node)!
    if (value === null || isObject(value) || isCounter(parent)) return undefined
    const use = trace.useOf(node)
    if (use !== undefined && !isCompared(node)) return used(node, value, use)
    if (typeof value === 'boolean' || value === '' || value === 0 || value === -1) return undefined
    const isArgument =
      (parent.type === 'CallExpression' || parent.type === 'NewExpression') && parent.callee !== node
    if (value === 1 && !isArgument) return undefined
    if (!isPlace(node, parent) || (isCompared(node) && settledStates.has(value))) return undefined
    const around = aroundOf(node)
    return {
      node,
      value,
      wanted: around ?? (typeof value === 'number' ? 'number' : 'text'),
      isRequired: false,
      description: around === undefined ? 'As it stands in the code' : `As in ${around}`,
    }
  }

  function judgeList(node: AnyNode, value: readonly Json[]): Literal | undefined {
    const use = trace.useOf(node)
    const isFlat = value.every((item) => item === null || typeof item !== 'object')
    const parent = parentOf.get(node)!
    const isDirect = use !== undefined && (parent.type === 'Property' || toolCalls.has(parent))
    if (value.length === 0 && !isDirect) return undefined
    // A list that is written out is a new one each time; a parameter is the same one every time.
    if (!trace.isOnlyRead(node) || (!isFlat && !isDirect && !isRunOnce(node))) return undefined
    if (use !== undefined) return used(node, value, use)
    const around = aroundOf(node)
    return {
      node,
      value,
      wanted: around ?? 'list',
      isRequired: false,
      description: 'As it stands in the code',
    }
  }

  function used(node: AnyNode, value: Json, use: LiteralUse): Literal {
    const parent = parentOf.get(node)
    return {
      node,
      value,
      wanted: nameOfUse(use),
      // What stands in for something that may be missing may be left out itself.
      isRequired: !(parent?.type === 'LogicalExpression' && parent.right === node),
      description: describeUse(use),
    }
  }

  /** The start of a counted loop. */
  function isCounter(parent: AnyNode): boolean {
    return (
      parent.type === 'VariableDeclarator' && parentOf.get(parentOf.get(parent)!)?.type === 'ForStatement'
    )
  }

  function isRunOnce(node: AnyNode): boolean {
    for (let at = parentOf.get(node); at !== undefined; at = parentOf.get(at)) {
      if (/Function|While|^For/.test(at.type)) return false
    }
    return true
  }

  function isCompared(node: AnyNode): boolean {
    const parent = parentOf.get(node)
    return parent?.type === 'BinaryExpression' && comparisons.has(parent.operator)
  }

  function isPlace(node: AnyNode, parent: AnyNode): boolean {
    switch (parent.type) {
      case 'CallExpression':
      case 'NewExpression':
        return parent.callee !== node
      case 'BinaryExpression': {
        const other = parent.left === node ? parent.right : parent.left
        return parent.operator !== 'in' && !(other.type === 'UnaryExpression' && other.operator === 'typeof')
      }
      case 'VariableDeclarator':
        return true
      case 'Property':
        return parentOf.get(parent)?.type === 'ObjectExpression'
      case 'ConditionalExpression':
        return parent.test !== node
      case 'LogicalExpression':
      case 'ReturnStatement':
      case 'ArrowFunctionExpression':
      case 'AssignmentPattern':
        return true
      case 'AssignmentExpression':
        return parent.operator === '=' && !(parent.left.type === 'MemberExpression' && parent.left.computed)
      case 'ExpressionStatement':
        return parent === parsed.last
      default:
        return false
    }
  }

  /** A word for what stands around it: the property, the method, the field that it is compared with. */
  function aroundOf(node: AnyNode): string | undefined {
    const parent = parentOf.get(node)
    switch (parent?.type) {
      case 'Property':
        return parent.computed ? undefined : plainKey(parent.key)
      case 'CallExpression':
      case 'NewExpression':
        return parent.callee === node ? undefined : lastName(parent.callee)
      case 'MemberExpression': {
        const outer = parentOf.get(parent)
        return outer?.type === 'CallExpression' ? lastName(parent) : undefined
      }
      case 'AssignmentExpression':
        return lastName(parent.left)
      case 'BinaryExpression':
        return lastName(parent.left === node ? parent.right : parent.left)
      case 'LogicalExpression':
        return lastName(parent.left)
      case 'VariableDeclarator': {
        const variable = parent.id.type === 'Identifier' ? bindings.variableOf.get(parent.id) : undefined
        for (const reference of variable?.references ?? []) {
          const name =
            parentOf.get(reference)?.type === 'VariableDeclarator' ? undefined : aroundOf(reference)
          if (name !== undefined) return name
        }
        return undefined
      }
      default:
        return undefined
    }
  }

  /** Of a field or a method; a variable has no name that counts. */
  function lastName(node: AnyNode): string | undefined {
    if (node.type === 'MemberExpression') return node.computed ? undefined : plainKey(node.property)
    if (node.type === 'ChainExpression') return lastName(node.expression)
    if (node.type === 'CallExpression') return lastName(node.callee)
    return node.type === 'Identifier' && !bindings.variableOf.has(node) && node.name !== 'undefined'
      ? node.name
      : undefined
  }

  function isArgs(node: AnyNode): boolean {
    let root = node.type === 'ChainExpression' ? node.expression : node
    while (root.type === 'MemberExpression') root = root.object as typeof root
    return root !== node && isFreeArgs(root)
  }

  function isFreeArgs(node: AnyNode): boolean {
    return node.type === 'Identifier' && node.name === 'args' && !bindings.variableOf.has(node)
  }

  function isArgsPattern(property: AnyNode): boolean {
    const pattern = parentOf.get(property)
    const declarator = pattern && parentOf.get(pattern)
    return declarator?.type === 'VariableDeclarator' && declarator.init != null && isFreeArgs(declarator.init)
  }

  function isNamed(callee: AnyNode, object: string, method?: string): boolean {
    return (
      callee.type === 'MemberExpression' &&
      callee.object.type === 'Identifier' &&
      callee.object.name === object &&
      (method === undefined || plainKey(callee.property) === method)
    )
  }
}

const comparisons = new Set(['===', '!==', '==', '!=', '<', '>', '<=', '>='])

/** `fulfilled` and `rejected` are words of the language. */
const settledStates = new Set<Json>(['fulfilled', 'rejected'])

function nameOfUse({ path, isEach }: LiteralUse): string {
  const name = path.at(-1) ?? 'value'
  if (!isEach || name.endsWith('s')) return name
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}

function describeUse({ path, call, isEach }: LiteralUse): string {
  const what = path.length === 0 ? 'the argument' : path.join('.')
  return `${isEach ? 'Each is ' : ''}${what} of ${call.name ?? 'a call'}`
}

// Names

function nameAll(found: readonly Literal[], own: readonly Parameter[]): readonly Named[] {
  const taken = new Set(own.map(({ name }) => name))
  const counts = new Map<string, number>()
  // The arguments of calls have the first choice.
  const ordered = [
    ...found.filter(({ isRequired }) => isRequired),
    ...found.filter(({ isRequired }) => !isRequired),
  ]
  return ordered.map((literal) => {
    const base = toIdentifier(literal.wanted)
    let number = counts.get(base) ?? 1
    let name = number === 1 ? base : `${base}${number}`
    while (taken.has(name)) name = `${base}${++number}`
    counts.set(base, number + 1)
    taken.add(name)
    return { ...literal, name }
  })
}

function toIdentifier(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase())
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, longestName)
  if (words === '') return 'value'
  // An argument that is not given must not be found on the prototype.
  return words in Object.prototype ? `${words}Value` : words
}

const longestName = 40

// The lifted program

function rewrite({ parsed, bindings }: AnalysedProgram, lifted: readonly Named[]): string {
  const source = parsed.isAligned ? parsed.code : parsed.stripped
  let code = ''
  let at = 0
  for (const literal of [...lifted].sort((a, b) => a.node.start - b.node.start)) {
    const { start, end } = literal.node
    code += source.slice(at, start) + toCode(literal, source, bindings.parentOf)
    at = end
  }
  return code + source.slice(at)
}

function toCode(literal: Named, source: string, parentOf: ReadonlyMap<AnyNode, AnyNode>): string {
  const { node, name } = literal
  const fallback = defaultOf(literal)
  const read = `args.${name}`
  if (node.type === 'TemplateElement') {
    return fallback === undefined ? `\${${read}}` : `\${${read} ?? ${JSON.stringify(fallback)}}`
  }
  const before = /[\w$]/.test(source[node.start - 1] ?? '') ? ' ' : ''
  const after = /[\w$]/.test(source[node.end] ?? '') ? ' ' : ''
  if (fallback === undefined) return `${before}${read}${after}`
  // A line that begins with a parenthesis would go on the one before.
  const opening = parentOf.get(node)?.type === 'ExpressionStatement' ? ';(' : '('
  return `${before}${opening}${read} ?? ${JSON.stringify(fallback)})${after}`
}

/** Never a secret, nor what nobody wants to see in a list of parameters. */
function defaultOf({ isRequired, value, name }: Named): Json | undefined {
  return isRequired || mustStaySecret(name, value) ? undefined : value
}

function mustStaySecret(name: string, value: Json): boolean {
  const texts = Array.isArray(value) ? value : [value]
  return (
    JSON.stringify(value).length > longestDefault ||
    texts.some(
      (text) =>
        typeof text === 'string' &&
        (isSecret(name, text) || findSecrets(text, { kind: 'argument' }, true).length > 0),
    )
  )
}

function assemble(
  analysis: AnalysedProgram,
  code: string,
  own: OwnParameters,
  lifted: readonly Named[],
  given: JsonObject,
): LiftedProgram {
  const parameters: readonly Parameter[] = [
    ...own.parameters,
    ...lifted.map((literal): Parameter => {
      const fallback = defaultOf(literal)
      return {
        name: literal.name,
        nodes: [literal.node],
        value: literal.value,
        isRequired: fallback === undefined,
        default: fallback,
        description: literal.description,
      }
    }),
  ]
  const stands = new Map<AnyNode, string>()
  for (const { name, nodes, value } of parameters) {
    for (const node of nodes)
      if (node !== analysis.parsed.tree) stands.set(node, `args.${name}:${kindOf(value)}`)
  }
  return {
    code,
    inputSchema: schemaOf(parameters, own.isWhole),
    arguments: { ...given, ...Object.fromEntries(lifted.map(({ name, value }) => [name, value])) },
    structure: hashStructure(analysis, stands),
  }
}

function schemaOf(parameters: readonly Parameter[], isOpen: boolean): JsonObject {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((parameter): [string, JsonObject] => [
        parameter.name,
        {
          ...typeOf(parameter.value),
          ...(parameter.description !== '' && { description: parameter.description }),
          ...(parameter.default !== undefined && { default: parameter.default }),
        },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: isOpen,
  }
}

function typeOf(value: Json | undefined): JsonObject {
  if (value === undefined || value === null) return {}
  if (!Array.isArray(value)) return { type: kindOf(value) }
  const kinds = new Set(value.map(kindOf))
  const [kind] = kinds
  return kinds.size === 1 && kind !== 'any' && kind !== undefined
    ? { type: 'array', items: { type: kind } }
    : { type: 'array' }
}

function kindOf(value: Json | undefined): string {
  if (value === undefined || value === null) return 'any'
  return Array.isArray(value) ? 'array' : typeof value
}

function isReadable(code: string): boolean {
  try {
    parseProgram(code)
    return true
  } catch (error) {
    if (error instanceof CodeSyntaxError) return false
    throw error
  }
}
