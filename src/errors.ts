/**
 * Every error of ours, on one screen. A message says what happened, to which thing; a hint says what to do next.
 * Codes are strings here and become JSON-RPC numbers in gateway/wire-error.ts alone.
 */
import type { ErrorInfo } from './model/run.js'
import type { TroubleKind } from './model/server.js'

export class PmlError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = new.target.name
  }
}

export class ConfigError extends PmlError {
  constructor(
    readonly file: string,
    readonly line: number | undefined,
    readonly expected: string,
    options?: ErrorOptions,
  ) {
    super(
      'CONFIG_INVALID',
      `${file}${line === undefined ? '' : `:${line}`}: ${expected}`,
      'Correct the file; its JSON Schema is schema/pml.config.schema.json.',
      options,
    )
  }
}

export class UsageError extends PmlError {
  constructor(message: string, hint = 'See: pml --help') {
    super('USAGE', message, hint)
  }
}

export class ToolNotFoundError extends PmlError {
  constructor(
    readonly toolName: string,
    readonly closest: readonly string[],
    /** Servers that might have it and cannot say yet. */
    readonly notReady: readonly string[] = [],
  ) {
    const near = closest.length > 0 ? ` Closest: ${closest.join(', ')}.` : ''
    const late = notReady.length > 0 ? ` Still loading or down: ${notReady.join(', ')}.` : ''
    super(
      'TOOL_NOT_FOUND',
      `No tool "${toolName}".${near}${late}`,
      'Find tools with discover, or list them with: pml tools',
    )
  }
}

export class ToolQuarantinedError extends PmlError {
  constructor(readonly toolId: string) {
    super(
      'TOOL_QUARANTINED',
      `The definition of ${toolId} changed since it was approved, so it is not called.`,
      `A person can see the change and accept it with: pml trust ${toolId}`,
    )
  }
}

export interface ArgumentIssue {
  /** JSON Pointer into the arguments; empty for the whole object. */
  readonly path: string
  readonly expected: string
}

export class BadArgumentsError extends PmlError {
  constructor(
    readonly toolId: string,
    readonly issues: readonly ArgumentIssue[],
  ) {
    const list = issues.map((issue) => `${issue.path || '(arguments)'}: ${issue.expected}`).join('; ')
    super(
      'BAD_ARGUMENTS',
      `Arguments of ${toolId} do not fit its schema: ${list}`,
      'Correct the arguments and call again.',
    )
  }
}

export class UpstreamError extends PmlError {
  constructor(
    readonly server: string,
    readonly kind: TroubleKind,
    message: string,
    hint: string,
    options?: ErrorOptions,
  ) {
    super(`UPSTREAM_${kind.toUpperCase()}`, `Server "${server}": ${message}`, hint, options)
  }
}

/** An error that the server itself returned for a request; its JSON-RPC code and data pass through. */
export class UpstreamRpcError extends PmlError {
  constructor(
    readonly server: string,
    readonly rpcCode: number,
    readonly rpcMessage: string,
    readonly data: unknown,
  ) {
    super('UPSTREAM_REFUSED', rpcMessage, `Server "${server}" refused the request (JSON-RPC ${rpcCode}).`)
  }
}

export class CallAbortedError extends PmlError {
  constructor(readonly toolId: string) {
    super('ABORTED', `The call of ${toolId} was cancelled.`, 'Call again if it is still wanted.')
  }
}

export class BadTasksError extends PmlError {
  constructor(message: string, hint: string) {
    super('BAD_TASKS', message, hint)
  }
}

export class CyclicTasksError extends PmlError {
  constructor(readonly cycle: readonly string[]) {
    super(
      'CYCLIC_TASKS',
      `The tasks depend on one another in a circle: ${[...cycle, cycle[0]].join(' -> ')}.`,
      'Remove one of these dependencies or references.',
    )
  }
}

export class ReferenceSyntaxError extends PmlError {
  constructor(readonly reference: string) {
    const shown = reference.length > 80 ? `${reference.slice(0, 80)}...` : reference
    super(
      'BAD_REFERENCE',
      `"${shown}" is not a reference.`,
      'Write taskId, taskId.field, taskId.items[0].name, taskId["odd key"] or taskId.items[*].id.',
    )
  }
}

export class BadReferenceError extends PmlError {
  constructor(
    readonly reference: string,
    /** Where the path ended, and what was there. */
    readonly at: string,
    readonly there: string,
  ) {
    super(
      'BAD_REFERENCE',
      `"${reference}" leads nowhere: ${at} is ${there}.`,
      'Correct the path after the task id; [*] takes every item of an array.',
    )
  }
}

/** What a tool itself called an error, in its own words. */
export class ToolAnsweredError extends PmlError {
  constructor(
    readonly toolId: string,
    text: string,
  ) {
    super(
      'TOOL_ERROR',
      text === '' ? `${toolId} answered with an error and no text.` : text,
      `This is the answer of ${toolId}: correct the arguments, or go another way.`,
    )
  }
}

export class RunNotFoundError extends PmlError {
  constructor(readonly runId: string) {
    super('RUN_NOT_FOUND', `No workflow "${runId}".`, 'workflow_id comes from the reply of execute_workflow.')
  }
}

export class ResultHandleError extends PmlError {
  constructor(readonly handle: string) {
    super(
      'RESULT_GONE',
      `No kept result "${handle}".`,
      'Handles last until the gateway ends or newer results need the room: call the tool again.',
    )
  }
}

export class NotYetError extends PmlError {
  constructor(what: string, instead: string) {
    super('NOT_YET', `${what} is not available in this version.`, instead)
  }
}

export class MessageTooLargeError extends PmlError {
  constructor(
    readonly bytes: number,
    readonly limit: number,
  ) {
    super(
      'MESSAGE_TOO_LARGE',
      `A message of more than ${limit} bytes was refused.`,
      'Send less, or raise limits.maxMessageBytes.',
    )
  }
}

export class StoreError extends PmlError {
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super('STORE', message, hint, options)
  }
}

export class HolderError extends PmlError {
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super('HOLDER', message, hint, options)
  }
}

/** The one way an error becomes data. What is not ours is our own broken promise, and says so. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (error instanceof PmlError) return { code: error.code, message: error.message, hint: error.hint }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'INTERNAL', message, hint: 'This is a fault of the gateway: please report it with the log.' }
}
