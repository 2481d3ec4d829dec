/** Runs as they happen, from a seed: the same seed gives the same runs. */
import type { EdgeKey } from '../model/edge.js'
import type { Json } from '../model/json.js'
import { newId } from '../model/new-id.js'
import type { Plan, PlannedTask } from '../model/plan.js'
import type { Run, TaskOutcome, TaskStatus } from '../model/run.js'
import { formatToolId, type ToolId } from '../model/tool.js'

export interface PlannedRun {
  readonly plan: Plan
  readonly run: Run
}

export interface RandomRuns {
  next(): PlannedRun
  templates(): readonly EdgeKey[]
  /** In [-1, 1], fixed for each pair. */
  cosine(a: ToolId, b: ToolId): number
}

const servers = ['git', 'files', 'web']
const dayMs = 24 * 60 * 60 * 1000

export function randomRuns(seed: number, toolCount: number): RandomRuns {
  const random = mulberry32(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const tools = Array.from({ length: toolCount }, (_, at) => formatToolId(servers[at % 3]!, `tool_${at}`))
  // Tools that go together stand beside one another, as in real work, or no edge would be seen twice.
  const pick = (around: number): ToolId => tools[(around + below(4)) % tools.length]!
  let now = 1_700_000_000_000

  return {
    next() {
      const around = below(tools.length)
      const tasks: PlannedTask[] = []
      const outcomes: TaskOutcome[] = []
      const startedAt = now
      const size = 1 + below(10)
      for (let at = 0; at < size; at++) {
        const earlier = outcomes.filter(({ result }) => result !== undefined)
        const source = earlier[below(earlier.length)]
        const dependsOn = tasks.filter(() => random() < 0.25).map(({ id }) => id)
        const usesReference = source !== undefined && random() < 0.3
        if (usesReference) dependsOn.push(source.id)
        const value = source === undefined ? 7 : (source.result as { readonly id: Json }).id
        const id = `t${at}`
        tasks.push({
          id,
          tool: pick(around + (at >> 1)),
          arguments: { value: usesReference ? { $from: `${source.id}.id` } : value },
          dependsOn: [...new Set(dependsOn)],
          onError: 'fail',
        })
        if (random() < 0.5) now += below(50)
        outcomes.push(outcomeOf(tasks.at(-1)!, value))
      }
      now += below(dayMs)
      const status = outcomes.every((task) => task.status === 'complete') ? 'complete' : 'partial_failure'
      const run: Run = { id: newId(), intent: `run ${now}`, status, tasks: outcomes, startedAt, endedAt: now }
      return { plan: { tasks }, run }
    },
    templates: () =>
      Array.from({ length: toolCount }, () => ({ from: pick(below(toolCount)), to: pick(below(toolCount)) }))
        .filter(({ from, to }) => from !== to)
        .map((pair) => ({ ...pair, type: 'provides' as const })),
    cosine: (a, b) => hash(a < b ? a + b : b + a),
  }

  function outcomeOf(task: PlannedTask, value: Json): TaskOutcome {
    const dice = random()
    const status: TaskStatus =
      dice < 0.75 ? 'complete' : dice < 0.85 ? 'failed' : dice < 0.9 ? 'aborted' : 'skipped'
    const base = { id: task.id, tool: task.tool, arguments: { value } }
    if (status === 'skipped')
      return { ...base, status, error: { code: 'TASK_SKIPPED', message: '', hint: '' } }
    const ms = below(30)
    const timed = { ...base, status, startedAt: now, ms }
    if (random() < 0.7) now += ms
    if (status === 'complete') return { ...timed, result: { id: `id-${below(100_000)}`, ok: true } }
    return {
      ...timed,
      error: { code: status === 'aborted' ? 'ABORTED' : 'TOOL_ANSWERED', message: 'no', hint: '' },
    }
  }
}

/** Mulberry32, a small generator of 32 bits (T. Ettinger, 2017, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function hash(text: string): number {
  let sum = 0
  for (const letter of text) sum = (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0
  return Math.sin(sum)
}
