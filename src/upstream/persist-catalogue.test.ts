import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { call, closeAll, fixture, startedUpstreams, waitFor } from '../../test/servers/fixtures.js'
import type { Tool, ToolId } from '../model/tool.js'
import { readSnapshot } from '../store/snapshot.js'
import type { Store } from '../store/store.js'
import { type Persist, persistCatalogue } from './persist-catalogue.js'
import type { Upstreams } from './upstreams.js'

afterEach(closeAll)

function persist(upstreams: Upstreams, store: () => Promise<Store>): { persist: Persist; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'pml-'))
  const onError = (error: unknown): never => {
    throw error
  }
  return { folder, persist: persistCatalogue({ dataDirectory: folder, upstreams, store, onError }) }
}

const neverOpen = (): Promise<Store> => new Promise(() => {})

test.each(['told', 'not told yet'])('a change right before the end is in the snapshot: %s', async (how) => {
  const upstreams = await startedUpstreams([fixture('counter')])
  const { folder, persist: persisting } = persist(upstreams, neverOpen)
  const tool = upstreams.tool('counter:pid' as ToolId)!
  upstreams.setTokens(new Map([[tool.hash, 42]]))
  if (how === 'told') persisting.soon()
  await persisting.close()
  expect(readSnapshot(folder).tools.find(({ id }) => id === tool.id)?.tokens).toBe(42)
})

test('a change right before the end reaches a store that is open', async () => {
  const upstreams = await startedUpstreams([fixture('counter')])
  const saved: Tool[] = []
  const { persist: persisting } = persist(upstreams, async () => recorder(saved))
  await persisting.now()
  const tool = upstreams.tool('counter:pid' as ToolId)!
  upstreams.setTokens(new Map([[tool.hash, 42]]))
  persisting.soon()
  await persisting.close()
  expect(saved.at(-1)).toMatchObject({ id: tool.id, tokens: 42 })
})

test('what is stored and did not change is not stored again when its server lists anew', async () => {
  const upstreams = await startedUpstreams([fixture('changing')])
  const saved: Tool[] = []
  const { persist: persisting } = persist(upstreams, async () => recorder(saved))
  await persisting.now()
  expect(saved.splice(0)).toHaveLength(5)
  await call(upstreams, 'changing:add_tool')
  await waitFor(() => upstreams.tool('changing:extra' as ToolId))
  await persisting.now()
  expect(saved.map(({ id }) => id)).toEqual(['changing:extra'])
})

function recorder(saved: Tool[]): Store {
  return {
    async saveTools(tools: readonly Tool[]) {
      saved.push(...tools)
    },
    async saveServers() {},
  } as unknown as Store
}
