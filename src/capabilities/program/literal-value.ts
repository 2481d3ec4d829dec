import type { AnyNode } from 'acorn'
import type { Json } from '../../model/json.js'

/** The value of an expression that is written out whole: a string, a number, an array or an object of such. Undefined: it is not. */
export function literalValue(node: AnyNode): Json | undefined {
  switch (node.type) {
    case 'Literal':
      if (node.value === null) return node.raw === 'null' ? null : undefined
      return typeof node.value === 'object' || typeof node.value === 'bigint' ? undefined : node.value
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? undefined) : undefined
    case 'UnaryExpression': {
      const value = node.operator === '-' ? literalValue(node.argument) : undefined
      return typeof value === 'number' ? -value : undefined
    }
    case 'ArrayExpression': {
      const items: Json[] = []
      for (const element of node.elements) {
        const item = element === null ? undefined : literalValue(element)
        if (item === undefined) return undefined
        items.push(item)
      }
      return items
    }
    case 'ObjectExpression': {
      const fields: [string, Json][] = []
      for (const property of node.properties) {
        if (property.type === 'SpreadElement' || property.computed || property.kind !== 'init')
          return undefined
        const key = plainKey(property.key)
        const value = property.method ? undefined : literalValue(property.value)
        if (key === undefined || key === '__proto__' || value === undefined) return undefined
        fields.push([key, value])
      }
      return Object.fromEntries(fields)
    }
    default:
      return undefined
  }
}

/** The name of a property that is not computed. */
export function plainKey(key: AnyNode): string | undefined {
  if (key.type === 'Identifier') return key.name
  return key.type === 'Literal' && (typeof key.value === 'string' || typeof key.value === 'number')
    ? String(key.value)
    : undefined
}
