import type { Json, JsonObject } from '../model/json.js'
import { newId } from '../model/new-id.js'
import { formatToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'

/** A call of a lesson, shorter than its trace: links are `[argument place, task, place in its result]`. */
export interface LessonCall {
  readonly task: string
  readonly tool: string
  readonly arguments?: JsonObject
  readonly result?: Json
  readonly success?: boolean
  readonly after?: readonly string[]
  readonly links?: readonly (readonly [string, string, string])[]
}

export interface LessonRun {
  readonly intent?: string
  readonly success?: boolean
  readonly calls: readonly LessonCall[]
}

let now = 1_700_000_000_000

/** The traces of a run, as trace-run.ts makes them. */
export function aLesson({ intent, success = true, calls }: LessonRun): readonly Trace[] {
  const runId = newId()
  const ids = new Map(calls.map(({ task }) => [task, newId()]))
  const times = { startedAt: now++, endedAt: now++ }
  const root: Trace = {
    ...{ id: runId, runId, success, ...times, dependsOn: [], links: [] },
    ...(intent !== undefined && { intent }),
  }
  return [
    root,
    ...calls.map(
      (call): Trace => ({
        ...{ id: ids.get(call.task)!, parentId: runId, runId, taskId: call.task },
        tool: formatToolId('s', call.tool),
        arguments: call.arguments ?? {},
        ...(call.result !== undefined && { result: call.result }),
        success: call.success ?? true,
        ...times,
        dependsOn: (call.after ?? []).map((task) => ids.get(task)!),
        links: (call.links ?? []).map(([argumentPath, task, resultPath]) => ({
          from: ids.get(task) ?? newId(),
          resultPath,
          argumentPath,
        })),
      }),
    ),
  ]
}
