import type { Json, JsonObject } from '../../model/json.js'
import { jsonLength } from '../../model/json-length.js'
import type { Redact } from '../../model/redact.js'
import type { Run, TaskOutcome } from '../../model/run.js'
import type { ToolResult } from '../../model/tool-call.js'
import { howToRead } from '../cut-result.js'
import { bytesPerToken } from '../estimate-tokens.js'
import { headAndTail } from '../preview.js'
import { redactErrors } from '../redact-errors.js'
import type { ResultStore } from '../result-store.js'
import { reply } from './meta-tool.js'

export interface RunReplyOptions {
  readonly maxTokens: number
  readonly results: ResultStore
  readonly redact: Redact
  /** False when a step of the run is missing in the store. */
  readonly isStored: boolean
}

/** Enough for most answers whole, some 2,000 tokens; clients that pass on structured content have everything anyway. */
const maxTextChars = 6_000

const notStored = 'Not all of this run could be stored: it may be missing from the list of runs.'

/** A run as `execute_workflow` and `control_workflow` answer it, cut so that the whole reply stays within `maxTokens`. */
export function runReply(whole: Run, options: RunReplyOptions): ToolResult {
  const run = redactErrors(whole, options.redact)
  const share = Math.floor((options.maxTokens * bytesPerToken) / Math.max(1, run.tasks.length))
  const tasks = run.tasks.map((task) => describeTask(task, Math.max(share, 200), options.results))
  const ms = run.endedAt === undefined ? undefined : run.endedAt - run.startedAt
  const structured = {
    status: run.status,
    workflow_id: run.id,
    tasks,
    ...(ms !== undefined && { ms }),
    ...(!options.isStored && { stored: false }),
    ...(run.status === 'running' && {
      next: `control_workflow {"workflow_id":"${run.id}","action":"status"}`,
    }),
  }
  const result = reply(structured, describeRun(run, structured.next, options))
  return run.status === 'failed' ? { ...result, isError: true } : result
}

function describeTask(task: TaskOutcome, maxChars: number, results: ResultStore): JsonObject {
  return {
    id: task.id,
    tool: task.tool,
    status: task.status,
    ...(task.result !== undefined && { result: bounded(task.result, maxChars, results) }),
    ...(task.error !== undefined && { error: { ...task.error } }),
    ...(task.ms !== undefined && { ms: task.ms }),
  }
}

function bounded(value: Json, maxChars: number, results: ResultStore): Json {
  if (jsonLength(value, maxChars) < maxChars) return value
  const text = asText(value)
  const handle = results.keepText(text)
  return {
    cut: true,
    preview: headAndTail(text, Math.floor(maxChars / 4)),
    handle,
    characters: text.length,
    hint: howToRead(handle),
  }
}

function describeRun(run: Run, next: string | undefined, options: RunReplyOptions): string {
  const done = run.tasks.filter((task) => task.status === 'complete').length
  const head = `${run.status}: ${done} of ${run.tasks.length} tasks complete, workflow_id ${run.id}`
  const share = Math.floor(maxTextChars / Math.max(1, run.tasks.length))
  const lines = run.tasks.map((task) => describeTaskLine(task, Math.max(share, 120), options.results))
  if (!options.isStored) lines.push(notStored)
  return [next === undefined ? head : `${head}. Ask again with ${next}`, ...lines].join('\n')
}

function describeTaskLine(task: TaskOutcome, maxChars: number, results: ResultStore): string {
  const head = `${task.id} (${task.tool}) ${task.status}`
  if (task.error !== undefined) return `${head}: ${task.error.code} ${task.error.message} ${task.error.hint}`
  if (task.result === undefined) return head
  const text = asText(task.result)
  if (text.length <= maxChars) return `${head}: ${text}`
  return `${head}: ${headAndTail(text, maxChars)}\n${howToRead(results.keepText(text))}`
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
