import type { Experience, PastRun } from '../model/experience.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { findLiterals } from './find-literals.js'

/** A procedure that went well for an intent that reads the same, with the values of this one. */
export interface Reused {
  readonly run: PastRun
  readonly tasks: PastRun['tasks']
  readonly similarity: number
  /** How many such runs there were. */
  readonly times: number
  /** Values that were exchanged for those of this intent: where they stand. */
  readonly rebound: readonly { readonly task: string; readonly argument: string; readonly text: string }[]
}

/** Other words may mean other tools. */
const sameWords = 0.95

export function reusePastRun(intent: string, experience: Experience): Reused | undefined {
  const alike = experience.runsLike(intent).filter(({ similarity }) => similarity >= sameWords)
  for (const { run, similarity } of alike) {
    const values = pairValues(run.intent, intent)
    if (values === undefined) continue
    const rebound: { task: string; argument: string; text: string }[] = []
    const tasks = run.tasks.map((task) => ({
      ...task,
      arguments: exchange(task.arguments, '', values, (argument, text) => rebound.push({ task: task.id, argument, text })) as JsonObject,
    }))
    return { run, tasks, similarity, times: alike.length, rebound }
  }
  return undefined
}

/** The values of the one intent in place of those of the other; undefined where they cannot be told apart. */
function pairValues(before: string, now: string): ReadonlyMap<string, string> | undefined {
  const [old, fresh] = [findLiterals(before), findLiterals(now)]
  if (old.length !== fresh.length || old.some(({ kind }, at) => kind !== fresh[at]!.kind)) return undefined
  return new Map(old.map(({ text }, at) => [text, fresh[at]!.text]))
}

function exchange(
  value: Json,
  path: string,
  values: ReadonlyMap<string, string>,
  note: (argument: string, text: string) => void,
): Json {
  if (Array.isArray(value)) return value.map((item, at) => exchange(item as Json, `${path}[${at}]`, values, note))
  if (isObject(value)) {
    if ('$from' in value) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, exchange(item as Json, path === '' ? key : `${path}.${key}`, values, note)]),
    )
  }
  const fresh = values.get(String(value))
  if (fresh === undefined || typeof value === 'boolean' || value === null) return value
  note(path, fresh)
  if (typeof value !== 'number') return fresh
  const number = Number(fresh.replace(/[$€£¥, ]/g, ''))
  return Number.isFinite(number) ? number : value
}
