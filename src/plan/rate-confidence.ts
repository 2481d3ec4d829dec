import type { ArgumentOrigin, MissingArgument, PlanEdge, ToolChoice } from '../model/plan.js'

export interface Rated {
  readonly tools: readonly ToolChoice[]
  readonly edges: readonly PlanEdge[]
  readonly arguments: readonly ArgumentOrigin[]
  readonly missing: readonly MissingArgument[]
  readonly unserved: number
  readonly contradictions: number
}

/** A wrong tool spoils a plan, a wrong edge mostly delays it, a wrong argument is seen in the answer. */
const weights = { tool: 1, edge: 0.25, argument: 0.15 }

/**
 * How probable it is that a plan is what was meant: the geometric means of how sure its tools, edges and arguments are, weighed,
 * times the share of the wishes that it serves. A request that contradicts itself is never sure.
 */
export function rateConfidence(rated: Rated): number {
  const { tools, edges, arguments: origins, unserved, contradictions } = rated
  if (tools.length === 0) return 0
  const sure =
    geometricMean(tools.map((tool) => shifted(tool.score, resolution(tool, rated)))) ** weights.tool *
    geometricMean(edges.map(({ probability }) => Math.max(probability, 0.5))) ** weights.edge *
    geometricMean(origins.map(({ confidence }) => confidence)) ** weights.argument
  const asked = tools.filter(({ by }) => by !== 'prerequisite').length
  const served = asked / (asked + unserved)
  return Math.min(contradictions > 0 ? 0.5 : 1, sure * served)
}

/**
 * In log-odds: a tool whose arguments fall into place is more often the right one than its words say, one that lacks some less
 * often; so it was on the development sets.
 */
function resolution({ task }: ToolChoice, { arguments: origins, missing }: Rated): number {
  const own = origins.filter((origin) => origin.task === task)
  const isWired = own.some(({ source }) => source === 'wired')
  if (missing.some((one) => one.task === task)) return isWired ? 0.5 : -0.4
  return own.length > 0 ? 0.7 : 0
}

/** A probability with evidence added, in log-odds. */
export function shifted(probability: number, logOdds: number): number {
  const bounded = Math.min(0.99, Math.max(0.001, probability))
  return 1 / (1 + Math.exp(-(Math.log(bounded / (1 - bounded)) + logOdds)))
}

function geometricMean(values: readonly number[]): number {
  if (values.length === 0) return 1
  return Math.exp(values.reduce((sum, value) => sum + Math.log(Math.max(value, 1e-6)), 0) / values.length)
}
