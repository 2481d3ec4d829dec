import type { Experience, PastRun } from '../model/experience.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { isRedacted } from '../model/redact.js'
import { isReference } from '../model/reference.js'
import { findLiterals, type Literal } from './read/find-literals.js'
import { joinKey } from './wire/schema-fields.js'

/** A procedure that went well for an intent that reads the same, with the values of this one. */
export interface Reused {
  readonly run: PastRun
  readonly tasks: PastRun['tasks']
  readonly similarity: number
  /** How many such runs there were. */
  readonly times: number
  /** Values that stand in this intent, in place of those of the other, and where they went. */
  readonly rebound: readonly { readonly task: string; readonly argument: string; readonly text: string }[]
}

/** Other words may mean other tools. */
const sameWords = 0.95

export function reusePastRun(intent: string, experience: Experience): Reused | undefined {
  const alike = experience
    .runsLike(intent)
    .filter(({ run, similarity }) => similarity >= sameWords && run.isStale !== true)
  for (const { run, similarity } of alike) {
    const values = pairValues(run.intent, intent)
    const exchanged = values === undefined ? undefined : exchangeValues(run.tasks, values)
    if (exchanged !== undefined) return { run, similarity, times: alike.length, ...exchanged }
  }
  return undefined
}

/** A value of the other intent, and what stands in its place. */
interface Exchange {
  readonly old: Literal
  readonly fresh: Literal
}

/** Undefined where they cannot be told apart. */
function pairValues(before: string, now: string): readonly Exchange[] | undefined {
  const [old, fresh] = [findLiterals(before), findLiterals(now)]
  if (old.length !== fresh.length) return undefined
  const pairs = old.map((one, at): Exchange => ({ old: one, fresh: fresh[at]! }))
  const isClear = pairs.every(
    (pair) =>
      pair.old.kind === pair.fresh.kind &&
      (pair.old.number === undefined) === (pair.fresh.number === undefined) &&
      pairs.every((other) => other.old.text !== pair.old.text || other.fresh.text === pair.fresh.text),
  )
  return isClear ? pairs : undefined
}

/** Undefined where a value is another one now and its place is not found, so that the old one would be used unseen; or is gone. */
function exchangeValues(
  tasks: PastRun['tasks'],
  values: readonly Exchange[],
): Pick<Reused, 'tasks' | 'rebound'> | undefined {
  const rebound: { task: string; argument: string; text: string }[] = []
  const placed = new Set<Exchange>()
  let isStale = false
  const exchanged = tasks.map((task) => ({
    ...task,
    arguments: mapLeaves(task.arguments, '', (value, argument) => {
      const pair = values.find(({ old }) => isValueOf(old, value))
      if (pair === undefined) {
        isStale ||=
          (typeof value === 'string' && isRedacted(value)) ||
          values.some((one) => isChanged(one) && isWithin(one.old, value))
        return value
      }
      placed.add(pair)
      rebound.push({ task: task.id, argument, text: pair.fresh.text })
      return replaced(value, pair)
    }) as JsonObject,
  }))
  const isLost = values.some(
    (one) => isChanged(one) && ![...placed].some(({ old }) => old.text === one.old.text),
  )
  return isStale || isLost ? undefined : { tasks: exchanged, rebound }
}

function isChanged({ old, fresh }: Exchange): boolean {
  return old.text !== fresh.text
}

/** As it was written, or as a number without its unit. */
function isValueOf({ text, number }: Literal, value: Json): boolean {
  if (typeof value === 'number') return number === value
  return typeof value === 'string' && (value === text || (number !== undefined && value === String(number)))
}

/** `Hello Bob` for Bob. A single letter or digit is within many texts. */
function isWithin({ text }: Literal, value: Json): boolean {
  return typeof value === 'string' && text.length > 1 && value.toLowerCase().includes(text.toLowerCase())
}

function replaced(value: Json, { old, fresh }: Exchange): Json {
  if (value === old.text) return fresh.text
  return typeof value === 'number' ? fresh.number! : String(fresh.number)
}

/** References stay as they are. */
function mapLeaves(value: Json, path: string, change: (value: Json, path: string) => Json): Json {
  if (isReference(value)) return value
  if (Array.isArray(value)) return value.map((item: Json, at) => mapLeaves(item, `${path}[${at}]`, change))
  if (!isObject(value)) return change(value, path)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapLeaves(item, joinKey(path, key), change)]),
  )
}
