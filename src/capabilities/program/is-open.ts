/**
 * Whether a program may call what cannot be seen in it: a name that is computed, or `tools` and `capabilities` going anywhere but into a call
 * whose name stands there. In doubt it may: what it calls is then known when it is called, and not before.
 */
import type { AnyNode, Identifier } from 'acorn'
import type { AnalysedProgram } from './analyse-program.js'
import { childrenOf, type Variable } from './bind-names.js'

export function isOpen({ parsed, bindings, calls }: AnalysedProgram): boolean {
  const { parentOf, variableOf } = bindings
  if (calls.some(({ name }) => name === undefined)) return true
  const callees = new Set<AnyNode>(calls.map(({ node }) => node.callee))
  const judged = new Map<Variable, boolean>()
  return rootsOf(parsed.tree).some((root) => !isClosed(root))

  /** The globals, wherever they stand. */
  function rootsOf(node: AnyNode): readonly Identifier[] {
    if (node.type === 'Identifier')
      return roots.has(node.name) && variableOf.get(node) === undefined && !isName(node) ? [node] : []
    return childrenOf(node).flatMap(rootsOf)
  }

  /** A field or a key of that name is something else. */
  function isName(node: Identifier): boolean {
    const parent = parentOf.get(node)
    if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed
    return parent?.type === 'Property' && parent.key === node && !parent.computed
  }

  /** It is called by its name, or only given another name that is. */
  function isClosed(reference: AnyNode): boolean {
    let at = reference
    let parent = parentOf.get(at)
    while (parent?.type === 'MemberExpression' && parent.object === at) {
      at = parent
      parent = parentOf.get(at)
    }
    if (callees.has(at)) return true
    if (parent?.type !== 'VariableDeclarator' || parent.init !== at) return false
    return namesIn(parent.id).every((name) => isClosedVariable(variableOf.get(name)))
  }

  function isClosedVariable(variable: Variable | undefined): boolean {
    if (variable === undefined || variable.kind !== 'const' || variable.isReassigned) return false
    const known = judged.get(variable)
    if (known !== undefined) return known
    judged.set(variable, false)
    const result = variable.references.every(isClosed)
    judged.set(variable, result)
    return result
  }
}

const roots = new Set(['tools', 'capabilities'])

/** Of a pattern that takes them apart by plain names; anything else has a name that means nothing. */
function namesIn(pattern: AnyNode): readonly Identifier[] {
  if (pattern.type === 'Identifier') return [pattern]
  if (pattern.type !== 'ObjectPattern') return [unknown]
  return pattern.properties.flatMap((property) =>
    property.type === 'Property' && !property.computed ? namesIn(property.value) : [unknown],
  )
}

const unknown = { type: 'Identifier', name: '', start: 0, end: 0 } as Identifier
