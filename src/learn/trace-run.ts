import { isObject, type JsonObject } from '../model/json.js'
import { newId } from '../model/new-id.js'
import type { Plan, PlannedTask } from '../model/plan.js'
import type { Redact } from '../model/redact.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { Trace, ValueLink } from '../model/trace.js'
import { type CallValues, findValueLinks } from './find-value-links.js'
import { keepValue } from './keep-value.js'
import { type DeclaredLink, referenceLinks } from './reference-links.js'

/**
 * What happened in a run, for good: the run first, then each task whose call was really started, in the plan's order. Links
 * are found in the values as they were; what the traces keep of them is redacted and bounded (keep-value.ts).
 */
export function traceRun(plan: Plan, run: Run, { redact }: { readonly redact: Redact }): readonly Trace[] {
  const planned = new Map(plan.tasks.map((task) => [task.id, task]))
  const started = run.tasks.filter((task): task is StartedTask => task.startedAt !== undefined)
  const calls = started.map((task) => toCall(task, planned.get(task.id), run))
  const valuesOf = new Map(calls.map(({ task, values }) => [task.id, values]))
  const links = findValueLinks(calls.map(({ values }) => values))
  const endedAt =
    run.endedAt ?? calls.reduce((end, { values }) => Math.max(end, values.endedAt), run.startedAt)
  const root: Trace = {
    id: run.id,
    runId: run.id,
    ...(run.intent !== undefined && { intent: redact(run.intent) }),
    success: run.status === 'complete',
    startedAt: Math.round(run.startedAt),
    endedAt: Math.round(endedAt),
    dependsOn: [],
    links: [],
  }
  return [
    root,
    ...calls.map(({ task, values, declared }): Trace => {
      const given = planned.get(task.id)?.dependsOn ?? []
      return {
        id: values.id,
        parentId: run.id,
        runId: run.id,
        tool: task.tool,
        taskId: task.id,
        arguments: keepObject(task.arguments, redact),
        ...(values.result !== undefined && { result: keepValue(values.result, redact) }),
        ...(task.error !== undefined && { errorCode: redact(task.error.code) }),
        success: task.status === 'complete' && task.error === undefined,
        startedAt: values.startedAt,
        endedAt: values.endedAt,
        dependsOn: given.flatMap((id) => valuesOf.get(id)?.id ?? []),
        links: [...declaredLinks(declared, valuesOf), ...(links.get(values.id) ?? [])].map((link) => ({
          ...link,
          resultPath: redact(link.resultPath),
          argumentPath: redact(link.argumentPath),
        })),
      }
    }),
  ]
}

type StartedTask = TaskOutcome & { readonly startedAt: number }

interface Call {
  readonly task: StartedTask
  readonly declared: readonly DeclaredLink[]
  readonly values: CallValues
}

function toCall(task: StartedTask, planned: PlannedTask | undefined, run: Run): Call {
  const declared = planned === undefined ? [] : referenceLinks(planned.arguments)
  const startedAt = Math.round(task.startedAt)
  return {
    task,
    declared,
    values: {
      id: newId(startedAt),
      arguments: task.arguments,
      // Beside an error it is the default of `onError`, which no tool gave.
      ...(task.result !== undefined && task.error === undefined && { result: task.result }),
      startedAt,
      endedAt: Math.round(task.ms === undefined ? (run.endedAt ?? task.startedAt) : task.startedAt + task.ms),
      explained: declared.map(({ argumentPath }) => argumentPath),
    },
  }
}

/** A reference to a task that gave no result of its own, but a default, links to nothing. */
function declaredLinks(
  declared: readonly DeclaredLink[],
  valuesOf: ReadonlyMap<string, CallValues>,
): readonly ValueLink[] {
  return declared.flatMap(({ task, resultPath, argumentPath }) => {
    const from = valuesOf.get(task)
    return from?.result === undefined ? [] : [{ from: from.id, resultPath, argumentPath }]
  })
}

function keepObject(value: JsonObject, redact: Redact): JsonObject {
  const kept = keepValue(value, redact)
  return isObject(kept) ? kept : {}
}
