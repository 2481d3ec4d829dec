/**
 * The vectors of the catalogue, by the model in use. Promises: a change of the model never leaves search without vectors,
 * the old ones serve until the new ones are all there; a model in trouble makes search poorer, never slower than
 * `queryWithinMs`, and is asked again later; what a dear model has embedded once is kept in the store and not asked for again.
 * Slots are the catalogue index's. Never touches the words of tools: search weighs both.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../model/log.js'
import type { ToolId } from '../model/tool.js'
import type { Store } from '../store/store.js'
import { createVectorIndex, type VectorIndex } from './create-vector-index.js'
import type { Embedder } from './embedder.js'
import { measureYardstick, nearnessOf, type Yardstick } from './yardstick.js'

export interface ToolVectors {
  /** Resolves when the model serves, or another was chosen meanwhile; undefined: no vectors from now on. */
  use(embedder: Embedder | undefined): Promise<void>
  set(slot: number, id: ToolId, text: string): void
  remove(slot: number): void
  /** Undefined where there is no model, or it is in trouble. */
  embedQuery(text: string): Promise<EmbeddedQuery | undefined>
  /** Cosine of two slots; undefined where one has no vector. */
  cosine(a: number, b: number): number | undefined
  state(): VectorState
  /** Resolves when every slot set so far has its vector, or the model is in trouble. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface EmbeddedQuery {
  readonly model: string
  readonly sees: Embedder['sees']
  /** As VectorIndex.compare. */
  compare(cosines: Float32Array, also: Iterable<number>): void
  /** 0 unrelated, 1 as near as a request is to its tool. */
  nearness(cosine: number): number
}

export interface VectorState {
  /** The model that serves; absent: search goes by words alone. */
  readonly model?: string
  /** A model whose vectors are being made. */
  readonly next?: { readonly model: string; readonly embedded: number; readonly total: number }
  readonly trouble?: string
}

export interface ToolVectorsOptions {
  store(): Promise<Store>
  readonly log: Log
  /** How long a search waits for the vector of its query. */
  readonly queryWithinMs?: number
  readonly retryAfterMs?: number
}

const defaults = { queryWithinMs: 2_000, retryAfterMs: 30_000 }
const textsPerBatch = 256
const keptQueries = 200

interface Wanted {
  readonly id: ToolId
  readonly text: string
}

export function openToolVectors(options: ToolVectorsOptions): ToolVectors {
  const { queryWithinMs, retryAfterMs } = { ...defaults, ...options }
  const wanted = new Map<number, Wanted>()
  const closing = new AbortController()
  let serving: Model | undefined
  let next: Model | undefined
  /** A cheap model that served before stays ready for when the dear one is in trouble. */
  let spare: Model | undefined

  const models = (): readonly Model[] => [serving, next, spare].filter((model) => model !== undefined)
  const retire = (model: Model | undefined): void => {
    if (model?.isCheap && serving !== undefined && !serving.isCheap) spare = model
    else void model?.close()
  }

  return {
    async use(embedder) {
      void next?.close()
      next = undefined
      if (embedder === undefined) {
        for (const model of models()) void model.close()
        serving = spare = undefined
        return
      }
      if (embedder.id === serving?.id) return embedder.close()
      if (embedder.isCheap) {
        void spare?.close()
        spare = undefined
      }
      const model = new Model(embedder, { ...options, retryAfterMs, signal: closing.signal })
      next = model
      for (const [slot, tool] of wanted) model.want(slot, tool)
      await model.complete()
      // Another one may have been chosen meanwhile.
      if (next !== model || closing.signal.aborted) return
      const before = serving
      serving = model
      next = undefined
      retire(before)
      if (!model.isCheap) await dropOthers(options, [model.id, ...(before ? [before.id] : [])])
    },
    set(slot, id, text) {
      wanted.set(slot, { id, text })
      for (const model of models()) model.want(slot, { id, text })
    },
    remove(slot) {
      wanted.delete(slot)
      for (const model of models()) model.remove(slot)
    },
    embedQuery: async (text) =>
      (await serving?.embedQuery(text, queryWithinMs)) ?? spare?.embedQuery(text, queryWithinMs),
    cosine: (a, b) => serving?.cosine(a, b) ?? spare?.cosine(a, b),
    state() {
      const trouble = next?.trouble ?? serving?.trouble
      return {
        ...(serving && { model: serving.id }),
        ...(next && { next: { model: next.id, embedded: next.embedded, total: wanted.size } }),
        ...(trouble !== undefined && { trouble }),
      }
    },
    async settled() {
      await Promise.all(models().map((model) => model.attempted()))
    },
    async close() {
      closing.abort()
      await Promise.all(models().map((model) => model.close()))
    },
  }
}

/** One model's vectors, made in the background as slots are set. */
class Model {
  readonly id: string
  readonly isCheap: boolean
  trouble: string | undefined

  #index: VectorIndex | undefined
  readonly #embedder: Embedder
  readonly #options: ToolVectorsOptions & { readonly retryAfterMs: number }
  readonly #stop = new AbortController()
  readonly #queue = new Map<number, Wanted>()
  readonly #queries = new Map<string, Float32Array>()
  #yardstick: Yardstick | undefined
  #kept: ReadonlyMap<string, Float32Array> | undefined
  #working: Promise<void> | undefined
  #askAgainAt = 0

  constructor(
    embedder: Embedder,
    options: ToolVectorsOptions & { readonly retryAfterMs: number; readonly signal: AbortSignal },
  ) {
    this.id = embedder.id
    this.isCheap = embedder.isCheap
    this.#embedder = embedder
    this.#options = options
    options.signal.addEventListener('abort', () => this.#stop.abort(), { once: true })
  }

  get embedded(): number {
    return this.#index?.size ?? 0
  }

  cosine(a: number, b: number): number | undefined {
    return this.#index?.cosine(a, b)
  }

  want(slot: number, tool: Wanted): void {
    this.#index?.remove(slot)
    this.#queue.set(slot, tool)
    this.#working ??= this.#work()
  }

  remove(slot: number): void {
    this.#queue.delete(slot)
    this.#index?.remove(slot)
  }

  /** Resolves when nothing is left to embed, however often the model had to be asked, or the model is closed. */
  async complete(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#working ??= this.#work()
      await this.#working
      if (this.trouble === undefined && this.#queue.size === 0) return
      await sleep(this.#options.retryAfterMs, undefined, { signal: this.#stop.signal, ref: false }).catch(
        () => {},
      )
    }
  }

  async attempted(): Promise<void> {
    await this.#working
  }

  async embedQuery(text: string, withinMs: number): Promise<EmbeddedQuery | undefined> {
    const index = this.#index
    const yardstick = this.#yardstick
    if (index === undefined || yardstick === undefined || Date.now() < this.#askAgainAt) return undefined
    try {
      const vector = await this.#queryVector(text, withinMs)
      this.trouble = undefined
      if (this.#queue.size > 0) this.#working ??= this.#work()
      return {
        model: this.id,
        sees: this.#embedder.sees,
        compare: (cosines, also) => index.compare(vector, cosines, also),
        nearness: (cosine) => nearnessOf(cosine, yardstick),
      }
    } catch (error) {
      this.#note(error)
      return undefined
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#working
    await this.#embedder.close()
  }

  async #queryVector(text: string, withinMs: number): Promise<Float32Array> {
    const known = this.#queries.get(text)
    if (known !== undefined) return known
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(withinMs)])
    const [vector] = await this.#embedder.embed([text], 'query', signal)
    this.#queries.set(text, vector!)
    if (this.#queries.size > keptQueries) this.#queries.delete(this.#queries.keys().next().value!)
    return vector!
  }

  async #work(): Promise<void> {
    // Not in the same turn: slots come one by one and are embedded together.
    await null
    try {
      this.#yardstick ??= await measureYardstick(this.#embedder, this.#stop.signal)
      while (this.#queue.size > 0) {
        this.#stop.signal.throwIfAborted()
        await this.#embedBatch([...this.#queue].slice(0, textsPerBatch))
      }
      this.trouble = undefined
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#note(error)
    } finally {
      this.#working = undefined
    }
  }

  async #embedBatch(batch: readonly (readonly [number, Wanted])[]): Promise<void> {
    const vectors = await this.#keptVectors(batch.map(([, tool]) => tool))
    const missing = batch.map(([, tool]) => tool).filter((tool) => !vectors.has(tool))
    const made = await this.#embedder.embed(
      missing.map(({ text }) => text),
      'tool',
      this.#stop.signal,
    )
    missing.forEach((tool, at) => {
      vectors.set(tool, made[at]!)
    })
    await this.#keep(missing, made)
    for (const [slot, tool] of batch) {
      // Set anew or removed while its vector was made: that one is still in the queue, or nowhere.
      if (this.#queue.get(slot) !== tool) continue
      this.#queue.delete(slot)
      const vector = vectors.get(tool)!
      this.#index ??= createVectorIndex({ dimensions: vector.length })
      this.#index.set(slot, vector)
    }
  }

  async #keptVectors(tools: readonly Wanted[]): Promise<Map<Wanted, Float32Array>> {
    const found = new Map<Wanted, Float32Array>()
    if (this.isCheap) return found
    this.#kept ??= await this.#loadKept()
    for (const tool of tools) {
      const vector = this.#kept.get(keyOf(tool.id, hashOf(tool.text)))
      if (vector !== undefined) found.set(tool, vector)
    }
    return found
  }

  /** A store in trouble costs another embedding, nothing more. */
  async #loadKept(): Promise<ReadonlyMap<string, Float32Array>> {
    try {
      const rows = await (await this.#options.store()).loadEmbeddings(this.id)
      return new Map(rows.map(({ tool, textHash, vector }) => [keyOf(tool, textHash), vector]))
    } catch {
      return new Map()
    }
  }

  async #keep(tools: readonly Wanted[], vectors: readonly Float32Array[]): Promise<void> {
    if (this.isCheap || tools.length === 0) return
    try {
      const store = await this.#options.store()
      await store.saveEmbeddings(
        this.id,
        tools.map(({ id, text }, at) => ({ tool: id, textHash: hashOf(text), vector: vectors[at]! })),
      )
    } catch (error) {
      this.#options.log.warn('vectors of tools were not stored', { model: this.id, error: String(error) })
    }
  }

  #note(error: unknown): void {
    const trouble = error instanceof Error ? error.message : String(error)
    if (trouble !== this.trouble)
      this.#options.log.warn(
        'the embedding model is in trouble: search goes by words alone until it is back',
        {
          model: this.id,
          error: trouble,
        },
      )
    this.trouble = trouble
    this.#askAgainAt = Date.now() + this.#options.retryAfterMs
  }
}

/** The last model's vectors stay, so that going back to it costs nothing. */
async function dropOthers({ store, log }: ToolVectorsOptions, kept: readonly string[]): Promise<void> {
  try {
    await (await store()).dropEmbeddings(kept)
  } catch (error) {
    log.warn('old vectors of tools were not removed', { error: String(error) })
  }
}

function keyOf(id: ToolId, textHash: string): string {
  return `${id}\n${textHash}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
