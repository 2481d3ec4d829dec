import type { Embedder } from '../embed/embedder.js'
import type { IntentPlan, PlanEdge } from '../model/plan.js'
import type { Tool } from '../model/tool.js'
import type { Trace } from '../model/trace.js'

/** What is measured: the gateway's planning without the gateway. */
export interface Planner {
  /** Links between these tools; an edge names places in the list. */
  wire(intent: string, tools: readonly Tool[]): Promise<{ readonly edges: readonly PlanEdge[] }>
  /** Chooses among the whole catalogue. */
  plan(intent: string): Promise<IntentPlan>
  /** Takes in the traces of a run, as learning from a real one does. */
  learn(traces: readonly Trace[]): void
  close(): Promise<void>
}

export interface PlannerOptions {
  /** The catalogue. */
  readonly tools: readonly Tool[]
  /** Undefined: words alone. */
  readonly embedder: Embedder | undefined
}
