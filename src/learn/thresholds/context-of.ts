import type { PlannedTask } from '../../model/plan.js'
import type { Risk } from '../../model/risk.js'
import { parseToolId } from '../../model/tool.js'
import { workflowTypeOf } from './workflow-type-of.js'

/** What kind of request a plan is, for the thresholds that are kept by kind: type, domain and complexity, as in `read|files|2-4`. */
export function contextOf({
  tasks,
  risks,
}: {
  readonly tasks: readonly Pick<PlannedTask, 'tool'>[]
  /** Of the tools of its tasks. */
  readonly risks: readonly Risk[]
}): string {
  return [workflowTypeOf(risks), domainOf(tasks), complexityOf(tasks.length)].join('|')
}

/** The server of all tasks. */
function domainOf(tasks: readonly Pick<PlannedTask, 'tool'>[]): string {
  const servers = new Set(tasks.map(({ tool }) => parseToolId(tool)?.server))
  const [server] = servers
  return servers.size === 1 && server !== undefined ? server : 'several'
}

function complexityOf(tasks: number): string {
  if (tasks <= 1) return '1'
  return tasks <= 4 ? '2-4' : '5+'
}
