import type { PastRun } from '../model/experience.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'
import type { Trace } from '../model/trace.js'
import type { DoneTask, TaskLink } from './read-done-tasks.js'
import { joinPath } from './visit-leaves.js'

/** 2,000 runs are remembered: together 32 MB at most. What is larger is a batch, and no pattern for a plan. */
const largest = 16 * 1024

/** A run with an intent as it could be planned again; undefined where there is nothing to plan. */
export function toPastRun(run: Trace, tasks: readonly DoneTask[]): PastRun | undefined {
  const planned = tasks.filter(({ isPlanned }) => isPlanned)
  if (run.intent === undefined || planned.length === 0) return undefined
  const ids = new Set(planned.map(({ id }) => id))
  const past = planned.map((task) => ({
    id: task.id,
    tool: task.tool,
    arguments: withReferences(task.arguments, '', task.links) as JsonObject,
    dependsOn: task.dependsOn.filter((id) => ids.has(id)),
  }))
  if (jsonLength(past, largest) >= largest) return undefined
  return { id: run.runId, intent: run.intent, endedAt: run.endedAt, tasks: past }
}

/** What traces keep is at most 64 deep. */
function withReferences(value: Json, path: string, links: DoneTask['links']): Json {
  const link = links.get(path)
  if (link?.isKnown) return { $from: `${link.task}${link.reference}`, ...conversion(link, value) }
  if (Array.isArray(value)) return value.map((item, at) => withReferences(item, `${path}[${at}]`, links))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withReferences(item, joinPath(path, key), links)]),
  )
}

/** Traces do not keep what a plan had said of it; it shows where a value came to be of another type. */
function conversion({ produced }: TaskLink & { readonly isKnown: true }, value: Json): JsonObject {
  if (produced === undefined || produced === null || value === null) return {}
  if (Array.isArray(value)) return Array.isArray(produced) ? {} : { $as: 'list' }
  if (typeof value === typeof produced || typeof value === 'object') return {}
  return { $as: typeof value === 'string' ? 'text' : typeof value }
}
