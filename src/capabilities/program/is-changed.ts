/**
 * Whether an object that a variable was given may be changed by somebody afterwards: it stays the same only if nothing but reading is done
 * with it, and nobody gets hold of it under another name.
 */
import type { AnyNode, CallExpression, Expression, MemberExpression, Super } from 'acorn'
import type { Value } from './abstract-value.js'
import { type Bindings, isFunction, type Variable } from './bind-names.js'

/** `valueNow`: what is known of a variable by now. */
export function createIsChanged(
  { parentOf, variableOf }: Bindings,
  valueNow: (variable: Variable) => Value | undefined,
): (variable: Variable, value: Value) => boolean {
  const changed = new Map<Variable, boolean>()

  return function isChanged(variable, value) {
    const known = changed.get(variable)
    if (known !== undefined) return known
    const isFlat = partsOf(value).every((part) => part.kind !== 'object' && part.kind !== 'array')
    const result = variable.references.some((reference) => !isOnlyRead(reference, isFlat))
    changed.set(variable, result)
    return result
  }

  /** `isFlat`: what can be taken out of it is no object, so nobody gets hold of a part of it. */
  function isOnlyRead(reference: AnyNode, isFlat: boolean): boolean {
    let node = reference
    let flat = isFlat
    for (
      let parent = parentOf.get(node);
      parent !== undefined;
      node = parent, parent = parentOf.get(parent)
    ) {
      switch (parent.type) {
        case 'MemberExpression': {
          if (parent.object !== node) return true
          const outer = parentOf.get(parent)
          if (outer?.type === 'CallExpression' && outer.callee === parent)
            return isReading(outer, parent, flat)
          if (outer === undefined || isTarget(parent, outer)) return false
          if (flat) return true
          continue
        }
        case 'ObjectExpression':
        case 'ArrayExpression':
          flat = false
          continue
        case 'Property':
          if (parentOf.get(parent)?.type === 'ObjectPattern') return false
          continue
        case 'ChainExpression':
        case 'ConditionalExpression':
        case 'LogicalExpression':
          continue
        case 'TemplateLiteral':
        case 'BinaryExpression':
        case 'ExpressionStatement':
        case 'IfStatement':
          return true
        case 'SpreadElement':
          return flat
        case 'ForOfStatement':
          return flat && parent.right === node
        case 'ForInStatement':
          return parent.right === node
        case 'ReturnStatement':
          return !isInFunction(parent)
        case 'UnaryExpression':
          return parent.operator !== 'delete'
        case 'VariableDeclarator':
          return flat && parent.id.type !== 'Identifier'
        case 'CallExpression':
          return parent.callee !== node && (isToolCallee(parent.callee) || isPureCallee(parent.callee, flat))
        default:
          return false
      }
    }
    return true
  }

  function isReading(call: CallExpression, callee: MemberExpression, isFlat: boolean): boolean {
    const method = methodName(callee)
    if (method === undefined || !readingMethods.has(method)) return false
    const [callback] = call.arguments
    if (!isFlat) return textMethods.has(method)
    // The last parameter of a callback is the list itself.
    const most = method === 'reduce' ? 3 : 2
    return (
      callback === undefined ||
      (isFunction(callback)
        ? callback.params.length <= most && !callback.params.some(({ type }) => type === 'RestElement')
        : !takesCallback.has(method))
    )
  }

  function isTarget(node: AnyNode, parent: AnyNode): boolean {
    switch (parent.type) {
      case 'AssignmentExpression':
      case 'ForOfStatement':
      case 'ForInStatement':
      case 'AssignmentPattern':
        return parent.left === node
      case 'UpdateExpression':
      case 'ArrayPattern':
      case 'RestElement':
        return true
      case 'UnaryExpression':
        return parent.operator === 'delete'
      case 'Property':
        return parentOf.get(parent)?.type === 'ObjectPattern'
      default:
        return false
    }
  }

  function isInFunction(node: AnyNode): boolean {
    for (let at = parentOf.get(node); at !== undefined; at = parentOf.get(at)) if (isFunction(at)) return true
    return false
  }

  function isToolCallee(callee: Expression | Super): boolean {
    let root: AnyNode = callee
    while (root.type === 'MemberExpression') root = root.object
    if (root.type !== 'Identifier') return false
    const variable = variableOf.get(root)
    if (variable === undefined) return root.name === 'tools' || root.name === 'capabilities'
    const kind = valueNow(variable)?.kind
    return kind === 'namespace' || kind === 'tool'
  }

  function isPureCallee(callee: Expression | Super, isFlat: boolean): boolean {
    return (
      callee.type === 'MemberExpression' &&
      ((isGlobal(callee.object, 'JSON') && methodName(callee) === 'stringify') ||
        (isGlobal(callee.object, 'Object') &&
          (isFlat ? /^(?:keys|values|entries)$/ : /^keys$/).test(methodName(callee) ?? '')) ||
        isGlobal(callee.object, 'console') ||
        isGlobal(callee.object, 'Math'))
    )
  }

  function methodName(callee: MemberExpression): string | undefined {
    return callee.property.type === 'Identifier' && !callee.computed ? callee.property.name : undefined
  }

  function isGlobal(node: AnyNode, name: string): boolean {
    return node.type === 'Identifier' && node.name === name && !variableOf.has(node)
  }
}

const callbackMethods = 'map flatMap forEach filter find findIndex findLast some every reduce toSorted'
const takesCallback = new Set(callbackMethods.split(' '))
const readingMethods = new Set(
  `${callbackMethods} slice join includes indexOf at concat keys values entries toReversed`.split(' '),
)
/** These give no element. */
const textMethods = new Set(['join', 'includes', 'indexOf', 'toString'])

function partsOf(value: Value): readonly Value[] {
  if (value.kind === 'object') return [...value.fields.values()]
  return value.kind === 'array' ? value.items : []
}
