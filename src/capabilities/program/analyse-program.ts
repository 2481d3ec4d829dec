/** Everything that is known of a program from its text, for the verbs of this room. */
import type { FoundCall } from './abstract-value.js'
import { type Bindings, bindNames } from './bind-names.js'
import { CodeSyntaxError } from './code-syntax-error.js'
import { findCalls } from './find-calls.js'
import { type ParsedProgram, parseProgram } from './parse-program.js'
import type { Program } from './program.js'

export interface AnalysedProgram {
  readonly parsed: ParsedProgram
  readonly bindings: Bindings
  /** In the order of the code. */
  readonly calls: readonly FoundCall[]
}

export function analyseProgram(code: string): AnalysedProgram {
  try {
    const parsed = parseProgram(code)
    const bindings = bindNames(parsed.tree)
    const calls = [...findCalls(parsed, bindings)].sort((a, b) => a.node.end - b.node.end)
    return { parsed, bindings, calls }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw CodeSyntaxError.ofDepth()
  }
}

/** The same for a program that was read before, here or long ago. */
export function analysisOf(program: Program): AnalysedProgram {
  const known = analyses.get(program)
  if (known !== undefined) return known
  const analysis = analyseProgram(program.code)
  analyses.set(program, analysis)
  return analysis
}

export function keepAnalysis(program: Program, analysis: AnalysedProgram): void {
  analyses.set(program, analysis)
}

const analyses = new WeakMap<Program, AnalysedProgram>()
