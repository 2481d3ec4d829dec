/**
 * Text -> vector. Promises of every embedder: one vector per text, in order, of unit length (all zeros for a text that
 * says nothing); the same text gives the same vector; any text is legal, a long one is cut. Trouble is a PmlError that says
 * what to do. `embedder.contract.ts` holds every implementation to it.
 */
export interface Embedder {
  /** Names the model and its version: vectors of different ids are never compared. */
  readonly id: string
  /** True where a catalogue is embedded faster than its vectors are read from a store. */
  readonly isCheap: boolean
  /** Models may treat the two sides differently: what a person asks, and what a tool says of itself. */
  embed(texts: readonly string[], kind: TextKind, signal: AbortSignal): Promise<readonly Float32Array[]>
  close(): Promise<void>
}

export type TextKind = 'query' | 'tool'
