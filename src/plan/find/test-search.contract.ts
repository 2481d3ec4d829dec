import { openToolVectors, type ToolVectors } from '../../embed/open-tool-vectors.js'
import { createStaticEmbedder } from '../../embed/static-embedder.js'
import { createKnowledgeGraph } from '../../graph/create-knowledge-graph.js'
import type { KnowledgeGraph } from '../../graph/knowledge-graph.js'
import { silentLog } from '../../model/log.js'
import type { Tool } from '../../model/tool.js'
import { createToolSearch, type ToolSearch } from './create-tool-search.js'

/** A search with the embedder that needs nothing and a graph that may be filled; without a store. */
export function openTestSearch(tools: readonly Tool[]): {
  readonly search: ToolSearch
  readonly graph: KnowledgeGraph
  readonly vectors: ToolVectors
} {
  const vectors = openToolVectors({
    store: () => Promise.reject(new Error('there is no store here')),
    log: silentLog,
  })
  void vectors.use(createStaticEmbedder())
  const graph = createKnowledgeGraph({ now: () => 0, cosine: (a, b) => search.cosine(a, b) })
  const search: ToolSearch = createToolSearch({ vectors, graph })
  search.follow(tools)
  return { search, graph, vectors }
}
