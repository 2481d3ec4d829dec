/** Where a value goes that is written in the code: to which argument of which call, or at least what stands around it. */
import type { AnyNode, CallExpression, Expression } from 'acorn'
import type { FoundCall } from './abstract-value.js'
import type { AnalysedProgram } from './analyse-program.js'
import { type FunctionNode, isFunction, type Variable } from './bind-names.js'
import { plainKey } from './literal-value.js'

export interface LiteralUse {
  readonly call: FoundCall
  /** The properties that lead to it; none: it is the argument. */
  readonly path: readonly string[]
  /** It is a list, and each element goes there. */
  readonly isEach: boolean
}

export interface TraceLiteral {
  /** The first call whose argument it becomes, or becomes a part of. */
  useOf(node: AnyNode): LiteralUse | undefined
  /** Whether a list is only ever read: then one that everybody shares is as good as a new one each time. */
  isOnlyRead(node: AnyNode): boolean
}

export function createTraceLiteral({ bindings, calls }: AnalysedProgram): TraceLiteral {
  const { parentOf, variableOf } = bindings
  const callOf = new Map<AnyNode, FoundCall>(calls.map((call) => [call.node, call]))

  return {
    useOf(node) {
      const parent = parentOf.get(node)
      const isPattern = parent?.type === 'Property' && parentOf.get(parent)?.type === 'ObjectPattern'
      return isPattern ? climbParam(node, [], false, new Set()) : climb(node, [], false, new Set())
    },
    isOnlyRead: (node) => isRead(node, new Set()),
  }

  /** `keys`: of the objects that it was put into on the way, the innermost first. */
  function climb(
    from: AnyNode,
    keysSoFar: readonly string[],
    isEach: boolean,
    seen: Set<Variable>,
  ): LiteralUse | undefined {
    let node = from
    let keys = keysSoFar
    for (
      let parent = parentOf.get(node);
      parent !== undefined;
      node = parent, parent = parentOf.get(parent)
    ) {
      switch (parent.type) {
        case 'Property': {
          if (parent.value !== node || parentOf.get(parent)?.type !== 'ObjectExpression') return undefined
          const key = parent.computed ? undefined : plainKey(parent.key)
          if (key !== undefined) keys = [...keys, key]
          continue
        }
        case 'ObjectExpression':
        case 'ArrayExpression':
        case 'SpreadElement':
        case 'TemplateLiteral':
        case 'LogicalExpression':
        case 'AwaitExpression':
        case 'ChainExpression':
          continue
        case 'ConditionalExpression':
          if (parent.test === node) return undefined
          continue
        case 'BinaryExpression':
          if (parent.operator !== '+') return undefined
          continue
        case 'CallExpression':
          return climbCall(parent, node, keys, isEach, seen)
        case 'MemberExpression': {
          if (parent.object !== node) return undefined
          const outer = parentOf.get(parent)
          if (outer?.type === 'CallExpression' && outer.callee === parent) {
            const method = plainKey(parent.property)
            if (method === undefined || parent.computed) return undefined
            const [callback] = outer.arguments
            const element = callback === undefined ? undefined : functionAt(callback)
            if (elementMethods.has(method) && element !== undefined) {
              const use = climbParam(element.params[0], keys, true, seen)
              if (use !== undefined || !sameElements.has(method)) return use
            }
            if (!sameElements.has(method)) return undefined
            node = parent
            parent = outer
            continue
          }
          const key = parent.computed ? undefined : plainKey(parent.property)
          if (key !== undefined && key === keys.at(-1)) {
            keys = keys.slice(0, -1)
            continue
          }
          return undefined
        }
        case 'VariableDeclarator':
          return parent.init === node ? climbParam(parent.id, keys, isEach, seen) : undefined
        case 'AssignmentExpression': {
          if (parent.right !== node || parent.operator !== '=') return undefined
          const { left } = parent
          if (left.type !== 'MemberExpression') return climbParam(left, keys, isEach, seen)
          const key = left.computed ? undefined : plainKey(left.property)
          return key === undefined ? undefined : climbParam(left.object, [...keys, key], isEach, seen)
        }
        case 'ForOfStatement': {
          if (parent.right !== node) return undefined
          const { left } = parent
          const pattern = left.type === 'VariableDeclaration' ? left.declarations[0]!.id : left
          return climbParam(pattern, keys, true, seen)
        }
        default:
          return undefined
      }
    }
    return undefined
  }

  function climbCall(
    call: CallExpression,
    node: AnyNode,
    keys: readonly string[],
    isEach: boolean,
    seen: Set<Variable>,
  ): LiteralUse | undefined {
    const found = callOf.get(call)
    if (found !== undefined) {
      return call.arguments[0] === node ? { call: found, path: keys.toReversed(), isEach } : undefined
    }
    const index = call.arguments.indexOf(node as Expression)
    const callee = functionAt(call.callee)
    if (index < 0 || callee === undefined) return undefined
    return climbParam(callee.params[index], keys, isEach, seen)
  }

  /** On from every place where the variable is read. */
  function climbParam(
    pattern: AnyNode | undefined,
    keys: readonly string[],
    isEach: boolean,
    seen: Set<Variable>,
  ): LiteralUse | undefined {
    if (pattern?.type === 'AssignmentPattern') return climbParam(pattern.left, keys, isEach, seen)
    if (pattern?.type === 'ObjectPattern') {
      const outermost = keys.at(-1)
      for (const property of pattern.properties) {
        if (property.type === 'RestElement' || property.computed) continue
        if (plainKey(property.key) === outermost && outermost !== undefined) {
          return climbParam(property.value, keys.slice(0, -1), isEach, seen)
        }
      }
      return undefined
    }
    const variable = pattern?.type === 'Identifier' ? variableOf.get(pattern) : undefined
    if (variable === undefined || seen.has(variable)) return undefined
    seen.add(variable)
    for (const reference of variable.references) {
      const use = climb(reference, keys, isEach, seen)
      if (use !== undefined) return use
    }
    return undefined
  }

  function functionAt(node: AnyNode): FunctionNode | undefined {
    if (isFunction(node)) return node
    return node.type === 'Identifier' ? functionOf(variableOf.get(node)) : undefined
  }

  function functionOf(variable: Variable | undefined): FunctionNode | undefined {
    if (variable === undefined || variable.isReassigned) return undefined
    const parent = parentOf.get(variable.declaration)
    if (parent?.type === 'FunctionDeclaration') return parent as FunctionNode
    return parent?.type === 'VariableDeclarator' && parent.init && isFunction(parent.init)
      ? parent.init
      : undefined
  }

  function isRead(from: AnyNode, seen: Set<Variable>): boolean {
    let node = from
    for (
      let parent = parentOf.get(node);
      parent !== undefined;
      node = parent, parent = parentOf.get(parent)
    ) {
      switch (parent.type) {
        case 'CallExpression':
          return parent.callee !== node && callOf.has(parent)
        case 'Property':
          if (parentOf.get(parent)?.type !== 'ObjectExpression') return false
          continue
        case 'ObjectExpression':
        case 'ArrayExpression':
        case 'ConditionalExpression':
        case 'LogicalExpression':
          continue
        case 'SpreadElement':
        case 'TemplateLiteral':
        case 'BinaryExpression':
        case 'ReturnStatement':
          return true
        case 'ForOfStatement':
          return parent.right === node
        case 'MemberExpression': {
          if (parent.object !== node) return true
          const outer = parentOf.get(parent)
          if (outer?.type === 'CallExpression' && outer.callee === parent) {
            const method = parent.computed ? undefined : plainKey(parent.property)
            return method !== undefined && readingMethods.has(method)
          }
          return (
            outer?.type !== 'AssignmentExpression' &&
            outer?.type !== 'UpdateExpression' &&
            outer?.type !== 'UnaryExpression' &&
            outer?.type !== 'MemberExpression'
          )
        }
        case 'VariableDeclarator': {
          const variable = parent.id.type === 'Identifier' ? variableOf.get(parent.id) : undefined
          if (variable === undefined || variable.isReassigned || seen.has(variable)) return false
          seen.add(variable)
          return variable.references.every((reference) => isRead(reference, seen))
        }
        default:
          return false
      }
    }
    return false
  }
}

/** What a parameter is called that goes there. */
export function nameOfUse({ path, isEach }: LiteralUse): string {
  const name = path.at(-1) ?? 'value'
  if (!isEach || name.endsWith('s')) return name
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}

export function describeUse({ path, call, isEach }: LiteralUse): string {
  const what = path.length === 0 ? 'the argument' : path.join('.')
  return `${isEach ? 'Each is ' : ''}${what} of ${call.name ?? 'a call'}`
}

const elementMethods = new Set('map flatMap forEach filter find some every'.split(' '))
const sameElements = new Set('filter slice toSorted toReversed'.split(' '))
const readingMethods = new Set(
  'map flatMap forEach filter find findIndex some every reduce slice join includes indexOf at entries keys values toSorted toReversed concat'.split(
    ' ',
  ),
)
