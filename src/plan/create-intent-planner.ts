/** The planner of intent-planner.ts: what went well before is done again, and what is new is planned anew. */
import type { Embedder } from '../embed/embedder.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { Experience } from '../model/experience.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { ToolSearch } from './find/create-tool-search.js'
import type { IntentPlanner } from './intent-planner.js'
import { planAgain } from './plan-again.js'
import { planAnew } from './plan-anew.js'
import { readIntent } from './read/read-intent.js'
import { replanRun } from './replan-run.js'
import { reusePastRun } from './reuse-past-run.js'
import { createWiring } from './wire/wire-tools.js'

export interface IntentPlannerDeps {
  readonly search: ToolSearch['search']
  /** A tool that can be called now. */
  tool(id: ToolId): Tool | undefined
  readonly graph: Pick<KnowledgeGraph, 'incoming' | 'outgoing'>
  /** A cheap one: it is asked for every field. */
  readonly embedder: Embedder
  readonly experience: Experience
}

export function createIntentPlanner(deps: IntentPlannerDeps): IntentPlanner {
  const wiring = createWiring(deps)
  return {
    async plan(text, options) {
      const intent = readIntent(text)
      const reused = reusePastRun(text, deps.experience)
      const again = reused === undefined ? undefined : planAgain(reused, intent, options, deps)
      return again ?? planAnew(intent, options, { ...deps, wiring, done: [], taken: new Set(), served: 0 })
    },
    replan: (run, requirement, options) =>
      replanRun(run, requirement, {
        tool: deps.tool,
        grow: (intent, so) => planAnew(intent, options, { ...deps, wiring, ...so }),
      }),
  }
}
