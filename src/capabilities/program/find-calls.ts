/**
 * Goes through the code as it would run, with what is known of each value in place of the value, and notes each call of a tool or a
 * capability. Both ways of a branch are taken, a loop is gone through once, a function is followed where it is called.
 *
 * What it says is either so in every run or is said to be unknown. That a call is found is no promise: code has ways to a tool that cannot be seen
 * without running it. Who guards calls guards them when they are made.
 */
import type {
  AnyNode,
  ArrayExpression,
  CallExpression,
  Expression,
  Identifier,
  MemberExpression,
  ObjectExpression,
  Pattern,
  SpreadElement,
  Statement,
  Super,
} from 'acorn'
import {
  depsOf,
  eitherOf,
  elementOf,
  type FoundCall,
  fieldOf,
  listOf,
  nothing,
  settledOf,
  union,
  unknown,
  type Value,
  waitsFor,
} from './abstract-value.js'
import { type Bindings, childrenOf, type FunctionNode, isFunction, type Variable } from './bind-names.js'
import { createIsChanged } from './is-changed.js'
import { literalValue } from './literal-value.js'
import type { ParsedProgram } from './parse-program.js'

/** In the order in which the code comes to them. */
export function findCalls({ tree, stripped }: ParsedProgram, bindings: Bindings): readonly FoundCall[] {
  const { parentOf, variableOf } = bindings
  const calls = new Map<CallExpression, FoundCall>()
  /** The same, by rank. */
  const ranked: FoundCall[] = []
  const values = new Map<Variable, Value>()
  /** What was put into a variable after it was declared. */
  const added = new Map<Variable, ReadonlySet<FoundCall>>()
  const isChanged = createIsChanged(bindings, (variable) => values.get(variable))
  const followed = new Map<FunctionNode, number>()
  /** Functions that are being gone through. */
  const open = new Set<FunctionNode>()
  /** Functions that were not gone through at some call of them. */
  const blurred = new Set<FunctionNode>()
  const returned: Value[][] = []
  /** What the code waited for last: what comes next comes after these. */
  let frontier: ReadonlySet<FoundCall> = nothing
  const surroundings: FoundCall['inside'][] = []
  let level = 0
  let groups = 0
  let steps = 0

  runAll(tree.body as readonly Statement[])
  followTheRest(tree)
  blur()
  return ranked

  // Statements

  function runAll(statements: readonly Statement[]): void {
    hoist(statements)
    let guards = 0
    for (const statement of statements) {
      run(statement)
      // What stands behind a conditional return is conditional itself.
      if (mayReturn(statement)) {
        surroundings.push('branch')
        guards++
      }
    }
    surroundings.length -= guards
  }

  function hoist(statements: readonly Statement[]): void {
    for (const statement of statements) {
      if (statement.type !== 'FunctionDeclaration') continue
      const variable = variableOf.get(statement.id)
      if (variable !== undefined) values.set(variable, { kind: 'function', node: statement })
    }
  }

  function run(node: Statement): void {
    switch (node.type) {
      case 'ExpressionStatement':
        evaluate(node.expression)
        return
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          if (init) bind(id, evaluate(init))
        }
        return
      case 'ReturnStatement': {
        const value = node.argument ? evaluate(node.argument) : unknown('undefined')
        returned.at(-1)?.push(value)
        return
      }
      case 'BlockStatement':
        runAll(node.body)
        return
      case 'IfStatement': {
        evaluate(node.test)
        either(
          () => run(node.consequent),
          () => node.alternate && run(node.alternate),
        )
        return
      }
      case 'ForOfStatement': {
        const list = evaluate(node.right)
        if (node.await) waitFor(waitsFor(list))
        const pattern = node.left.type === 'VariableDeclaration' ? node.left.declarations[0]!.id : node.left
        maybe('loop', () => {
          bind(pattern, elementOf(list, textOf(pattern)))
          run(node.body)
        })
        return
      }
      case 'ForInStatement': {
        const object = evaluate(node.right)
        const pattern = node.left.type === 'VariableDeclaration' ? node.left.declarations[0]!.id : node.left
        maybe('loop', () => {
          bind(pattern, unknown(textOf(pattern), object))
          run(node.body)
        })
        return
      }
      case 'ForStatement':
        if (node.init) {
          if (node.init.type === 'VariableDeclaration') run(node.init)
          else evaluate(node.init)
        }
        maybe('loop', () => {
          if (node.test) evaluate(node.test)
          run(node.body)
          if (node.update) evaluate(node.update)
        })
        return
      case 'WhileStatement':
        maybe('loop', () => {
          evaluate(node.test)
          run(node.body)
        })
        return
      case 'DoWhileStatement':
        maybe('loop', () => {
          run(node.body)
          evaluate(node.test)
        })
        return
      case 'SwitchStatement': {
        evaluate(node.discriminant)
        const before = frontier
        const ends: ReadonlySet<FoundCall>[] = [before]
        for (const { test, consequent } of node.cases) {
          frontier = before
          within('branch', () => {
            if (test) evaluate(test)
            hoist(consequent)
            for (const statement of consequent) run(statement)
          })
          ends.push(frontier)
        }
        frontier = newest(union(ends))
        return
      }
      case 'TryStatement': {
        const { block, handler, finalizer } = node
        runAll(block.body)
        if (handler) {
          maybe('branch', () => {
            if (handler.param) bind(handler.param, unknown(textOf(handler.param)))
            runAll(handler.body.body)
          })
        }
        if (finalizer) runAll(finalizer.body)
        return
      }
      case 'ThrowStatement':
        evaluate(node.argument)
        return
      case 'LabeledStatement':
        run(node.body)
        return
      case 'FunctionDeclaration':
        return
      default:
        for (const child of childrenOf(node)) visitOther(child)
    }
  }

  /** Code in places that are seldom: gone through without knowing when. */
  function visitOther(node: AnyNode): void {
    if (isFunction(node)) return
    if (isExpression(node)) evaluate(node)
    else for (const child of childrenOf(node)) visitOther(child)
  }

  function within(inside: FoundCall['inside'], work: () => void): void {
    surroundings.push(inside)
    work()
    surroundings.pop()
  }

  /** What may not run, or run more than once: what it waits for may have been waited for, or not. */
  function maybe(inside: FoundCall['inside'], work: () => void): void {
    const before = frontier
    within(inside, work)
    frontier = newest(union([before, frontier]))
  }

  function either(one: () => void, other: () => void): void {
    const before = frontier
    within('branch', one)
    const after = frontier
    frontier = before
    within('branch', other)
    frontier = newest(union([after, frontier]))
  }

  // Expressions

  function evaluate(node: Expression | Super | SpreadElement): Value {
    if (++steps > mostSteps) return unknown(textOf(node))
    switch (node.type) {
      case 'Literal': {
        const value = literalValue(node)
        return value === undefined || (typeof value === 'object' && value !== null)
          ? unknown(textOf(node))
          : { kind: 'known', value }
      }
      case 'Identifier':
        return variableValue(node)
      case 'TemplateLiteral': {
        const parts = node.expressions.map(evaluate)
        let text = ''
        for (const [index, quasi] of node.quasis.entries()) {
          const part = index === 0 ? undefined : parts[index - 1]
          if (part !== undefined) {
            if (part.kind !== 'known') return unknown(textOf(node), ...parts)
            text += String(part.value)
          }
          text += quasi.value.cooked ?? ''
        }
        return text.length > longestText ? unknown(textOf(node)) : { kind: 'known', value: text }
      }
      case 'ObjectExpression':
        return objectOf(node)
      case 'ArrayExpression':
        return arrayOf(node)
      case 'MemberExpression':
        return memberOf(node)
      case 'ChainExpression':
        return evaluate(node.expression)
      case 'ParenthesizedExpression':
        return evaluate(node.expression)
      case 'AwaitExpression': {
        const value = evaluate(node.argument)
        waitFor(waitsFor(value))
        return settledOf(value)
      }
      case 'CallExpression':
        return callOf(node)
      case 'NewExpression': {
        const value = evaluate(node.callee)
        const given = node.arguments.map((argument) => evaluate(argument))
        for (const argument of given) followAs(argument, undefined)
        return unknown(textOf(node), value, ...given)
      }
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return { kind: 'function', node }
      case 'AssignmentExpression':
        return assign(node.left, node.operator, node.right, textOf(node))
      case 'ConditionalExpression': {
        const test = evaluate(node.test)
        const results: Value[] = []
        either(
          () => results.push(evaluate(node.consequent)),
          () => results.push(evaluate(node.alternate)),
        )
        const value = eitherOf(results[0]!, results[1]!, textOf(node))
        return value.kind === 'unknown' ? unknown(value.text, value, test) : value
      }
      case 'LogicalExpression': {
        const left = evaluate(node.left)
        const right: Value[] = []
        maybe('branch', () => right.push(evaluate(node.right)))
        if (left.kind === 'argument' && node.operator !== '&&') return left
        return eitherOf(left, right[0]!, textOf(node))
      }
      case 'BinaryExpression': {
        if (node.left.type === 'PrivateIdentifier') return unknown(textOf(node), evaluate(node.right))
        const left = evaluate(node.left)
        const right = evaluate(node.right)
        if (node.operator === '+' && left.kind === 'known' && right.kind === 'known') {
          const sum = (left.value as string) + (right.value as string)
          if (String(sum).length <= longestText) return { kind: 'known', value: sum }
        }
        return unknown(textOf(node), left, right)
      }
      case 'UnaryExpression': {
        const value = evaluate(node.argument)
        if (node.operator === '-' && value.kind === 'known' && typeof value.value === 'number') {
          return { kind: 'known', value: -value.value }
        }
        return unknown(textOf(node), value)
      }
      case 'SequenceExpression':
        return node.expressions.map(evaluate).at(-1) ?? unknown(textOf(node))
      case 'SpreadElement':
      case 'YieldExpression':
        return node.argument ? evaluate(node.argument) : unknown(textOf(node))
      case 'UpdateExpression':
        return unknown(textOf(node), evaluate(node.argument))
      default: {
        for (const child of childrenOf(node)) visitOther(child)
        return unknown(textOf(node))
      }
    }
  }

  function variableValue(id: Identifier): Value {
    const variable = variableOf.get(id)
    if (variable === undefined) {
      if (id.name === 'tools' || id.name === 'capabilities')
        return { kind: 'namespace', root: id.name, depth: 0 }
      return id.name === 'args' ? { kind: 'argument', path: [] } : unknown(id.name)
    }
    const value = values.get(variable)
    const more = added.get(variable) ?? nothing
    if (value === undefined) return { kind: 'unknown', text: id.name, deps: more }
    const isOpaque =
      variable.isReassigned ||
      ((value.kind === 'object' || value.kind === 'array') && isChanged(variable, value))
    return isOpaque || more.size > 0
      ? { kind: 'unknown', text: id.name, deps: union([depsOf(value), more]) }
      : value
  }

  function objectOf(node: ObjectExpression): Value {
    const fields = new Map<string, Value>()
    let open: string | undefined
    let lost: Value[] = []
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') {
        const spread = settledOf(evaluate(property.argument))
        if (spread.kind === 'object' && spread.open === undefined) {
          for (const [key, field] of spread.fields) fields.set(key, field)
          continue
        }
        // It may say otherwise what was said before it.
        lost = [...lost, ...fields.values(), spread]
        fields.clear()
        open = textOf(property)
        continue
      }
      const key = keyOf(property.key, property.computed)
      const value = property.kind === 'init' ? evaluate(property.value) : unknown(textOf(property))
      if (key === undefined || key === '__proto__') {
        lost = [...lost, ...fields.values(), value]
        fields.clear()
        open = textOf(property)
      } else fields.set(String(key), value)
    }
    if (open === undefined) return { kind: 'object', fields }
    // What it may hold besides is kept for the edges alone.
    const rest = unknown(open, ...lost)
    return { kind: 'object', fields: new Map([...fields, [openField, rest]]), open }
  }

  function arrayOf(node: ArrayExpression): Value {
    const items: Value[] = []
    let isOpen = false
    for (const element of node.elements) {
      if (element === null) items.push(unknown(''))
      else if (element.type === 'SpreadElement') {
        const spread = settledOf(evaluate(element.argument))
        if (spread.kind === 'array') items.push(...spread.items)
        else {
          isOpen = true
          items.push(elementOf(spread, textOf(element)))
        }
      } else items.push(evaluate(element))
    }
    if (!isOpen) return { kind: 'array', items }
    const [only] = items
    return items.length === 1 && only !== undefined
      ? { kind: 'list', of: only }
      : unknown(textOf(node), ...items)
  }

  function memberOf(node: MemberExpression): Value {
    const object = evaluate(node.object)
    const text = textOf(node)
    if (node.property.type === 'PrivateIdentifier') return unknown(text, object)
    return fieldOf(object, keyOf(node.property, node.computed), text)
  }

  /** The name of a field, where it is known. */
  function keyOf(node: Expression, isComputed: boolean): string | number | undefined {
    if (!isComputed && node.type === 'Identifier') return node.name
    const key = evaluate(node)
    if (key.kind !== 'known') return undefined
    if (typeof key.value === 'number') return isIndex(key.value) ? key.value : String(key.value)
    return typeof key.value === 'string' ? key.value : undefined
  }

  function assign(target: Pattern, operator: string, right: Expression, text: string): Value {
    if (target.type === 'MemberExpression') {
      evaluate(target)
      const value = evaluate(right)
      addTo(target, value)
      return operator === '=' ? value : unknown(text, value)
    }
    const isMaybe = operator === '??=' || operator === '||=' || operator === '&&='
    let value: Value = unknown(text)
    const work = () => {
      value = evaluate(right)
    }
    if (isMaybe) maybe('branch', work)
    else work()
    bind(target, value)
    return operator === '=' ? value : unknown(text, value)
  }

  function bind(pattern: Pattern, value: Value): void {
    switch (pattern.type) {
      case 'Identifier': {
        const variable = variableOf.get(pattern)
        if (variable === undefined) return
        const known = values.get(variable)
        if (variable.isReassigned && known !== undefined) {
          added.set(variable, newest(union([added.get(variable) ?? nothing, depsOf(known), depsOf(value)])))
        }
        values.set(variable, value)
        return
      }
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          if (property.type === 'RestElement') {
            bind(property.argument, unknown(textOf(property), value))
          } else {
            const key = keyOf(property.key, property.computed)
            bind(property.value, fieldOf(value, key, textOf(property.key)))
          }
        }
        return
      case 'ArrayPattern':
        for (const [index, element] of pattern.elements.entries()) {
          if (element === null) continue
          if (element.type === 'RestElement') bind(element.argument, unknown(textOf(element), value))
          else bind(element, fieldOf(value, index, textOf(element)))
        }
        return
      case 'AssignmentPattern': {
        const fallback: Value[] = []
        maybe('branch', () => fallback.push(evaluate(pattern.right)))
        bind(pattern.left, value.kind === 'argument' ? value : unknown(textOf(pattern), value, ...fallback))
        return
      }
      case 'RestElement':
        bind(pattern.argument, unknown(textOf(pattern), value))
        return
      case 'MemberExpression':
        addTo(pattern, value)
    }
  }

  /** `list.push(value)`, `object.field = value`: the variable holds it from now on. */
  function addTo(target: AnyNode, value: Value): void {
    const deps = union([depsOf(value), waitsFor(value)])
    const variable = rootOf(target)
    if (variable !== undefined && deps.size > 0) {
      added.set(variable, newest(union([added.get(variable) ?? nothing, deps])))
    }
  }

  function rootOf(node: AnyNode): Variable | undefined {
    let at = node
    while (at.type === 'MemberExpression') at = at.object
    return at.type === 'Identifier' ? variableOf.get(at) : undefined
  }

  // Calls

  function callOf(node: CallExpression): Value {
    const { callee } = node
    const text = textOf(node)
    if (callee.type === 'Super') return unknown(text, ...node.arguments.map((argument) => evaluate(argument)))
    const promise = promiseMethod(callee)
    if (promise !== undefined) return promiseOf(node, promise)
    const method = callee.type === 'MemberExpression' ? methodName(callee) : undefined
    if (callee.type === 'MemberExpression' && method !== undefined) {
      const receiver = evaluate(callee.object)
      if (receiver.kind !== 'namespace') return methodOf(node, callee, receiver, method)
    }
    const value = settledOf(evaluate(callee))
    if (value.kind === 'tool') return toolOf(node, value.root, value.name)
    if (value.kind === 'namespace' && value.depth === 1) return toolOf(node, value.root, value.first)
    const given = node.arguments.map((argument) => evaluate(argument))
    if (value.kind === 'function') {
      const isSpread = node.arguments.some(({ type }) => type === 'SpreadElement')
      const result = follow(value.node, isSpread ? [] : given, undefined)
      return result ?? unknown(text, ...given)
    }
    return otherOf(node, given, [value])
  }

  function toolOf(node: CallExpression, root: 'tools' | 'capabilities', name: string | undefined): Value {
    const [first] = node.arguments
    const given = node.arguments.map((argument) => evaluate(argument))
    const argument: Value =
      first === undefined
        ? { kind: 'object', fields: new Map() }
        : first.type === 'SpreadElement'
          ? unknown(textOf(first), ...given)
          : settledOf(given[0]!)
    const known = calls.get(node)
    if (known !== undefined) {
      if (known.name !== name) known.name = undefined
      known.argument = eitherOf(known.argument, argument, textOf(node))
      return { kind: 'pending', of: { kind: 'from', call: known, path: [] }, waitsFor: new Set([known]) }
    }
    const call: FoundCall = {
      node,
      kind: root === 'tools' ? 'tool' : 'capability',
      name,
      argument,
      inside: surroundings.at(-1),
      group: undefined,
      after: frontier,
      level,
      isAwaited: false,
      rank: ranked.length,
    }
    calls.set(node, call)
    ranked.push(call)
    return { kind: 'pending', of: { kind: 'from', call, path: [] }, waitsFor: new Set([call]) }
  }

  function promiseMethod(callee: Expression): string | undefined {
    return callee.type === 'MemberExpression' &&
      callee.object.type === 'Identifier' &&
      callee.object.name === 'Promise' &&
      !variableOf.has(callee.object) &&
      callee.property.type === 'Identifier' &&
      !callee.computed
      ? callee.property.name
      : undefined
  }

  function promiseOf(node: CallExpression, method: string): Value {
    const [argument] = node.arguments
    const before = ranked.length
    const value = argument === undefined ? unknown(textOf(node)) : evaluate(argument)
    for (const other of node.arguments.slice(1)) evaluate(other)
    if (method === 'resolve') return value
    const waits = waitsFor(value)
    const group = [
      ...[...waits].filter((call) => call.rank < before && !call.isAwaited),
      // What is awaited by itself on the way is there before the others start.
      ...ranked.slice(before).filter((call) => !(call.isAwaited && call.level === level)),
    ]
    if (sideBySide.has(method) && (group.length > 1 || group.some(({ inside }) => inside === 'loop'))) {
      const id = ++groups
      for (const call of group) call.group ??= id
    }
    // What is awaited within a function that was started here is waited for as well.
    const all = new Set([...waits, ...group])
    const inner = withoutWaiting(value)
    const of =
      method === 'all' ? inner : method === 'allSettled' ? settleEach(inner) : unknown(textOf(node), inner)
    return { kind: 'pending', of, waitsFor: all }
  }

  function methodOf(node: CallExpression, callee: MemberExpression, receiver: Value, method: string): Value {
    const text = textOf(node)
    const object = settledOf(receiver)
    const given = node.arguments.map((argument) => evaluate(argument))
    const [first, second] = given
    if (receiver.kind === 'pending' && (method === 'then' || method === 'catch' || method === 'finally')) {
      return thenOf(receiver, method, given, text)
    }
    if (object.kind === 'tool' && (method === 'call' || method === 'apply')) return unknown(text, ...given)
    if (object.kind === 'unknown' && (method === 'then' || method === 'catch' || method === 'finally')) {
      for (const argument of given) followAs(argument, undefined)
      return unknown(text, object, ...given)
    }
    if (first?.kind === 'function' && loopMethods.has(method)) {
      const before = ranked.length
      const element = elementOf(object, paramText(first.node, method.startsWith('reduce') ? 1 : 0))
      const params = method.startsWith('reduce')
        ? [unknown(paramText(first.node, 0), object, ...(second ? [second] : [])), element]
        : [element]
      const result = follow(first.node, params, 'loop') ?? unknown(text)
      if (method === 'map' || method === 'flatMap') {
        return method === 'map'
          ? listOf(result, (call) => call.rank >= before)
          : unknownButPending(text, [object, result], waitsFor(result))
      }
      if (partMethods.has(method)) return { kind: 'part', of: object, text }
      return unknownButPending(text, [object, result], method === 'reduce' ? waitsFor(result) : nothing)
    }
    if (partMethods.has(method)) return { kind: 'part', of: object, text }
    if (method === 'from' && second?.kind === 'function' && isGlobal(callee.object, 'Array')) {
      const before = ranked.length
      const result =
        follow(second.node, [elementOf(first!, paramText(second.node, 0))], 'loop') ?? unknown(text)
      return listOf(result, (call) => call.rank >= before)
    }
    const value = fieldOf(object, method, textOf(callee))
    if (value.kind === 'tool') return toolOf(node, value.root, value.name)
    if (value.kind === 'function')
      return follow(value.node, given, undefined) ?? unknown(text, object, ...given)
    return otherOf(node, given, [object])
  }

  /** Any other function: nothing is known of what it does with what it is given. */
  function otherOf(node: CallExpression, given: readonly Value[], more: readonly Value[]): Value {
    for (const argument of given) followAs(argument, undefined)
    const all = unknown(textOf(node), ...given, ...more)
    if (node.callee.type === 'MemberExpression') addTo(node.callee, all)
    // Object.assign(target, source), and the like.
    const [first, ...others] = node.arguments
    if (first?.type === 'Identifier' && others.length > 0) addTo(first, all)
    return all
  }

  function thenOf(
    receiver: Value & { kind: 'pending' },
    method: string,
    given: readonly Value[],
    text: string,
  ): Value {
    const before = frontier
    const start = ranked.length
    const [first, second] = given
    waitFor(receiver.waitsFor, false)
    let result: Value = receiver
    if (method === 'then' && first?.kind === 'function') {
      result = follow(first.node, [receiver.of], undefined) ?? unknown(text, receiver)
    } else if (method === 'then') result = unknown(text, receiver)
    if (method === 'finally') followAs(first, undefined)
    const handler = method === 'catch' ? first : method === 'then' ? second : undefined
    if (handler?.kind === 'function') {
      const handled: Value[] = []
      maybe('branch', () => handled.push(follow(handler.node, [], undefined) ?? unknown(text)))
      result = eitherOf(result, handled[0]!, text)
    }
    frontier = before
    const inner = ranked.slice(start)
    return {
      kind: 'pending',
      of: settledOf(result),
      waitsFor: new Set([...receiver.waitsFor, ...inner, ...waitsFor(result)]),
    }
  }

  function followAs(value: Value | undefined, inside: FoundCall['inside']): void {
    if (value?.kind === 'function') follow(value.node, [], inside ?? 'function')
  }

  /** What the function gives; undefined where it is not gone into. */
  function follow(
    node: FunctionNode,
    given: readonly Value[],
    inside: FoundCall['inside'],
  ): Value | undefined {
    const times = followed.get(node) ?? 0
    if (level >= deepestLevel || times >= mostTimes || steps > mostSteps || open.has(node)) {
      if (!hasUnseenCalls(node)) blurred.add(node)
      return undefined
    }
    followed.set(node, times + 1)
    const start = ranked.length
    const before = frontier
    const around = inside ?? (times > 0 || isCalledOften(node) ? 'function' : surroundings.at(-1))
    open.add(node)
    level++
    surroundings.push(around)
    returned.push([])
    const seen = hasUnseenCalls(node)
      ? given.map((value, index) => unknown(paramText(node, index), value))
      : given
    for (const [index, param] of node.params.entries()) bindParam(param, seen, index, times)
    if (node.body.type === 'BlockStatement') runAll(node.body.body)
    else returned.at(-1)!.push(evaluate(node.body))
    const results = returned.pop()!
    surroundings.pop()
    level--
    open.delete(node)
    const text = 'a function'
    const [only, ...others] = results
    const result =
      only === undefined ? unknown(text) : others.reduce((one, other) => eitherOf(one, other, text), only)
    if (!node.async) return result
    // Whoever called it goes on at once.
    frontier = before
    const inner = ranked.slice(start)
    return { kind: 'pending', of: settledOf(result), waitsFor: new Set([...inner, ...waitsFor(result)]) }
  }

  function bindParam(param: Pattern, given: readonly Value[], index: number, times: number): void {
    if (param.type === 'RestElement') {
      bind(param, unknown(textOf(param), ...given.slice(index)))
      return
    }
    const value = given[index] ?? unknown(textOf(param))
    const variable = param.type === 'Identifier' ? variableOf.get(param) : undefined
    const earlier = variable === undefined || times === 0 ? undefined : values.get(variable)
    bind(param, earlier === undefined ? value : eitherOf(earlier, value, textOf(param)))
  }

  /** Functions that are called in ways that cannot be seen. */
  function followTheRest(node: AnyNode): void {
    if (isFunction(node) && !followed.has(node)) {
      frontier = nothing
      follow(node, [], 'function')
    }
    for (const child of childrenOf(node)) followTheRest(child)
  }

  function isCalledOften(node: FunctionNode): boolean {
    const variable = variableOfFunction(node)
    return variable !== undefined && variable.references.length > 1
  }

  /** It calls itself, or is handed about: what it is given where it can be seen is not all that it is given. */
  function hasUnseenCalls(node: FunctionNode): boolean {
    const variable = variableOfFunction(node)
    return (
      variable?.references.some((reference) => {
        const isOwn = reference.start >= node.start && reference.end <= node.end
        return isOwn || parentOf.get(reference)?.type !== 'CallExpression'
      }) ?? false
    )
  }

  function variableOfFunction(node: FunctionNode): Variable | undefined {
    const parent = parentOf.get(node)
    const assigned =
      parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier' ? parent.id : undefined
    const declared = (node.type === 'FunctionDeclaration' ? node.id : assigned) ?? undefined
    return declared && variableOf.get(declared)
  }

  /** Of functions that were not gone through each time, what their calls are given is not known. */
  function blur(): void {
    for (const { start, end } of blurred) {
      for (const call of ranked) {
        const isWithin = call.node.start >= start && call.node.end <= end
        if (isWithin) call.argument = unknown(textOf(call.node), call.argument)
      }
    }
  }

  function waitFor(waited: ReadonlySet<FoundCall>, isHere = true): void {
    if (waited.size === 0) return
    const next = new Set(frontier)
    for (const call of waited) {
      for (const earlier of call.after) next.delete(earlier)
      if (isHere) call.isAwaited = true
    }
    const compared = waited.size > mostCompared ? [] : [...waited]
    for (const call of waited) {
      // What another one of them waited for needs no edge of its own.
      if (!compared.some((other) => other !== call && other.after.has(call))) next.add(call)
    }
    frontier = newest(next)
  }

  // Helpers

  function textOf(node: AnyNode): string {
    const text = stripped
      .slice(node.start, Math.min(node.end, node.start + longestShown))
      .replace(/\s+/g, ' ')
    return node.end - node.start > longestShown ? `${text}...` : text
  }

  function paramText(node: FunctionNode, index: number): string {
    const param = node.params[index]
    return param === undefined ? 'an element' : textOf(param)
  }

  function methodName(callee: MemberExpression): string | undefined {
    return callee.property.type === 'Identifier' && !callee.computed ? callee.property.name : undefined
  }

  function isGlobal(node: AnyNode, name: string): boolean {
    return node.type === 'Identifier' && node.name === name && !variableOf.has(node)
  }

  function mayReturn(statement: Statement): boolean {
    return (
      (statement.type === 'IfStatement' ||
        statement.type === 'ForOfStatement' ||
        statement.type === 'ForStatement' ||
        statement.type === 'WhileStatement' ||
        statement.type === 'SwitchStatement' ||
        statement.type === 'TryStatement') &&
      holdsReturn(statement)
    )
  }
}

/** Under this name an object keeps what it may hold besides; it is no name that code can write. */
export const openField = '\0open'

const mostSteps = 2_000_000
const deepestLevel = 8
const mostTimes = 6
const mostCompared = 100
const longestText = 100_000
const longestShown = 80

const sideBySide = new Set(['all', 'allSettled', 'any', 'race'])
const loopMethods = new Set(
  'map flatMap forEach filter find findIndex findLast findLastIndex some every reduce reduceRight sort toSorted'.split(
    ' ',
  ),
)
const partMethods = new Set('filter slice sort toSorted reverse toReversed'.split(' '))
/** A program of a thousand calls is drawn by nobody: the last of them are enough. */
function newest(set: ReadonlySet<FoundCall>): ReadonlySet<FoundCall> {
  return set.size <= mostCompared ? set : new Set([...set].slice(-mostCompared))
}

function isIndex(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 1e9
}

function holdsReturn(node: AnyNode): boolean {
  if (node.type === 'ReturnStatement') return true
  return !isFunction(node) && childrenOf(node).some(holdsReturn)
}

function isExpression(node: AnyNode): node is Expression {
  return node.type.endsWith('Expression') || node.type.endsWith('Literal') || node.type === 'Identifier'
}

function withoutWaiting(value: Value): Value {
  switch (value.kind) {
    case 'pending':
      return withoutWaiting(value.of)
    case 'array':
      return { kind: 'array', items: value.items.map(settledOf) }
    case 'list':
      return { kind: 'list', of: settledOf(value.of) }
    default:
      return value
  }
}

function settleEach(value: Value): Value {
  if (value.kind === 'array') {
    return { kind: 'array', items: value.items.map((of): Value => ({ kind: 'settled', of })) }
  }
  return { kind: 'list', of: { kind: 'settled', of: elementOf(value, 'a result') } }
}

function unknownButPending(text: string, from: readonly Value[], waits: ReadonlySet<FoundCall>): Value {
  const of = unknown(text, ...from)
  return waits.size === 0 ? of : { kind: 'pending', of, waitsFor: waits }
}
