import { StoreError } from '../../errors.js'
import { isRunEnded, type RunSummary } from '../../model/run.js'
import { shorten } from '../../model/shorten.js'
import type { ToolResult } from '../../model/tool-call.js'
import { withinMs } from '../../model/within-ms.js'
import type { GatewayRuns } from '../runs.js'
import { reply } from './meta-tool.js'
import type { ReplyDeps } from './reply-bounds.js'

const mostListed = 20
/** Enough to know it again. */
const longestIntent = 120

/** The newest workflows, for who has lost an id: those first that have not ended. */
export async function listWorkflows(
  deps: ReplyDeps & { readonly runs: Pick<GatewayRuns, 'list'> },
): Promise<ToolResult> {
  const newest = await withinMs(deps.runs.list(mostListed), deps.config().replyWithinMs, undefined)
  if (newest === undefined)
    throw new StoreError('The database does not answer in time.', 'Ask again in a moment.')
  const isEnded = ({ status }: RunSummary): boolean => isRunEnded(status)
  const shown = [...newest.filter((run) => !isEnded(run)), ...newest.filter(isEnded)].map((run) => ({
    workflow_id: run.id,
    status: run.status,
    ...(run.intent !== undefined && { intent: shorten(deps.redact(run.intent), longestIntent) }),
    tasks: run.tasks,
    startedAt: run.startedAt,
  }))
  const lines = shown.map(({ workflow_id, status, intent, tasks, startedAt }) =>
    [`${workflow_id} ${status}, ${tasks} tasks, begun ${new Date(startedAt).toISOString()}`, intent]
      .filter((part) => part !== undefined)
      .join(': '),
  )
  const text = lines.length === 0 ? 'There are no workflows yet.' : lines.join('\n')
  return reply({ status: 'complete', workflows: shown }, text)
}
