/**
 * What a run that ended shows of procedures. Code whose every call succeeded is one, from its first success on: its literals become
 * parameters (capabilities/program/lift-program.ts). A run of code that is a capability already, by its structure, is a use of that
 * one, and is learned from as such: as a call of the capability with what its literals were.
 */

import { liftProgram } from '../capabilities/program/lift-program.js'
import type { LiftedProgram } from '../capabilities/program/program.js'
import { readProgram } from '../capabilities/program/read-program.js'
import {
  type CapabilityId,
  type CapabilityUse,
  codeTool,
  isCapabilityId,
  isProgramTool,
} from '../model/capability.js'
import { canonicalJson, type Json, type JsonObject } from '../model/json.js'
import type { Plan } from '../model/plan.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { ToolId } from '../model/tool.js'

/** Code of the run, as it would be kept. */
export interface ShownProcedure {
  readonly task: string
  readonly lifted: LiftedProgram
  /** What the capability would be called with to do the same. */
  readonly arguments: JsonObject
  /** Tools and capabilities that it calls itself, as the code has them, and then what it called beyond. */
  readonly tools: readonly ToolId[]
  readonly calls: readonly CapabilityId[]
  readonly use: CapabilityUse
  readonly value?: Json
  /** Whether it says more than one call would: a program that gives what its only call gave is no procedure. */
  readonly isWorthKeeping: boolean
}

export interface UsedCapability {
  readonly id: CapabilityId
  readonly task: string
  readonly use: CapabilityUse
  readonly value?: Json
  /** The run was for it alone. */
  readonly isWhole: boolean
}

export interface ShownProcedures {
  readonly code: readonly ShownProcedure[]
  readonly uses: readonly UsedCapability[]
}

export interface ReadProceduresOptions {
  /** What code means by a name; undefined where nothing is called so. */
  resolve(kind: 'tool' | 'capability', name: string): ToolId | undefined
}

export function readProcedures(plan: Plan, run: Run, options: ReadProceduresOptions): ShownProcedures {
  const ended = run.tasks.filter(hasRun).filter((task) => !within(task, run).some(isPersonsDoing))
  const codeOf = new Map(plan.tasks.flatMap(({ id, program }) => (program ? [[id, program.code]] : [])))
  return {
    code: ended.flatMap((task) => {
      const code = task.tool === codeTool ? codeOf.get(task.id) : undefined
      return code === undefined ? [] : (readCode(code, task, run, options) ?? [])
    }),
    uses: ended
      .filter((task): task is EndedTask & { tool: CapabilityId } => isCapabilityId(task.tool))
      // What it gave a moment before is no use of it.
      .filter((task) => task.ms > 0 || callsOf(task, run).length > 0)
      .map((task) => ({
        id: task.tool,
        task: task.id,
        use: useOf(task, run),
        isWhole: run.tasks.filter(({ parent }) => parent === undefined).length === 1,
        ...(task.result !== undefined && task.error === undefined && { value: task.result }),
      })),
  }
}

type EndedTask = TaskOutcome & { readonly startedAt: number; readonly ms: number }

/** Who was cut off by somebody else has shown nothing; nor has one whose call a person has refused. */
function hasRun(task: TaskOutcome): task is EndedTask {
  const isOver = task.status === 'complete' || task.status === 'failed'
  return isOver && task.startedAt !== undefined && task.ms !== undefined && !isPersonsDoing(task)
}

/** By a person, by a command, or for want of what it runs in. */
function isPersonsDoing({ error }: TaskOutcome): boolean {
  return error !== undefined && nobodysFault.has(error.code)
}

const nobodysFault = new Set([
  ...['NOT_APPROVED', 'ABORTED', 'CODE_ABORTED', 'SKIPPED', 'INTERRUPTED'],
  ...['SANDBOX_UNAVAILABLE', 'CODE_OFF', 'SECRET_NOT_STORED', 'BAD_ARGUMENTS'],
])

function readCode(
  code: string,
  task: EndedTask,
  run: Run,
  { resolve }: ReadProceduresOptions,
): ShownProcedure | undefined {
  try {
    const program = readProgram(code)
    const lifted = liftProgram(program, {
      arguments: task.arguments,
      nameOf: (kind, name) => resolve(kind, name) ?? name,
    })
    const made = callsOf(task, run)
    const named = program.calls.flatMap(({ kind, name }) => (name && resolve(kind, name)) || [])
    const all = [...new Set([...named, ...made.map(({ tool }) => tool)])]
    const [only] = made
    const isOneCall = made.length === 1 && isSame(only?.result, task.result)
    return {
      task: task.id,
      lifted,
      arguments: { ...task.arguments, ...lifted.arguments },
      tools: all.filter((tool) => !isProgramTool(tool)),
      calls: all.filter(isCapabilityId),
      use: useOf(task, run),
      ...(task.result !== undefined && { value: task.result }),
      isWorthKeeping: made.length > 0 && !isOneCall,
    }
  } catch {
    // What does not parse has not run; what cannot be lifted is no procedure.
    return undefined
  }
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)
}

function callsOf({ id }: TaskOutcome, { tasks }: Run): readonly TaskOutcome[] {
  return tasks.filter(({ parent }) => parent === id)
}

function within({ id }: TaskOutcome, { tasks }: Run): readonly TaskOutcome[] {
  return tasks.filter((one) => one.id.startsWith(`${id}[`))
}

function useOf(task: EndedTask, run: Run): CapabilityUse {
  const made = callsOf(task, run)
  const end = task.startedAt + task.ms
  const first = made.reduce((first, { startedAt = first }) => Math.min(first, startedAt), end)
  const callsMs = made.reduce((sum, { ms = 0 }) => sum + ms, Math.max(0, first - task.startedAt))
  return {
    at: Math.round(end),
    success: task.status === 'complete' && within(task, run).every(({ status }) => status === 'complete'),
    // Begun more than once it has stood still in between: how long is not known.
    ms: task.attempts === undefined ? Math.max(0, task.ms - waitedMs(task, run)) : callsMs,
    // The start of a sandbox is nobody's merit or fault: who calls them one by one has to ask for each.
    callsMs,
  }
}

/** How long it waited for people: their time is not its own. Questions that were open at the same time count once. */
function waitedMs({ id }: TaskOutcome, { decisions = [] }: Run): number {
  const waits = decisions
    .filter(({ taskId }) => taskId?.startsWith(`${id}[`))
    .map(({ requestedAt, answer }) => ({ from: requestedAt, to: answer?.at ?? requestedAt }))
    .sort((a, b) => a.from - b.from)
  let waited = 0
  let until = 0
  for (const { from, to } of waits) {
    waited += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return waited
}

/** The run as one of capabilities: what was learned is learned of these. */
export function asCapabilities(
  plan: Plan,
  run: Run,
  known: ReadonlyMap<string, { readonly id: CapabilityId; readonly arguments: JsonObject }>,
): { readonly plan: Plan; readonly run: Run } {
  if (known.size === 0) return { plan, run }
  return {
    plan: {
      ...plan,
      tasks: plan.tasks.map((task) => {
        const is = known.get(task.id)
        return is === undefined ? task : { ...task, tool: is.id, arguments: is.arguments }
      }),
    },
    run: {
      ...run,
      tasks: run.tasks.map((task) => {
        const is = known.get(task.id)
        return is === undefined ? task : { ...task, tool: is.id, arguments: is.arguments }
      }),
    },
  }
}
