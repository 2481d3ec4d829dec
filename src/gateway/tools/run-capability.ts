import type { JsonObject } from '../../model/json.js'
import type { Plan } from '../../model/plan.js'
import type { Tool } from '../../model/tool.js'
import type { ToolResult } from '../../model/tool-call.js'
import type { ArgumentCheck } from '../../upstream/validate-arguments.js'
import { cutResult } from '../cut-result.js'
import { answerRun } from './answer-run.js'
import type { Caller } from './meta-tool.js'
import type { ReplyDeps } from './reply-bounds.js'
import { type RunForCallerDeps, runForCaller } from './run-for-caller.js'
import { takeRound } from './run-rounds.js'

export interface RunCapabilityDeps extends ReplyDeps, RunForCallerDeps {
  readonly checkArguments: ArgumentCheck
}

/** A capability that a client calls as a tool: its value, as a server would give it; a run that waits or failed, as that. */
export async function runCapability(
  capability: Tool,
  args: JsonObject,
  caller: Caller,
  deps: RunCapabilityDeps,
): Promise<ToolResult> {
  const request = { name: capability.id, arguments: args }
  const round = await takeRound(request, caller, deps)
  if (round === undefined) await deps.checkArguments(capability, args)
  const view =
    round ??
    (await runForCaller(planOf(capability, args), { finished: [], validateLayers: 'never' }, caller, deps))
  const [task] = view.run.tasks
  if (view.run.status !== 'complete' || task?.result === undefined)
    return answerRun(view, request, caller, deps)
  const { result: value } = task
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const result: ToolResult = {
    content: [{ type: 'text', text }],
    ...(typeof value === 'object' && value !== null && !Array.isArray(value) && { structuredContent: value }),
  }
  return cutResult(result, deps.config().maxResultTokens, deps.results)
}

export function planOf({ id }: Pick<Tool, 'id'>, args: JsonObject): Plan {
  return { tasks: [{ id: 'run', tool: id, arguments: args, dependsOn: [], onError: 'fail' }] }
}
