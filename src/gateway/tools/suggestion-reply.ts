import type { JsonObject } from '../../model/json.js'
import type { IntentPlan } from '../../model/plan.js'
import type { Redact } from '../../model/redact.js'
import { shorten } from '../../model/shorten.js'
import type { ToolResult } from '../../model/tool-call.js'
import type { PlanExplanation } from '../../plan/explain-plan.js'
import { figure } from '../judge-plan.js'
import { missingKey } from '../to-request.js'
import { describePlan } from './describe-plan.js'
import { drawPlan } from './draw-plan.js'
import { reply } from './meta-tool.js'
import { boundText, planBounds, type ReplyDeps, shareOfText } from './reply-bounds.js'

export interface SuggestionDeps extends ReplyDeps {
  explain(plan: IntentPlan): PlanExplanation
}

export interface Suggestion {
  readonly plan: IntentPlan
  /** Why it is no more than that. */
  readonly why: string
  /** Stands first. */
  readonly more: JsonObject
  /** How to go on. */
  readonly next: string
  /** Of what a reply may take. */
  readonly share: number
}

export const wholeReply = 1 - shareOfText

/** A plan with what is known about it. */
export function suggestionReply(
  { plan, why, more, next, share }: Suggestion,
  deps: SuggestionDeps,
): ToolResult {
  const explained = [why, deps.explain(plan).text].filter(Boolean).join('\n')
  const head = `suggestion: confidence ${figure(plan.confidence)}. ${why}`
  return reply(
    {
      status: 'suggestion',
      ...more,
      ...describePlan(plan, explained, planBounds(deps, share)),
      hint: deps.redact(next),
    },
    boundText([head, ...drawPlan(plan), ...openPoints(plan, deps.redact), next], deps),
  )
}

const mostOpenPoints = 10

/** What a reader has to decide or to add. */
export function openPoints({ missing, unserved, notes }: IntentPlan, redact: Redact): readonly string[] {
  // Cut after it is redacted: half a secret would not be known for one.
  const short = (text: string): string => shorten(redact(text), 160)
  return [
    ...missing.slice(0, mostOpenPoints).map((one) => {
      const type = one.type === undefined ? '' : ` (${one.type})`
      return `missing: ${missingKey(one)}${type}${one.description === '' ? '' : `: ${short(one.description)}`}`
    }),
    ...unserved.slice(0, mostOpenPoints).map((part) => `no tool for: ${short(part)}`),
    ...notes.slice(0, mostOpenPoints).map((note) => `note: ${short(note)}`),
  ]
}

export function missingArguments(missing: IntentPlan['missing']): string {
  const wanted = missing
    .slice(0, mostOpenPoints)
    .map((one) => [missingKey(one), `<${one.type ?? one.argument}>`] as const)
  return JSON.stringify(Object.fromEntries(wanted))
}
