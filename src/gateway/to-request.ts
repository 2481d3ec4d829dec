import type { MissingArgument, PlannedTask, TaskRequest } from '../model/plan.js'

/** A planned task as `execute_workflow` takes it: sent back, it is planned into the same. */
export function toRequest({
  id,
  tool,
  arguments: args,
  dependsOn,
  onError,
  timeoutMs,
  requireApproval,
}: PlannedTask): TaskRequest {
  return {
    id,
    tool,
    arguments: args,
    ...(dependsOn.length > 0 && { dependsOn }),
    ...(onError !== 'fail' && { onError }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(requireApproval === true && { requireApproval }),
  }
}

/** What a caller writes to add a missing argument. */
export function missingKey({ task, argument }: MissingArgument): string {
  return `${task}.${argument}`
}
