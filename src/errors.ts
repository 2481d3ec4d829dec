/**
 * Every error of ours, on one screen. A message says what happened, to which thing; a hint says what to do next.
 * Codes are strings here and become JSON-RPC numbers in gateway/wire-error.ts alone.
 */
import { fileURLToPath } from 'node:url'
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

export const missingFileHint = 'Create it, or correct the path.'
/** Named in full: nobody knows where they installed us. */
export const schemaHint = `Every key is described in ${fileURLToPath(new URL('../schema/pml.config.schema.json', import.meta.url))}`

export class ConfigError extends PmlError {
  constructor(
    readonly file: string,
    readonly line: number | undefined,
    readonly expected: string,
    options?: ErrorOptions,
    /** Everything else that is wrong with the same file. */
    readonly others: readonly ConfigError[] = [],
  ) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : ''
    super(
      'CONFIG_INVALID',
      `${file}${line === undefined ? '' : `:${line}`}: ${expected}${more}`,
      expected.endsWith('there is none') ? missingFileHint : `Correct the file. ${schemaHint}`,
      options,
    )
  }
}

/** A file of another program that cannot be read; it is told, and the others go on. */
export class ClientFileError extends PmlError {
  constructor(
    readonly file: string,
    readonly line: number | undefined,
    readonly expected: string,
    options?: ErrorOptions,
  ) {
    super(
      'CLIENT_FILE',
      `${file}${line === undefined ? '' : `:${line}`}: ${expected}`,
      'Correct the file with its own program, and run again: pml init',
      options,
    )
  }
}

export class ClientEditError extends PmlError {
  constructor(readonly file: string) {
    super(
      'CLIENT_EDIT',
      `${file} is written in a way that cannot be edited safely.`,
      'Connect this client by hand; pml up prints what to write.',
    )
  }
}

/** Between the preview and the change somebody else wrote the file. */
export class ChangedMeanwhileError extends PmlError {
  constructor(readonly file: string) {
    super(
      'CHANGED_MEANWHILE',
      `${file} was changed by another program just now, so nothing was written to it.`,
      'Close the program it belongs to, and run again: pml init',
    )
  }
}

/** An init that stopped half way; what it had changed by then can be taken back. */
export class HalfDoneError extends PmlError {
  constructor(
    readonly file: string,
    readonly changed: readonly string[],
    cause: Error,
  ) {
    const done = changed.length === 0 ? 'Nothing was changed.' : `Changed before: ${changed.join(', ')}.`
    super(
      'HALF_DONE',
      `Writing ${file} failed: ${cause.message.replace(/\.$/, '')}. ${done}`,
      changed.length === 0
        ? 'Make it writable, and run again: pml init'
        : 'Take it back with: pml init --undo',
      { cause },
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
      `Arguments of ${toolId} do not fit its schema: ${list}.`,
      'Correct the arguments and call again.',
    )
  }
}

export class BadOutputError extends PmlError {
  constructor(
    readonly toolId: string,
    readonly issues: readonly ArgumentIssue[],
  ) {
    const list = issues.map((issue) => `${issue.path || '(result)'}: ${issue.expected}`).join('; ')
    super(
      'BAD_OUTPUT',
      `The result of ${toolId} does not fit the output schema it declares: ${list}`,
      'Report it to the makers of the server; validateOutput: warn in the configuration passes such results on.',
    )
  }
}

export class UpstreamError extends PmlError {
  /** The last words of a process that ended, whole. */
  readonly detail: string | undefined

  constructor(
    readonly server: string,
    readonly kind: TroubleKind,
    message: string,
    hint: string,
    options?: ErrorOptions & { readonly detail?: string },
  ) {
    super(`UPSTREAM_${kind.toUpperCase()}`, `Server "${server}": ${message}`, hint, options)
    this.detail = options?.detail
  }
}

/** A person has to act before the server lets us in; nothing is tried by itself until then. */
export class SignInNeededError extends UpstreamError {
  constructor(server: string, why?: string, options?: ErrorOptions) {
    const message = `needs you to sign in${why === undefined ? '' : `: ${why}`}.`
    super(server, 'auth', message, `Run: pml auth ${shellWord(server)}`, options)
  }
}

/** Everything is kept, and it may work by itself in a moment. */
export class SignInNotRenewedError extends UpstreamError {
  constructor(server: string, reason: string) {
    super(
      server,
      'offline',
      `its sign-in could not be renewed (${reason}).`,
      'Nothing is lost: it is tried again. Check the network.',
    )
  }
}

/** Signed in, but not for this: one call is refused, the connection is well. */
export class ScopeNeededError extends UpstreamError {
  constructor(
    server: string,
    readonly scope: string | undefined,
    options?: ErrorOptions,
  ) {
    const what = scope === undefined ? 'more than was granted' : `more than was granted (${scope})`
    super(
      server,
      'auth',
      `needs you to sign in again: this call asks for ${what}.`,
      `Run: pml auth ${shellWord(server)}`,
      options,
    )
  }
}

/** A sign-in that did not come about. */
export class AuthError extends PmlError {
  constructor(
    readonly server: string,
    message: string,
    hint: string,
    options?: ErrorOptions,
  ) {
    super('AUTH', `Server "${server}": ${message}`, hint, options)
  }
}

/** A program that cannot be started as it is configured. */
export class StartError extends PmlError {
  constructor(message: string, hint: string) {
    super('CANNOT_START', message, hint)
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

/** Of `$as`, which says what a value is to be made into. */
export class UnknownConversionError extends ReferenceSyntaxError {
  override readonly hint: string
  constructor(text: string, known: readonly string[]) {
    super(text)
    this.hint = `"$as" is one of ${known.map((name) => `"${name}"`).join(', ')}.`
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

/** A value that cannot be made into what `$as` wants. */
export class ConversionError extends PmlError {
  constructor(
    readonly reference: string,
    readonly wanted: string,
    readonly there: string,
    hint: string,
  ) {
    super('BAD_REFERENCE', `"${reference}" cannot be taken as ${wanted}: it is ${there}.`, hint)
  }
}

/** A task that is done for each element of lists which cannot be gone through. */
export class FanOutError extends PmlError {
  constructor(message: string, hint: string) {
    super('FAN_OUT', message, hint)
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

/** A command that makes no sense for the run as it is. */
export class CommandRefusedError extends PmlError {
  constructor(
    readonly runId: string,
    message: string,
    hint: string,
  ) {
    super('COMMAND_REFUSED', message, hint)
  }
}

/** A call that the user's policy forbids. */
export class CallBlockedError extends PmlError {
  constructor(
    readonly toolId: string,
    why: string,
  ) {
    super(
      'CALL_BLOCKED',
      `${toolId} is not called: ${why}`,
      'A person can change that: approvals.tools in the configuration.',
    )
  }
}

export class DecisionNotFoundError extends PmlError {
  constructor(readonly decisionId: string) {
    super(
      'DECISION_NOT_FOUND',
      `No decision "${decisionId}".`,
      'See what waits for an answer with: pml approve',
    )
  }
}

/** An answer that was not taken; that it was given is kept. */
export class DecisionRefusedError extends PmlError {
  constructor(
    readonly decisionId: string,
    /** `expired`, `answered` otherwise before, `changed` arguments or policy, `human`: only a person may approve. */
    readonly reason: 'expired' | 'answered' | 'changed' | 'human',
    message: string,
    hint: string,
  ) {
    super(`DECISION_${reason.toUpperCase()}`, message, hint)
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

/** What can be seen of code before it runs. */
export class CodeProblemsError extends PmlError {
  constructor(
    readonly problems: readonly {
      readonly line: number
      readonly column: number
      readonly message: string
    }[],
  ) {
    const shown = problems.slice(0, 10).map(({ line, message }) => `line ${line}: ${message}`)
    const more = problems.length - shown.length
    super(
      'CODE_CHECK',
      `The code was not run: ${shown.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`,
      'Correct it and send it again; discover with types: true gives the declarations of tools.',
    )
  }
}

export class CapabilityNotFoundError extends PmlError {
  constructor(
    readonly capability: string,
    readonly closest: readonly string[],
  ) {
    const known = closest.length === 0 ? '' : ` Closest: ${closest.join(', ')}.`
    super(
      'CAPABILITY_NOT_FOUND',
      `No capability "${capability}".${known}`,
      'List them with: pml capabilities',
    )
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

/** Text could not be turned into vectors; search goes on with the static model. */
export class EmbedderError extends PmlError {
  constructor(
    readonly embedder: string,
    message: string,
    hint: string,
    options?: ErrorOptions,
  ) {
    super('EMBEDDER', `Embedder "${embedder}": ${message}`, hint, options)
  }
}

/** A model did not arrive whole; what did arrive is kept where it can be taken up again. */
export class DownloadError extends PmlError {
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super('DOWNLOAD', message, hint, options)
  }
}

/** Names with spaces are allowed, and hints are copied into shells. */
export function shellWord(name: string): string {
  return /^[\w./:@%+=\\-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`
}

/** The one way an error becomes data. What is not ours is our own broken promise, and says so. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (error instanceof PmlError) return { code: error.code, message: error.message, hint: error.hint }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'INTERNAL', message, hint: 'This is a fault of the gateway: please report it with the log.' }
}
