import type { ArgumentHabit } from '../model/experience.js'
import { isObject, type Json } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'
import { isRedacted } from '../model/redact.js'
import { isSummary } from './is-summary.js'
import type { DoneTask } from './read-done-tasks.js'
import { standsIn } from './stands-in.js'
import { joinPath } from './visit-leaves.js'

/** An argument of one task, and how it was filled; several ways where places of a list were filled differently. */
export interface ArgumentUse {
  readonly argument: string
  readonly how: readonly ArgumentHabit['how'][]
}

const longestText = 200
const mostOfList = 20
const mostArguments = 200
/** The mark of keep-value.ts for further fields. */
const leftOut = '...'

/**
 * How the arguments of a task were filled: from an earlier result, from the intent, or else with a constant. A list of plain
 * values is one constant, unless some of it came from elsewhere. What is redacted, summarised or long teaches only that the
 * argument was filled.
 */
export function readUses(task: DoneTask, intent: string): readonly ArgumentUse[] {
  const uses = new Map<string, ArgumentHabit['how'][]>()
  const linked = [...task.links.keys()]

  const use = (argument: string, how: ArgumentHabit['how'] | undefined): void => {
    if (!uses.has(argument)) {
      if (uses.size >= mostArguments) return
      uses.set(argument, [])
    }
    if (how !== undefined) uses.get(argument)!.push(how)
  }
  const read = (value: Json, path: string, argument: string): void => {
    const link = task.links.get(path)
    if (link !== undefined)
      use(argument, link.isKnown ? { kind: 'wired', from: link.tool, path: link.path } : undefined)
    else if (Array.isArray(value) && !isOneConstant(value, path))
      for (const [at, item] of value.slice(0, mostOfList).entries())
        read(item, `${path}[${at}]`, `${argument}[]`)
    else if (isObject(value))
      for (const [key, item] of Object.entries(value).filter(([key]) => key !== leftOut && !isRedacted(key)))
        read(item, joinPath(path, key), joinPath(argument, key))
    else if (isFromIntent(value, intent)) use(argument, { kind: 'intent' })
    else use(argument, isTeachable(value) ? { kind: 'constant', value } : undefined)
  }
  const isOneConstant = (items: readonly Json[], path: string): boolean =>
    items.every((item) => item === null || typeof item !== 'object') &&
    !linked.some((place) => place.startsWith(`${path}[`)) &&
    !items.some((item) => isFromIntent(item, intent))
  read(task.arguments, '', '')
  return [...uses].map(([argument, how]) => ({ argument, how }))
}

function isFromIntent(value: Json, intent: string): boolean {
  if (typeof value === 'number') return standsIn(intent, value)
  return typeof value === 'string' && !isRedacted(value) && standsIn(intent, value)
}

function isTeachable(value: Json): boolean {
  if (value === null || isSummary(value)) return false
  if (typeof value === 'string') return value.length <= longestText && !isRedacted(value)
  if (!Array.isArray(value)) return true
  return (
    value.length <= mostOfList &&
    jsonLength(value, longestText) < longestText &&
    !value.some((item) => typeof item === 'string' && isRedacted(item))
  )
}
