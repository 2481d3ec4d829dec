import type { VectorState } from '../embed/open-tool-vectors.js'
import type { Rebuilt } from '../learn/rebuild-graph.js'
import type { GraphSummary } from '../learn/summarise-graph.js'

/** What the gateway tells of search and of what was learned. */
export interface Learned {
  summary(): Promise<GraphSummary>
  rebuild(): Promise<Rebuilt>
  vectors(): VectorState
}
