import { openToolVectors } from '../embed/open-tool-vectors.js'
import { createStaticEmbedder } from '../embed/static-embedder.js'
import { createKnowledgeGraph } from '../graph/create-knowledge-graph.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import { createExperience } from '../learn/create-experience.js'
import { createOutputSchemas } from '../learn/create-output-schemas.js'
import { observeTraces } from '../learn/observe-traces.js'
import { silentLog } from '../model/log.js'
import { createIntentPlanner } from '../plan/create-intent-planner.js'
import { createToolSearch } from '../plan/find/create-tool-search.js'
import { createWiring } from '../plan/wire/wire-tools.js'
import type { Planner, PlannerOptions } from './planner.js'

/** As the gateway's default. */
const tokenBudget = 8_000

/** The rooms that plan, put together as the gateway does, without a store: what is learned is in memory. */
export async function openPlanner({
  tools,
  embedder,
}: PlannerOptions): Promise<Planner & { readonly graph: KnowledgeGraph }> {
  const vectors = openToolVectors({
    store: () => Promise.reject(new Error('a bench has no store')),
    log: silentLog,
  })
  const graph = createKnowledgeGraph({ now: Date.now, cosine: (a, b) => search.cosine(a, b) })
  const search = createToolSearch({ vectors, graph })
  const schemas = createOutputSchemas()
  const experience = createExperience({ outputSchema: (tool) => schemas.of(tool) })
  // Every field is embedded: a model that costs something serves search alone.
  const cheap = embedder?.isCheap ? embedder : createStaticEmbedder()
  const wiring = createWiring({ graph, embedder: cheap, experience })
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  const planner = createIntentPlanner({
    search: search.search,
    tool: (id) => byId.get(id),
    graph,
    embedder: cheap,
    experience,
  })
  await vectors.use(embedder)
  search.follow(tools)
  await search.settled()
  return {
    graph,
    wire: (intent, given) => wiring.wire(intent, given),
    plan: (intent) => planner.plan(intent, { given: {}, tokenBudget }),
    learn(traces) {
      graph.observe(observeTraces(traces))
      experience.take(traces)
      schemas.observe(traces)
    },
    close: () => vectors.close(),
  }
}
