import type { Decision } from './decision.js'
import type { Json, JsonObject } from './json.js'
import type { ToolId } from './tool.js'

export type RunStatus =
  | 'running'
  // It waits for somebody: to resume, to go on to the next layer, to approve, to say what becomes of a call that was cut off.
  | 'paused'
  | 'layer_complete'
  | 'approval_required'
  | 'interrupted'
  // It has ended.
  | 'complete'
  | 'partial_failure'
  | 'failed'
  | 'aborted'

/** `waiting`: for a decision. `interrupted`: its call was cut off, may have taken effect, and must not be repeated unasked. */
export type TaskStatus =
  | 'pending'
  | 'waiting'
  | 'running'
  | 'interrupted'
  | 'complete'
  | 'failed'
  | 'skipped'
  | 'aborted'

/** The wire shape of every error we return. */
export interface ErrorInfo {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** A failing task is a result: the shape of a success plus `error`. */
export interface TaskOutcome {
  readonly id: string
  /**
   * Of one place of a task that is done for each, and of a call that a program makes: the id of that task, or of the call whose program makes
   * it; its own is `parent[place]`.
   */
  readonly parent?: string
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly status: TaskStatus
  /** Structured content where the tool gave it, parsed JSON text where it is that, else the text; the default where `onError` gave one. */
  readonly result?: Json
  readonly error?: ErrorInfo
  readonly startedAt?: number
  readonly ms?: number
  /** How often its tool was called; absent while it never was, and for 1. */
  readonly attempts?: number
}

export interface Run {
  /** UUIDv7, minted when the run is born. */
  readonly id: string
  readonly intent?: string
  readonly status: RunStatus
  readonly tasks: readonly TaskOutcome[]
  readonly startedAt: number
  readonly endedAt?: number
  /** What was asked of a person, answered or not, in order. Absent: nothing. */
  readonly decisions?: readonly Decision[]
}

/** Whether it goes on by itself no more, whoever does what. */
export function isRunEnded(status: RunStatus): boolean {
  return status === 'complete' || status === 'partial_failure' || status === 'failed' || status === 'aborted'
}

/** A run in a list: without what its tools were given and gave. */
export type RunSummary = Omit<Run, 'tasks' | 'decisions'> & {
  /** Elements of a task done for each are not counted. */
  readonly tasks: number
}

export function summarizeRun({ decisions: _, ...run }: Run): RunSummary {
  return { ...run, tasks: run.tasks.filter(({ parent }) => parent === undefined).length }
}

/** Where an element stands in its task: `read[3]` is at 3. */
export function elementPlaceOf(element: string): number {
  return Number(/\[(\d+)\]$/.exec(element)?.[1] ?? 0)
}

/** The task of the plan that an element is of, however deep: `code[2][0]` is of `code`. */
export function rootTaskOf(id: string): string {
  const end = id.indexOf('[')
  return end < 0 ? id : id.slice(0, end)
}

/** Each followed by its elements, and these by theirs, in the order of their places; what has no parent here stays in its order. */
export function behindTheirTasks(tasks: readonly TaskOutcome[]): readonly TaskOutcome[] {
  const known = new Set(tasks.map(({ id }) => id))
  const isElement = ({ parent }: TaskOutcome) => parent !== undefined && known.has(parent)
  const elements = groupByParent(tasks.filter(isElement))
  const withElements = (task: TaskOutcome): readonly TaskOutcome[] => [
    task,
    ...(elements.get(task.id) ?? [])
      .toSorted((a, b) => elementPlaceOf(a.id) - elementPlaceOf(b.id))
      .flatMap(withElements),
  ]
  return tasks.filter((task) => !isElement(task)).flatMap(withElements)
}

function groupByParent(elements: readonly TaskOutcome[]): ReadonlyMap<string, readonly TaskOutcome[]> {
  const groups = new Map<string, TaskOutcome[]>()
  for (const element of elements) {
    const others = groups.get(element.parent!)
    if (others) others.push(element)
    else groups.set(element.parent!, [element])
  }
  return groups
}
