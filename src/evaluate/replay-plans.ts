import { traceRun } from '../learn/trace-run.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { newId } from '../model/new-id.js'
import { readPath, type Step } from '../model/reference.js'
import type { TaskOutcome } from '../model/run.js'
import type { ToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import { joinSteps, pathSteps } from './field-names.js'
import type { Dag } from './read-dags.js'
import { stagesOf } from './stages-of.js'

export interface ReplayOptions {
  /** Our id of a tool of the set; undefined for one that its tools.jsonl does not hold. */
  toolOf(id: string): ToolId | undefined
  readonly now: number
}

/**
 * Plans of a set as runs of ours that went well, one after the other until now: the traces of each. Each tool is called once, all
 * that need not wait at the same time. Where a plan says which fields feed which parameters, its tasks refer to them as ours
 * do, and their values are made up. Tools that are unknown were not called.
 */
export function replayPlans(
  dags: readonly Dag[],
  { toolOf, now }: ReplayOptions,
): readonly (readonly Trace[])[] {
  return dags.map((dag, at) => replay(dag, toolOf, now - (dags.length - at) * msPerRun))
}

const msPerRun = 1_000
const msPerStage = 10
const msPerCall = 5

function replay(dag: Dag, toolOf: ReplayOptions['toolOf'], startedAt: number): readonly Trace[] {
  const called = dag.tools.filter((tool) => toolOf(tool) !== undefined)
  const taskOf = new Map(called.map((tool, at) => [tool, `t${at}`]))
  const stages = stagesOf(called, dag.edges)
  const fields = (dag.fields ?? []).filter(([from, to]) => taskOf.has(from) && taskOf.has(to))
  const results = resultsOf(fields, dag.id)
  const calls = called.map((tool) => ({ ...fillArguments(tool, fields, results, taskOf), tool }))
  const tasks = calls.map(({ tool, planned }) => ({
    id: taskOf.get(tool)!,
    tool: toolOf(tool)!,
    arguments: planned,
    dependsOn: dag.edges.flatMap(([from, to]) => (to === tool ? (taskOf.get(from) ?? []) : [])),
    onError: 'fail' as const,
  }))
  const outcomes = calls.map(
    ({ tool, filled }): TaskOutcome => ({
      id: taskOf.get(tool)!,
      tool: toolOf(tool)!,
      arguments: filled,
      status: 'complete',
      ...(results.has(tool) && { result: results.get(tool)! }),
      startedAt: startedAt + stages.findIndex((stage) => stage.includes(tool)) * msPerStage,
      ms: msPerCall,
    }),
  )
  const run = {
    id: newId(startedAt),
    intent: dag.query,
    status: 'complete' as const,
    tasks: outcomes,
    startedAt,
    endedAt: startedAt + stages.length * msPerStage,
  }
  // There is no secret in a set.
  return traceRun({ intent: dag.query, tasks }, run, { redact: (text) => text })
}

type Fields = NonNullable<Dag['fields']>

/** What each tool gave, as far as others used it; another value in each run, as nothing that is always the same was wired. */
function resultsOf(fields: Fields, run: string): ReadonlyMap<string, Json> {
  const results = new Map<string, Json>()
  for (const [from, , output] of fields)
    results.set(from, put(results.get(from), pathSteps(output), `${run}: ${output} of ${from}`))
  return results
}

function fillArguments(
  tool: string,
  fields: Fields,
  results: ReadonlyMap<string, Json>,
  taskOf: ReadonlyMap<string, string>,
): { readonly planned: JsonObject; readonly filled: JsonObject } {
  const planned = new Map<string, Json>()
  const filled = new Map<string, Json>()
  for (const [from, to, output, input] of fields) {
    const steps = pathSteps(output)
    const found = readPath(results.get(from) ?? {}, steps)
    if (to !== tool || !found.found) continue
    planned.set(input, { $from: joinSteps(taskOf.get(from)!, steps) })
    filled.set(input, found.value)
  }
  return { planned: Object.fromEntries(planned), filled: Object.fromEntries(filled) }
}

/** Sets write `[0]` or `[*]`; what stands further behind is left out. */
const mostPlaces = 100

/** The value with a leaf at this place, unless it holds something there already. */
function put(value: Json | undefined, steps: readonly Step[], leaf: string): Json {
  const [step, ...rest] = steps
  if (step === undefined) return value ?? leaf
  if (step.kind === 'key') {
    const object = isObject(value) ? (value as JsonObject) : {}
    const inner = Object.hasOwn(object, step.key) ? object[step.key] : undefined
    return { ...object, [step.key]: put(inner, rest, leaf) }
  }
  const at = step.kind === 'each' ? 0 : step.index
  const list: readonly Json[] = Array.isArray(value) ? value : []
  if (at >= mostPlaces) return list as Json
  const places = Array.from({ length: Math.max(list.length, at + 1) }, (_, i) => list[i] ?? null)
  return places.map((item, i) => (i === at ? put(item ?? undefined, rest, leaf) : item))
}
