import type { Json, JsonObject } from '../model/json.js'
import { isRedacted } from '../model/redact.js'
import { type Found, parseReference, readPath } from '../model/reference.js'
import type { ToolId } from '../model/tool.js'
import type { Trace, ValueLink } from '../model/trace.js'
import { isSummary } from './is-summary.js'

/** A task of a run that went well, as it was planned: one, however many elements it was done for. */
export interface DoneTask {
  readonly id: string
  readonly tool: ToolId
  /** False for a call that another call made. */
  readonly isPlanned: boolean
  /** Of the first element. */
  readonly arguments: JsonObject
  readonly dependsOn: readonly string[]
  /** Where values in the arguments came from, by their place: `entities[0].name`. */
  readonly links: ReadonlyMap<string, TaskLink>
}

export type TaskLink =
  | {
      readonly isKnown: true
      readonly task: string
      readonly tool: ToolId
      /** As a reference has it after the task: `.items[0].id`. */
      readonly reference: string
      /** Within one result of the tool, places in lists as `[*]`: `items[*].id`. */
      readonly path: string
      /** What stood there, where that is known; of several places nothing. */
      readonly produced: Json | undefined
    }
  /** It came from somewhere, and no path leads there: a word out of a text, a result of another run. */
  | { readonly isKnown: false }

/**
 * The tasks of one run, in the order of their traces, with calls that succeeded. A task that was done for each has a trace for
 * every element, `read[0]`, `read[1]`: they are one task, `read`, and its first element speaks for it.
 */
export function readDoneTasks(traces: readonly Trace[]): readonly DoneTask[] {
  const root = traces.find(({ parentId }) => parentId === undefined)?.id
  const calls = traces.filter(isDone).map((trace) => toCall(trace, root))
  const byTrace = new Map(calls.map((call) => [call.trace.id, call]))
  const firsts = new Map<string, Call>()
  for (const call of calls) {
    const known = firsts.get(call.task)
    if (known === undefined || (call.place ?? 0) < (known.place ?? 0)) firsts.set(call.task, call)
  }
  return [...firsts.values()].map(({ trace, task }): DoneTask => {
    const links = readLinks(trace, byTrace)
    const sources = [...links.values()].flatMap((link) => (link.isKnown ? [link.task] : []))
    const declared = trace.dependsOn.flatMap((id) => byTrace.get(id)?.task ?? [])
    return {
      id: task,
      tool: trace.tool,
      isPlanned: trace.taskId !== undefined && trace.parentId === root,
      arguments: trace.arguments ?? {},
      dependsOn: [...new Set([...declared, ...sources])].filter((id) => id !== task),
      links,
    }
  })
}

type DoneTrace = Trace & { readonly tool: ToolId }

interface Call {
  readonly trace: DoneTrace
  readonly task: string
  /** Absent where the task was done once. */
  readonly place: number | undefined
}

function isDone(trace: Trace): trace is DoneTrace {
  return trace.tool !== undefined && trace.success
}

/** A task's own id holds no bracket: no reference could name it. Calls that a program made have one, and are nobody's elements. */
function toCall(trace: DoneTrace, root: string | undefined): Call {
  const [, task, place] = /^([^[\]]+)\[(\d+)\]$/.exec(trace.taskId ?? '') ?? []
  if (task === undefined || trace.parentId !== root)
    return { trace, task: trace.taskId ?? trace.id, place: undefined }
  return { trace, task, place: Number(place) }
}

function readLinks(trace: DoneTrace, byTrace: ReadonlyMap<string, Call>): ReadonlyMap<string, TaskLink> {
  const links = new Map<string, TaskLink>()
  for (const link of trace.links) {
    if (links.has(link.argumentPath)) continue
    const from = byTrace.get(link.from)
    const value = follow(trace.arguments, link.argumentPath)
    links.set(link.argumentPath, from === undefined ? { isKnown: false } : readLink(link, from, value))
  }
  return links
}

/**
 * A link that the plan declared leads from the task's result, which is the list of all where there are elements:
 * `[*].content`. One that was found leads from the very result: `content`.
 */
function readLink({ resultPath }: ValueLink, from: Call, value: Found): TaskLink {
  if (isRedacted(resultPath)) return { isKnown: false }
  const own = follow(from.trace.result, resultPath)
  const isOwn = own.found && value.found && isSameText(own.value, value.value)
  const base = { isKnown: true, task: from.task, tool: from.trace.tool } as const
  const intoList = /^(?:\[(?:\*|\d+)\]\.?|$)/.exec(resultPath)?.[0]
  if (from.place !== undefined && !isOwn && intoList !== undefined) {
    const path = anyPlace(resultPath.slice(intoList.length))
    return { ...base, reference: afterTask(resultPath), path, produced: undefined }
  }
  if (own.found && value.found && isWordOf(own.value, value.value)) return { isKnown: false }
  const place = from.place === undefined ? '' : `[${from.place}]`
  return {
    ...base,
    reference: place + afterTask(resultPath),
    path: anyPlace(resultPath),
    produced: own.found && !resultPath.includes('[*]') ? own.value : undefined,
  }
}

/** Values are redacted and summarised by now: where that may be why they differ, the link is believed. */
function isWordOf(text: Json, value: Json): boolean {
  if (typeof text !== 'string' || (typeof value !== 'string' && typeof value !== 'number')) return false
  if (
    isRedacted(text) ||
    isSummary(text) ||
    (typeof value === 'string' && (isRedacted(value) || isSummary(value)))
  )
    return false
  return !isSameText(text, value)
}

function isSameText(a: Json, b: Json): boolean {
  return typeof a !== 'object' && typeof b !== 'object' && String(a).trim() === String(b).trim()
}

function follow(value: Json | undefined, path: string): Found {
  const missing = { found: false, at: '', there: '' } as const
  if (value === undefined) return missing
  try {
    return readPath(value, parseReference(`_${afterTask(path)}`).path)
  } catch {
    // Paths are redacted as well, and then lead nowhere.
    return missing
  }
}

function afterTask(path: string): string {
  return path === '' || path.startsWith('[') ? path : `.${path}`
}

/** `items[3]["a[3]"].id` -> `items[*]["a[3]"].id`. */
function anyPlace(path: string): string {
  return path.replace(/"(?:[^"\\]|\\.)*"|\[\d+\]/g, (part) => (part.startsWith('"') ? part : '[*]'))
}
