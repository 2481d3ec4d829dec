import type { PmlConfig } from '../../model/config.js'
import type { Redact } from '../../model/redact.js'
import { shorten } from '../../model/shorten.js'
import { bytesPerToken } from '../estimate-tokens.js'
import type { ResultStore } from '../result-store.js'
import type { DescribePlanOptions } from './describe-plan.js'

export interface ReplyDeps {
  config(): PmlConfig
  readonly results: ResultStore
  readonly redact: Redact
}

/** Of what a reply may take: the text says the same again, and the plan stands beside the results of its run. */
export const shareOfText = 0.25
export const shareOfPlan = 0.25

/** As much of a plan as this share of `maxResultTokens` takes. */
export function planBounds({ config, results, redact }: ReplyDeps, share: number): DescribePlanOptions {
  return { maxChars: Math.floor(config().maxResultTokens * bytesPerToken * share), results, redact }
}

/** Enough for any plan that somebody reads, some 2,000 tokens; and something, however little a reply may take. */
const mostTextChars = 6_000
const leastTextChars = 600
const lastLineChars = 300

/** The text of a reply: the first lines say what it is, the last how to go on. */
export function boundText(lines: readonly string[], deps: ReplyDeps): string {
  const most = Math.min(mostTextChars, Math.max(leastTextChars, planBounds(deps, shareOfText).maxChars))
  const text = deps.redact(lines.join('\n'))
  if (text.length <= most) return text
  return `${shorten(text, most - lastLineChars)}\n${shorten(deps.redact(lines.at(-1)!), lastLineChars)}`
}
