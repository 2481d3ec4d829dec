import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../model/json.js'
import type { CapabilityReport } from './capabilities-api.js'
import type { CapabilityFile, FiledCapability } from './capability-file.js'
import type { ImportedCapability } from './capability-transfer-api.js'
import {
  type CapabilitiesApi,
  openCapabilitiesApi,
  readFile,
  testSecret,
  testTools,
} from './test-capabilities-api.contract.js'

let here: CapabilitiesApi
/** Another gateway, without the server `web`. */
let there: CapabilitiesApi

beforeAll(async () => {
  here = await openCapabilitiesApi()
  there = await openCapabilitiesApi(testTools.filter(({ server }) => server !== 'web'))
})
afterAll(() => Promise.all([here.close(), there.close()]))
afterEach(() => Promise.all([here.clear(), there.clear()]))

const fetchPage = { code: 'return await tools.web.fetch({ url: args.url })', name: 'fetch_page' }
const twice = {
  code: `const [a, b] = await Promise.all([
  capabilities.count_letters({ path: args.one }),
  capabilities.count_letters({ path: args.other }),
])
return a + b`,
  name: 'count_twice',
}

const create = (body: JsonObject, api = here) => api.post('/api/capabilities', body)
const exported = async (names: readonly string[] = [], more: JsonObject = {}) =>
  (await here.post('/api/capabilities/export', { names, ...more })) as CapabilityFile
const imported = async (file: unknown, isTrial = false) => {
  const reply = await there.post('/api/capabilities/import', { file, isTrial })
  return (reply as { entries: readonly ImportedCapability[] }).entries
}
const known = () => there.capabilities.shelf.all().map(({ name }) => name)
const withOne = (
  file: CapabilityFile,
  changes: Partial<Record<keyof FiledCapability, unknown>>,
): unknown => ({
  ...file,
  capabilities: [{ ...file.capabilities[0], ...changes }],
})

describe('export', () => {
  it('is what they do and are called, with what they call first, and nothing of how they were used', async () => {
    await create({ ...readFile, intent: 'how long is my diary' })
    await create(twice)
    await create(fetchPage)
    await here.use('count_twice')
    const file = await exported(['count_twice'])
    expect(file).toMatchObject({ format: 'pml-capabilities', version: 1, exportedAt: expect.any(Number) })
    expect(file.capabilities.map(({ name }) => name)).toEqual(['count_letters', 'count_twice'])
    expect(Object.keys(file.capabilities[0]!)).toEqual([
      'name',
      'description',
      'code',
      'inputSchema',
      'structure',
    ])
    expect(JSON.stringify(file)).not.toContain('diary')
    expect((await exported()).capabilities).toHaveLength(3)
  })

  it('tells what they were run for only where that is wanted', async () => {
    await create({ ...readFile, intent: 'how long is my diary' })
    expect((await exported([], { withIntents: true })).capabilities[0]!.intents).toEqual([
      'how long is my diary',
    ])
  })

  it('refuses names that nobody has', async () => {
    await expect(exported(['nobody'])).rejects.toMatchObject({ code: 'CAPABILITY_NOT_FOUND' })
    await expect(here.post('/api/capabilities/export', { names: 'all' })).rejects.toThrow(
      '"names" must be a list',
    )
  })
})

describe('import', () => {
  it('makes the same procedures of it, with nothing behind them, that are there after a restart', async () => {
    await create(readFile)
    await create(twice)
    const entries = await imported(await exported([], { withIntents: true }))
    expect(entries).toMatchObject([
      { name: 'count_letters', verdict: 'new', risk: 'safe', missing: [], notes: [], steps: '1. files:read' },
      { name: 'count_twice', verdict: 'new', risk: 'safe', missing: [], notes: [] },
    ])
    await there.reload()
    for (const name of ['count_letters', 'count_twice']) {
      const { createdAt: _, lastUsedAt: __, ...before } = here.capabilities.find(name)
      expect(there.capabilities.find(name)).toMatchObject({ ...before, origin: 'imported', uses: 0 })
    }
    expect((await there.get('/api/capabilities/count_twice')) as CapabilityReport).toMatchObject({
      needs: [{ name: 'count_letters' }],
    })
  })

  it('on trial takes nothing, and says the same', async () => {
    await create(readFile)
    await create(twice)
    const file = await exported()
    const trial = await imported(file, true)
    expect(known()).toEqual([])
    expect(await imported(file)).toEqual(trial)
    expect(known()).toEqual(['count_letters', 'count_twice'])
  })

  it('does not double what is there, whatever it is called', async () => {
    await create(readFile)
    const file = await exported()
    await imported(file)
    expect(await imported(file)).toMatchObject([{ verdict: 'known', as: 'count_letters' }])
    await there.post('/api/capabilities/count_letters/rename', { name: 'length_of' })
    expect(await imported(file)).toMatchObject([{ verdict: 'known', as: 'length_of' }])
    expect(known()).toEqual(['length_of'])
  })

  it('does not double what calls another that is here under another name', async () => {
    await create(readFile)
    await create(twice)
    const file = await exported()
    await imported(file)
    await there.post('/api/capabilities/count_letters/rename', { name: 'length_of' })
    expect(await imported(file)).toMatchObject([
      { verdict: 'known', as: 'length_of' },
      { verdict: 'known', as: 'count_twice' },
    ])
    expect(known()).toEqual(['length_of', 'count_twice'])
  })

  it('takes what calls tools that are not here, and says so', async () => {
    await create(fetchPage)
    expect(await imported(await exported())).toMatchObject([
      { verdict: 'new', missing: ['web:fetch'], risk: 'moderate' },
    ])
    expect(there.capabilities.find('fetch_page').tools).toEqual(['web:fetch'])
    expect(await there.get('/api/capabilities/fetch_page')).toMatchObject({
      toolRisks: [{ tool: 'web:fetch', isThere: false, risk: 'moderate' }],
    })
  })

  it('takes no other in the place of the one that a program of the file calls', async () => {
    await create(readFile)
    await create(twice)
    await create({ code: 'return args.path', name: 'count_letters' }, there)
    const entries = await imported(await exported())
    expect(entries).toMatchObject([
      { name: 'count_letters', verdict: 'refused', why: expect.stringContaining('Another one is called') },
      { name: 'count_twice', verdict: 'refused', why: expect.stringContaining('capability count_letters') },
    ])
    expect(known()).toEqual(['count_letters'])
  })

  it.each([
    ['code that cannot be read', { code: 'return (' }, 'Line 1'],
    ['code with a secret of here', { code: `return "${testSecret}"` }, 'holds a secret'],
    ['a tool that has no id', { code: 'return await tools["nobodys__tool"]({})' }, 'no tool here'],
    ['a capability that is nowhere', { code: 'return await capabilities.nobody({})' }, 'capability nobody'],
    [
      'what would call itself',
      { code: 'return await capabilities.count_letters({})' },
      'capability count_letters',
    ],
  ])('refuses %s, and takes the others', async (_, changes, why) => {
    await create(readFile)
    await create(fetchPage)
    const file = await exported()
    const [first, other] = file.capabilities
    const entries = await imported({ ...file, capabilities: [{ ...first, ...changes }, other] })
    expect(entries).toMatchObject([
      { verdict: 'refused', why: expect.stringContaining(why) },
      { verdict: 'new' },
    ])
    expect(JSON.stringify(entries)).not.toContain(testSecret)
    expect(known()).toEqual(['fetch_page'])
  })

  it('says where the code is not what was exported', async () => {
    await create(readFile)
    const changed = withOne(await exported(), {
      code: 'return await tools.files.delete({ path: args.path })',
    })
    expect(await imported(changed, true)).toMatchObject([
      { verdict: 'new', risk: 'dangerous', notes: [expect.stringContaining('it was changed')] },
    ])
  })

  it('says where only a run will tell what is called', async () => {
    await create(readFile)
    const changed = withOne(await exported(), { code: 'return await tools[args.tool]({ path: args.path })' })
    expect((await imported(changed, true))[0]!.notes).toContain(
      'What it calls cannot all be seen in its code: only a run will say.',
    )
  })

  it.each([
    ['no file of ours', () => ({ format: 'pml-memory' }), 'it lacks "format"'],
    ['a list', () => [], 'it lacks "format"'],
    ['a newer version', (file: CapabilityFile) => ({ ...file, version: 2 }), 'made by a newer PML'],
    ['no version', (file: CapabilityFile) => ({ ...file, version: 'x' }), 'must say "version": 1'],
    ['no list', (file: CapabilityFile) => ({ ...file, capabilities: {} }), 'must be a list'],
    [
      'an entry that is none',
      (file: CapabilityFile) => ({ ...file, capabilities: [5] }),
      'capabilities[0] must be',
    ],
    [
      'a name twice',
      (file: CapabilityFile) => ({ ...file, capabilities: [file.capabilities[0], file.capabilities[0]] }),
      'Two in the file',
    ],
    [
      'a name that is none',
      (file: CapabilityFile) => withOne(file, { name: 'rm -rf' }),
      'capabilities[0].name',
    ],
    [
      'hidden text',
      (file: CapabilityFile) => withOne(file, { description: 'a\u200bb' }),
      'none of them invisible',
    ],
    [
      'no description',
      (file: CapabilityFile) => withOne(file, { description: undefined }),
      'description must be',
    ],
    ['no code', (file: CapabilityFile) => withOne(file, { code: undefined }), 'capabilities[0].code must be'],
    ['no schema', (file: CapabilityFile) => withOne(file, { inputSchema: 'any' }), 'inputSchema must be'],
    [
      'no structure',
      (file: CapabilityFile) => withOne(file, { structure: 'xyz' }),
      'structure must be hexadecimal',
    ],
    [
      'intents that are none',
      (file: CapabilityFile) => withOne(file, { intents: [5] }),
      'intents[0] must be',
    ],
  ])('%s is refused as a whole', async (_, change, message) => {
    await create(readFile)
    await expect(imported(change(await exported()))).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(message),
    })
    expect(known()).toEqual([])
  })

  it('a file of a thousand that call one another is taken within seconds', async () => {
    const one = { description: 'Does it.', inputSchema: { type: 'object' }, structure: 'abcdef' }
    const capabilities = Array.from({ length: 1_000 }, (_, at) => ({
      ...one,
      name: `step_${at}`,
      code: at === 0 ? 'return 1' : `return await capabilities.step_${at - 1}({}) + 1`,
    }))
    const begin = performance.now()
    const entries = await imported({ format: 'pml-capabilities', version: 1, exportedAt: 1, capabilities })
    expect(entries.filter(({ verdict }) => verdict === 'new')).toHaveLength(1_000)
    expect(performance.now() - begin).toBeLessThan(30_000)
  })
})
