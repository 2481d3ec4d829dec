import { ProtocolError } from '@modelcontextprotocol/server'
import { PmlError, ResultHandleError, toErrorInfo, UpstreamRpcError } from '../errors.js'
import type { Redact } from '../model/redact.js'
import type { ErrorInfo } from '../model/run.js'
import type { ToolResult } from '../model/tool-call.js'

/*
 * The one place where our string codes become what the wire knows.
 *
 * On tools/call an error of ours is a tool result with `isError`, never a JSON-RPC error: agents read results and can act on
 * the hint, while most clients show a JSON-RPC error to nobody. This holds for unknown tools too, where the specification
 * suggests -32602: an agent that mistyped a name should see the closest ones. What an upstream server refused itself stays
 * the JSON-RPC error it was.
 */

export const jsonRpc = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The SDK's own code for a request that HTTP refuses. */
  refused: -32000,
  /** SEP-2243: a header says something else than the body. */
  headerMismatch: -32020,
  /** As the SDK answers it, so that clients start a new session. */
  sessionNotFound: -32001,
} as const

/** What a failed tools/call answers; an upstream's own JSON-RPC error is thrown on. */
export function toolError(error: unknown, redact: Redact): ToolResult {
  if (error instanceof UpstreamRpcError) throw new ProtocolError(error.rpcCode, error.rpcMessage, error.data)
  if (error instanceof ProtocolError) throw error
  return errorResult(redactedInfo(error, redact))
}

export function errorResult(info: ErrorInfo): ToolResult {
  return {
    content: [{ type: 'text', text: `${info.message} ${info.hint}` }],
    structuredContent: { error: { ...info } },
    isError: true,
  }
}

/** For requests other than tools/call, which have no result to carry an error. */
export function rpcError(error: unknown, redact: Redact): Error {
  if (error instanceof ProtocolError) return error
  const { code, message, hint } = redactedInfo(error, redact)
  const number = error instanceof ResultHandleError ? jsonRpc.invalidParams : jsonRpc.internalError
  return new ProtocolError(number, message, { code, hint })
}

export function redactedInfo(error: unknown, redact: Redact): ErrorInfo {
  const { code, message, hint } = toErrorInfo(error)
  return { code, message: redact(message), hint: redact(hint) }
}

const httpStatuses: Readonly<Record<string, number>> = {
  USAGE: 400,
  BAD_ARGUMENTS: 400,
  BAD_TASKS: 400,
  CYCLIC_TASKS: 400,
  CODE_SYNTAX: 400,
  CODE_CHECK: 400,
  BAD_NAME: 400,
  SECRET_IN_CODE: 400,
  TOOL_NOT_FOUND: 404,
  RUN_NOT_FOUND: 404,
  DECISION_NOT_FOUND: 404,
  CAPABILITY_NOT_FOUND: 404,
  RESULT_GONE: 404,
  NOT_FOUND: 404,
  TOOL_QUARANTINED: 409,
  COMMAND_REFUSED: 409,
  DECISION_EXPIRED: 409,
  DECISION_ANSWERED: 409,
  DECISION_CHANGED: 409,
  DECISION_HUMAN: 409,
  NAME_TAKEN: 409,
  CYCLE: 409,
  STILL_CALLED: 409,
  SAME_CAPABILITY: 409,
  MESSAGE_TOO_LARGE: 413,
  NOT_YET: 501,
  CODE_OFF: 501,
  SANDBOX_UNAVAILABLE: 501,
  ABORTED: 503,
}

export function replyStatus(error: unknown): number {
  if (!(error instanceof PmlError)) return 500
  return httpStatuses[error.code] ?? (error.code.startsWith('UPSTREAM_') ? 502 : 500)
}
