import { PmlError } from '../errors.js'
import { taskResult } from '../execute/task-result.js'
import type { EndedCall } from '../learn/trace-call.js'
import { newId } from '../model/new-id.js'
import { isInputRequired } from '../upstream/input-rounds.js'
import type { DirectCall } from './call-by-name.js'

/** What is learned from a tool that a client called by itself; undefined where it has not ended, as when its server asks something. */
export function endedCall({
  session,
  tool: { id: tool },
  arguments: args,
  result,
  error,
  startedAt,
  endedAt,
}: DirectCall): EndedCall | undefined {
  if (isInputRequired(result)) return undefined
  const call = { id: newId(startedAt), session, tool, arguments: args, startedAt, endedAt }
  if (result === undefined) return { ...call, errorCode: error instanceof PmlError ? error.code : refused }
  if (result.isError === true) return { ...call, errorCode: 'TOOL_ERROR' }
  return { ...call, result: () => taskResult(tool, result) }
}

/** What a server answers with an error of the protocol. */
const refused = 'UPSTREAM_REFUSED'
