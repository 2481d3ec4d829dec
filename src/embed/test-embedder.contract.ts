import { createHash } from 'node:crypto'
import type { Embedder, TextKind } from './embedder.js'
import { normalise } from './normalise.js'

/** An embedder whose every answer is in the hands of a test. */
export interface TestEmbedder extends Embedder {
  /** Texts it was asked for, by kind, the yardstick's aside. */
  readonly asked: Readonly<Record<TextKind, string[]>>
  readonly closed: number
  /** What every answer waits for from now on; a rejection is its trouble. */
  before: (kind: TextKind, texts: readonly string[]) => Promise<void>
}

export interface TestEmbedderOptions extends Partial<Pick<Embedder, 'id' | 'isCheap'>> {
  readonly dimensions?: number
}

/** Vectors are the sums of their words': texts that share words are near. */
export function createTestEmbedder(options: TestEmbedderOptions = {}): TestEmbedder {
  const { id = 'dear', isCheap = false, dimensions = 64 } = options
  const asked = { query: [] as string[], tool: [] as string[] }
  let closed = 0
  const calls = { query: 0, tool: 0 }
  return {
    id,
    isCheap,
    asked,
    get closed() {
      return closed
    },
    before: async () => {},
    async embed(texts, kind, signal) {
      if (closed > 0) throw new Error(`${id} is closed`)
      calls[kind]++
      // The first of each kind is the yardstick.
      if (calls[kind] > 1) asked[kind].push(...texts)
      await this.before(kind, texts)
      signal.throwIfAborted()
      return texts.map((text) => vectorOf(text, dimensions))
    },
    async close() {
      closed++
    },
  }
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/\w+/g) ?? [])
    vector[createHash('md5').update(word).digest().readUInt32BE() % dimensions]! += 1
  return normalise(vector)
}
