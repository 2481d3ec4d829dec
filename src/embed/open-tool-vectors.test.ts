import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Log, silentLog } from '../model/log.js'
import { formatToolId } from '../model/tool.js'
import { openStore } from '../store/open-store.js'
import type { Store } from '../store/store.js'
import {
  type EmbeddedQuery,
  openToolVectors,
  type ToolVectors,
  type ToolVectorsOptions,
} from './open-tool-vectors.js'
import { createStaticEmbedder } from './static-embedder.js'
import { createTestEmbedder } from './test-embedder.contract.js'
import { packSafetensors, tinyStaticModel, writeTinyStaticModel } from './tiny-static-model.contract.js'

const texts = ['reads a file', 'sends a message', 'lists branches', 'counts sheep', 'books flights']
const idOf = (slot: number) => formatToolId('s', `t${slot}`)
const never = () => new Promise<never>(() => {})

const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-vectors-'))
let store: Store
let vectors: ToolVectors
let warned: string[]

beforeAll(async () => {
  store = await openStoreIn(dataDirectory)
})
beforeEach(async () => {
  warned = []
  await store.dropEmbeddings([])
})
afterEach(() => vectors.close())
afterAll(async () => {
  await store.close()
  rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 })
})

function openStoreIn(folder: string): Promise<Store> {
  const { signal } = new AbortController()
  return openStore({ dataDirectory: folder, signal, onProgress() {}, log: silentLog })
}

function open(options: Partial<ToolVectorsOptions> = {}): ToolVectors {
  const log: Log = { ...silentLog, warn: (message) => void warned.push(message) }
  vectors = openToolVectors({ store: async () => store, log, ...options })
  return vectors
}

function setAll(): void {
  for (const [slot, text] of texts.entries()) vectors.set(slot, idOf(slot), text)
}

/** The model that answered, and the slot nearest to the query. */
async function nearest(query: string): Promise<{ model: string; slot: number } | undefined> {
  const embedded = await vectors.embedQuery(query, [])
  if (embedded === undefined) return undefined
  const cosines = new Float32Array(texts.length + 1)
  embedded.compare(cosines, [])
  return { model: embedded.model, slot: cosines.indexOf(Math.max(...cosines)) }
}

const dear = createTestEmbedder
const cheap = (id = 'cheap') => createTestEmbedder({ id, isCheap: true })

function gate(): { readonly opened: Promise<void>; open(): void } {
  let resolve!: () => void
  const opened = new Promise<void>((done) => {
    resolve = done
  })
  return { opened, open: resolve }
}

describe('the model in use', () => {
  it('makes a vector for every slot, whether it was set before or after', async () => {
    open()
    vectors.set(0, idOf(0), texts[0]!)
    await vectors.use(dear())
    setAll()
    await vectors.settled()
    expect(vectors.state()).toEqual({ model: 'dear' })
    for (const [slot, text] of texts.entries()) expect(await nearest(text)).toEqual({ model: 'dear', slot })
    expect(vectors.cosine(0, 0)).toBeCloseTo(1, 2)
    expect(vectors.cosine(0, 99)).toBeUndefined()
    const embedded = await vectors.embedQuery('counts', [])
    expect(embedded).toMatchObject({ model: 'dear', hasParts: false })
    expect(embedded!.nearness(1)).toBeGreaterThan(embedded!.nearness(0.5))
    expect(embedded!.nearness(-1)).toBe(0)
  })

  it('without one there is nothing, and nothing fails', async () => {
    open()
    setAll()
    await vectors.settled()
    expect(await vectors.embedQuery('sheep', [])).toBeUndefined()
    expect(vectors.cosine(0, 1)).toBeUndefined()
    expect(vectors.state()).toEqual({})
  })

  it('with most of its vectors still to come leaves search to the words: who has one would beat who has none', async () => {
    const model = cheap()
    open()
    await vectors.use(model)
    const made = gate()
    model.before = (kind) => (kind === 'tool' ? made.opened : Promise.resolve())
    setAll()
    await sleep(5)
    expect(await vectors.embedQuery('sheep', [])).toBeUndefined()
    made.open()
    await vectors.settled()
    expect(await nearest('sheep')).toEqual({ model: 'cheap', slot: 3 })
  })

  it('a query that was asked before is not asked for again', async () => {
    const model = dear()
    open()
    setAll()
    await vectors.use(model)
    await nearest('sheep')
    await nearest('sheep')
    expect(model.asked.query).toEqual(['sheep'])
  })
})

describe('parts of a query', () => {
  const whole = 'counts sheep then books flights'
  const parts = ['counts sheep', 'books flights']
  const cosinesOf = (embedded: EmbeddedQuery): Float32Array => {
    const cosines = new Float32Array(texts.length + 1)
    embedded.compare(cosines, [])
    return cosines
  }

  it('count half, by the nearest of them, and the whole the other half', async () => {
    open()
    setAll()
    await vectors.use(cheap())
    const alone = await Promise.all(
      parts.map(async (part) => cosinesOf((await vectors.embedQuery(part, []))!)),
    )
    const embedded = (await vectors.embedQuery(whole, parts))!
    expect(embedded.hasParts).toBe(true)
    const before = cosinesOf(embedded)
    const cosines = before.slice()
    // The last has no vector: it stays at nothing.
    embedded.compareParts(cosines, [4, 0, 3, 5])
    for (const slot of [0, 3, 4])
      expect(cosines[slot]).toBeCloseTo((before[slot]! + Math.max(alone[0]![slot]!, alone[1]![slot]!)) / 2, 6)
    expect(cosines[3]).toBeGreaterThan(before[3]!)
    expect(cosines[5]).toBe(0)
    // What was not named is as it was.
    expect([cosines[1], cosines[2]]).toEqual([before[1], before[2]])
  })

  it('are asked for once, with the whole, and kept with it', async () => {
    const model = cheap()
    open()
    setAll()
    await vectors.use(model)
    const answers: number[][] = []
    for (let round = 0; round < 3; round++) {
      const embedded = (await vectors.embedQuery(whole, parts))!
      const cosines = cosinesOf(embedded)
      embedded.compareParts(cosines, [0, 1, 2, 3, 4])
      answers.push([...cosines])
    }
    expect(model.asked.query).toEqual([whole, ...parts])
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  it('are not asked of a dear model: it is asked for the whole alone, once', async () => {
    const model = dear()
    open()
    setAll()
    await vectors.use(model)
    for (let round = 0; round < 2; round++)
      expect(await vectors.embedQuery(whole, parts)).toMatchObject({ model: 'dear', hasParts: false })
    expect(model.asked.query).toEqual([whole])
  })

  it('count again where the cheap one answers for a dear one in trouble', async () => {
    open({ queryWithinMs: 20 })
    setAll()
    const model = dear()
    await vectors.use(cheap())
    await vectors.use(model)
    model.before = never
    expect(await vectors.embedQuery(whole, parts)).toMatchObject({ model: 'cheap', hasParts: true })
  })

  it('without any, nothing is compared by parts', async () => {
    open()
    setAll()
    await vectors.use(cheap())
    expect(await vectors.embedQuery('sheep', [])).toMatchObject({ model: 'cheap', hasParts: false })
  })
})

describe('a static model whose file', () => {
  const place = () => join(mkdtempSync(join(dataDirectory, 'model-')), 'static.safetensors')

  it('is missing leaves search to the words, says so, and serves once it is there', async () => {
    const path = place()
    open({ retryAfterMs: 10 })
    setAll()
    const using = vectors.use(createStaticEmbedder(path))
    await vectors.settled()
    expect(await vectors.embedQuery('sheep', [])).toBeUndefined()
    expect(vectors.cosine(0, 1)).toBeUndefined()
    expect(vectors.state()).toEqual({
      next: { model: 'static-1', embedded: 0, total: texts.length },
      trouble: expect.stringContaining(
        `Embedder "static": its model file ${path} is missing. Reinstall casys-pml.`,
      ),
    })
    writeTinyStaticModel(path)
    await using
    expect(vectors.state()).toEqual({ model: 'static-1' })
    expect(await nearest('counts sheep')).toEqual({ model: 'static-1', slot: 3 })
    expect(warned).toEqual(['the embedding model is in trouble: search goes on without it until it is back'])
  })

  it.each([
    ['empty', Buffer.alloc(0), 'is damaged: it has 0 bytes.'],
    ['no model at all', Buffer.from('<html>not found</html>'), 'is damaged: its header is cut short.'],
    [
      'cut off',
      packSafetensors(tinyStaticModel).subarray(0, -4),
      'is damaged: its "tool_places" is cut short.',
    ],
  ])('is %s leaves search to the words, and says so', async (_, bytes, trouble) => {
    const path = place()
    writeFileSync(path, bytes)
    open()
    setAll()
    void vectors.use(createStaticEmbedder(path))
    await vectors.settled()
    expect(await vectors.embedQuery('sheep', ['counts sheep', 'books flights'])).toBeUndefined()
    expect(vectors.state().model).toBeUndefined()
    expect(vectors.state().trouble).toContain(`its model file ${path} ${trouble} Reinstall casys-pml.`)
  })
})

describe('a slot', () => {
  it('set anew while its vector is made gets the vector of its new text', async () => {
    const model = dear()
    const made = gate()
    open()
    await vectors.use(model)
    model.before = () => made.opened
    setAll()
    await vi.waitFor(() => expect(model.asked.tool).toHaveLength(texts.length))
    vectors.set(1, idOf(1), 'grows tomatoes')
    made.open()
    await vectors.settled()
    expect(model.asked.tool).toEqual([...texts, 'grows tomatoes'])
    expect(await nearest('tomatoes')).toEqual({ model: 'dear', slot: 1 })
  })

  it('removed while its vector is made has none', async () => {
    const model = dear()
    const made = gate()
    open()
    await vectors.use(model)
    model.before = () => made.opened
    setAll()
    await vi.waitFor(() => expect(model.asked.tool).toHaveLength(texts.length))
    vectors.remove(1)
    made.open()
    await vectors.settled()
    expect(vectors.cosine(1, 1)).toBeUndefined()
    expect(vectors.cosine(2, 2)).toBeCloseTo(1, 2)
  })

  it('removed and taken by another tool has the vector of that one', async () => {
    open()
    setAll()
    await vectors.use(dear())
    vectors.remove(1)
    vectors.set(1, idOf(7), 'grows tomatoes')
    await vectors.settled()
    expect(await nearest('tomatoes')).toEqual({ model: 'dear', slot: 1 })
  })

  it('whose tool goes and comes back is not asked for again, even without a store', async () => {
    const model = dear()
    open({ store: () => Promise.reject(new Error('no store')) })
    setAll()
    await vectors.use(model)
    vectors.remove(3)
    vectors.set(3, idOf(3), texts[3]!)
    await vectors.settled()
    expect(model.asked.tool).toEqual(texts)
    expect(await nearest('sheep')).toEqual({ model: 'dear', slot: 3 })
  })
})

describe('a change of the model', () => {
  it('leaves the old vectors in service until the new ones are all there', async () => {
    open()
    setAll()
    const old = dear({ id: 'old' })
    await vectors.use(old)
    const model = dear({ id: 'new', dimensions: 128 })
    const made = gate()
    model.before = (kind) => (kind === 'tool' ? made.opened : Promise.resolve())
    const using = vectors.use(model)
    await sleep(10)
    expect(vectors.state()).toEqual({
      model: 'old',
      next: { model: 'new', embedded: 0, total: texts.length },
    })
    expect(await nearest('sheep')).toEqual({ model: 'old', slot: 3 })
    // What is set meanwhile is known to both.
    vectors.set(5, idOf(5), 'grows tomatoes')
    await vi.waitFor(async () => expect(await nearest('tomatoes')).toEqual({ model: 'old', slot: 5 }))
    made.open()
    await using
    expect(vectors.state()).toEqual({ model: 'new' })
    expect(await nearest('tomatoes')).toEqual({ model: 'new', slot: 5 })
    await vi.waitFor(() => expect(old.closed).toBe(1))
  })

  it('twice in a row: the last one serves, the other is closed and never does', async () => {
    open()
    setAll()
    const [first, second] = [dear({ id: 'first' }), dear({ id: 'second' })]
    await Promise.all([vectors.use(first), vectors.use(second)])
    expect(vectors.state()).toEqual({ model: 'second' })
    await vi.waitFor(() => expect(first.closed).toBe(1))
    expect(second.closed).toBe(0)
  })

  it('to none ends all, also one that is still being made', async () => {
    open()
    setAll()
    const [served, hanging] = [dear({ id: 'served' }), dear({ id: 'hanging' })]
    await vectors.use(served)
    hanging.before = never
    const using = vectors.use(hanging)
    await sleep(5)
    await vectors.use(undefined)
    await using
    expect(vectors.state()).toEqual({})
    expect(await vectors.embedQuery('sheep', [])).toBeUndefined()
    await vi.waitFor(() => expect([served.closed, hanging.closed]).toEqual([1, 1]))
    expect(warned).toEqual([])
  })

  it('to the same one by another way keeps the vectors, and asks the new way from then on', async () => {
    open()
    setAll()
    const [before, after] = [dear(), dear()]
    await vectors.use(before)
    before.before = () => Promise.reject(new Error('the key has expired'))
    expect(await vectors.embedQuery('sheep', [])).toBeUndefined()
    vectors.set(5, idOf(5), 'grows tomatoes')
    await vectors.settled()
    expect(vectors.state().trouble).toBe('the key has expired')
    await vectors.use(after)
    await vectors.settled()
    expect(vectors.state()).toEqual({ model: 'dear' })
    expect(await nearest('sheep')).toEqual({ model: 'dear', slot: 3 })
    expect(await nearest('tomatoes')).toEqual({ model: 'dear', slot: 5 })
    expect([before.closed, after.closed]).toEqual([1, 0])
  })

  it('answers a query that was on its way by the model that serves then', async () => {
    open()
    setAll()
    const old = dear({ id: 'old' })
    await vectors.use(old)
    old.before = never
    const query = nearest('sheep')
    await vectors.use(dear({ id: 'new' }))
    expect(await query).toEqual({ model: 'new', slot: 3 })
    expect(warned).toEqual([])
  })

  it('is not disturbed by one that cannot be closed', async () => {
    open()
    const bad = dear({ id: 'bad' })
    bad.close = () => Promise.reject(new Error('no'))
    await vectors.use(bad)
    await vectors.use(undefined)
    await vi.waitFor(() => expect(warned).toEqual(['an embedding model could not be closed']))
  })
})

describe('a model in trouble', () => {
  it('is asked again until it is back, and told of once', async () => {
    open({ retryAfterMs: 10 })
    setAll()
    const model = dear()
    let isDown = true
    let attempts = 0
    model.before = async () => {
      attempts++
      if (isDown) throw new Error('connection refused')
    }
    const using = vectors.use(model)
    await vectors.settled()
    expect(vectors.state()).toMatchObject({ next: { embedded: 0 }, trouble: 'connection refused' })
    await vi.waitFor(() => expect(attempts).toBeGreaterThan(3))
    isDown = false
    await using
    expect(vectors.state()).toEqual({ model: 'dear' })
    expect(await nearest('sheep')).toEqual({ model: 'dear', slot: 3 })
    expect(warned).toEqual(['the embedding model is in trouble: search goes on without it until it is back'])
  })

  it('with a tool to embed is asked again though nobody searches', async () => {
    open({ retryAfterMs: 10 })
    const model = dear()
    await vectors.use(model)
    model.before = () => Promise.reject(new Error('down'))
    setAll()
    await vectors.settled()
    expect(vectors.state().trouble).toBe('down')
    model.before = async () => {}
    await vi.waitFor(() => expect(vectors.state()).toEqual({ model: 'dear' }))
    expect(vectors.cosine(0, 0)).toBeCloseTo(1, 2)
  })

  it('at a query is left alone for a while, then asked again', async () => {
    open({ retryAfterMs: 60 })
    setAll()
    const model = dear()
    await vectors.use(model)
    model.before = () => Promise.reject(new Error('down'))
    expect(await vectors.embedQuery('one', [])).toBeUndefined()
    model.before = async () => {}
    expect(await vectors.embedQuery('two', [])).toBeUndefined()
    expect(model.asked.query).toEqual(['one'])
    await sleep(70)
    expect(await nearest('sheep')).toEqual({ model: 'dear', slot: 3 })
    expect(vectors.state()).toEqual({ model: 'dear' })
  })

  it('that hangs, whatever its signal says, costs a search no more than the limit, and the cheap one answers', async () => {
    open({ queryWithinMs: 50 })
    setAll()
    const model = dear()
    await vectors.use(cheap())
    await vectors.use(model)
    model.before = never
    const start = performance.now()
    expect(await nearest('sheep')).toEqual({ model: 'cheap', slot: 3 })
    expect(performance.now() - start).toBeLessThan(1_000)
    expect(vectors.state().trouble).toBe('Embedder "dear": no answer within 50 ms. It is asked again later.')
    expect(await nearest('a message')).toEqual({ model: 'cheap', slot: 1 })
    expect(model.asked.query).toEqual(['sheep'])
  })

  it('with no cheap one before it leaves search to the words', async () => {
    open({ queryWithinMs: 20 })
    setAll()
    const model = dear()
    await vectors.use(model)
    model.before = never
    expect(await vectors.embedQuery('sheep', [])).toBeUndefined()
  })
})

describe('the cheap model that served before', () => {
  it('answers while most tools still wait for the dear one, and its cosines count then', async () => {
    open()
    const model = dear()
    await vectors.use(cheap())
    await vectors.use(model)
    const made = gate()
    model.before = (kind) => (kind === 'tool' ? made.opened : Promise.resolve())
    setAll()
    await vi.waitFor(async () => expect(await nearest('sheep')).toEqual({ model: 'cheap', slot: 3 }))
    expect(vectors.cosine(0, 0)).toBeCloseTo(1, 2)
    made.open()
    await vectors.settled()
    expect(await nearest('sheep')).toEqual({ model: 'dear', slot: 3 })
  })

  it('follows the catalogue', async () => {
    open({ queryWithinMs: 20 })
    setAll()
    const model = dear()
    await vectors.use(cheap())
    await vectors.use(model)
    vectors.remove(0)
    vectors.set(0, idOf(9), 'grows tomatoes')
    await vectors.settled()
    model.before = never
    expect(await nearest('tomatoes')).toEqual({ model: 'cheap', slot: 0 })
  })

  it('is closed when a cheap one serves again, and survives one that never came to serve', async () => {
    open({ queryWithinMs: 20 })
    setAll()
    const [spare, hanging, served] = [cheap(), cheap('hanging'), dear()]
    await vectors.use(spare)
    await vectors.use(served)
    hanging.before = never
    const using = vectors.use(hanging)
    await sleep(5)
    const another = dear({ id: 'another' })
    await vectors.use(another)
    await using
    another.before = never
    expect(await nearest('sheep')).toEqual({ model: 'cheap', slot: 3 })
    await vectors.use(cheap('last'))
    expect(await nearest('sheep')).toEqual({ model: 'last', slot: 3 })
    await vi.waitFor(() =>
      expect([spare, hanging, served, another].map(({ closed }) => closed)).toEqual([1, 1, 1, 1]),
    )
  })
})

describe('closing', () => {
  it('ends what is being embedded, and nothing is heard of it afterwards', async () => {
    open()
    setAll()
    const [model, next] = [dear(), dear({ id: 'next' })]
    await vectors.use(model)
    next.before = never
    const using = vectors.use(next)
    await sleep(5)
    await vectors.close()
    await using
    expect([model.closed, next.closed]).toEqual([1, 1])
    expect(warned).toEqual([])
    vectors.set(9, idOf(9), 'too late')
    vectors.remove(1)
    await vectors.settled()
    expect(await vectors.embedQuery('sheep', [])).toBeUndefined()
    await vectors.close()
  })

  it('a model that comes afterwards is closed and never asked', async () => {
    open()
    await vectors.close()
    const model = dear()
    await vectors.use(model)
    setAll()
    await sleep(5)
    expect(model.closed).toBe(1)
    expect(model.asked.tool).toEqual([])
    expect(vectors.state()).toEqual({})
  })

  it('does not wait for a store that never opens', async () => {
    open({ store: never })
    setAll()
    const using = vectors.use(dear())
    await sleep(5)
    const start = performance.now()
    await vectors.close()
    await using
    expect(performance.now() - start).toBeLessThan(400)
  })

  it('does not wait for a store that hangs', async () => {
    const store = { loadEmbeddings: async () => [], saveEmbeddings: never } as Partial<Store> as Store
    open({ store: async () => store })
    setAll()
    const using = vectors.use(dear())
    await sleep(5)
    const start = performance.now()
    await vectors.close()
    await using
    expect(performance.now() - start).toBeLessThan(1_500)
  })
})

describe('the store', () => {
  const restart = async (model = dear()) => {
    await vectors.close()
    open()
    setAll()
    await vectors.use(model)
    return model
  }

  it('keeps what a dear model made: after a restart nothing is asked for again', async () => {
    expect((await restart()).asked.tool).toEqual(texts)
    await store.close()
    store = await openStoreIn(dataDirectory)
    const after = await restart()
    expect(after.asked.tool).toEqual([])
    expect(await nearest('sheep')).toEqual({ model: 'dear', slot: 3 })
    vectors.set(1, idOf(1), 'grows tomatoes')
    await vectors.settled()
    expect(after.asked.tool).toEqual(['grows tomatoes'])
  })

  it('asks anew for a text that has changed since, alone', async () => {
    await restart()
    await vectors.close()
    open()
    setAll()
    vectors.set(2, idOf(2), 'lists tags')
    const model = dear()
    await vectors.use(model)
    expect(model.asked.tool).toEqual(['lists tags'])
  })

  it('asks anew for all where another model answers under the same name', async () => {
    await restart()
    const other = await restart(dear({ dimensions: 16 }))
    expect(other.asked.tool).toEqual(texts)
    expect(vectors.state()).toEqual({ model: 'dear' })
    expect(await nearest('sheep')).toEqual({ model: 'dear', slot: 3 })
  })

  it('keeps nothing of a cheap model, and of dear ones this and the one before', async () => {
    await restart(cheap())
    expect(await store.loadEmbeddings('cheap')).toEqual([])
    for (const id of ['a', 'b', 'c']) await vectors.use(dear({ id }))
    await vi.waitFor(async () => expect(await store.loadEmbeddings('a')).toEqual([]))
    expect(await store.loadEmbeddings('b')).toHaveLength(texts.length)
    expect(await store.loadEmbeddings('c')).toHaveLength(texts.length)
  })

  it('that is closed costs another embedding and a line in the log, nothing more', async () => {
    const closed = store
    await closed.close()
    open({ store: async () => closed })
    setAll()
    await vectors.use(dear())
    expect(await nearest('sheep')).toEqual({ model: 'dear', slot: 3 })
    await vi.waitFor(() =>
      expect(warned).toEqual(['vectors of tools were not stored', 'old vectors of tools were not removed']),
    )
    store = await openStoreIn(dataDirectory)
  })
})
