import type { IntentPlan } from '../model/plan.js'
import type { Policy } from '../model/policy.js'
import type { ToolId } from '../model/tool.js'

/** `auto` runs what is sure and safe, `suggest` nothing, `run` what the caller confirms by saying so. */
export type IntentMode = 'auto' | 'suggest' | 'run'

export interface Judgement {
  /** `check`: it is to be run, but shown first: it is not sure, and nobody has seen it. */
  readonly verdict: 'explicit_required' | 'suggestion' | 'check' | 'run'
  readonly why: string
}

export interface JudgePlanOptions {
  readonly mode: IntentMode
  readonly policy: Policy
  /** Who confirms it by mode `run` has been shown a plan for the same intent. */
  readonly wasSuggested: boolean
  isSafe(tool: ToolId): boolean
}

/** The three execution modes of an intent: what is to be done with its plan, and why not more. */
export function judgePlan(
  plan: IntentPlan,
  { mode, policy, wasSuggested, isSafe }: JudgePlanOptions,
): Judgement {
  const { confidence, missing, unserved } = plan
  const { tasks } = plan.plan
  const { suggestThreshold, executeThreshold } = policy
  if (tasks.length === 0) return { verdict: 'explicit_required', why: 'No plan could be made of it.' }
  if (confidence < suggestThreshold)
    return {
      verdict: 'explicit_required',
      why: `Confidence ${figure(confidence)} is below ${figure(suggestThreshold)}, where suggestions start.`,
    }
  if (missing.length > 0)
    return suggest(`${missing.length === 1 ? 'An argument is' : `${missing.length} arguments are`} missing.`)
  if (mode === 'suggest') return suggest('Only a suggestion was asked for.')
  if (mode === 'run' && (wasSuggested || confidence >= executeThreshold))
    return { verdict: 'run', why: 'Confirmed by mode "run".' }
  if (mode === 'run')
    return {
      verdict: 'check',
      why: `Confidence ${figure(confidence)} is below ${figure(executeThreshold)}, and this plan was not shown before.`,
    }
  if (unserved.length > 0) return suggest('Part of the request is served by no tool.')
  if (confidence < executeThreshold)
    return suggest(
      `Confidence ${figure(confidence)} is below ${figure(executeThreshold)}, where plans run at once.`,
    )
  const unsafe = tasks.filter(({ tool }) => !isSafe(tool)).map(({ tool }) => tool)
  if (unsafe.length > 0)
    return suggest(`Not known to be read-only, nor approved: ${listSome([...new Set(unsafe)])}.`)
  return {
    verdict: 'run',
    why: `Confidence ${figure(confidence)}, and every tool only reads, or is approved.`,
  }
}

function suggest(why: string): Judgement {
  return { verdict: 'suggestion', why }
}

/** Rounded down: what is below a threshold must not read as if it were not. */
export function figure(value: number): string {
  return (Math.floor(value * 100 + 1e-9) / 100).toFixed(2).replace(/^0/, '')
}

function listSome(names: readonly string[]): string {
  return names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`
}
