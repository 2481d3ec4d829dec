/**
 * The literals of a program that could as well be others. Judged by where a literal stands, never by what local variables are called.
 *
 * Left alone, because another one would be another program: names of fields and tools, cases of a switch, `true`, `false` and `null` outside of
 * arguments, 0 and 1 in conditions and sums, the empty text, patterns, what is only logged.
 */
import type { AnyNode, TemplateElement } from 'acorn'
import { isObject, type Json } from '../../model/json.js'
import type { AnalysedProgram } from './analyse-program.js'
import { childrenOf } from './bind-names.js'
import { literalValue, plainKey } from './literal-value.js'
import { createTraceLiteral, describeUse, type LiteralUse, nameOfUse } from './trace-literal.js'

export interface Literal {
  readonly node: AnyNode
  readonly value: Json
  /** What it goes to, or what stands around it; not yet an identifier. */
  readonly wanted: string
  /** It is, or is a part of, the argument of a call. */
  readonly isRequired: boolean
  readonly description: string
}

/** In the order of the code. */
export function findLiterals(analysis: AnalysedProgram): readonly Literal[] {
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
    }
    if (literalValue(node) !== undefined && isLogged(node)) return true
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

  /** What is only logged is neither a call nor the value; how JSON is indented is neither what. */
  function isLogged(node: AnyNode): boolean {
    const parent = parentOf.get(node)
    if (parent?.type === 'CallExpression') {
      const { callee } = parent
      return callee !== node && (isNamed(callee, 'console') || isNamed(callee, 'JSON', 'stringify'))
    }
    return parent?.type === 'TemplateLiteral' ||
      (parent?.type === 'BinaryExpression' && parent.operator === '+')
      ? isLogged(parent)
      : false
  }

  function addText(quasi: TemplateElement): void {
    const text = quasi.value.cooked
    // Between two values a dash or a slash says how they are put together, not which they are.
    if (text === null || text === undefined || !/[\p{L}\p{N}]/u.test(text)) return
    const template = parentOf.get(quasi)!
    if (isLogged(template)) return
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
            // What it begins with says where; an ending says of which kind.
            isRequired: template.type === 'TemplateLiteral' && template.quasis[0] === quasi,
            description: `A part of ${describeUse(use)}`,
          },
    )
  }

  function judge(node: AnyNode, value: Json): Literal | undefined {
    const parent = parentOf.get(node)!
    if (value === null || isObject(value) || isCounter(parent) || isSeparator(value, parent)) return undefined
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
      // What stands in for something that may be missing may be left out itself, and so may what something else is put before.
      isRequired: !(parent?.type === 'LogicalExpression' && parent.right === node) && isLeading(node),
      description: describeUse(use),
    }
  }

  function isLeading(node: AnyNode): boolean {
    const parent = parentOf.get(node)
    if (parent?.type !== 'BinaryExpression' || parent.operator !== '+') return true
    return parent.left === node && isLeading(parent)
  }

  /** As in a template: between two values it says how they are put together. */
  function isSeparator(value: Json, parent: AnyNode): boolean {
    return (
      typeof value === 'string' &&
      !/[\p{L}\p{N}]/u.test(value) &&
      parent.type === 'BinaryExpression' &&
      parent.operator === '+'
    )
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
      !bindings.variableOf.has(callee.object) &&
      (method === undefined || plainKey(callee.property) === method)
    )
  }
}

const comparisons = new Set(['===', '!==', '==', '!=', '<', '>', '<=', '>='])

/** `fulfilled` and `rejected` are words of the language. */
const settledStates = new Set<Json>(['fulfilled', 'rejected'])
