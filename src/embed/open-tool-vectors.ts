/**
 * The vectors of the catalogue, by the model in use. Promises: a change of the model never leaves search without vectors,
 * the old ones serve until the new ones are all there; a model in trouble makes search poorer, never slower than
 * `queryWithinMs`, and is asked again later; what a dear model has embedded once is kept in the store and not asked for again.
 * Slots are the catalogue index's. Never touches the words of tools: search weighs both.
 */
import { createHash } from 'node:crypto'
import { EmbedderError, PmlError } from '../errors.js'
import type { Log } from '../model/log.js'
import type { ToolId } from '../model/tool.js'
import { unlessAborted } from '../model/unless-aborted.js'
import { withinMs } from '../model/within-ms.js'
import type { Store, ToolEmbedding } from '../store/store.js'
import { createVectorIndex, type VectorIndex } from './create-vector-index.js'
import type { Embedder, TextKind } from './embedder.js'
import { measureYardstick, nearnessOf, type Yardstick } from './yardstick.js'

export interface ToolVectors {
  /** Resolves when the model serves, or another was chosen meanwhile; undefined: no vectors from now on. */
  use(embedder: Embedder | undefined): Promise<void>
  set(slot: number, id: ToolId, text: string): void
  remove(slot: number): void
  /**
   * Undefined where there is no model, it is in trouble, or most vectors are still to come. Parts are those of the text, always
   * the same; they count where the model is cheap.
   */
  embedQuery(text: string, parts: readonly string[]): Promise<EmbeddedQuery | undefined>
  /** Cosine of two slots; undefined where one has no vector. */
  cosine(a: number, b: number): number | undefined
  state(): VectorState
  /** Resolves when every slot set so far has its vector, or the model is in trouble. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface EmbeddedQuery {
  readonly model: string
  /** As VectorIndex.compare. */
  compare(cosines: Float32Array, also: Iterable<number>): void
  readonly hasParts: boolean
  /** At these slots: the mean of the whole query's cosine and that of its nearest part. */
  compareParts(cosines: Float32Array, slots: readonly number[]): void
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
/** Tools without a vector lose against those that have one: with more of them than this, poorer vectors for all are better, or none. */
const mostBehind = 0.1
/** Writing a batch takes some tens of milliseconds: one that takes longer hangs, and must not keep the process. */
const closeWithinMs = 500

interface Wanted {
  readonly id: ToolId
  readonly text: string
}

interface Models {
  readonly serving?: Model | undefined
  readonly next?: Model | undefined
  /** A cheap model that served before: it stays ready for when the dear one is in trouble, or far behind. */
  readonly spare?: Model | undefined
}

export function openToolVectors(given: ToolVectorsOptions): ToolVectors {
  const options = { ...defaults, ...given }
  const wanted = new Map<number, Wanted>()
  const closing = new AbortController()
  const endings = new Set<Promise<void>>()
  let models: Models = {}

  const open = (): readonly Model[] => defined([models.serving, models.next, models.spare])
  const change = (to: Models): void => {
    const before = open()
    models = to
    const after = open()
    for (const model of before) if (!after.includes(model)) end(model)
  }
  const end = (model: Model): void => {
    const ending = model.close().finally(() => endings.delete(ending))
    endings.add(ending)
  }
  const inOrder = (): readonly Model[] => {
    const { serving, spare } = models
    return defined([serving, spare]).filter((model) => !model.isFarBehind)
  }
  const embedQuery = async (text: string, parts: readonly string[]): Promise<EmbeddedQuery | undefined> => {
    const { serving } = models
    for (const model of inOrder()) {
      const embedded = await model.embedQuery(text, parts, options.queryWithinMs)
      if (embedded !== undefined) return embedded
      // It was closed meanwhile, because another one serves now.
      if (models.serving !== serving) return embedQuery(text, parts)
    }
    return undefined
  }

  return {
    async use(embedder) {
      if (embedder === undefined) return change({})
      change({ ...models, next: undefined })
      if (closing.signal.aborted) return embedder.close()
      if (embedder.id === models.serving?.id) return models.serving.reach(embedder)
      const model = new Model(embedder, options)
      change({ ...models, next: model })
      for (const [slot, tool] of wanted) model.want(slot, tool)
      await model.complete
      // Another one may have been chosen meanwhile.
      if (models.next !== model) return
      const { serving, spare } = models
      change({ serving: model, spare: model.isCheap ? undefined : serving?.isCheap ? serving : spare })
      if (!model.isCheap) void dropOthers(defined([model.id, serving?.id]), options, closing.signal)
    },
    set(slot, id, text) {
      const tool = { id, text }
      wanted.set(slot, tool)
      for (const model of open()) model.want(slot, tool)
    },
    remove(slot) {
      wanted.delete(slot)
      for (const model of open()) model.remove(slot)
    },
    embedQuery,
    // Of one model, never now of this and now of that: whoever compares cosines would compare two scales.
    cosine: (a, b) => inOrder()[0]?.cosine(a, b),
    state() {
      const { serving, next } = models
      const trouble = next?.trouble ?? serving?.trouble
      return {
        ...(serving && { model: serving.id }),
        ...(next && { next: { model: next.id, embedded: next.embedded, total: wanted.size } }),
        ...(trouble !== undefined && { trouble }),
      }
    },
    async settled() {
      await Promise.all(open().map((model) => model.attempted()))
    },
    async close() {
      closing.abort()
      change({})
      await Promise.all(endings)
    },
  }
}

type ModelOptions = Pick<Required<ToolVectorsOptions>, 'store' | 'log' | 'retryAfterMs'>

/** One model's vectors, made in the background as slots are set. */
class Model {
  readonly id: string
  readonly isCheap: boolean
  /** Resolves when nothing is left to embed, however often the model had to be asked, or the model is closed. */
  readonly complete: Promise<void>
  trouble: string | undefined

  #embedder: Embedder
  readonly #options: ModelOptions
  readonly #stop = new AbortController()
  readonly #queue = new Map<number, Wanted>()
  /** By query: the vectors of it and of its parts. */
  readonly #queries = new Map<string, readonly Float32Array[]>()
  #resolveComplete!: () => void
  #index: VectorIndex | undefined
  #yardstick: Yardstick | undefined
  #dimensions: number | undefined
  #kept: Map<ToolId, ToolEmbedding> | undefined
  #working: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #askAgainAt = 0

  constructor(embedder: Embedder, options: ModelOptions) {
    this.id = embedder.id
    this.isCheap = embedder.isCheap
    this.#embedder = embedder
    this.#options = options
    this.complete = new Promise((resolve) => {
      this.#resolveComplete = resolve
    })
    this.#begin()
  }

  get embedded(): number {
    return this.#index?.size ?? 0
  }

  get isFarBehind(): boolean {
    const waiting = this.#queue.size
    return waiting > mostBehind * (waiting + this.embedded)
  }

  cosine(a: number, b: number): number | undefined {
    return this.#index?.cosine(a, b)
  }

  want(slot: number, tool: Wanted): void {
    this.#index?.remove(slot)
    this.#queue.set(slot, tool)
    this.#begin()
  }

  remove(slot: number): void {
    this.#queue.delete(slot)
    this.#index?.remove(slot)
  }

  /** The same model by another way, a new key say. What the way before is at fails, and is asked again of this one. */
  async reach(embedder: Embedder): Promise<void> {
    const before = this.#embedder
    this.#embedder = embedder
    this.#isBack()
    this.#begin()
    await this.#end(before)
  }

  async attempted(): Promise<void> {
    await this.#working
  }

  async embedQuery(
    text: string,
    parts: readonly string[],
    limitMs: number,
  ): Promise<EmbeddedQuery | undefined> {
    const index = this.#index
    const yardstick = this.#yardstick
    const embedder = this.#embedder
    if (index === undefined || yardstick === undefined || performance.now() < this.#askAgainAt)
      return undefined
    try {
      const texts = this.isCheap ? [text, ...parts] : [text]
      const [whole, ...others] = this.#queries.get(text) ?? (await this.#askForQuery(texts, limitMs))
      return {
        model: this.id,
        compare: (cosines, also) => index.compare(whole!, cosines, also),
        hasParts: others.length > 0,
        compareParts: (cosines, slots) =>
          compareParts(index, { whole: whole!, parts: others }, cosines, slots),
        nearness: (cosine) => nearnessOf(cosine, yardstick),
      }
    } catch (error) {
      this.#note(error, embedder)
      return undefined
    }
  }

  /** Never rejects: whoever chose another model has nothing to do about it. */
  async close(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#retry)
    this.#resolveComplete()
    if (this.#working !== undefined) await withinMs(this.#working, closeWithinMs, undefined)
    await this.#end(this.#embedder)
  }

  async #end(embedder: Embedder): Promise<void> {
    try {
      await embedder.close()
    } catch (error) {
      this.#options.log.warn('an embedding model could not be closed', {
        model: this.id,
        error: String(error),
      })
    }
  }

  /** The query, then its parts, if any. */
  async #askForQuery(texts: readonly string[], limitMs: number): Promise<readonly Float32Array[]> {
    const over = new AbortController()
    const late = new EmbedderError(this.id, `no answer within ${limitMs} ms.`, 'It is asked again later.')
    const timer = setTimeout(() => over.abort(late), limitMs)
    const stop = () => over.abort(this.#stop.signal.reason)
    this.#stop.signal.addEventListener('abort', stop, { once: true })
    try {
      const vectors = await this.#embed(texts, 'query', over.signal)
      this.#queries.set(texts[0]!, vectors)
      if (this.#queries.size > keptQueries) this.#queries.delete(this.#queries.keys().next().value!)
      this.#isBack()
      if (this.#queue.size > 0) this.#begin()
      return vectors
    } finally {
      clearTimeout(timer)
      this.#stop.signal.removeEventListener('abort', stop)
    }
  }

  /** Ends with the signal even where the embedder does not. */
  async #embed(texts: readonly string[], kind: TextKind, signal: AbortSignal) {
    const vectors = await unlessAborted(this.#embedder.embed(texts, kind, signal), signal)
    this.#dimensions = vectors[0]?.length ?? this.#dimensions
    return vectors
  }

  #begin(): void {
    if (this.#stop.signal.aborted) return
    clearTimeout(this.#retry)
    this.#working ??= this.#work()
  }

  async #work(): Promise<void> {
    // Not in the same turn: slots come one by one and are embedded together.
    await null
    const embedder = this.#embedder
    const { signal } = this.#stop
    try {
      this.#yardstick ??= await measureYardstick({ embed: this.#embed.bind(this) }, signal)
      while (this.#queue.size > 0) {
        signal.throwIfAborted()
        await this.#embedBatch(firstOf(this.#queue, textsPerBatch))
      }
      this.#isBack()
      this.#resolveComplete()
    } catch (error) {
      this.#note(error, embedder)
      const retryMs = embedder === this.#embedder ? this.#options.retryAfterMs : 0
      if (!signal.aborted) this.#retry = setTimeout(() => this.#begin(), retryMs).unref()
    } finally {
      this.#working = undefined
    }
  }

  async #embedBatch(batch: readonly (readonly [number, Wanted])[]): Promise<void> {
    const tools = batch.map(([, tool]) => tool)
    const vectors = await this.#keptVectors(tools)
    const missing = tools.filter((tool) => !vectors.has(tool))
    const texts = missing.map(({ text }) => text)
    const made = missing.length === 0 ? [] : await this.#embed(texts, 'tool', this.#stop.signal)
    missing.forEach((tool, at) => {
      vectors.set(tool, made[at]!)
    })
    for (const [slot, tool] of batch) {
      // Set anew or removed while its vector was made: that one is still in the queue, or nowhere.
      if (this.#queue.get(slot) !== tool) continue
      const vector = vectors.get(tool)!
      this.#index ??= createVectorIndex({ dimensions: vector.length })
      this.#index.set(slot, vector)
      this.#queue.delete(slot)
    }
    await this.#keep(
      missing.map(({ id, text }, at) => ({ tool: id, textHash: hashOf(text), vector: made[at]! })),
    )
  }

  async #keptVectors(tools: readonly Wanted[]): Promise<Map<Wanted, Float32Array>> {
    const found = new Map<Wanted, Float32Array>()
    if (this.isCheap) return found
    this.#kept ??= await this.#loadKept()
    for (const tool of tools) {
      const kept = this.#kept.get(tool.id)
      // Of another length: what answers under this name is another model than it was.
      if (kept?.textHash === hashOf(tool.text) && kept.vector.length === this.#dimensions)
        found.set(tool, kept.vector)
    }
    return found
  }

  /** A store in trouble costs another embedding, nothing more. */
  async #loadKept(): Promise<Map<ToolId, ToolEmbedding>> {
    try {
      const store = await unlessAborted(this.#options.store(), this.#stop.signal)
      const rows = await store.loadEmbeddings(this.id)
      return new Map(rows.map((row) => [row.tool, row]))
    } catch {
      return new Map()
    }
  }

  async #keep(embeddings: readonly ToolEmbedding[]): Promise<void> {
    if (this.isCheap || embeddings.length === 0) return
    // A tool that goes and comes back is not asked for again either.
    for (const embedding of embeddings) this.#kept?.set(embedding.tool, embedding)
    try {
      const store = await unlessAborted(this.#options.store(), this.#stop.signal)
      await store.saveEmbeddings(this.id, embeddings)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.#options.log.warn('vectors of tools were not stored', { model: this.id, error: String(error) })
    }
  }

  #isBack(): void {
    this.trouble = undefined
    this.#askAgainAt = 0
  }

  /** What fails because the model is being closed, or reached another way, is no trouble. */
  #note(error: unknown, asked: Embedder): void {
    if (this.#stop.signal.aborted || asked !== this.#embedder) return
    const trouble = troubleOf(error)
    const facts = { model: this.id, error: trouble }
    if (trouble !== this.trouble)
      this.#options.log.warn(
        'the embedding model is in trouble: search goes on without it until it is back',
        facts,
      )
    this.trouble = trouble
    this.#askAgainAt = performance.now() + this.#options.retryAfterMs
  }
}

/** The vectors of the model before stay until the next start, so that going back to it costs nothing. */
async function dropOthers(
  kept: readonly string[],
  { store, log }: Pick<ToolVectorsOptions, 'store' | 'log'>,
  closing: AbortSignal,
): Promise<void> {
  try {
    await (await unlessAborted(store(), closing)).dropEmbeddings(kept)
  } catch (error) {
    if (!closing.aborted) log.warn('old vectors of tools were not removed', { error: String(error) })
  }
}

/** Also what to do about it, where the error says so. */
function troubleOf(error: unknown): string {
  if (error instanceof PmlError) return `${error.message} ${error.hint}`
  return error instanceof Error ? error.message : String(error)
}

function defined<Value>(values: readonly (Value | undefined)[]): readonly Value[] {
  return values.filter((value) => value !== undefined)
}

function compareParts(
  index: VectorIndex,
  { whole, parts }: { readonly whole: Float32Array; readonly parts: readonly Float32Array[] },
  cosines: Float32Array,
  slots: readonly number[],
): void {
  // Anew: a prefilter may have passed some of them over.
  const ofWhole = index.compareAt(whole, slots)
  const ofParts = parts.map((part) => index.compareAt(part, slots))
  slots.forEach((slot, at) => {
    cosines[slot] = (ofWhole[at]! + Math.max(...ofParts.map((ofPart) => ofPart[at]!))) / 2
  })
}

/** Copying all of a long queue for each batch would take longer than the batch. */
function firstOf<Entry>(entries: Iterable<Entry>, count: number): readonly Entry[] {
  const first: Entry[] = []
  for (const entry of entries) {
    first.push(entry)
    if (first.length === count) break
  }
  return first
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
