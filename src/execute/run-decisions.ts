import type { CallVerdict } from '../model/call-rules.js'
import type { Decision } from '../model/decision.js'
import { isPending } from '../model/decision.js'
import { hashArguments } from '../model/hash-arguments.js'
import type { JsonObject } from '../model/json.js'
import { newId } from '../model/new-id.js'
import type { TaskOutcome } from '../model/run.js'
import type { ToolId } from '../model/tool.js'
import { isUsable, used } from './answer-decision.js'

/** What the tasks of one run ask of a person, and what was answered. */
export interface RunDecisions {
  get(id: string): Decision | undefined
  pendingOf(task: string): Decision | undefined
  /** A new one. It is told when the time to answer it is over. */
  request(ask: Ask): Decision
  /** An answer, a refusal, a use. */
  keep(decision: Decision): void
  /** An approval of exactly this call that may be used now: it was not, or by this very call before it was cut off. */
  approvalOf(task: string, call: ApprovedCall): Decision | undefined
  use(approval: Decision): Decision
  /** Its last call was cut off and may have taken effect, and nobody has had it repeated since. */
  isCutOff(task: string): boolean
  /** The call that used its approval was cut off: it may use it once more. */
  allowAgain(task: string): void
  forgetUse(task: string): void
  close(): void
}

/** What an approval holds for. */
export interface ApprovedCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly policyVersion: string
}

export interface Ask {
  readonly kind: Decision['kind']
  readonly task: TaskOutcome
  readonly arguments: JsonObject
  readonly verdict: CallVerdict
  readonly soFar: string
}

export interface RunDecisionsOptions {
  readonly runId: string
  readonly caller: string
  readonly known: readonly Decision[]
  readonly decideWithinMs: number
  now(): number
  /** Gives the function that ends the waiting. */
  after(ms: number, action: () => void): () => void
  onExpire(decision: Decision): void
}

const longestTimerMs = 2 ** 31 - 1

export function createRunDecisions(options: RunDecisionsOptions): RunDecisions {
  const { runId, caller, now, after } = options
  const decisions = new Map<string, Decision>()
  const timers = new Map<string, () => void>()
  const reusable = new Set<string>()

  const keep = (decision: Decision): void => {
    decisions.set(decision.id, decision)
    if (isPending(decision)) return
    timers.get(decision.id)?.()
    timers.delete(decision.id)
  }
  const add = (decision: Decision): void => {
    keep(decision)
    if (!isPending(decision)) return
    watch(decision)
  }
  /** In parts: a timer holds 31 bits of milliseconds. */
  const watch = ({ id, expiresAt }: Decision): void => {
    const leftMs = Math.max(0, expiresAt - now())
    const look = (): void => (leftMs > longestTimerMs ? watch : options.onExpire)(decisions.get(id)!)
    timers.set(id, after(Math.min(leftMs, longestTimerMs), look))
  }
  for (const decision of options.known) add(decision)

  return {
    get: (id) => decisions.get(id),
    pendingOf: (task) => [...decisions.values()].find((one) => one.taskId === task && isPending(one)),
    request({ kind, task, arguments: args, verdict, soFar }) {
      const requestedAt = now()
      const decision: Decision = {
        id: newId(),
        kind,
        runId,
        taskId: task.id,
        caller,
        tool: task.tool,
        arguments: args,
        argumentsHash: hashArguments(args),
        policyVersion: verdict.policyVersion,
        risk: verdict.risk,
        why: verdict.why,
        soFar,
        answeredBy: verdict.answeredBy,
        requestedAt,
        expiresAt: requestedAt + options.decideWithinMs,
        refusals: [],
      }
      add(decision)
      return decision
    },
    keep,
    approvalOf(task, { tool, arguments: args, policyVersion }) {
      const own = [...decisions.values()].filter((one) => one.taskId === task && !isPending(one))
      if (own.length === 0) return undefined
      const argumentsHash = hashArguments(args)
      return own.findLast((decision) => {
        const { usedAt: _, ...unused } = decision
        const asUnused = reusable.has(task) ? unused : decision
        return isUsable(asUnused, { tool, argumentsHash, policyVersion, now: now() })
      })
    },
    use(approval) {
      const once = used(approval, approval.usedAt ?? now())
      keep(once)
      return once
    },
    isCutOff(task) {
      const last = [...decisions.values()].findLast((one) => one.taskId === task && one.kind === 'repeat')
      return last !== undefined && !(last.answer?.verdict === 'approve' && last.usedAt !== undefined)
    },
    allowAgain: (task) => void reusable.add(task),
    forgetUse: (task) => void reusable.delete(task),
    close() {
      for (const cancel of timers.values()) cancel()
      timers.clear()
    },
  }
}
