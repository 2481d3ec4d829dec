/** Arguments are checked before they travel: the caller learns what to change, and a server sees what it asked for. */
import { BadArgumentsError } from '../errors.js'
import type { JsonObject } from '../model/json.js'
import type { Tool } from '../model/tool.js'
import type { SchemaCheck } from './compile-schema.js'
import { explainIssues } from './explain-issues.js'
import type { SchemaChecks } from './schema-checks.js'

/** Throws or rejects with BadArgumentsError; answers at once where the schema has been compiled before. */
export type ArgumentCheck = (tool: Tool, args: JsonObject) => void | Promise<void>

export function createArgumentCheck(checks: SchemaChecks): ArgumentCheck {
  const apply = (check: SchemaCheck, tool: Tool, args: JsonObject): void => {
    const errors = check(args)
    if (errors.length > 0) throw new BadArgumentsError(tool.id, explainIssues(errors))
  }
  return (tool, args) => {
    const check = checks(tool.definition.inputSchema, `The arguments of ${tool.id}`)
    return check instanceof Promise ? check.then((made) => apply(made, tool, args)) : apply(check, tool, args)
  }
}
