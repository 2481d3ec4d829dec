import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../model/log.js'
import type { Tool } from '../model/tool.js'
import type { ToolSearch } from '../plan/find/create-tool-search.js'
import { openTestSearch } from '../plan/find/test-search.contract.js'
import { type CatalogueView, createCatalogueView } from './catalogue-view.js'
import { createFindTools, type FindTools } from './find-tools.js'
import { plainAdvice } from './plain-advice.contract.js'
import { makeTool, testConfig } from './test-gateway.contract.js'

const read = makeTool('files', 'read_file', { description: 'Reads a file' })
const write = makeTool('files', 'write_file', { description: 'Writes a file' })
const gone = makeTool('files', 'burn_file', { description: 'Burns a file', listed: false })

let tools: readonly Tool[]
let listeners: Set<() => void>
let settled: () => Promise<void>
let followed: (readonly Tool[])[]
let view: CatalogueView
let search: ToolSearch
let find: FindTools

beforeEach(() => {
  tools = [read, write, gone]
  listeners = new Set()
  settled = async () => {}
  followed = []
  const catalogue = {
    servers: () => [],
    tools: () => tools,
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    settled: () => settled(),
  }
  const { search: real } = openTestSearch([])
  search = {
    ...real,
    follow(next) {
      followed.push(next)
      real.follow(next)
    },
  }
  view = createCatalogueView({
    config: () => testConfig,
    catalogue,
    countTokens() {},
    onListingChange() {},
    log: silentLog,
  })
  find = createFindTools({ view, catalogue, search, advice: plainAdvice })
})
afterEach(() => {
  find.close()
  view.close()
  vi.restoreAllMocks()
})

const change = (next: readonly Tool[]) => {
  tools = next
  for (const listener of listeners) listener()
}
const ids = async (query: string) =>
  (await find(query, { limit: 10, context: [] })).hits.map(({ tool }) => tool.id as string).sort()
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('what is found', () => {
  it('is of the catalogue as it is now, and never a tool that its server no longer lists', async () => {
    expect(await ids('file')).toEqual(['files:read_file', 'files:write_file'])
    change([write, makeTool('mail', 'send', { description: 'Sends a file by mail' })])
    expect(await ids('file')).toEqual(['files:write_file', 'mail:send'])
  })

  it('is not what went away while the search was on its way', async () => {
    const searching = ids('file')
    const original = search.search.bind(search)
    vi.spyOn(search, 'search').mockImplementation(async (query, options) => {
      const hits = await original(query, options)
      change([write])
      return hits
    })
    expect(await searching).toEqual(['files:write_file'])
  })

  it('waits for servers that were never seen, and then has what they bring', async () => {
    tools = []
    settled = async () => {
      await turn()
      tools = [read]
    }
    expect(await ids('file')).toEqual(['files:read_file'])
  })

  it('can be searched by others as soon as it is ready, as it is then', async () => {
    await find.ready()
    const { search: searchNow } = search
    expect(await searchNow('write', { limit: 1, context: [] })).toMatchObject([{ tool: { id: write.id } }])
    change([read])
    await find.ready()
    expect((await searchNow('file', { limit: 10, context: [] })).map(({ tool }) => tool.id)).toEqual([
      read.id,
    ])
  })

  it('comes with the view it is of', async () => {
    const { view: seen } = await find('file', { limit: 1, context: [] })
    expect(seen).toBe(view.current())
  })
})

describe('the context', () => {
  it('takes any form of a name, and says which words name no tool', async () => {
    const found = await find('file', {
      limit: 10,
      context: ['files__read_file', 'write_file', 'no such tool', 'mcp__pml__files__read_file', ''],
    })
    expect(found.unknown).toEqual(['no such tool', ''])
  })

  it('reaches search as ids', async () => {
    const spy = vi.spyOn(search, 'search')
    await find('write a file', { limit: 3, context: ['readFile'] })
    expect(spy).toHaveBeenCalledWith('write a file', { limit: 3, context: ['files:read_file'] })
  })
})

describe('changes of the catalogue', () => {
  it('are taken up before anybody searches, several at once as one', async () => {
    change([read])
    change([read, write])
    await turn()
    expect(followed.map((next) => next.map(({ id }) => id))).toEqual([
      ['files:read_file', 'files:write_file'],
    ])
    await ids('file')
    expect(followed).toHaveLength(1)
  })

  it('that cannot be taken up are told to who searches, and end nothing else', async () => {
    const current = vi.spyOn(view, 'current').mockImplementation(() => {
      throw new Error('a name too many')
    })
    change([read])
    await turn()
    await expect(ids('file')).rejects.toThrow('a name too many')
    current.mockRestore()
    change([read, write])
    await turn()
    expect(followed).toHaveLength(1)
    expect(await ids('file')).toEqual(['files:read_file', 'files:write_file'])
  })

  it('are not heard any more once it is closed', async () => {
    change([read])
    find.close()
    await turn()
    expect(followed).toEqual([])
    expect(listeners.size).toBe(1)
  })
})
