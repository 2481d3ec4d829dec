/**
 * Structured results against the output schema that the tool declares. Servers often break their own promise in ways that do
 * no harm (a null, a field more), so by default a misfit is logged, once per definition, and the result passes as it came.
 */
import { BadOutputError } from '../errors.js'
import type { OutputValidation } from '../model/config.js'
import type { Log } from '../model/log.js'
import type { Tool } from '../model/tool.js'
import type { ToolResult } from '../model/tool-call.js'
import type { SchemaCheck } from './compile-schema.js'
import { explainIssues } from './explain-issues.js'
import type { SchemaChecks } from './schema-checks.js'

/** Throws or rejects with BadOutputError where results must fit. */
export type OutputCheck = (tool: Tool, result: ToolResult) => void | Promise<void>

export interface OutputCheckOptions {
  readonly mode: OutputValidation
  readonly checks: SchemaChecks
  readonly log: Log
}

const missing = [{ path: '', expected: 'expected structured content, got none' }]

export function createOutputCheck({ mode, checks, log }: OutputCheckOptions): OutputCheck {
  if (mode === 'off') return () => {}
  const told = new Set<string>()

  const apply = (check: SchemaCheck, tool: Tool, result: ToolResult): void => {
    const { structuredContent } = result
    const issues = structuredContent === undefined ? missing : explainIssues(check(structuredContent))
    if (issues.length === 0) return
    const error = new BadOutputError(tool.id, issues)
    if (mode === 'strict') throw error
    if (told.has(tool.hash)) return
    told.add(tool.hash)
    log.warn(error.message, { hint: 'It is passed on as it came; validateOutput: strict refuses it.' })
  }

  return (tool, result) => {
    const schema = tool.definition.outputSchema
    if (schema === undefined || result.isError === true || result.resultType === 'input_required') return
    const check = checks(schema, `The results of ${tool.id}`)
    return check instanceof Promise
      ? check.then((made) => apply(made, tool, result))
      : apply(check, tool, result)
  }
}
