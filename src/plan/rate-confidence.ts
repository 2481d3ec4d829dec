import type { ArgumentOrigin, PlanEdge, ToolChoice } from '../model/plan.js'

export interface Rated {
  readonly tools: readonly ToolChoice[]
  readonly edges: readonly PlanEdge[]
  readonly arguments: readonly ArgumentOrigin[]
  readonly unserved: number
  readonly contradictions: number
}

/** A wrong tool spoils a plan, a wrong edge mostly delays it, a wrong argument is seen in the answer. */
const weights = { tool: 1, edge: 0.25, argument: 0.15 }

/**
 * How probable it is that a plan is what was meant: the geometric means of how sure its tools, edges and arguments are, weighed,
 * times the share of the wishes that it serves. A request that contradicts itself is never sure.
 */
export function rateConfidence({ tools, edges, arguments: origins, unserved, contradictions }: Rated): number {
  if (tools.length === 0) return 0
  const sure =
    geometricMean(tools.map(({ score }) => score)) ** weights.tool *
    geometricMean(edges.map(({ probability }) => Math.max(probability, 0.5))) ** weights.edge *
    geometricMean(origins.map(({ confidence }) => confidence)) ** weights.argument
  const asked = tools.filter(({ by }) => by !== 'prerequisite').length
  const served = asked / (asked + unserved)
  return Math.min(contradictions > 0 ? 0.5 : 1, sure * served)
}

function geometricMean(values: readonly number[]): number {
  if (values.length === 0) return 1
  return Math.exp(values.reduce((sum, value) => sum + Math.log(Math.max(value, 1e-6)), 0) / values.length)
}
