import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { EndpointConfig, PmlConfig } from '../model/config.js'
import { type Log, silentLog } from '../model/log.js'
import { formatToolId } from '../model/tool.js'
import { createEmbedderChoice, type EmbedderChoice } from './choose-embedder.js'
import { openToolVectors, type ToolVectors } from './open-tool-vectors.js'

let dataDirectory: string
let vectors: ToolVectors
let choice: EmbedderChoice
let logged: string[]
let server: Server
let endpoint: EndpointConfig
/** Keys that the endpoint was asked with, and whether it answers. */
let keys: (string | undefined)[]
let isAnswering: boolean

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'pml-choose-'))
  logged = []
  keys = []
  isAnswering = true
  const note = (message: string) => void logged.push(message)
  const log: Log = { ...silentLog, warn: note, error: note }
  vectors = openToolVectors({
    store: () => Promise.reject(new Error('there is no store here')),
    log: silentLog,
  })
  vectors.set(0, formatToolId('s', 't'), 'counts sheep')
  choice = createEmbedderChoice({ vectors, dataDirectory, log })
  server = createServer(async (request, response) => {
    keys.push(request.headers.authorization)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (!isAnswering) return
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] }
    const data = input.map((text, index) => ({ index, embedding: [1, text.length, (text.length * 7) % 11] }))
    response.end(JSON.stringify({ data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endpoint = {
    name: 'local',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    model: 'm',
    headers: {},
    queryPrefix: '',
    toolPrefix: '',
  }
})
afterEach(async () => {
  await vectors.close()
  server.closeAllConnections()
  server.close()
  rmSync(dataDirectory, { recursive: true, force: true })
})

const search = (
  embedder: string,
  endpoints: readonly EndpointConfig[] = [endpoint],
): PmlConfig['search'] => ({
  embedder,
  endpoints,
})
const serves = (model: string | undefined) =>
  vi.waitFor(() => expect(vectors.state()).toEqual(model === undefined ? {} : { model }))
const localId = () => `${new URL(endpoint.url).host}/m`

describe('the embedder of the configuration', () => {
  it('is taken up, and given up for none', async () => {
    choice.choose(search('static'))
    await serves('static-1')
    choice.choose(search('none'))
    await serves(undefined)
    choice.choose(search('local'))
    await serves(localId())
    expect(choice.trouble()).toBeUndefined()
    expect(logged).toEqual([])
  })

  it('while its vectors are made, the static one serves', async () => {
    isAnswering = false
    choice.choose(search('local'))
    await vi.waitFor(() =>
      expect(vectors.state()).toEqual({
        model: 'static-1',
        next: { model: localId(), embedded: 0, total: 1 },
      }),
    )
    expect((await vectors.embedQuery('sheep', []))?.model).toBe('static-1')
  })

  it('of several choices in a row the last counts', async () => {
    for (const name of ['static', 'local', 'none', 'nonsense', 'local']) choice.choose(search(name))
    await serves(localId())
    expect(choice.trouble()).toBeUndefined()
    choice.choose(search('local'))
    choice.choose(search('none'))
    await serves(undefined)
  })

  it('is not opened again when something else of the configuration changes', async () => {
    choice.choose(search('local'))
    await serves(localId())
    const asked = keys.length
    choice.choose(search('local'))
    choice.choose(search('local', [endpoint, { ...endpoint, name: 'other', model: 'x' }]))
    await vectors.embedQuery('sheep', [])
    expect(keys.length).toBe(asked + 1)
  })

  it('is asked with its new key soon after that changes', async () => {
    choice.choose(search('local', [{ ...endpoint, apiKey: 'old' }]))
    await serves(localId())
    expect(new Set(keys)).toEqual(new Set(['Bearer old']))
    choice.choose(search('local', [{ ...endpoint, apiKey: 'new' }]))
    let asked = 0
    await vi.waitFor(async () => {
      await vectors.embedQuery(`sheep ${asked++}`, [])
      expect(keys.at(-1)).toBe('Bearer new')
    })
  })
})

describe('one that cannot be opened', () => {
  it('is told with what to do, and the static one serves', async () => {
    choice.choose(search('bge-m3'))
    await serves('static-1')
    expect(choice.trouble()).toBe('Embedder "bge-m3": it is not downloaded. Run: pml model use bge-m3')
    expect(logged).toEqual(['the embedding model cannot be used: search goes on with the static one'])
  })

  it('leaves nothing to an endpoint that was chosen before', async () => {
    choice.choose(search('local'))
    await serves(localId())
    choice.choose(search('bge-m3', []))
    await serves('static-1')
    const asked = keys.length
    await vectors.embedQuery('something private', [])
    expect(keys.length).toBe(asked)
  })

  it('is tried again when the configuration comes again, and forgotten with another choice', async () => {
    choice.choose(search('bge-m3'))
    await serves('static-1')
    choice.choose(search('bge-m3'))
    await vi.waitFor(() => expect(logged).toHaveLength(2))
    choice.choose(search('static'))
    expect(choice.trouble()).toBeUndefined()
    await serves('static-1')
  })

  it('goes by the name of an endpoint that has been removed', async () => {
    choice.choose(search('local', []))
    await vi.waitFor(() => expect(choice.trouble()).toContain('there is none of this name'))
  })
})

it('chosen while all is being closed, none is opened', async () => {
  choice.choose(search('local'))
  await vectors.close()
  choice.choose(search('local', [{ ...endpoint, apiKey: 'late' }]))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(keys).toEqual([])
  expect(vectors.state()).toEqual({})
  expect(logged).toEqual([])
})
