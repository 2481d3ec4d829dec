import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from './json.js'

/** The same arguments give the same hash, whatever the order of their keys. */
export function hashArguments(args: JsonObject): string {
  return createHash('sha256').update(canonicalJson(args)).digest('hex')
}
