import type { JsonObject } from '../../model/json.js'
import type { TaskOutcome } from '../../model/run.js'
import type { ToolResult } from '../../model/tool-call.js'
import { bytesPerToken } from '../estimate-tokens.js'
import { redactErrors } from '../redact-errors.js'
import { reply } from './meta-tool.js'
import { nextSteps } from './next-steps.js'
import { bounded, boundedText, describePending, describeWaiting, type RunReplyOptions } from './run-reply.js'
import type { RunView } from './run-view.js'

/** Enough to see what went on: the value is what was asked for. */
const mostCalls = 50
const mostTextChars = 6_000
/** Of what a reply may take. */
const shareOfLogs = 0.25
const shareOfValue = 0.6

/** A run of `execute_code`: what it gave, what it said and what it called, without what its calls gave. */
export function codeReply(view: RunView, options: RunReplyOptions): ToolResult {
  const run = redactErrors(view.run, options.redact)
  const [program, ...calls] = run.tasks
  const { result, error } = program!
  const chars = options.maxTokens * bytesPerToken
  const logs = logsOf(view, Math.floor(chars * shareOfLogs), options)
  // Also those that were not made: a person rejected them, or they were refused.
  const made = calls.filter(({ startedAt, error }) => startedAt !== undefined || error !== undefined)
  const next = run.status === 'failed' ? undefined : nextSteps(view)
  const structured = {
    status: run.status,
    workflow_id: run.id,
    ...(result !== undefined && {
      value: bounded(result, Math.floor(chars * shareOfValue), options.results),
    }),
    logs,
    calls: made.slice(0, mostCalls).map(describeCall),
    ...(made.length > mostCalls && { moreCalls: made.length - mostCalls }),
    ...(error !== undefined && { error: { ...error } }),
    ...(run.endedAt !== undefined && { ms: run.endedAt - run.startedAt }),
    ...(view.trouble !== undefined && { stored: false, trouble: options.redact(view.trouble) }),
    ...describeWaiting(view, options),
    ...(next !== undefined && { next }),
  }
  const failures = made.filter(({ status }) => status !== 'complete').length
  const head = `${run.status}: ${made.length} ${made.length === 1 ? 'call' : 'calls'}${failures > 0 ? `, ${failures} failed` : ''}, workflow_id ${run.id}`
  const text = [
    head,
    ...(result === undefined ? [] : [boundedText(result, mostTextChars, options.results)]),
    ...(error === undefined ? [] : [`${error.code}: ${error.message} ${error.hint}`.trim()]),
    ...(logs.length === 0 ? [] : [`logs:\n${logs.join('\n').slice(0, mostTextChars)}`]),
    ...describePending(view.run, options.redact),
    ...(next === undefined ? [] : [next]),
  ].join('\n')
  const answer = reply(structured, text)
  return run.status === 'failed' ? { ...answer, isError: true } : answer
}

function describeCall({ id, tool, status, ms, error }: TaskOutcome): JsonObject {
  return {
    tool,
    ok: status === 'complete',
    ...(ms !== undefined && { ms }),
    ...(error !== undefined && { error: { ...error } }),
    // Calls of a capability stand beneath it.
    ...(id.split('[').length > 2 && { within: id.slice(0, id.lastIndexOf('[')) }),
  }
}

function logsOf({ messages }: RunView, maxChars: number, { redact }: RunReplyOptions): readonly string[] {
  let left = maxChars
  return messages
    .filter(({ from }) => from === 'program')
    .map(({ text }) => redact(text))
    .filter((text) => {
      left -= text.length
      return left > 0
    })
}
