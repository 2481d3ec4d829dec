import { BadTasksError } from '../errors.js'
import { isDeeperThan } from '../model/is-deeper-than.js'
import type { JsonObject } from '../model/json.js'
import type { PlannedTask } from '../model/plan.js'
import { collectReferences } from '../model/reference.js'

/** As tasks are read (plan/read-tasks.ts). */
const deepestArguments = 64

/**
 * A task with other arguments. They may refer to tasks that come before it; whether it is done for each stays as it was for the
 * references that are still there.
 * @throws ReferenceSyntaxError, BadTasksError
 */
export function readModified(
  task: PlannedTask,
  args: JsonObject,
  tasks: readonly PlannedTask[],
): PlannedTask {
  if (isDeeperThan(args, deepestArguments))
    throw new BadTasksError(
      `The arguments are nested more than ${deepestArguments} levels deep.`,
      'Give flatter ones.',
    )
  const references = collectReferences(args)
  const before = collectReferences(task.arguments).map((one) => one.task)
  const declared = task.dependsOn.filter((id) => !before.includes(id))
  const place = new Map(tasks.map(({ id }, at) => [id, at]))
  for (const reference of references) {
    const at = place.get(reference.task)
    if (at === undefined)
      throw new BadTasksError(
        `The reference "${reference.text}" names no task of this workflow.`,
        `Its tasks are: ${[...place.keys()].slice(0, 20).join(', ')}.`,
      )
    if (at >= place.get(task.id)!)
      throw new BadTasksError(
        `The reference "${reference.text}" names a task that does not come before "${task.id}".`,
        'Inject a task that comes after both instead.',
      )
  }
  const each = (task.each ?? []).filter((text) => references.some((one) => one.text === text))
  const { each: _, inTurn, ...rest } = task
  return {
    ...rest,
    arguments: args,
    dependsOn: [...new Set([...declared, ...references.map((one) => one.task)])],
    ...(each.length > 0 && { each, ...(inTurn && { inTurn }) }),
  }
}
