/** Compiled schemas, kept: each is compiled once however often it is listed, and ajv is loaded with the first of them. */
import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import type { SchemaCheck } from './compile-schema.js'

/** `what` names the checked thing in the log. Answers at once where the schema has been compiled before. */
export type SchemaChecks = (schema: JsonObject, what: string) => SchemaCheck | Promise<SchemaCheck>

/** Compiled checks that are kept; the one unused for longest goes first. */
const keptChecks = 500

/** A schema that cannot be compiled, takes too long or runs in circles says nothing about the value. */
export function createSchemaChecks({ log }: { readonly log: Log }): SchemaChecks {
  /** By the schema's text, so that an equal one of another list is the same. */
  const byHash = new Map<string, Promise<SchemaCheck>>()
  const ready = new WeakMap<JsonObject, SchemaCheck>()

  const compile = (schema: JsonObject, what: string): Promise<SchemaCheck> => {
    const hash = createHash('sha256').update(canonicalJson(schema)).digest('hex')
    const check =
      byHash.get(hash) ??
      compileLazily(schema).catch((error: unknown) => {
        log.warn(`${what} are not checked: its schema cannot be compiled.`, { reason: reasonOf(error) })
        return checkNothing
      })
    byHash.delete(hash)
    byHash.set(hash, check)
    if (byHash.size > keptChecks) byHash.delete(byHash.keys().next().value!)
    return check
  }

  return (schema, what) =>
    ready.get(schema) ??
    compile(schema, what).then((check) => {
      const careful: SchemaCheck = (value) => runCheck(check, value, what, log)
      ready.set(schema, careful)
      return careful
    })
}

async function compileLazily(schema: JsonObject): Promise<SchemaCheck> {
  const { compileSchema } = await import('./compile-schema.js')
  return compileSchema(schema)
}

const checkNothing: SchemaCheck = () => []

function runCheck(check: SchemaCheck, value: unknown, what: string, log: Log): ReturnType<SchemaCheck> {
  try {
    return check(value)
  } catch (error) {
    log.warn(`${what} could not be checked.`, { reason: reasonOf(error) })
    return []
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
