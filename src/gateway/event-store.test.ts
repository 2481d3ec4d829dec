import { describe, expect, it } from 'vitest'
import { createEventStores } from './event-store.js'

const message = (text: string) =>
  ({ jsonrpc: '2.0', method: 'notifications/message', params: { text } }) as const
const limits = { events: 100, bytes: 100_000 }

async function replay(store: ReturnType<ReturnType<typeof createEventStores>['forSession']>, id: string) {
  const sent: unknown[] = []
  const stream = await store.replayEventsAfter(id, { send: async (_, one) => void sent.push(one) })
  return { stream, sent }
}

describe('kept events', () => {
  it('are replayed after the last one seen, of the same stream alone', async () => {
    const store = createEventStores(limits).forSession()
    const priming = await store.storeEvent('s1', {} as never)
    await store.storeEvent('s2', message('other'))
    const first = await store.storeEvent('s1', message('one'))
    await store.storeEvent('s1', message('two'))
    expect(await replay(store, priming)).toEqual({ stream: 's1', sent: [message('one'), message('two')] })
    expect(await replay(store, first)).toEqual({ stream: 's1', sent: [message('two')] })
    expect(await store.getStreamIdForEventId!(first)).toBe('s1')
  })

  it('of another session are not to be had', async () => {
    const stores = createEventStores(limits)
    const mine = stores.forSession()
    const theirs = stores.forSession()
    const id = await theirs.storeEvent('s', message('secret'))
    await theirs.storeEvent('s', message('more'))
    expect(await mine.getStreamIdForEventId!(id)).toBeUndefined()
    await expect(replay(mine, id)).rejects.toThrow()
  })

  it('are bounded in number and size; the newest is always kept', async () => {
    const store = createEventStores({ events: 3, bytes: 1_000 }).forSession()
    const ids: string[] = []
    for (const text of ['a', 'b', 'c', 'd']) ids.push(await store.storeEvent('s', message(text)))
    await expect(replay(store, ids[0]!)).rejects.toThrow('not kept')
    expect((await replay(store, ids[1]!)).sent).toHaveLength(2)
    const large = await store.storeEvent('s', message('x'.repeat(5_000)))
    expect(await store.getStreamIdForEventId!(ids[3]!)).toBeUndefined()
    expect(await store.getStreamIdForEventId!(large)).toBe('s')
  })
})
