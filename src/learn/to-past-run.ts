import type { PastRun } from '../model/experience.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'
import { isRedacted } from '../model/redact.js'
import type { Trace } from '../model/trace.js'
import { hasMoreFields, isSummaryText } from './is-summary.js'
import type { DoneTask, TaskLink } from './read-done-tasks.js'
import { standsIn } from './stands-in.js'
import { joinPath } from './visit-leaves.js'

/** 2,000 runs are remembered: together 32 MB at most. What is larger is a batch, and no pattern for a plan. */
const largest = 16 * 1024

/**
 * A run with an intent as it could be planned again; undefined where there is nothing to plan, where an earlier run had done a
 * part of it, or where the name of a field is not known.
 */
export function toPastRun(run: Trace, tasks: readonly DoneTask[]): PastRun | undefined {
  const planned = tasks.filter(({ isPlanned }) => isPlanned)
  const { intent } = run
  if (intent === undefined || planned.length === 0 || run.dependsOn.length > 0) return undefined
  if (planned.some((task) => hasRedactedKey(task.arguments))) return undefined
  const ids = new Set(planned.map(({ id }) => id))
  const past = planned.map((task) => ({
    id: task.id,
    tool: task.tool,
    arguments: withReferences(task.arguments, '', task.links) as JsonObject,
    dependsOn: task.dependsOn.filter((id) => ids.has(id)),
  }))
  if (jsonLength(past, largest) >= largest) return undefined
  const isStale = planned.some((task) => hasStaleValue(task.arguments, '', task.links, intent))
  return { id: run.runId, intent, endedAt: run.endedAt, tasks: past, ...(isStale && { isStale }) }
}

/** What traces keep is at most 64 deep. */
function hasRedactedKey(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasRedactedKey)
  return (
    isObject(value) &&
    Object.entries(value).some(([key, item]) => isRedacted(key) || hasRedactedKey(item as Json))
  )
}

function withReferences(value: Json, path: string, links: DoneTask['links']): Json {
  const link = links.get(path)
  if (link?.isKnown) return { $from: `${link.task}${link.reference}`, ...conversion(link, value) }
  if (Array.isArray(value)) return value.map((item, at) => withReferences(item, `${path}[${at}]`, links))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withReferences(item, joinPath(path, key), links)]),
  )
}

/**
 * Whether a value is not what would be meant the next time: it came from a result, no path leads there, and the intent does not
 * say it; or it is but the beginning of what stood there (keep-value.ts).
 */
function hasStaleValue(value: Json, path: string, links: DoneTask['links'], intent: string): boolean {
  const link = links.get(path)
  const isText = typeof value === 'string'
  if (link !== undefined)
    return !link.isKnown && !((isText || typeof value === 'number') && standsIn(intent, value))
  if (isText) return isSummaryText(value)
  if (Array.isArray(value))
    return value.some((item, at) => hasStaleValue(item, `${path}[${at}]`, links, intent))
  if (!isObject(value)) return false
  return (
    hasMoreFields(value as JsonObject) ||
    Object.entries(value).some(([key, item]) =>
      hasStaleValue(item as Json, joinPath(path, key), links, intent),
    )
  )
}

/** Traces do not keep what a plan had said of it; it shows where a value came to be of another type. */
function conversion({ produced }: TaskLink & { readonly isKnown: true }, value: Json): JsonObject {
  if (produced === undefined || produced === null || value === null) return {}
  if (Array.isArray(value)) return Array.isArray(produced) ? {} : { $as: 'list' }
  if (typeof value === typeof produced || typeof value === 'object') return {}
  return { $as: typeof value === 'string' ? 'text' : typeof value }
}
