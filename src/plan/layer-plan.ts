import type { Plan } from '../model/plan.js'
import { layerTasks } from './layer-tasks.js'

/** The ids of its tasks that may run at the same time, first to last. */
export function layerPlan({ tasks }: Plan): readonly (readonly string[])[] {
  return layerTasks(
    tasks.map(({ id }) => id),
    tasks.flatMap(({ id, dependsOn }) => dependsOn.map((from) => ({ from, to: id }))),
  )
}
