import { codeTool, isProgramTool } from '../model/capability.js'
import { isObject, type JsonObject } from '../model/json.js'
import { newId } from '../model/new-id.js'
import type { Plan, PlannedTask } from '../model/plan.js'
import type { Redact } from '../model/redact.js'
import { elementPlaceOf, type Run, rootTaskOf, type TaskOutcome } from '../model/run.js'
import type { Trace, ValueLink } from '../model/trace.js'
import { type CallValues, findValueLinks } from './find-value-links.js'
import { keepValue } from './keep-value.js'
import { type DeclaredLink, referenceLinks } from './reference-links.js'

/**
 * What happened in a run, for good: the run first, then each task whose call was really started, in the plan's order. Links
 * are found in the values as they were; what the traces keep of them is redacted and bounded (keep-value.ts). A task done for
 * each made no call itself: its elements did, and each of them has its trace. A program has a trace of its own, which its calls have
 * for a parent; of code that is no capability (yet) it names no tool. What the plan holds and the run does not, an
 * earlier run has done (execute/open-runs.ts): the run depends on it, and values that came from there are said to.
 */
export function traceRun(
  plan: Plan,
  run: Run,
  /** `lesson` names this ending of the run: one that was opened again ends more than once. */
  { redact, lesson = run.id }: { readonly redact: Redact; readonly lesson?: string },
): readonly Trace[] {
  const told = new Set(run.tasks.map(({ id }) => rootTaskOf(id)))
  const earlier = new Set(plan.tasks.filter(({ id }) => !told.has(id)).map(({ id }) => id))
  const planned = new Map(
    plan.tasks
      // What an earlier run did has values for arguments: one that looks like a reference is none.
      .filter(({ id }) => !earlier.has(id))
      .map((task) => [task.id, { task, declared: referenceLinks(task.arguments) }]),
  )
  const started = run.tasks.filter(isStarted).filter(({ id }) => planned.get(id)?.task.each === undefined)
  const toolOf = new Map(run.tasks.map(({ id, tool }) => [id, tool]))
  /** The program that made it. */
  const programOf = ({ parent }: TaskOutcome): string | undefined => {
    const caller = parent === undefined ? undefined : toolOf.get(parent)
    const isFan = planned.get(parent ?? '')?.task.each !== undefined
    return caller !== undefined && isProgramTool(caller) && !isFan ? parent : undefined
  }
  const calls = started.map((task) => {
    const program = programOf(task)
    return toCall(task, program === undefined ? planned.get(task.parent ?? task.id) : undefined, run, program)
  })
  const traceOf = new Map(calls.map(({ task, values }) => [task.id, values.id]))
  const callsOf = groupByTask(calls)
  const links = findValueLinks(calls.map(({ values }) => values))
  const endedAt =
    run.endedAt ?? calls.reduce((end, { values }) => Math.max(end, values.endedAt), run.startedAt)
  const root: Trace = {
    id: lesson,
    runId: run.id,
    ...(run.intent !== undefined && { intent: redact(run.intent) }),
    success: run.status === 'complete',
    startedAt: Math.round(run.startedAt),
    endedAt: Math.round(endedAt),
    dependsOn: [...earlier],
    links: [],
  }
  return [
    root,
    ...calls.map((call): Trace => {
      const { task, values } = call
      return {
        id: values.id,
        parentId: traceOf.get(call.program ?? '') ?? lesson,
        runId: run.id,
        ...(task.tool !== codeTool && { tool: task.tool }),
        taskId: task.id,
        arguments: keepObject(task.arguments, redact),
        ...(values.result !== undefined && { result: keepValue(values.result, redact) }),
        ...(task.error !== undefined && { errorCode: redact(task.error.code) }),
        success: task.status === 'complete' && task.error === undefined,
        startedAt: values.startedAt,
        endedAt: values.endedAt,
        dependsOn: dependenciesOf(call, callsOf),
        links: [
          ...declaredLinks(call, callsOf),
          ...linksToEarlier(call, earlier, run),
          ...(links.get(values.id) ?? []),
        ].map((link) => ({
          ...link,
          resultPath: redact(link.resultPath),
          argumentPath: redact(link.argumentPath),
        })),
      }
    }),
  ]
}

type StartedTask = TaskOutcome & { readonly startedAt: number }

interface Planned {
  readonly task: PlannedTask
  readonly declared: readonly DeclaredLink[]
}

interface Call {
  readonly task: StartedTask
  /** Of an element. */
  readonly place: number | undefined
  /** Absent for what the plan does not have. */
  readonly planned: Planned | undefined
  /** The task or call whose program made it. */
  readonly program: string | undefined
  readonly values: CallValues
}

/** The calls of one task: its own, or those of its elements. */
interface TaskCalls {
  readonly all: readonly Call[]
  /** As many of those that gave a result as links are made of. */
  readonly examples: readonly Call[]
  readonly byPlace: ReadonlyMap<number, Call>
}

function isStarted(task: TaskOutcome): task is StartedTask {
  return task.startedAt !== undefined
}

function toCall(
  task: StartedTask,
  planned: Planned | undefined,
  run: Run,
  program: string | undefined,
): Call {
  const startedAt = Math.round(task.startedAt)
  return {
    task,
    place: task.parent === undefined || program !== undefined ? undefined : elementPlaceOf(task.id),
    planned,
    program,
    values: {
      id: newId(startedAt),
      arguments: task.arguments,
      // Beside an error it is the default of `onError`, which no tool gave.
      ...(task.result !== undefined && task.error === undefined && { result: task.result }),
      startedAt,
      endedAt: Math.round(task.ms === undefined ? (run.endedAt ?? task.startedAt) : task.startedAt + task.ms),
      explained: (planned?.declared ?? []).map(({ argumentPath }) => argumentPath),
    },
  }
}

function groupByTask(calls: readonly Call[]): ReadonlyMap<string, TaskCalls> {
  const groups = new Map<string, Call[]>()
  for (const call of calls) {
    const id = call.program === undefined ? (call.task.parent ?? call.task.id) : call.task.id
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [call])
    else group.push(call)
  }
  return new Map(
    [...groups].map(([id, all]) => {
      const byPlace = new Map(
        all.flatMap((call) => (call.place === undefined ? [] : [[call.place, call] as const])),
      )
      return [id, { all, examples: all.filter(hasResult).slice(0, mostLinksPerArgument), byPlace }]
    }),
  )
}

/** A default that stood in for a failed call is none. */
function hasResult({ values }: Call): boolean {
  return values.result !== undefined
}

/** A thousand elements that each wait for a thousand others would be a million ids, and one edge: some stand for all. */
const mostPairs = 10_000

/** The same place of a task that was done for the same lists; else every call of it. */
function dependenciesOf(call: Call, callsOf: ReadonlyMap<string, TaskCalls>): readonly string[] {
  const { planned, place } = call
  if (planned === undefined) return []
  const siblings = callsOf.get(planned.task.id)?.all.length ?? 1
  return planned.task.dependsOn.flatMap((id) => {
    const source = callsOf.get(id)
    if (source === undefined) return []
    if (place !== undefined && isAligned(planned, source)) return source.byPlace.get(place)?.values.id ?? []
    const most = Math.max(1, Math.floor(mostPairs / siblings))
    return source.all.slice(0, place === undefined ? undefined : most).map(({ values }) => values.id)
  })
}

/** Whether the places of the two go with one another: one is made from the other, place by place, or both from one list. */
function isAligned({ task, declared }: Planned, source: TaskCalls): boolean {
  const { planned } = source.all[0]!
  if (planned?.task.each === undefined) return false
  if (planned.task.each.some((text) => task.each?.includes(text))) return true
  return declared.some(
    ({ reference }) => reference.task === planned.task.id && isPlaceByPlace(task, reference),
  )
}

/** `read[*].content`: with a second `[*]` the places are others. */
function isPlaceByPlace({ each }: PlannedTask, { text, path }: DeclaredLink['reference']): boolean {
  const [first, ...rest] = path
  return each?.includes(text) === true && first?.kind === 'each' && rest.every(({ kind }) => kind !== 'each')
}

/** As in find-value-links.ts: a list of a hundred is one link said a hundred times. */
const mostLinksPerArgument = 8

/** A reference to a task that gave no result of its own, but a default, links to nothing. */
function declaredLinks(
  { planned, place }: Call,
  callsOf: ReadonlyMap<string, TaskCalls>,
): readonly ValueLink[] {
  if (planned === undefined) return []
  return planned.declared.flatMap(({ reference, resultPath, argumentPath }) => {
    const source = callsOf.get(reference.task)
    if (source === undefined) return []
    const [first] = reference.path
    const at =
      first?.kind === 'index' ? first.index : isPlaceByPlace(planned.task, reference) ? place : undefined
    return callsAt(source, at).map(({ values }) => ({ from: values.id, resultPath, argumentPath }))
  })
}

/** No trace of this run gave them: the run itself stands for the one before. */
function linksToEarlier({ planned }: Call, earlier: ReadonlySet<string>, { id }: Run): readonly ValueLink[] {
  return (planned?.declared ?? [])
    .filter(({ reference }) => earlier.has(reference.task))
    .map(({ resultPath, argumentPath }) => ({ from: id, resultPath, argumentPath }))
}

/** Of a task that was not done for each, `[0]` is a place in its result. */
function callsAt({ examples, byPlace }: TaskCalls, place: number | undefined): readonly Call[] {
  if (place === undefined || byPlace.size === 0) return examples
  const call = byPlace.get(place)
  return call !== undefined && hasResult(call) ? [call] : []
}

function keepObject(value: JsonObject, redact: Redact): JsonObject {
  const kept = keepValue(value, redact)
  return isObject(kept) ? kept : {}
}
