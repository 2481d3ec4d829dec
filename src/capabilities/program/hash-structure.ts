/**
 * One hash for all programs that differ in names of variables, in what was lifted, in comments and in layout alone. Properties of objects in
 * arguments of calls are sorted, unless something is called among them. Whatever else the code says counts, or two programs that do
 * different things would be taken for one.
 */
import { createHash } from 'node:crypto'
import type { AnyNode, CallExpression, ObjectExpression, Property, TemplateLiteral } from 'acorn'
import type { AnalysedProgram } from './analyse-program.js'
import { childrenOf, type Variable } from './bind-names.js'
import { literalValue, plainKey } from './literal-value.js'
import type { ProgramCall } from './program.js'

/** What a name in the code stands for: a tool has more than one form of its name. */
export type NameOf = (kind: ProgramCall['kind'], name: string) => string

const asWritten: NameOf = (_, name) => name

/** `lifted`: what stands for a node. */
export function hashStructure(
  analysis: AnalysedProgram,
  lifted: ReadonlyMap<AnyNode, string>,
  nameOf: NameOf = asWritten,
): string {
  return createHash('sha256')
    .update(structureText(analysis, lifted, nameOf))
    .digest('hex')
}

export function structureText(
  { parsed, bindings, calls }: AnalysedProgram,
  lifted: ReadonlyMap<AnyNode, string>,
  nameOf: NameOf = asWritten,
): string {
  const { variableOf } = bindings
  const numbers = new Map<Variable, number>()
  const callOf = new Map(calls.map((call) => [call.node, call]))
  const out: string[] = []
  /** Within what is logged: its texts do not count, but for those of calls that are made on the way. */
  let isQuiet = false
  write(parsed.tree)
  return out.join('')

  function write(node: AnyNode): void {
    if (isQuiet && !isPlainText(node) && node.type !== 'TemplateElement') {
      isQuiet = false
      writeCounting(node)
      isQuiet = true
    } else writeCounting(node)
  }

  function writeCounting(node: AnyNode): void {
    const stands = lifted.get(node)
    if (stands !== undefined) {
      out.push(stands)
      return
    }
    switch (node.type) {
      case 'EmptyStatement':
        return
      case 'Identifier': {
        const variable = variableOf.get(node)
        out.push(variable === undefined ? node.name : `#${numberOf(variable)}`)
        return
      }
      case 'ExpressionStatement':
        // What is returned by standing last is returned.
        out.push(node === parsed.last ? 'ReturnStatement(' : 'ExpressionStatement(')
        write(node.expression)
        out.push(',)')
        return
      case 'Literal':
      case 'TemplateLiteral':
      case 'UnaryExpression': {
        const value = literalValue(node)
        if (value === undefined) {
          if (node.type !== 'TemplateLiteral') break
          writeTemplate(node)
          return
        }
        // What is only logged is neither a call nor the value.
        out.push(isQuiet && typeof value === 'string' ? 'text' : JSON.stringify(value))
        return
      }
      case 'TaggedTemplateExpression':
        out.push('Tagged(')
        write(node.tag)
        // A tag sees how it was written.
        out.push(JSON.stringify(node.quasi.quasis.map(({ value }) => value.raw)))
        for (const expression of node.quasi.expressions) {
          write(expression)
          out.push(',')
        }
        out.push(')')
        return
      case 'TemplateElement':
        out.push(isQuiet ? 'text' : JSON.stringify(node.value.cooked ?? node.value.raw))
        return
      case 'MemberExpression': {
        const key = node.computed ? stringOf(node.property) : plainKey(node.property)
        if (key === undefined) break
        out.push(node.optional ? 'Member?(' : 'Member(')
        write(node.object)
        out.push(',', JSON.stringify(key), ')')
        return
      }
      case 'Property': {
        const key = node.computed ? undefined : plainKey(node.key)
        if (key === undefined || node.kind !== 'init') break
        out.push(JSON.stringify(key), node.method ? '()' : ':')
        write(node.value)
        out.push(';')
        return
      }
      case 'CallExpression':
        writeCall(node)
        return
    }
    writeAny(node)
  }

  /** Part by part: a text that was lifted is an expression when it is read again. */
  function writeTemplate({ quasis, expressions }: TemplateLiteral): void {
    out.push('Template(')
    for (const [index, quasi] of quasis.entries()) {
      if (quasi.value.raw !== '' || lifted.has(quasi)) {
        write(quasi)
        out.push(',')
      }
      const expression = expressions[index]
      if (expression === undefined) continue
      write(expression)
      out.push(',')
    }
    out.push(')')
  }

  function writeAny(node: AnyNode): void {
    out.push(node.type, '(')
    for (const key of Object.keys(node)) {
      if (unimportant.has(key)) continue
      const value = (node as unknown as Record<string, unknown>)[key]
      if (Array.isArray(value)) {
        out.push('[')
        for (const item of value) {
          if (item === null) out.push('-')
          else write(item as AnyNode)
          out.push(',')
        }
        out.push(']')
      } else if (typeof value === 'object' && value !== null) {
        if ('type' in value) write(value as AnyNode)
        else out.push(JSON.stringify(value))
      } else if (value !== undefined) out.push(`${key}=${String(value)}`)
      out.push(',')
    }
    out.push(')')
  }

  function writeCall(node: CallExpression): void {
    const found = callOf.get(node)
    const wasQuiet = isQuiet
    isQuiet = false
    out.push(node.optional ? 'Call?(' : 'Call(')
    if (found?.name !== undefined && isDirect(node.callee))
      out.push(found.kind, ' ', JSON.stringify(nameOf(found.kind, found.name)))
    else write(node.callee)
    const isConsole = isConsoleCall(node)
    for (const argument of node.arguments) {
      isQuiet = isConsole && isPlainText(argument)
      out.push(',')
      if (found !== undefined && argument.type === 'ObjectExpression') writeSorted(argument)
      else write(argument)
    }
    isQuiet = wasQuiet
    out.push(')')
  }

  function writeSorted(node: ObjectExpression): void {
    const keyed = node.properties.map((property) => ({
      property,
      key:
        property.type === 'Property' && !property.computed && property.kind === 'init'
          ? plainKey(property.key)
          : undefined,
    }))
    const isSortable =
      keyed.every(({ key }) => key !== undefined) &&
      new Set(keyed.map(({ key }) => key)).size === keyed.length &&
      !holdsCall(node)
    if (!isSortable) {
      write(node)
      return
    }
    keyed.sort((a, b) => (a.key! < b.key! ? -1 : 1))
    out.push('ObjectExpression([')
    for (const { property, key } of keyed) {
      const { value } = property as Property
      out.push(JSON.stringify(key), ':')
      if (value.type === 'ObjectExpression' && !lifted.has(value)) writeSorted(value)
      else write(value)
      out.push(';,')
    }
    out.push('],)')
  }

  function numberOf(variable: Variable): number {
    const known = numbers.get(variable)
    if (known !== undefined) return known
    numbers.set(variable, numbers.size + 1)
    return numbers.size
  }

  /** `tools.server.tool`, in any way of writing it, and no variable between. */
  function isDirect(callee: AnyNode): boolean {
    let root = callee
    while (root.type === 'MemberExpression') {
      if (root.computed && stringOf(root.property) === undefined) return false
      root = root.object
    }
    return root.type === 'Identifier' && !variableOf.has(root)
  }

  function isConsoleCall({ callee }: CallExpression): boolean {
    return (
      callee.type === 'MemberExpression' &&
      callee.object.type === 'Identifier' &&
      callee.object.name === 'console' &&
      !variableOf.has(callee.object)
    )
  }
}

/** Where it stands, and how it was written. */
const unimportant = new Set(['type', 'start', 'end', 'loc', 'raw', 'range', 'shorthand', 'sourceType'])

function stringOf(node: AnyNode): string | undefined {
  const value = literalValue(node)
  return typeof value === 'string' ? value : undefined
}

/** A text, or one that is put together. */
function isPlainText(node: AnyNode): boolean {
  return (
    typeof literalValue(node) === 'string' ||
    node.type === 'TemplateLiteral' ||
    (node.type === 'BinaryExpression' && node.operator === '+')
  )
}

function holdsCall(node: AnyNode): boolean {
  if (node.type === 'CallExpression' || node.type === 'AwaitExpression' || node.type === 'NewExpression')
    return true
  return childrenOf(node).some(holdsCall)
}
