/**
 * A program of a task while it runs: its calls out, their answers in. Promises: a call that an earlier process has made is found again by its
 * tool and arguments, whatever the order, so that a program which is begun anew goes on where it was; while all that it waits for is
 * a person, its time stands still. What a call is, whether it may be made, and where it is stored is the run's (run-plan.ts).
 *
 *     code ── call ──> known from before? ── ended: its answer at once
 *                          │               └ waits for somebody: so does the code
 *                          └ new ──> a task like any other ── ended and stored ──> answer
 */
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { isRedacted } from '../model/redact.js'
import { type ErrorInfo, elementPlaceOf, type TaskOutcome } from '../model/run.js'
import type { ToolId } from '../model/tool.js'
import type { SandboxAnswer, SandboxOutcome, SandboxRun } from '../sandbox/sandbox.js'
import { isEnded } from './outcomes.js'

export interface Script {
  /** What it does, for a person who is asked about one of its calls. */
  readonly outline: string
  /** Ids of calls that have no answer yet. */
  open(): readonly string[]
  isOpen(call: string): boolean
  /**
   * The outcome of an earlier process that this call is, taken off the list of those; or the id of a new one. `key` is the argument that we
   * add ourselves.
   */
  take(tool: ToolId, args: JsonObject, key: string | undefined): TaskOutcome | string
  /**
   * Resolves with the answer of a call that had ended before: in the order in which these had ended, as a program that takes the first of
   * several goes another way otherwise. One that is not asked for again keeps the others waiting for a moment alone.
   */
  again(known: TaskOutcome): Promise<SandboxAnswer>
  /** Resolves with the call's answer. */
  wait(call: string): Promise<SandboxAnswer>
  /** The call has ended, and that is stored. */
  answer(outcome: TaskOutcome): void
  /** Whether it does nothing before somebody has decided something. */
  readonly isIdle: boolean
  setIdle(isIdle: boolean): void
  /** What it said on its console since the last time; of the whole of it where that is known. */
  takeLogs(all?: SandboxOutcome['logs']): SandboxOutcome['logs']
  /** It may call at once. */
  start(run: () => SandboxRun): Promise<SandboxOutcome>
}

export interface ScriptOptions {
  readonly id: string
  readonly outline: string
  /** Calls of an earlier process, and so many lines that it had said. */
  readonly known: readonly TaskOutcome[]
  readonly said: number
  /** It stopped to do anything, or does something again. */
  onIdle(isIdle: boolean): void
  after(ms: number, action: () => void): void
}

/** A program that is begun anew asks for what it had asked within milliseconds. */
const askedAgainWithinMs = 250

export function openScript({ id, outline, known, said, onIdle, after }: ScriptOptions): Script {
  const unclaimed = [...known]
  const unheard = known.filter(({ status }) => isEnded(status)).sort((a, b) => endOf(a) - endOf(b))
  const askedAgain = new Map<string, (answer: SandboxAnswer) => void>()
  /** Those at the head that were asked for; `all`: also behind those that were not. */
  const answerAgain = (all: boolean): void => {
    for (let at = 0; at < unheard.length; ) {
      const resolve = askedAgain.get(unheard[at]!.id)
      if (resolve !== undefined) resolve(answerOf(unheard.splice(at, 1)[0]!))
      else if (all) at++
      else return
    }
  }
  const waiting = new Map<string, (answer: SandboxAnswer) => void>()
  let nextPlace = known.reduce((next, one) => Math.max(next, elementPlaceOf(one.id) + 1), 0)
  let release: (() => void) | undefined
  let isIdle = false
  let running: SandboxRun | undefined
  let told = said

  return {
    outline,
    open: () => [...waiting.keys()],
    isOpen: (call) => waiting.has(call),
    take(tool, args, key) {
      const at = unclaimed.findIndex((one) => one.tool === tool && isSameCall(one.arguments, args, key))
      if (at >= 0) return unclaimed.splice(at, 1)[0]!
      return `${id}[${nextPlace++}]`
    },
    again: (outcome) =>
      new Promise((resolve) => {
        askedAgain.set(outcome.id, resolve)
        answerAgain(false)
        after(askedAgainWithinMs, () => answerAgain(true))
      }),
    wait: (call) => new Promise((resolve) => waiting.set(call, resolve)),
    answer(outcome) {
      const resolve = waiting.get(outcome.id)
      waiting.delete(outcome.id)
      resolve?.(answerOf(outcome))
    },
    get isIdle() {
      return isIdle
    },
    setIdle(now) {
      if (isIdle === now) return
      isIdle = now
      release?.()
      release = now ? running?.hold() : undefined
      onIdle(now)
    },
    takeLogs(all = running?.logs() ?? []) {
      const fresh = all.slice(told)
      told = all.length
      return fresh
    },
    start(run) {
      running = run()
      return running.result
    },
  }
}

function endOf({ startedAt = 0, ms = 0 }: TaskOutcome): number {
  return startedAt + ms
}

/** Of a call that has ended. */
export function answerOf({ status, result, error, startedAt = 0, ms = 0 }: TaskOutcome): SandboxAnswer {
  const at = startedAt + ms
  if (status === 'complete' && result !== undefined) return { value: result, at }
  return { error: error ?? notMade, at }
}

const notMade: ErrorInfo = { code: 'SKIPPED', message: 'The call was not made.', hint: '' }

/** What was a secret, and is not kept, may have been what is there now; all else has to be the same. */
function isSameCall(before: JsonObject, now: JsonObject, key: string | undefined): boolean {
  const [known, asked] = [before, now].map((args) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => name !== key)),
  )
  return isSame(known!, asked!)
}

function isSame(known: Json, asked: Json): boolean {
  if (typeof known === 'string') return known === asked || (typeof asked === 'string' && isRedacted(known))
  if (Array.isArray(known))
    return (
      Array.isArray(asked) &&
      known.length === asked.length &&
      known.every((item, at) => isSame(item, asked[at]!))
    )
  if (!isObject(known) || !isObject(asked)) return known === asked
  const names = Object.keys(known)
  return (
    names.length === Object.keys(asked).length &&
    names.every((name) => Object.hasOwn(asked, name) && isSame(known[name] as Json, asked[name] as Json))
  )
}

/** Whether anything of these calls goes on by itself. */
export function isAnyUnderWay(calls: readonly (TaskOutcome | undefined)[], isPaused: boolean): boolean {
  return calls.some((call) => {
    if (call === undefined || isEnded(call.status)) return true
    return call.status === 'running' || (call.status === 'pending' && !isPaused)
  })
}
