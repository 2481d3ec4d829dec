/**
 * TypeScript to JavaScript by blanking types out, so that every line and nearly every column stays. The stripper is WebAssembly that takes
 * some 70 ms to load: it is loaded when the first program comes that is no JavaScript.
 */
import { createRequire } from 'node:module'
import { CodeSyntaxError } from './code-syntax-error.js'

export interface StrippedCode {
  readonly javascript: string
  /** Every character that is left stands where it stood in the code. */
  readonly isAligned: boolean
}

/** `code` is the body of an async function. */
export function stripTypes(code: string): StrippedCode {
  let text = code
  for (let round = 0; round <= mostEnums; round++) {
    const stripped = stripOnce(text)
    if (typeof stripped === 'string') {
      return { javascript: stripped, isAligned: text === code && stripped.length === code.length }
    }
    text = writeOutEnum(text, stripped)
  }
  throw new CodeSyntaxError(`The code has more than ${mostEnums} enums.`, undefined, 'Use plain objects.')
}

/** Loads the stripper, for those who have time before the first program comes. */
export function warmStripper(): void {
  stripper()
}

type Stripper = Pick<typeof import('@swc/wasm-typescript'), 'transformSync'>

interface StripperError {
  readonly code: string
  readonly message: string
  readonly startLine: number
  readonly startColumn: number
  readonly endLine: number
  readonly endColumn: number
}

const opening = 'async()=>{'
const closing = '\n}'
const mostEnums = 50
const stripperName = '@swc/wasm-typescript'
const require = createRequire(import.meta.url)

function stripper(): Stripper {
  return require(stripperName) as Stripper
}

/** What went wrong inside of it may have left it broken: the next program gets a new one. */
function forgetStripper(): void {
  delete require.cache[require.resolve(stripperName)]
}

/** The JavaScript, or the enum that has to be written out first. */
function stripOnce(code: string): string | StripperError {
  try {
    const { code: stripped } = stripper().transformSync(opening + code + closing, { mode: 'strip-only' })
    const end = stripped.lastIndexOf('}')
    if (!stripped.startsWith(opening) || end < opening.length) throw new RangeError('not as it was wrapped')
    const body = stripped.slice(opening.length, end)
    return body.endsWith('\n') ? body.slice(0, -1) : body
  } catch (error) {
    if (!isStripperError(error)) {
      forgetStripper()
      throw CodeSyntaxError.ofDepth()
    }
    if (error.code === 'UnsupportedSyntax' && /\benum\b/.test(error.message)) return error
    throw toSyntaxError(code, error)
  }
}

function toSyntaxError(code: string, error: StripperError): CodeSyntaxError {
  const place = {
    line: error.startLine,
    column: error.startColumn - (error.startLine === 1 ? opening.length : 0) + 1,
  }
  // The wrapper is ours: what is wrong with its end is that the code ends too early.
  const lines = code.split('\n')
  if (place.line > lines.length) {
    const end = { line: lines.length, column: lines.at(-1)!.length + 1 }
    return new CodeSyntaxError('The code ends before it is complete.', end)
  }
  if (error.message.includes("'import', and 'export'")) return CodeSyntaxError.ofImport(place)
  return new CodeSyntaxError(error.message.replace(/\.$/, ''), place)
}

/** An enum is the one part of TypeScript that models write and that is more than a type: it becomes an object, on its first line. */
function writeOutEnum(code: string, error: StripperError): string {
  const start = offsetOf(code, error.startLine, error.startColumn)
  const end = offsetOf(code, error.endLine, error.endColumn)
  const written = code.slice(start, end)
  const declaration = written.replace(/^\s*(?:declare\s+)?(?:const\s+)?enum\b/, 'enum')
  if (!declaration.startsWith('enum')) throw toSyntaxError(code, error)
  try {
    const object = stripper().transformSync(declaration, { mode: 'transform' }).code
    const lines = written.split('\n').length - 1
    return `${code.slice(0, start)}${object.replace(/\s*\n\s*/g, ' ').trim()}${'\n'.repeat(lines)}${code.slice(end)}`
  } catch (cause) {
    if (!isStripperError(cause)) forgetStripper()
    throw toSyntaxError(code, error)
  }
}

function offsetOf(code: string, line: number, column: number): number {
  let offset = 0
  for (let skipped = 1; skipped < line; skipped++) offset = code.indexOf('\n', offset) + 1
  return offset + column - (line === 1 ? opening.length : 0)
}

function isStripperError(error: unknown): error is StripperError {
  return (
    typeof error === 'object' &&
    error !== null &&
    typeof (error as Partial<StripperError>).code === 'string' &&
    typeof (error as Partial<StripperError>).startLine === 'number'
  )
}
