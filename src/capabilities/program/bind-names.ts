/** Which identifier means which variable. JavaScript's own rules: `var` and parameters belong to the function, the rest to the block. */
import type {
  AnyNode,
  ArrowFunctionExpression,
  FunctionDeclaration,
  FunctionExpression,
  Identifier,
  Pattern,
  Program as Tree,
} from 'acorn'

export interface Variable {
  readonly name: string
  readonly kind: 'const' | 'let' | 'var' | 'param' | 'function' | 'class' | 'catch'
  /** The first. */
  readonly declaration: Identifier
  /** In the order of the code, without declarations. */
  readonly references: Identifier[]
  isReassigned: boolean
}

export interface Bindings {
  readonly parentOf: ReadonlyMap<AnyNode, AnyNode>
  /** Of declarations and references; nothing: it is a global. */
  readonly variableOf: ReadonlyMap<Identifier, Variable>
  /** Whether the name means a variable of the program at this place. */
  isDeclaredAt(name: string, node: AnyNode): boolean
}

export function bindNames(tree: Tree): Bindings {
  const parentOf = new Map<AnyNode, AnyNode>()
  const variableOf = new Map<Identifier, Variable>()
  const scopeOf = new Map<AnyNode, Scope>()
  const root: Scope = { names: new Map(), above: undefined }

  declareVars(tree, root)
  declareLexical(tree.body, root)
  scopeOf.set(tree, root)
  for (const child of childrenOf(tree)) visit(child, tree, root)
  return { parentOf, variableOf, isDeclaredAt }

  function isDeclaredAt(name: string, node: AnyNode): boolean {
    let at: AnyNode | undefined = node
    while (at !== undefined && !scopeOf.has(at)) at = parentOf.get(at)
    return at !== undefined && lookUp(name, scopeOf.get(at)!) !== undefined
  }

  function declare(id: Identifier, kind: Variable['kind'], scope: Scope): void {
    const known = scope.names.get(id.name)
    const variable = known ?? { name: id.name, kind, declaration: id, references: [], isReassigned: false }
    if (known === undefined) scope.names.set(id.name, variable)
    // The same name twice, as `var` and as a function may be: which one holds is not known without running it.
    else known.isReassigned = true
    variableOf.set(id, variable)
  }

  function declarePattern(pattern: Pattern, kind: Variable['kind'], scope: Scope): void {
    for (const id of namesIn(pattern)) declare(id, kind, scope)
  }

  function declareVars(node: AnyNode, scope: Scope): void {
    for (const child of childrenOf(node)) {
      if (isFunction(child) || child.type === 'ClassDeclaration' || child.type === 'ClassExpression') continue
      if (child.type === 'VariableDeclaration' && child.kind === 'var') {
        for (const { id } of child.declarations) declarePattern(id, 'var', scope)
      }
      declareVars(child, scope)
    }
  }

  function declareLexical(statements: readonly AnyNode[], scope: Scope): void {
    for (const statement of statements) {
      if (statement.type === 'VariableDeclaration' && statement.kind !== 'var') {
        const kind = statement.kind === 'let' ? 'let' : 'const'
        for (const { id } of statement.declarations) declarePattern(id, kind, scope)
      } else if (statement.type === 'FunctionDeclaration' && statement.id) {
        declare(statement.id, 'function', scope)
      } else if (statement.type === 'ClassDeclaration' && statement.id) declare(statement.id, 'class', scope)
    }
  }

  function visit(node: AnyNode, parent: AnyNode, outer: Scope): void {
    parentOf.set(node, parent)
    if (node.type === 'Identifier') {
      if (isReference(node, parent)) refer(node, parent, outer)
      return
    }
    const scope = openScope(node, outer)
    for (const child of childrenOf(node)) visit(child, node, scope)
  }

  function openScope(node: AnyNode, outer: Scope): Scope {
    const scope: Scope = { names: new Map(), above: outer }
    if (isFunction(node)) {
      if (node.type === 'FunctionExpression' && node.id) declare(node.id, 'function', scope)
      for (const param of node.params) declarePattern(param, 'param', scope)
      declareVars(node.body, scope)
    } else if (node.type === 'BlockStatement' || node.type === 'StaticBlock') declareLexical(node.body, scope)
    else if (node.type === 'SwitchStatement') {
      declareLexical(
        node.cases.flatMap(({ consequent }) => consequent),
        scope,
      )
    } else if (node.type === 'ForStatement' && node.init) declareLexical([node.init], scope)
    else if (node.type === 'ForOfStatement' || node.type === 'ForInStatement')
      declareLexical([node.left], scope)
    else if (node.type === 'CatchClause' && node.param) declarePattern(node.param, 'catch', scope)
    else if (node.type === 'ClassExpression' && node.id) declare(node.id, 'class', scope)
    else return outer
    scopeOf.set(node, scope)
    return scope
  }

  function refer(id: Identifier, parent: AnyNode, scope: Scope): void {
    if (variableOf.has(id)) return
    const variable = lookUp(id.name, scope)
    if (variable === undefined) return
    variableOf.set(id, variable)
    variable.references.push(id)
    if (isWritten(id, parent)) variable.isReassigned = true
  }

  function isWritten(node: AnyNode, parent: AnyNode): boolean {
    switch (parent.type) {
      case 'AssignmentExpression':
        return parent.left === node
      case 'UpdateExpression':
        return true
      case 'ForOfStatement':
      case 'ForInStatement':
        return parent.left === node
      case 'AssignmentPattern':
        return parent.left === node && isWritten(parent, parentOf.get(parent)!)
      case 'RestElement':
      case 'ArrayPattern':
      case 'ObjectPattern':
        return isWritten(parent, parentOf.get(parent)!)
      case 'Property':
        return parent.value === node && parentOf.get(parent)?.type === 'ObjectPattern'
      default:
        return false
    }
  }
}

export type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunctionExpression

interface Scope {
  readonly names: Map<string, Variable>
  readonly above: Scope | undefined
}

export function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  )
}

/** In the order of the code, as acorn keeps them. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  const children: AnyNode[] = []
  for (const key in node) {
    if (key === 'loc') continue
    const value = (node as unknown as Record<string, unknown>)[key]
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) children.push(item)
    } else if (isNode(value)) children.push(value)
  }
  return children
}

export function namesIn(pattern: Pattern): readonly Identifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern]
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === 'RestElement' ? property.argument : property.value),
      )
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : namesIn(element)))
    case 'RestElement':
      return namesIn(pattern.argument)
    case 'AssignmentPattern':
      return namesIn(pattern.left)
    case 'MemberExpression':
      return []
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as Partial<AnyNode>).type === 'string'
}

function lookUp(name: string, scope: Scope): Variable | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.above) {
    const variable = at.names.get(name)
    if (variable !== undefined) return variable
  }
  return undefined
}

function isReference(id: Identifier, parent: AnyNode): boolean {
  switch (parent.type) {
    case 'MemberExpression':
      return parent.object === id || parent.computed
    case 'Property':
      return parent.value === id || parent.computed
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.value === id || parent.computed
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
      return false
    default:
      return true
  }
}
