import { type Node, Parser } from 'acorn'
import type { ErrorInfo } from '../model/run.js'
import { codeError } from './code-error.js'

export interface ProgramFault {
  readonly error: ErrorInfo
  readonly line?: number
}

/** Parsed in the gateway itself, so it has to stay quick: where they are nothing but declarations, so many take some 0.3 s. */
const mostChars = 100_000

/**
 * What can be said before anything is run: that it does not parse, and where, which the engine does not tell of a function made from
 * text; and that it imports, which needs no permission and leads past the names that the code is given.
 */
export function checkProgram(javascript: string): ProgramFault | undefined {
  if (javascript.length > mostChars) {
    return { error: codeError('CODE_SYNTAX', `The code has more than ${mostChars} characters.`) }
  }
  let importLine: number | undefined
  try {
    Parser.extend(seeImports((line) => (importLine ??= line))).parse(`"use strict";${javascript}`, {
      ecmaVersion: 'latest',
      sourceType: 'script',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      locations: true,
    })
  } catch (error) {
    return toFault(error)
  }
  if (importLine === undefined) return undefined
  return {
    error: codeError(
      'CODE_SYNTAX',
      `Line ${importLine}: code cannot import anything.`,
      'Call tools.server.tool({ ... }) and capabilities.name({ ... }); args and console are there too.',
    ),
    line: importLine,
  }
}

function toFault(error: unknown): ProgramFault {
  const { loc, message } = error as { loc?: { line: number }; message?: unknown }
  const text = String(message).replace(/ \(\d+:\d+\)$/, '')
  if (loc === undefined) return { error: codeError('CODE_SYNTAX', `The code cannot be read: ${text}`) }
  return { error: codeError('CODE_SYNTAX', `Line ${loc.line}: ${text}.`), line: loc.line }
}

/** Seen while it is parsed, so that no tree has to be walked. */
function seeImports(onImport: (line: number) => void): (Base: typeof Parser) => typeof Parser {
  return (Base) =>
    class extends Base {
      // Not in acorn's types: what each finished node goes through.
      finishNode(node: Node, type: string): Node {
        if (type === 'ImportExpression' || type === 'MetaProperty') this.#judge(node, type)
        // @ts-expect-error
        return super.finishNode(node, type)
      }

      #judge(node: Node, type: string): void {
        const meta = (node as { meta?: { name?: string } }).meta
        if (type === 'ImportExpression' || meta?.name === 'import') onImport(node.loc?.start.line ?? 1)
      }
    } as typeof Parser
}
