/**
 * Scenarios of runs, as data: tools, tasks, commands in; the event list out, one line per event, for inline snapshots.
 * Time is virtual: a tool's `takesMs` passes at once, and everything that could happen before it has happened.
 */
import { setTimeout as sleepNow } from 'node:timers/promises'
import type { CallRules, CallToJudge, CallVerdict } from '../model/call-rules.js'
import { isPending } from '../model/decision.js'
import type { Json, JsonObject } from '../model/json.js'
import type { Plan, PlannedTask, TaskRequest } from '../model/plan.js'
import { collectReferences } from '../model/reference.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { RunCommand } from '../model/run-command.js'
import type { RunEvent } from '../model/run-event.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { ToolCall, ToolResult } from '../model/tool-call.js'
import { newBeginning } from './beginning.js'
import { type OpenRun, type RunOptions, runPlan } from './run-plan.js'
import type { StartOptions } from './runs.js'
import { noPrograms } from './test-programs.contract.js'

export interface FakeTool {
  readonly takesMs?: number
  /** What it answers; text and structured values are wrapped as a server would. Absent: never answers. */
  readonly gives?: Json | ((args: JsonObject, call: ToolCall) => Json | ToolResult)
  /** What the rules say of it; `run` where nothing is said. */
  readonly verdict?: CallVerdict['verdict']
  readonly answeredBy?: CallVerdict['answeredBy']
  /** False: a call that was cut off is not made again unasked. */
  readonly repeatable?: boolean
  readonly keyArgument?: string
}

/** `decide` may name the task instead of the decision, whose id is made up when it is asked. */
export type ScenarioCommand = { readonly atMs: number } & (
  | RunCommand
  | {
      readonly type: 'approve' | 'reject'
      readonly task: string
      readonly by?: 'agent' | 'command line'
      readonly reason?: string
    }
)

export interface Scenario {
  readonly tools: Readonly<Record<string, FakeTool>>
  readonly plan: readonly ScenarioTask[]
  readonly commands?: readonly ScenarioCommand[]
  readonly options?: Partial<RunOptions> & Pick<StartOptions, 'finished' | 'validateLayers'>
  /** Ends the scenario at this time, where the run still waits. */
  readonly untilMs?: number
}

/** As a caller writes it, and what planTasks would have added. */
export type ScenarioTask = TaskRequest & Pick<PlannedTask, 'each' | 'inTurn'>

export interface Played {
  readonly events: readonly string[]
  readonly run: Run
  /** Commands that were refused, in words. */
  readonly refused: readonly string[]
  readonly handle: OpenRun
}

export const decideWithinMs = 60_000

export async function expectRun(scenario: Scenario): Promise<Played> {
  const clock = createVirtualClock()
  const { finished = [], validateLayers, ...more } = scenario.options ?? {}
  const plan = makePlan(scenario.plan)
  const start = { now: 0, caller: 'tester', finished, validateLayers }
  const handle = runPlan(newBeginning(plan, start), { ...runOptions(scenario.tools, clock), ...more })
  const refused: string[] = []
  for (const { atMs, ...command } of scenario.commands ?? [])
    void clock
      .sleep(atMs)
      .then(() => handle.send(toCommand(command, handle, clock.now())))
      .catch((error: Error) => refused.push(error.message))
  const over = scenario.untilMs === undefined ? handle.result : clock.sleep(scenario.untilMs)
  await clock.runUntil(over)
  const events = readEvents(handle)
  if (scenario.untilMs !== undefined) await handle.letGo(0)
  return { events: await events, run: handle.current(), refused, handle }
}

/** A run in real time; tools answer at once unless `options` say otherwise. */
export function startNow(
  plan: Plan,
  { finished = [], validateLayers, ...options }: NonNullable<Scenario['options']> = {},
): OpenRun {
  const start = { now: Date.now(), caller: 'tester', finished, validateLayers }
  return runPlan(newBeginning(plan, start), {
    id: 'run-1',
    session: 's',
    caller: 'tester',
    limits: { concurrentCalls: 16, retries: 0 },
    rules: fakeRules({}),
    programs: noPrograms,
    now: Date.now,
    sleep: (ms, signal) => sleepNow(ms, undefined, { signal }),
    after(ms, action) {
      const timer = setTimeout(action, ms)
      return () => clearTimeout(timer)
    },
    record: async () => {},
    onEvent() {},
    callTool: async () => ({ content: [], structuredContent: 'ok' }),
    ...options,
  })
}

/** Everything a run needs, made of fakes and the virtual clock. */
export function runOptions(tools: Scenario['tools'], clock: VirtualClock): RunOptions {
  return {
    id: 'run-1',
    session: 'session-1',
    caller: 'tester',
    limits: { concurrentCalls: 8, retries: 2 },
    rules: fakeRules(tools),
    programs: noPrograms,
    now: clock.now,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    after: clock.after,
    record: async () => {},
    onEvent() {},
    callTool: (call) => callFake(tools, call, clock),
  }
}

export function fakeRules(tools: Scenario['tools']): CallRules {
  const fakeOf = (tool: ToolId): FakeTool | undefined => tools[tool.slice('fake:'.length)]
  return {
    judge({ tool, requireApproval }: CallToJudge) {
      const { verdict = 'run', answeredBy = 'human' } = fakeOf(tool) ?? {}
      const asked = verdict === 'run' && requireApproval ? 'ask' : verdict
      return {
        verdict: asked,
        risk: asked === 'run' ? 'safe' : 'dangerous',
        why: requireApproval ? 'The task asks for it.' : `By the rules: ${verdict}.`,
        answeredBy,
        policyVersion: '1',
      }
    },
    isRepeatable: (tool) => (fakeOf(tool)?.repeatable ?? true) || fakeOf(tool)?.keyArgument !== undefined,
    keyArgument: (tool) => fakeOf(tool)?.keyArgument,
    decideWithinMs,
  }
}

function toCommand(command: Omit<ScenarioCommand, 'atMs'>, handle: OpenRun, at: number): RunCommand {
  const given = command as Exclude<ScenarioCommand, 'atMs'>
  if (given.type !== 'approve' && given.type !== 'reject') return given as RunCommand
  const { type: verdict, task, by = 'command line', reason } = given
  const own = (handle.current().decisions ?? []).filter(({ taskId }) => taskId === task)
  const decision = own.find(isPending) ?? own.at(-1)
  const answer = { verdict, by, at, ...(reason !== undefined && { reason }) }
  return { type: 'decide', decision: decision?.id ?? 'none', answer }
}

export function makePlan(tasks: Scenario['plan']): Plan {
  return { tasks: tasks.map(makeTask) }
}

export function makeTask(task: ScenarioTask): PlannedTask {
  return {
    arguments: {},
    onError: 'fail' as const,
    ...task,
    tool: `fake:${task.tool}` as Tool['id'],
    dependsOn: [
      ...new Set([...(task.dependsOn ?? []), ...collectReferences(task.arguments).map((r) => r.task)]),
    ],
  }
}

async function callFake(tools: Scenario['tools'], call: ToolCall, clock: VirtualClock): Promise<ToolResult> {
  const fake = tools[call.tool.slice('fake:'.length)]!
  if (fake.takesMs !== undefined) await clock.sleep(fake.takesMs)
  if (fake.gives === undefined) return new Promise(() => {})
  const answer = typeof fake.gives === 'function' ? fake.gives(call.arguments, call) : fake.gives
  if (answer !== null && typeof answer === 'object' && 'content' in answer) return answer as ToolResult
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] }
  return { content: [], structuredContent: answer as Json }
}

async function readEvents(handle: OpenRun): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const event of handle.events) lines.push(writeEvent(event))
  return lines
}

export function writeEvent(event: RunEvent): string {
  switch (event.type) {
    case 'run-start':
      return `run-start ${event.run.tasks.length} tasks`
    case 'run-end':
      return `run-end ${event.run.status} after ${event.run.endedAt} ms`
    case 'task-start': {
      const { id, startedAt, arguments: args, attempts } = event.task
      const again = attempts === undefined ? '' : ` for the ${attempts}. time`
      return `task-start ${id} at ${startedAt} ${JSON.stringify(args)}${again}`
    }
    case 'task-retry':
      return `task-retry ${event.task.id} in ${event.inMs} ms: ${event.error.code}`
    case 'task-end':
      return `task-end ${event.task.id} ${writeOutcome(event.task)}`
    case 'decision-request': {
      const { taskId, kind, arguments: args, why } = event.decision
      return `decision-request ${kind} ${taskId} ${JSON.stringify(args)}: ${why}`
    }
    case 'decision-end':
      return `decision-end ${event.decision.taskId} ${event.decision.answer?.verdict} by ${event.decision.answer?.by}`
    case 'command-accept':
      return `command-accept ${event.command.type}`
    case 'command-end':
      return `command-end ${event.command.type}${event.refused ? ` refused: ${event.refused.message}` : ''}`
    case 'plan-change':
      return `plan-change ${event.tasks.map(({ id }) => id).join(', ')}`
    case 'run-pause':
      return `run-pause ${event.status}`
    case 'run-resume':
      return 'run-resume'
    case 'events-lost':
      return `events-lost ${event.count}`
  }
}

function writeOutcome(task: TaskOutcome): string {
  const parts: string[] = [task.status]
  if (task.ms !== undefined) parts.push(`${task.ms} ms`)
  if (task.result !== undefined) parts.push(JSON.stringify(task.result))
  if (task.error) parts.push(`${task.error.code}: ${task.error.message}`)
  return parts.join(' ')
}

export interface VirtualClock {
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  after(ms: number, action: () => void): () => void
  /** @throws where nothing happened for so many turns, and nothing is to come */
  runUntil(done: Promise<unknown>, mostIdleTurns?: number): Promise<void>
}

export function createVirtualClock(startsAt = 0): VirtualClock {
  let time = startsAt
  let sleepers: { readonly until: number; readonly wake: () => void }[] = []
  const add = (ms: number, wake: () => void): (() => void) => {
    const sleeper = { until: time + ms, wake }
    sleepers.push(sleeper)
    return () => {
      sleepers = sleepers.filter((one) => one !== sleeper)
    }
  }
  return {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise((wake, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const cancel = add(ms, wake)
        signal?.addEventListener('abort', () => {
          cancel()
          reject(signal.reason)
        })
      }),
    after: add,
    async runUntil(done, mostIdleTurns = Number.POSITIVE_INFINITY) {
      let open = true
      let idle = 0
      void done.finally(() => {
        open = false
      })
      while (open) {
        // Everything that needs no time happens before time goes on.
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
        const next = Math.min(...sleepers.map((sleeper) => sleeper.until))
        if (open && !Number.isFinite(next) && ++idle > mostIdleTurns)
          throw new Error(`At ${time} ms nothing goes on any more.`)
        if (!open || !Number.isFinite(next)) continue
        idle = 0
        time = next
        const due = sleepers.filter((sleeper) => sleeper.until <= next)
        sleepers = sleepers.filter((sleeper) => sleeper.until > next)
        for (const { wake } of due) wake()
      }
    },
  }
}
