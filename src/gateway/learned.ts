import type { VectorState } from '../embed/open-tool-vectors.js'
import type { Rebuilt } from '../learn/rebuild-graph.js'
import type { GraphSummary } from '../learn/summarise-graph.js'
import type { BetaState } from '../model/beta-state.js'
import type { ToolId } from '../model/tool.js'

/** What the gateway tells of search and of what was learned. */
export interface Learned {
  summary(): Promise<GraphSummary>
  rebuild(): Promise<Rebuilt>
  /** How calls went, by tool, the least reliable first. */
  reliability(): readonly Reliability[]
  /** What counts how much in saying what comes next. */
  weights(): readonly RankerWeight[]
  /** Learns these anew from the sessions that are remembered. */
  refit(): Promise<void>
  vectors(): VectorState
}

export interface Reliability extends BetaState {
  readonly tool: ToolId
  /** Of the Beta distribution: how probable it is that the next call goes well. */
  readonly mean: number
}

export interface RankerWeight {
  readonly signal: string
  readonly weight: number
  /** Where it started. */
  readonly prior: number
}
