/** TypeScript, the body of an async function, to a syntax tree. What cannot be such a body is refused here and nowhere else. */
import { type AnyNode, type ExpressionStatement, parse, type Program as Tree } from 'acorn'
import { childrenOf } from './bind-names.js'
import { CodeSyntaxError } from './code-syntax-error.js'
import { type StrippedCode, stripTypes } from './strip-types.js'

export interface ParsedProgram {
  readonly code: string
  /** Without types; positions of the tree lead into it. */
  readonly stripped: string
  /** Positions of the tree lead into the code as well. */
  readonly isAligned: boolean
  readonly tree: Tree
  /** The last statement, where it is an expression: what it gives is the value of the program. */
  readonly last: ExpressionStatement | undefined
  readonly javascript: string
}

export function parseProgram(code: string): ParsedProgram {
  if (code.length > mostChars) {
    throw new CodeSyntaxError(
      `The code has ${code.length} characters; at most ${mostChars} are read.`,
      undefined,
      'Pass data in arguments, and read it from args.',
    )
  }
  const { tree, stripped, isAligned } = parseStripped(code)
  const last = lastExpression(tree)
  const javascript =
    last === undefined ? stripped : `${stripped.slice(0, last.start)}return ${stripped.slice(last.start)}`
  return { code, stripped, isAligned, tree, last, javascript }
}

const mostChars = 100_000
const deepest = 1_000

function parseStripped(code: string): Pick<ParsedProgram, 'tree' | 'stripped' | 'isAligned'> {
  // Most of what agents write is JavaScript as it stands, and that is read ten times as fast.
  const tree = parseJavaScript(code)
  if (!(tree instanceof CodeSyntaxError) && !mayHoldTypeArguments(code)) {
    return { tree, stripped: code, isAligned: true }
  }
  const { javascript, isAligned } = stripUnless(code, tree)
  const strippedTree = parseJavaScript(javascript)
  if (strippedTree instanceof CodeSyntaxError) throw strippedTree
  return { tree: strippedTree, stripped: javascript, isAligned }
}

/** What is JavaScript and no TypeScript is run as the former. */
function stripUnless(code: string, tree: Tree | CodeSyntaxError): StrippedCode {
  try {
    return stripTypes(code)
  } catch (error) {
    if (tree instanceof CodeSyntaxError) throw error
    return { javascript: code, isAligned: true }
  }
}

function parseJavaScript(javascript: string): Tree | CodeSyntaxError {
  try {
    const tree = parse(javascript, {
      ecmaVersion: 'latest',
      sourceType: 'script',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowHashBang: false,
      locations: true,
    })
    if (isDeeperThan(tree, deepest)) throw CodeSyntaxError.ofDepth()
    return tree
  } catch (error) {
    if (error instanceof CodeSyntaxError) throw error
    if (error instanceof RangeError) throw CodeSyntaxError.ofDepth()
    return toSyntaxError(javascript, error)
  }
}

/** Whoever goes through the tree later goes down by calling itself. */
function isDeeperThan(tree: Tree, limit: number): boolean {
  let layer: AnyNode[] = [tree]
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth > limit) return true
    const next: AnyNode[] = []
    for (const node of layer) for (const child of childrenOf(node)) next.push(child)
    layer = next
  }
  return false
}

function toSyntaxError(javascript: string, error: unknown): CodeSyntaxError {
  const { message, loc, pos } = error as Error & {
    readonly pos: number
    readonly loc: { readonly line: number; readonly column: number }
  }
  const place = { line: loc.line, column: loc.column + 1 }
  if (/'import' and 'export'/.test(message) || /^export\b/.test(javascript.slice(pos, pos + 7))) {
    return CodeSyntaxError.ofImport(place)
  }
  const what = message.replace(/ \(\d+:\d+\)$/, '')
  if (javascript[pos] === '}' && what === 'Unexpected token') {
    return new CodeSyntaxError('This "}" closes nothing that the code opened.', place)
  }
  return new CodeSyntaxError(pos >= javascript.length ? 'The code ends before it is complete.' : what, place)
}

/** `f<T>(x)` is JavaScript too, and means two comparisons there. */
function mayHoldTypeArguments(code: string): boolean {
  const open = code.indexOf('<')
  return open >= 0 && /[^=]>\s*[^=\s]/.test(code.slice(open))
}

function lastExpression(tree: Tree): ExpressionStatement | undefined {
  const last = tree.body.findLast((statement) => statement.type !== 'EmptyStatement') as AnyNode | undefined
  return last?.type === 'ExpressionStatement' ? last : undefined
}
