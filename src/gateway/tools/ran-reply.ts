import type { JsonObject } from '../../model/json.js'
import type { IntentPlan } from '../../model/plan.js'
import { shorten } from '../../model/shorten.js'
import type { ToolResult } from '../../model/tool-call.js'
import { describeRunPlan } from './describe-plan.js'
import { planBounds, type ReplyDeps, shareOfPlan } from './reply-bounds.js'
import { runReply } from './run-reply.js'
import type { RunView } from './run-view.js'

/** The reply of the run, and the plan that was run. */
export function ranReply(plan: IntentPlan, view: RunView, more: JsonObject, deps: ReplyDeps): ToolResult {
  const { maxResultTokens } = deps.config()
  const described = describeRunPlan(plan, planBounds(deps, shareOfPlan))
  const result = runReply(view, { ...deps, maxTokens: maxResultTokens * (1 - shareOfPlan) })
  const unserved = plan.unserved.map((part) => `No tool was found for: ${shorten(deps.redact(part), 200)}`)
  const why = typeof more.why === 'string' ? [deps.redact(more.why)] : []
  const lines = [...why, ...result.content.map(({ text }) => text ?? ''), ...unserved.slice(0, 5)]
  return {
    ...result,
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: { ...(result.structuredContent as JsonObject), ...more, ...described },
  }
}
