import { describeCounts, type ElementSum, sumElements } from '../../execute/sum-elements.js'
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

/**
 * A run as `execute_workflow` and `control_workflow` answer it, cut so that the whole reply stays within `maxTokens`. A task
 * done for each stands for its elements, which are counted, not listed.
 */
export function runReply(whole: Run, options: RunReplyOptions): ToolResult {
  const redacted = redactErrors(whole, options.redact)
  const sums = sumElements(redacted.tasks)
  const run = { ...redacted, tasks: redacted.tasks.filter(({ parent }) => parent === undefined) }
  const share = Math.floor((options.maxTokens * bytesPerToken) / Math.max(1, run.tasks.length))
  const tasks = run.tasks.map((task) =>
    describeTask(task, sums.get(task.id), Math.max(share, 200), options.results),
  )
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
  const result = reply(structured, describeRun(run, sums, structured.next, options))
  return run.status === 'failed' ? { ...result, isError: true } : result
}

function describeTask(
  task: TaskOutcome,
  sum: ElementSum | undefined,
  maxChars: number,
  results: ResultStore,
): JsonObject {
  const done = resultsWithoutList(task, sum)
  return {
    id: task.id,
    tool: task.tool,
    status: task.status,
    ...(task.result !== undefined && { result: bounded(task.result, maxChars, results) }),
    ...(done !== undefined && { results: bounded(done, maxChars, results) }),
    ...(task.error !== undefined && { error: { ...task.error } }),
    ...(sum !== undefined && { elements: { ...sum.counts } }),
    ...(sum !== undefined && sum.errors.length > 0 && { errors: sum.errors.map((error) => ({ ...error })) }),
    ...(task.ms !== undefined && { ms: task.ms }),
  }
}

/** A list with gaps is no result, but what the other elements gave is not lost. */
function resultsWithoutList(task: TaskOutcome, sum: ElementSum | undefined): JsonObject | undefined {
  if (task.result !== undefined || sum === undefined) return undefined
  return Object.keys(sum.results).length > 0 ? sum.results : undefined
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

function describeRun(
  run: Run,
  sums: ReadonlyMap<string, ElementSum>,
  next: string | undefined,
  options: RunReplyOptions,
): string {
  const done = run.tasks.filter((task) => task.status === 'complete').length
  const head = `${run.status}: ${done} of ${run.tasks.length} tasks complete, workflow_id ${run.id}`
  const share = Math.max(Math.floor(maxTextChars / Math.max(1, run.tasks.length)), 120)
  const lines = run.tasks.flatMap((task) =>
    describeTaskLines(task, sums.get(task.id), share, options.results),
  )
  if (!options.isStored) lines.push(notStored)
  return [next === undefined ? head : `${head}. Ask again with ${next}`, ...lines].join('\n')
}

function describeTaskLines(
  task: TaskOutcome,
  sum: ElementSum | undefined,
  maxChars: number,
  results: ResultStore,
): readonly string[] {
  const elements = sum === undefined ? '' : ` (elements: ${describeCounts(sum.counts)})`
  const head = `${task.id} (${task.tool}) ${task.status}${elements}`
  const wrong = (sum?.errors ?? []).map((error) => `  ${error.id}: ${error.code} ${error.message}`)
  const done = resultsWithoutList(task, sum)
  const shown = done === undefined ? [] : [`  ${boundedText(done, maxChars, results)}`]
  if (task.error !== undefined)
    return [`${head}: ${task.error.code} ${task.error.message} ${task.error.hint}`, ...wrong, ...shown]
  if (task.result === undefined) return [head, ...wrong, ...shown]
  return [`${head}: ${boundedText(task.result, maxChars, results)}`, ...wrong]
}

function boundedText(value: Json, maxChars: number, results: ResultStore): string {
  const text = asText(value)
  if (text.length <= maxChars) return text
  return `${headAndTail(text, maxChars)}\n${howToRead(results.keepText(text))}`
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
