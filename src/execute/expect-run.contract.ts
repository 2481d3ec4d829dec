/**
 * Scenarios of runs, as data: tools, tasks, commands in; the event list out, one line per event, for inline snapshots.
 * Time is virtual: a tool's `takesMs` passes at once, and everything that could happen before it has happened.
 */
import type { Json, JsonObject } from '../model/json.js'
import type { Plan, PlannedTask, TaskRequest } from '../model/plan.js'
import { collectReferences } from '../model/reference.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { RunEvent } from '../model/run-event.js'
import type { Tool } from '../model/tool.js'
import type { ToolCall, ToolResult } from '../model/tool-call.js'
import { type RunHandle, type RunOptions, runPlan } from './run-plan.js'

export interface FakeTool {
  readonly takesMs?: number
  /** What it answers; text and structured values are wrapped as a server would. Absent: never answers. */
  readonly gives?: Json | ((args: JsonObject, call: ToolCall) => Json | ToolResult)
}

export interface Scenario {
  readonly tools: Readonly<Record<string, FakeTool>>
  readonly plan: readonly ScenarioTask[]
  readonly commands?: readonly { readonly atMs: number; readonly abort: string }[]
  readonly options?: Partial<RunOptions>
}

/** As a caller writes it, and what planTasks would have added. */
export type ScenarioTask = TaskRequest & Pick<PlannedTask, 'each' | 'inTurn'>

export async function expectRun(scenario: Scenario): Promise<{ events: readonly string[]; run: Run }> {
  const clock = createVirtualClock()
  const handle = runPlan(makePlan(scenario.plan), {
    id: 'run-1',
    session: 'session-1',
    limits: { concurrentCalls: 8 },
    finished: [],
    now: clock.now,
    record: async () => {},
    callTool: (call) => callFake(scenario.tools, call, clock),
    ...scenario.options,
  })
  for (const { atMs, abort } of scenario.commands ?? [])
    void clock.sleep(atMs).then(() => handle.abort(abort))
  await clock.runUntil(handle.result)
  return { events: await readEvents(handle), run: await handle.result }
}

export function makePlan(tasks: Scenario['plan']): Plan {
  return {
    tasks: tasks.map((task) => ({
      arguments: {},
      onError: 'fail' as const,
      ...task,
      tool: `fake:${task.tool}` as Tool['id'],
      dependsOn: [
        ...new Set([...(task.dependsOn ?? []), ...collectReferences(task.arguments).map((r) => r.task)]),
      ],
    })),
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

async function readEvents(handle: RunHandle): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const event of handle.events) lines.push(writeEvent(event))
  return lines
}

export function writeEvent(event: RunEvent): string {
  if (event.type === 'run-start') return `run-start ${event.run.tasks.length} tasks`
  if (event.type === 'run-end') return `run-end ${event.run.status} after ${event.run.endedAt} ms`
  const { task } = event
  if (event.type === 'task-start')
    return `task-start ${task.id} at ${task.startedAt} ${JSON.stringify(task.arguments)}`
  return `task-end ${task.id} ${writeOutcome(task)}`
}

function writeOutcome(task: TaskOutcome): string {
  const parts: string[] = [task.status]
  if (task.ms !== undefined) parts.push(`${task.ms} ms`)
  if (task.result !== undefined) parts.push(JSON.stringify(task.result))
  if (task.error) parts.push(`${task.error.code}: ${task.error.message}`)
  return parts.join(' ')
}

interface VirtualClock {
  now(): number
  sleep(ms: number): Promise<void>
  runUntil(done: Promise<unknown>): Promise<void>
}

function createVirtualClock(): VirtualClock {
  let time = 0
  let sleepers: { readonly until: number; readonly wake: () => void }[] = []
  return {
    now: () => time,
    sleep: (ms) => new Promise((wake) => sleepers.push({ until: time + ms, wake })),
    async runUntil(done) {
      let open = true
      void done.finally(() => {
        open = false
      })
      while (open) {
        // Everything that needs no time happens before time goes on.
        await new Promise((resolve) => setImmediate(resolve))
        const next = Math.min(...sleepers.map((sleeper) => sleeper.until))
        if (!open || !Number.isFinite(next)) continue
        time = next
        const due = sleepers.filter((sleeper) => sleeper.until <= next)
        sleepers = sleepers.filter((sleeper) => sleeper.until > next)
        for (const { wake } of due) wake()
      }
    },
  }
}
