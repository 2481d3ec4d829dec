import { isEnded } from '../../execute/outcomes.js'
import { describeCounts, type ElementSum, sumElements } from '../../execute/sum-elements.js'
import { isProgramTool } from '../../model/capability.js'
import { type Decision, isPending } from '../../model/decision.js'
import type { Json, JsonObject } from '../../model/json.js'
import { jsonLength } from '../../model/json-length.js'
import { type Redact, redactData } from '../../model/redact.js'
import { redactDecision } from '../../model/redact-run.js'
import type { Run, TaskOutcome } from '../../model/run.js'
import { shorten } from '../../model/shorten.js'
import type { ToolResult } from '../../model/tool-call.js'
import { describeDecision, showDecision } from '../ask-person.js'
import { howToRead } from '../cut-result.js'
import { bytesPerToken } from '../estimate-tokens.js'
import { headAndTail } from '../preview.js'
import { redactErrors } from '../redact-errors.js'
import type { ResultStore } from '../result-store.js'
import { reply } from './meta-tool.js'
import { nextSteps } from './next-steps.js'
import type { RunView } from './run-view.js'

export interface RunReplyOptions {
  readonly maxTokens: number
  readonly results: ResultStore
  readonly redact: Redact
}

/** Enough for most answers whole, some 2,000 tokens; clients that pass on structured content have everything anyway. */
const maxTextChars = 6_000
/** What is to be decided, and what comes next, share a reply with what was done. */
const shareOfWaiting = 0.3
const mostListed = 20
const mostMessages = 5
const longestMessage = 300

/**
 * A run as `execute_workflow` and `control_workflow` answer it, cut so that the whole reply stays within `maxTokens`. A task
 * done for each stands for its elements, which are counted, not listed.
 */
export function runReply(view: RunView, options: RunReplyOptions): ToolResult {
  const redacted = redactErrors(view.run, options.redact)
  const sums = sumElements(redacted.tasks)
  const run = { ...redacted, tasks: redacted.tasks.filter(({ parent }) => parent === undefined) }
  const waiting = describeWaiting(view, options)
  const isWaiting = Object.keys(waiting).length > 0
  const chars = options.maxTokens * bytesPerToken * (isWaiting ? 1 - shareOfWaiting : 1)
  const share = Math.floor(chars / Math.max(1, run.tasks.length))
  const tasks = run.tasks.map((task) =>
    describeTask(task, sums.get(task.id), Math.max(share, 200), options.results),
  )
  const ms = run.endedAt === undefined ? undefined : run.endedAt - run.startedAt
  const messages = lastMessages(view, options.redact)
  const next = nextSteps(view)
  const structured = {
    status: run.status,
    workflow_id: run.id,
    tasks,
    ...(ms !== undefined && { ms }),
    ...(view.trouble !== undefined && { stored: false, trouble: options.redact(view.trouble) }),
    ...waiting,
    ...(messages.length > 0 && { messages }),
    ...(next !== undefined && { next }),
  }
  const result = reply(structured, describeRun({ ...view, run }, sums, next, options))
  return run.status === 'failed' ? { ...result, isError: true } : result
}

/** What it waits for: a look at the layer that is done, or answers. */
export function describeWaiting(view: RunView, options: RunReplyOptions): JsonObject {
  const { run, upcoming } = view
  const chars = Math.floor(options.maxTokens * bytesPerToken * shareOfWaiting)
  const pending = pendingOf(run, options.redact)
  const shown = fitDecisions(pending.map(showDecision), chars)
  const omitted = pending.length - shown.length
  return {
    ...(run.status === 'layer_complete' && {
      layer: { done: endedTasks(run), next: describeUpcoming(upcoming, chars, options) },
    }),
    ...(shown.length > 0 && {
      decision: shown[0]!,
      decisions: shown,
      ...(omitted > 0 && { moreDecisions: omitted }),
      soFar: pending[0]!.soFar,
    }),
  }
}

/** The first in any case: it is the one that is answered next. */
function fitDecisions(decisions: readonly JsonObject[], maxChars: number): readonly JsonObject[] {
  let left = maxChars
  return decisions.filter((one, at) => {
    left -= jsonLength(one, maxChars)
    return at === 0 || left > 0
  })
}

function pendingOf({ decisions = [] }: Run, redact: Redact): readonly Decision[] {
  return decisions.filter(isPending).map((decision) => redactDecision(decision, redact))
}

function endedTasks({ tasks }: Run): readonly string[] {
  return tasks.filter(({ parent, status }) => parent === undefined && isEnded(status)).map(({ id }) => id)
}

function describeUpcoming(
  upcoming: readonly TaskOutcome[],
  maxChars: number,
  { results, redact }: RunReplyOptions,
): readonly JsonObject[] {
  const shown = upcoming.filter(({ parent }) => parent === undefined)
  const share = Math.max(Math.floor(maxChars / Math.max(1, shown.length)), 200)
  return shown.map(({ id, tool, arguments: args }) => ({
    id,
    tool,
    arguments: bounded(redactData(args, redact), share, results),
  }))
}

function lastMessages({ messages }: RunView, redact: Redact): readonly JsonObject[] {
  return messages
    .slice(-mostMessages)
    .map(({ from, text }) => ({ from, text: shorten(redact(text), longestMessage) }))
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

/** A list with gaps is no result, but what the other elements gave is not lost. What a program's calls gave is for the program. */
function resultsWithoutList(task: TaskOutcome, sum: ElementSum | undefined): JsonObject | undefined {
  if (task.result !== undefined || sum === undefined || isProgramTool(task.tool)) return undefined
  return Object.keys(sum.results).length > 0 ? sum.results : undefined
}

export function bounded(value: Json, maxChars: number, results: ResultStore): Json {
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
  { run, upcoming, trouble }: RunView,
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
  return [
    head,
    ...lines,
    ...(run.status === 'layer_complete' ? [describeNextLayer(upcoming)] : []),
    ...describePending(run, options.redact),
    ...(trouble === undefined ? [] : [notStored(options.redact(trouble))]),
    ...(next === undefined ? [] : [next]),
  ].join('\n')
}

/** What is to be decided: the first as a person is shown it, the others by name. */
export function describePending(run: Run, redact: Redact): readonly string[] {
  const [first, ...others] = pendingOf(run, redact)
  if (first === undefined) return []
  const named = others
    .slice(0, mostListed)
    .map(({ id, taskId, tool }) => `decision ${id}: ${taskId ?? ''} (${tool})`)
  const more = others.length - named.length
  return [
    `decision ${first.id}: ${describeDecision(first)}`,
    ...named,
    ...(more > 0 ? [`and ${more} more decisions`] : []),
  ]
}

function describeNextLayer(upcoming: readonly TaskOutcome[]): string {
  const names = upcoming.filter(({ parent }) => parent === undefined).map(({ id, tool }) => `${id} (${tool})`)
  return names.length === 0 ? 'Nothing is left to start.' : `Next: ${names.slice(0, mostListed).join(', ')}`
}

function notStored(trouble: string): string {
  return `Not stored since: ${trouble} What is shown here is what was; it goes on by itself when the database is back.`
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

export function boundedText(value: Json, maxChars: number, results: ResultStore): string {
  const text = asText(value)
  if (text.length <= maxChars) return text
  return `${headAndTail(text, maxChars)}\n${howToRead(results.keepText(text))}`
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
