/**
 * What a client was told, and what it asked for: all that the judge goes by. What was told once must hold in every later process.
 */
import type { Decision, Verdict } from '../../src/model/decision.js'
import { canonicalJson, type Json } from '../../src/model/json.js'
import { isRunEnded, type Run, type TaskOutcome } from '../../src/model/run.js'
import type { RunEvent } from '../../src/model/run-event.js'
import { steadyNow } from './ledger.js'
import type { TokenOf, Workflow } from './workflows.js'

export type Wrong = 'lost' | 'run again' | 'duplicate' | 'decision lost' | 'no end' | 'untrue'

export interface Violation {
  readonly wrong: Wrong
  readonly run: string
  readonly task: string
  readonly evidence: string
}

/** The end of a task as it was told. */
export interface Told {
  readonly status: TaskOutcome['status']
  readonly result: string
  readonly at: number
}

export interface KnownRun {
  readonly workflow: Workflow
  id: string | undefined
  /** Who said first that it exists. */
  toldBy: string | undefined
  hasEnded: boolean
  /** Of tasks and elements; what is injected is added. */
  readonly calls: Map<string, TokenOf>
  readonly told: Map<string, Told>
  /** By task: how often a further call was asked for, by repeat decisions that were approved, and by commands. */
  readonly repeats: Map<string, Set<string>>
  /** Tasks may be done again, and their ends that were told are over. */
  isReopened: boolean
  /** What commands that were acknowledged have left, until another command may have changed it. */
  readonly expected: { skipped: Set<string>; tasks: Set<string>; isAborted: boolean; isPaused: boolean }
  /** A command that takes questions back was sent. */
  mayWithdraw: boolean
  /** That were sent, and of them those that are not answered. */
  commands: number
  underWay: number
}

export interface KnownDecision {
  readonly id: string
  readonly run: KnownRun
  readonly taskId: string
  readonly kind: Decision['kind']
  readonly argumentsHash: string
  sent?: Verdict
  acknowledged?: Verdict
  isOver: boolean
}

export class Memory {
  readonly runs = new Map<string, KnownRun>()
  readonly decisions = new Map<string, KnownDecision>()
  readonly violations: Violation[] = []
  readonly #byId = new Map<string, KnownRun>()
  #repeats = 0

  expect(workflow: Workflow): KnownRun {
    const run: KnownRun = {
      workflow,
      id: undefined,
      toldBy: undefined,
      hasEnded: false,
      calls: new Map(workflow.calls),
      told: new Map(),
      repeats: new Map(),
      isReopened: false,
      expected: { skipped: new Set(), tasks: new Set(), isAborted: false, isPaused: false },
      mayWithdraw: false,
      commands: 0,
      underWay: 0,
    }
    this.runs.set(workflow.name, run)
    return run
  }

  byId(id: string): KnownRun | undefined {
    return this.#byId.get(id)
  }

  violate(wrong: Wrong, run: KnownRun, task: string, evidence: string): void {
    this.violations.push({
      wrong,
      run: `${run.workflow.name} ${run.workflow.shape} ${run.id}`,
      task,
      evidence,
    })
  }

  /** An id that was told, or found. */
  identify(name: string | undefined, id: string): KnownRun | undefined {
    const run = this.#byId.get(id) ?? this.runs.get(name ?? '')
    if (run === undefined) return undefined
    if (run.id !== undefined && run.id !== id)
      this.violate('duplicate', run, '', `one request, two runs: ${run.id} and ${id}`)
    run.id = id
    this.#byId.set(id, run)
    return run
  }

  hear(event: RunEvent): void {
    if (event.type === 'run-start' || event.type === 'run-end') this.seeRun(event.run, event.type)
    if (event.type === 'task-end') this.#seeTask(this.byId(event.runId), event.task)
    if (event.type === 'decision-request' || event.type === 'decision-end') this.seeDecision(event.decision)
  }

  seeRun(seen: Run, by = 'report'): void {
    const run = this.identify(seen.intent, seen.id)
    if (run === undefined) return
    // With trouble it is said that it may not be stored: as `stored: false` in a reply.
    if (!('trouble' in seen)) run.toldBy ??= by
    run.hasEnded = isRunEnded(seen.status)
    for (const task of seen.tasks) this.#seeTask(run, task)
    for (const decision of seen.decisions ?? []) this.seeDecision(decision)
  }

  /** The answer of execute_workflow and control_workflow. */
  seeReply(run: KnownRun, content: Record<string, unknown>): void {
    if (typeof content.workflow_id !== 'string') return
    this.identify(run.workflow.name, content.workflow_id)
    if (content.stored !== false) run.toldBy ??= `reply: ${content.status}`
    run.hasEnded = isRunEnded(content.status as Run['status'])
    for (const task of content.tasks as readonly TaskOutcome[]) this.#seeTask(run, task)
  }

  seeDecision(seen: Decision): void {
    const run = seen.runId === undefined ? undefined : this.byId(seen.runId)
    if (run === undefined) return
    const { id, taskId = '', kind, argumentsHash, answer } = seen
    const known = this.decisions.get(id) ?? { id, run, taskId, kind, argumentsHash, isOver: false }
    this.decisions.set(id, known)
    if (known.argumentsHash !== argumentsHash)
      this.violate('decision lost', run, taskId, `${id} is about other arguments now`)
    if (answer === undefined) return
    known.isOver = true
    // An agent that has a task done again says that its call is repeated, where anyone may say so.
    const isRetried = kind === 'repeat' && answer.by === 'agent' && run.isReopened
    if (answer.by !== 'run' && answer.verdict !== known.sent && !isRetried)
      this.violate(
        'untrue',
        run,
        taskId,
        `${id} has the answer ${answer.verdict} (${answer.by}), which nobody gave`,
      )
  }

  /** Before it is sent: from now on it may have happened. */
  sendAnswer(decision: KnownDecision, verdict: Verdict): void {
    decision.sent = verdict
    if (decision.kind === 'repeat' && verdict === 'approve')
      this.#allow(decision.run, decision.taskId, decision.id)
  }

  /** A command that has a task done again; its elements, too. Gives what takes that back where it was refused. */
  sendAgain(run: KnownRun, task: string): () => void {
    const key = `command ${++this.#repeats}`
    const own = [...run.calls.keys()].filter((id) => id === task || id.startsWith(`${task}[`))
    for (const id of own) this.#allow(run, id, key)
    run.isReopened = true
    return () => {
      for (const id of own) run.repeats.get(id)!.delete(key)
    }
  }

  #allow(run: KnownRun, task: string, key: string): void {
    const keys = run.repeats.get(task) ?? new Set()
    run.repeats.set(task, keys.add(key))
  }

  #seeTask(run: KnownRun | undefined, task: Pick<TaskOutcome, 'id' | 'status' | 'result'>): void {
    if (run === undefined || !isOver(task.status)) return
    const result = canonicalJson((task.result ?? null) as Json)
    const before = run.told.get(task.id)
    if (before?.status === 'complete') {
      const isOther = task.status === 'complete' ? result !== before.result : !run.isReopened
      if (isOther)
        this.violate('lost', run, task.id, `told complete ${before.result}, then ${task.status} ${result}`)
      return
    }
    run.told.set(task.id, { status: task.status, result, at: steadyNow() })
  }
}

export function isOver(status: TaskOutcome['status']): boolean {
  return status === 'complete' || status === 'failed' || status === 'skipped' || status === 'aborted'
}
