/** Arguments are checked before they travel: the caller learns what to change, and a server sees what it asked for. */
import { createHash } from 'node:crypto'
import { BadArgumentsError } from '../errors.js'
import { canonicalJson, type JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import type { Tool } from '../model/tool.js'
import type { SchemaCheck } from './compile-schema.js'
import { explainIssues } from './explain-issues.js'

export type ArgumentCheck = (tool: Tool, args: JsonObject) => void | Promise<void>

/** Compiled checks that are kept; the one unused for longest goes first. */
const keptChecks = 500

/** Throws or rejects with BadArgumentsError; answers at once where the schema has been compiled before. */
export function createArgumentCheck({ log }: { readonly log: Log }): ArgumentCheck {
  /** By the schema's text, so that the same schema is compiled once however often it is listed. */
  const byHash = new Map<string, Promise<SchemaCheck>>()
  const ready = new WeakMap<JsonObject, SchemaCheck>()

  const compile = (tool: Tool): Promise<SchemaCheck> => {
    const schema = tool.definition.inputSchema
    const hash = createHash('sha256').update(canonicalJson(schema)).digest('hex')
    const check =
      byHash.get(hash) ??
      compileLazily(schema).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        log.warn(`The arguments of ${tool.id} are not checked: its schema cannot be compiled.`, { reason })
        return checkNothing
      })
    byHash.delete(hash)
    byHash.set(hash, check)
    if (byHash.size > keptChecks) byHash.delete(byHash.keys().next().value!)
    return check
  }

  const apply = (check: SchemaCheck, tool: Tool, args: JsonObject): void => {
    const errors = runCheck(check, tool, args, log)
    if (errors.length > 0) throw new BadArgumentsError(tool.id, explainIssues(errors))
  }

  return (tool, args) => {
    const schema = tool.definition.inputSchema
    const known = ready.get(schema)
    if (known !== undefined) return apply(known, tool, args)
    return compile(tool).then((check) => {
      ready.set(schema, check)
      apply(check, tool, args)
    })
  }
}

/** ajv and RE2 are loaded with the first schema, not with the gateway. */
async function compileLazily(schema: JsonObject): Promise<SchemaCheck> {
  const { compileSchema } = await import('./compile-schema.js')
  return compileSchema(schema)
}

const checkNothing: SchemaCheck = () => []

/** A schema that takes too long, or runs in circles, says nothing about the arguments. */
function runCheck(check: SchemaCheck, tool: Tool, args: JsonObject, log: Log): ReturnType<SchemaCheck> {
  try {
    return check(args)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn(`The arguments of ${tool.id} could not be checked.`, { reason })
    return []
  }
}
