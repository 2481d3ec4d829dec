import type { Json } from '../../model/json.js'
import type { IntentPlan, PlannedTask } from '../../model/plan.js'
import { isReference } from '../../model/reference.js'
import { shorten } from '../../model/shorten.js'
import { figure } from '../judge-plan.js'

const mostTasks = 30
const longestLine = 240
const longestValue = 60
const mostArguments = 8
const mostNeeds = 5

/**
 * A plan as an agent reads it fastest, one line a task, those that run together with the same number:
 *
 *     1 search: files:search_files(path: "data", pattern: "*.json")
 *     2 read: files:read_text_file(path: search.content[*]) for each of search.content[*], after search .93
 */
export function drawPlan({ plan, layers, edges }: IntentPlan): readonly string[] {
  const layerOf = new Map(layers.flatMap((ids, layer) => ids.map((id) => [id, layer + 1] as const)))
  const tasks = [...plan.tasks].sort((a, b) => (layerOf.get(a.id) ?? 0) - (layerOf.get(b.id) ?? 0))
  const lines = tasks.slice(0, mostTasks).map((task) => {
    const call = `${layerOf.get(task.id) ?? 1} ${task.id}: ${task.tool}(${drawArguments(task)})`
    const each = task.each === undefined ? '' : ` for each of ${task.each.join(', ')}`
    const weighed = edges.filter(({ to }) => to === task.id)
    const plain = task.dependsOn.filter((id) => !weighed.some(({ from }) => from === id))
    const after = [...weighed.map(({ from, probability }) => `${from} ${figure(probability)}`), ...plain]
    const shown = after.length === 0 ? '' : `, after ${after.slice(0, mostNeeds).join(', ')}`
    return shorten(`${call}${each}${shown}`, longestLine)
  })
  return tasks.length > mostTasks ? [...lines, `and ${tasks.length - mostTasks} more tasks`] : lines
}

function drawArguments({ arguments: args }: PlannedTask): string {
  const entries = Object.entries(args)
  const shown = entries
    .slice(0, mostArguments)
    .map(([key, value]) => `${key}: ${shorten(drawValue(value), longestValue)}`)
  return [...shown, ...(entries.length > mostArguments ? ['...'] : [])].join(', ')
}

/** A reference without its brackets: what it points at is what a reader looks for. Only the upper levels are shown. */
export function drawValue(value: Json, levels = 4): string {
  if (isReference(value)) return `${value.$from}${value.$as === undefined ? '' : ` as ${value.$as}`}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (levels === 0) return '...'
  if (Array.isArray(value))
    return `[${value
      .slice(0, 10)
      .map((item) => drawValue(item, levels - 1))
      .join(', ')}]`
  const fields = Object.entries(value).slice(0, 10)
  return `{${fields.map(([key, item]) => `${key}: ${drawValue(item, levels - 1)}`).join(', ')}}`
}
