/**
 * What will be called next in a session. Promises: learns from every step as it comes and from nothing else; an answer within
 * milliseconds whatever the size of the catalogue, as only tools that some signal names are looked at; bounded memory; the same
 * steps give the same answers. Never touches the store, never calls a tool.
 */
import type { Analysis } from '../../graph/create-analysis.js'
import type { KnowledgeGraph } from '../../graph/knowledge-graph.js'
import type { Json } from '../../model/json.js'
import type { ToolId } from '../../model/tool.js'
import type { SignalName } from './signals.js'

export interface NextTools {
  /** Takes one gradient step towards what really came, and then counts it. */
  observe(step: SessionStep): void
  /** The same without the gradient step, at a tenth of its cost: where steps come too fast to learn weights from each. */
  count(step: SessionStep): void
  /** The session goes on, and nothing is learned from it: who measures asks about steps that must not teach. */
  follow(step: SessionStep): void
  /** What this session is about now, before its next step. */
  hear(session: string, intent: string): void
  /** The likeliest first. Of a session that is not known, what sessions start with. */
  predict(session: string, asked: Asked): readonly PredictedTool[]
  endSession(session: string): void
  /** When the newest step that was learned from ended; 0 where there is none. */
  newest(): number
  /** Past sessions, the oldest first, as if they were observed. */
  replay(sequences: readonly PastSequence[]): void
  /** Past sessions that the weights have learned from already: they are counted and remembered alone. */
  recall(sequences: readonly PastSequence[]): void
  /** Learns the weights anew from the remembered sequences, from the prior on. */
  refit(): Refit
  weights(): readonly SignalWeight[]
  /** Weights and the remembered sequences, which the counts are rebuilt from; texts of intents stand in it. */
  state(): Json
  /** Replaces everything. Throws, and changes nothing, where it is no state of ours. */
  load(state: Json): void
}

export interface SessionStep {
  readonly session: string
  readonly tool: ToolId
  readonly success: boolean
  readonly at: number
  /** What the session is about, where somebody said so; the last word counts. */
  readonly intent?: string
}

export interface Asked {
  readonly limit: number
  /** Who is left out takes nothing from the others: a probability stays one of being next. */
  readonly among?: (tool: ToolId) => boolean
}

export interface PredictedTool {
  readonly tool: ToolId
  /** Of being the next call. All together at most 1: the rest is for tools that nothing points to. */
  readonly p: number
  /** What each signal adds to its score, in log-odds; those that add nothing are left out. */
  readonly signals: Readonly<Partial<Record<SignalName | 'episodic', number>>>
}

export interface PastSequence {
  readonly session: string
  readonly intent?: string
  readonly steps: readonly { readonly tool: ToolId; readonly success: boolean; readonly at: number }[]
}

export interface SignalWeight {
  readonly signal: SignalName
  readonly weight: number
  readonly prior: number
}

export interface Refit {
  readonly sequences: number
  /** Steps that taught: those whose tool was among the candidates. */
  readonly steps: number
}

export interface NextToolsOptions {
  readonly graph: Pick<KnowledgeGraph, 'weight' | 'outgoing'>
  analysis(): Analysis
  now(): number
  readonly intents: IntentLikeness
  /** What similar situations say of this tool, in [-.10, .15]; 0 where there are none. */
  episodic(tool: ToolId): number
}

export interface IntentLikeness {
  /** This was asked for: what is said often tells little. */
  learn(intent: string): void
  /** In [0, 1]. */
  between(a: string, b: string): number
  /** What it says, each word once. */
  words(intent: string): Iterable<string>
  /** How far the intent says the tool's name, in [0, 1]. */
  names(intent: string, tool: ToolId): number
}
