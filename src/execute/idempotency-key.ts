import { createHash } from 'node:crypto'
import { hashArguments } from '../model/hash-arguments.js'
import type { JsonObject } from '../model/json.js'

/**
 * Arguments with a key by which the server knows this very call when it comes again, where its tool takes one and the caller
 * gave none. The same call of the same run has the same key in any process; with other arguments it is another call.
 */
export function withKey(
  args: JsonObject,
  key: string | undefined,
  runId: string,
  taskId: string,
): JsonObject {
  if (key === undefined || (args[key] !== undefined && args[key] !== null)) return args
  const hash = createHash('sha256')
    .update(`${runId} ${taskId} ${hashArguments(args)}`)
    .digest('hex')
  return { ...args, [key]: `pml-${hash.slice(0, 32)}` }
}
