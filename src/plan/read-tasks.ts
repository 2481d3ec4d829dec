import { BadTasksError } from '../errors.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { OnError, TaskRequest } from '../model/plan.js'
import { describeValue, measureJson } from './json-bounds.js'

/** A plan of more is a loop that was written out; it belongs in code. */
export const mostTasks = 500
/** Real arguments nest a handful of levels; the bounds keep a hostile one from costing stack or time. */
const deepestArguments = 64
const mostArgumentValues = 100_000
/** What a timer of Node can hold; above it a timer fires at once. */
const longestTimeoutMs = 2 ** 31 - 1
const longestId = 100
const mostIssuesShown = 5

const fieldNames = ['id', 'tool', 'arguments', 'dependsOn', 'onError', 'timeoutMs', 'requireApproval']
/** What models write for a field of ours; not accepted, but answered with the right name. */
const aliases = new Map([
  ['args', 'arguments'],
  ['input', 'arguments'],
  ['params', 'arguments'],
  ['parameters', 'arguments'],
  ['name', 'id and tool'],
  ['timeout', 'timeoutMs'],
])
const hint =
  'A task is {id, tool, arguments?, dependsOn?, onError? ("fail" | "skip" | {"default": value}), timeoutMs?, requireApproval?}.'

/** What a caller wrote -> tasks of the right shape, or one error that names every fault: task, field, what was expected. */
export function readTasks(tasks: unknown): readonly TaskRequest[] {
  if (!Array.isArray(tasks)) {
    throw new BadTasksError(`tasks: expected an array of tasks, got ${describeValue(tasks)}.`, hint)
  }
  if (tasks.length === 0) throw new BadTasksError('tasks: expected at least one task, got none.', hint)
  if (tasks.length > mostTasks) {
    throw new BadTasksError(
      `tasks: expected at most ${mostTasks}, got ${tasks.length}.`,
      'Split the work into several workflows.',
    )
  }
  const issues: string[] = []
  const read = tasks.map((task, i) => readTask(task, i, issues))
  findDuplicates(read, issues)
  throwIssues(issues)
  return read as readonly TaskRequest[]
}

export function throwIssues(issues: readonly string[]): void {
  if (issues.length === 0) return
  const more = issues.length > mostIssuesShown ? ` (and ${issues.length - mostIssuesShown} more)` : ''
  throw new BadTasksError(`${issues.slice(0, mostIssuesShown).join(' ')}${more}`, hint)
}

/** How an error points at a task: by place and, where it has one, by id. */
export function nameTask(index: number, id: unknown): string {
  const shown = typeof id === 'string' && id !== '' ? ` (${JSON.stringify(id.slice(0, longestId))})` : ''
  return `tasks[${index}]${shown}`
}

function readTask(task: unknown, index: number, issues: string[]): TaskRequest | undefined {
  if (!isObject(task)) {
    issues.push(`${nameTask(index, undefined)}: expected an object, got ${describeValue(task)}.`)
    return undefined
  }
  const where = nameTask(index, task.id)
  const expect = (field: string, expected: string | undefined) => {
    if (expected === undefined) return
    issues.push(`${where}: ${field} must be ${expected}, got ${describeValue(task[field])}.`)
  }
  for (const name of Object.keys(task)) {
    if (!fieldNames.includes(name)) issues.push(`${where}: ${explainUnknown(name)}`)
  }
  expect('id', wrongId(task.id))
  expect('tool', typeof task.tool === 'string' && task.tool.trim() !== '' ? undefined : 'the name of a tool')
  expect('arguments', wrongArguments(task.arguments))
  expect('dependsOn', wrongDependsOn(task.dependsOn))
  expect('onError', wrongOnError(task.onError))
  expect('timeoutMs', wrongTimeout(task.timeoutMs))
  expect('requireApproval', wrongFlag(task.requireApproval))
  return withoutNulls(task)
}

/** Each of these says what was expected, or nothing when it is right. Models often write null for what they leave out. */
function wrongId(id: unknown): string | undefined {
  const right = typeof id === 'string' && id !== '' && id.length <= longestId && /^[^.[\]\s]+$/.test(id)
  return right ? undefined : `a name of 1 to ${longestId} characters without dots, brackets or spaces`
}

function wrongArguments(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) return 'an object'
  const { depth, values } = measureJson(value, { depth: deepestArguments, values: mostArgumentValues })
  if (depth > deepestArguments) return `an object of at most ${deepestArguments} levels`
  if (values > mostArgumentValues) return `an object of at most ${mostArgumentValues} values`
  return undefined
}

function wrongDependsOn(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const right =
    Array.isArray(value) && value.length <= mostTasks && value.every((id) => typeof id === 'string')
  return right ? undefined : `an array of at most ${mostTasks} task ids`
}

function wrongOnError(value: unknown): string | undefined {
  if (value === undefined || value === null || value === 'fail' || value === 'skip') return undefined
  const right = isObject(value) && Object.hasOwn(value, 'default') && Object.keys(value).length === 1
  return right ? undefined : '"fail", "skip" or {"default": value}'
}

function wrongTimeout(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const right = typeof value === 'number' && value > 0 && value <= longestTimeoutMs
  return right ? undefined : `a positive number of milliseconds up to ${longestTimeoutMs}`
}

function wrongFlag(value: unknown): string | undefined {
  return value === undefined || value === null || typeof value === 'boolean' ? undefined : 'true or false'
}

/** A field that we would not honour must not pass in silence: `depends_on` unread would be work in the wrong order. */
function explainUnknown(name: string): string {
  const folded = name.toLowerCase().replace(/[_-]/g, '')
  const meant = fieldNames.find((field) => field.toLowerCase() === folded) ?? aliases.get(folded)
  return `unknown field ${JSON.stringify(name.slice(0, 60))}${meant ? `; write ${meant}` : ''}.`
}

function findDuplicates(tasks: readonly (TaskRequest | undefined)[], issues: string[]): void {
  const first = new Map<string, number>()
  tasks.forEach((task, i) => {
    if (typeof task?.id !== 'string') return
    const earlier = first.get(task.id)
    if (earlier === undefined) first.set(task.id, i)
    else issues.push(`${nameTask(i, task.id)}: id must be unique, and tasks[${earlier}] has it already.`)
  })
}

function withoutNulls(task: JsonObject): TaskRequest {
  const { id, tool, arguments: given, dependsOn, onError, timeoutMs, requireApproval } = task
  return {
    id: id as string,
    tool: tool as string,
    ...(isObject(given) && { arguments: given }),
    ...(Array.isArray(dependsOn) && { dependsOn: dependsOn as readonly string[] }),
    ...(onError !== undefined && onError !== null && { onError: onError as OnError }),
    ...(typeof timeoutMs === 'number' && { timeoutMs }),
    ...(requireApproval === true && { requireApproval }),
  }
}
