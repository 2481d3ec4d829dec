/**
 * Why a plan is what it is: where its tools, edges and arguments come from, and what runs have shown of them. Pure; it looks
 * things up and never changes the plan. The text is what an agent needs to decide, the rest is all there is, as plain data.
 */
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import { orderTypes, shortestPath } from '../graph/shortest-path.js'
import type { Edge, EdgeSource, EdgeType } from '../model/edge.js'
import type { ArgumentOrigin, ArgumentSource, IntentPlan, PlanEdge, ToolChoice } from '../model/plan.js'
import type { ToolId } from '../model/tool.js'

export interface PlanExplanation {
  /** A few lines for the agent. */
  readonly text: string
  readonly tools: readonly ToolExplanation[]
  readonly edges: readonly EdgeExplanation[]
  /** Dependencies left out because they would have closed a circle. */
  readonly dropped: readonly EdgeExplanation[]
  readonly arguments: readonly ArgumentOrigin[]
  /** Ids of past runs that the plan leans on. */
  readonly pastRuns: readonly string[]
}

export interface ToolExplanation extends ToolChoice {
  /** How much of what is known leads to it; absent where nothing is known. */
  readonly pageRank?: number
}

export interface EdgeExplanation extends PlanEdge {
  readonly fromTool: ToolId
  readonly toTool: ToolId
  /** What runs and schemas have shown of this very pair, strongest first. */
  readonly direct: readonly LearnedEdge[]
  /** The cheapest way over one or two tools between them; absent where the direct one is cheaper, or there is none. */
  readonly path?: readonly LearnedEdge[]
}

export interface LearnedEdge {
  readonly from: ToolId
  readonly to: ToolId
  readonly type: EdgeType
  readonly source: EdgeSource
  readonly count: number
  readonly failures: number
  /** Absent: guessed from schemas, never seen. */
  readonly lastSeen?: number
}

export interface ExplainPlanDeps {
  readonly graph: Pick<KnowledgeGraph, 'outgoing' | 'incoming'>
  pageRank(tool: ToolId): number | undefined
}

export function explainPlan(plan: IntentPlan, { graph, pageRank }: ExplainPlanDeps): PlanExplanation {
  const toolOf = new Map(plan.plan.tasks.map(({ id, tool }) => [id, tool]))
  const explainEdge = (edge: PlanEdge): readonly EdgeExplanation[] => {
    const fromTool = toolOf.get(edge.from)
    const toTool = toolOf.get(edge.to)
    if (fromTool === undefined || toTool === undefined) return []
    const path = shortestPath(graph, { from: fromTool, to: toTool, types: orderTypes })
    const direct = graph.outgoing(fromTool).filter((one) => one.edge.to === toTool)
    return [
      {
        ...edge,
        fromTool,
        toTool,
        direct: direct.map((one) => toLearned(one.edge)),
        ...(path !== undefined && path.edges.length > 1 && { path: path.edges.map(toLearned) }),
      },
    ]
  }
  const tools = plan.tools.map((choice) => {
    const rank = pageRank(choice.tool)
    return { ...choice, ...(rank !== undefined && { pageRank: rank }) }
  })
  const edges = plan.edges.flatMap(explainEdge)
  const dropped = plan.dropped.flatMap(explainEdge)
  return {
    text: write(plan, { tools, edges, dropped }),
    tools,
    edges,
    dropped,
    arguments: plan.arguments,
    pastRuns: plan.pastRuns,
  }
}

function toLearned({ from, to, type, source, count, failures, lastSeen }: Edge): LearnedEdge {
  return { from, to, type, source, count, failures, ...(lastSeen !== undefined && { lastSeen }) }
}

/** What an agent reads beside the plan itself: more would cost more than it helps. */
const mostLines = 12
const mostToolLines = 4
const mostEdgeLines = 4
const longestLine = 160

interface Explained {
  readonly tools: readonly ToolExplanation[]
  readonly edges: readonly EdgeExplanation[]
  readonly dropped: readonly EdgeExplanation[]
}

function write(plan: IntentPlan, { tools, edges, dropped }: Explained): string {
  const doubtful = [...plan.arguments].sort((a, b) => a.confidence - b.confidence).slice(0, 1)
  const lines = [
    ...some(tools.map(writeTool), mostToolLines, 'tools'),
    ...some([...edges].sort(byProbability).map(writeEdge), mostEdgeLines, 'dependencies'),
    ...dropped.slice(0, 1).map((edge) => `${writeEdge(edge)}; left out, it would close a circle`),
    ...countSources(plan.arguments),
    ...doubtful.filter(({ confidence }) => confidence < 1).map(writeOrigin),
    ...writePastRuns(plan.pastRuns),
  ]
  return lines.slice(0, mostLines).map(cut).join('\n')
}

/** The least sure first: that is what a reader may want to correct. */
function byProbability(a: PlanEdge, b: PlanEdge): number {
  return a.probability - b.probability
}

function some(lines: readonly string[], most: number, what: string): readonly string[] {
  if (lines.length <= most) return lines
  return [...lines.slice(0, most - 1), `and ${lines.length - most + 1} more ${what}`]
}

function writeTool({ task, tool, by, serves, score }: ToolExplanation): string {
  return `${task}: ${tool} ${reasons[by](serves, score)}`
}

const reasons: Readonly<Record<ToolChoice['by'], (serves: string, score: number) => string>> = {
  intent: (serves, score) => `serves "${serves}", score ${figure(score)}`,
  prerequisite: (serves) => `was added: ${serves}`,
  'past run': (_, score) => `was used for it before, score ${figure(score)}`,
  given: () => 'was asked for',
}

function writeEdge({ from, to, probability, parts, why, direct, path }: EdgeExplanation): string {
  const reasons = [why === '' ? strongest(parts) : why, learned(direct, path)].filter((one) => one !== '')
  return `${from} -> ${to} ${figure(probability)}${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`
}

function strongest(parts: PlanEdge['parts']): string {
  const heaviest = Object.entries(parts).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
  return heaviest
    .slice(0, 3)
    .map(([name, value]) => `${name} ${value.toFixed(1)}`)
    .join(', ')
}

function learned(direct: readonly LearnedEdge[], path: readonly LearnedEdge[] | undefined): string {
  const seen = direct.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)[0]
  if (seen !== undefined) {
    const last = seen.lastSeen === undefined ? '' : `, last ${day(seen.lastSeen)}`
    return `${seen.type} seen ${seen.count === 1 ? 'once' : `${seen.count} times`}${last}`
  }
  if (path !== undefined) return `known way: ${[path[0]!.from, ...path.map(({ to }) => to)].join(' -> ')}`
  return direct.length > 0 ? 'the schemas suggest it' : ''
}

function countSources(origins: readonly ArgumentOrigin[]): readonly string[] {
  if (origins.length === 0) return []
  const counts = new Map<ArgumentSource, number>()
  for (const { source } of origins) counts.set(source, (counts.get(source) ?? 0) + 1)
  return [`arguments: ${[...counts].map(([source, count]) => `${count} ${source}`).join(', ')}`]
}

function writeOrigin({ task, argument, source, confidence, why }: ArgumentOrigin): string {
  return `least sure: ${task}.${argument}, ${source} ${figure(confidence)}: ${why}`
}

function writePastRuns(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return []
  return [`leans on ${ids.length} past ${ids.length === 1 ? 'run' : 'runs'}: ${ids.slice(0, 2).join(', ')}`]
}

function figure(value: number): string {
  return value.toFixed(2).replace(/^0/, '')
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function cut(line: string): string {
  const flat = line.replace(/\s+/g, ' ')
  return flat.length <= longestLine ? flat : `${flat.slice(0, longestLine - 3)}...`
}
