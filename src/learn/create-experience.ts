import type { Experience } from '../model/experience.js'
import type { JsonObject } from '../model/json.js'
import type { ToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import { createHabits, type Habits } from './create-habits.js'
import { createRunMemory, type RunMemory } from './create-run-memory.js'
import { readDoneTasks } from './read-done-tasks.js'
import { readUses } from './read-uses.js'
import { toPastRun } from './to-past-run.js'

export interface ExperienceOptions {
  outputSchema(tool: ToolId): JsonObject | undefined
}

export interface LiveExperience extends Experience {
  /** Takes in one lesson: the trace of a run, and those of its calls. */
  take(traces: readonly Trace[]): void
  /**
   * Everything anew, from the oldest lesson to the newest; what was taken in meanwhile stays. Until it is done the experience of
   * before answers, also where it fails.
   */
  load(lessons: AsyncIterable<{ readonly traces: readonly Trace[] }>): Promise<void>
}

/**
 * What runs that went well say about how tools are used, in memory alone: the traces hold it all. A run that failed, and a call
 * that failed in a run that did not, teach nothing.
 */
export function createExperience({ outputSchema }: ExperienceOptions): LiveExperience {
  let memory = createMemory()
  /** Lessons that a `load` under way may have missed. */
  const later = new Set<(traces: readonly Trace[]) => void>()
  return {
    habits: (tool) => memory.habits.of(tool),
    runsLike: (intent) => memory.runs.like(intent),
    runsAmong: (tools) => memory.runs.among(tools),
    steps: () => memory.runs.steps(),
    outputSchema,
    take(traces) {
      takeIn(traces, memory)
      for (const note of later) note(traces)
    },
    async load(lessons) {
      const fresh = createMemory()
      const loaded = new Set<string>()
      const missed: (readonly Trace[])[] = []
      const note = (traces: readonly Trace[]): void => void missed.push(traces)
      later.add(note)
      try {
        for await (const { traces } of lessons) {
          takeIn(traces, fresh)
          if (traces[0] !== undefined) loaded.add(traces[0].id)
        }
      } finally {
        later.delete(note)
      }
      for (const traces of missed) if (!loaded.has(traces[0]?.id ?? '')) takeIn(traces, fresh)
      memory = fresh
    },
  }
}

interface Memory {
  readonly habits: Habits
  readonly runs: RunMemory
}

function createMemory(): Memory {
  return { habits: createHabits(), runs: createRunMemory() }
}

function takeIn(traces: readonly Trace[], { habits, runs }: Memory): void {
  const run = traces.find(({ parentId }) => parentId === undefined)
  if (run === undefined || !run.success) return
  const tasks = readDoneTasks(traces)
  for (const task of tasks) habits.count(task.tool, readUses(task, run.intent ?? ''))
  const past = toPastRun(run, tasks)
  if (past !== undefined) runs.add(past)
}
