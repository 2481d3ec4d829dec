import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../model/json.js'
import {
  type CapabilityList,
  type CapabilityReport,
  type DependencyListing,
  planCapability,
} from './capabilities-api.js'
import {
  type CapabilitiesApi,
  openCapabilitiesApi,
  readFile,
  testSecret,
} from './test-capabilities-api.contract.js'

let api: CapabilitiesApi

beforeAll(async () => {
  api = await openCapabilitiesApi()
})
afterAll(() => api.close())
afterEach(() => api.clear())

const create = async (body: JsonObject) =>
  (await api.post('/api/capabilities', body)) as { capability: CapabilityReport; isNew: boolean }
const show = async (name: string) =>
  (await api.get(`/api/capabilities/${encodeURIComponent(name)}`)) as CapabilityReport
const list = async (query = '') => (await api.get(`/api/capabilities${query}`)) as CapabilityList
const names = async (query = '') => (await list(query)).capabilities.map(({ name }) => name)

const fetchPage = { code: 'return await tools.web.fetch({ url: args.url })', name: 'fetch_page' }
const both = {
  code: `const n = await capabilities.count_letters({ path: args.path })
if (n > 10) await tools.files.delete({ path: args.path })
return n`,
  name: 'count_and_delete',
}

describe('by hand', () => {
  it('is made of code, with the types that its tools want, and is there after a restart', async () => {
    const { capability, isNew } = await create({ ...readFile, intent: 'how long is the file' })
    expect(isNew).toBe(true)
    expect(capability).toMatchObject({
      id: expect.stringMatching(/^cap:count-letters-[0-9a-f]{6}$/),
      origin: 'manual',
      uses: 0,
      risk: 'safe',
      tools: ['files:read'],
      intents: ['how long is the file'],
      inputSchema: { properties: { path: { type: 'string' } }, required: ['path'] },
    })
    expect(capability).not.toHaveProperty('lastUsedAt')
    await api.reload()
    expect(await show('count_letters')).toEqual(capability)
  })

  it('is not doubled: whatever its variables and literals are called', async () => {
    await create(readFile)
    const again = await create({
      code: `const t = await tools["files:read"]({ path: 'a.txt' })\nreturn t.length`,
      name: 'other',
    })
    expect(again).toMatchObject({ isNew: false, capability: { name: 'count_letters' } })
    expect(await names()).toEqual(['count_letters'])
  })

  it.each([
    [{ ...readFile, code: 'return (' }, 'CODE_SYNTAX', 'Line 1'],
    [
      { ...readFile, code: 'return await tools.files.reed({ path: args.a })' },
      'CODE_CHECK',
      'line 1: No tool "files:reed"',
    ],
    [{ ...readFile, code: 'return await capabilities.nobody()' }, 'CODE_CHECK', 'No capability "nobody"'],
    [
      { ...readFile, code: '\nreturn await tools.files.read({ path: 1 })' },
      'CODE_CHECK',
      'line 2: files:read',
    ],
    [{ ...readFile, code: `return "${testSecret}" + args.a` }, 'SECRET_IN_CODE', 'holds a secret'],
    [{ ...readFile, code: ' ' }, 'USAGE', '"code" must be TypeScript'],
    [{ ...readFile, code: 'x'.repeat(200_001) }, 'USAGE', 'at most 200000 characters'],
    [{ ...readFile, name: 'count letters' }, 'BAD_NAME', 'no name that code could call'],
    [{ ...readFile, name: 5 }, 'USAGE', '"name" must be a text'],
    [{ ...readFile, description: 'a\nb' }, 'USAGE', '"description" must be one line'],
    [{ ...readFile, description: 'nice\u202etxt' }, 'USAGE', 'none of them invisible'],
  ])('%j is refused: %s', async (body, code, message) => {
    await expect(create(body as JsonObject)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
    expect(await names()).toEqual([])
  })

  it('has a name of its own', async () => {
    await create(readFile)
    await expect(create({ ...fetchPage, name: 'count_letters' })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    })
  })
})

describe('the list', () => {
  it('is empty at first', async () => {
    expect(await list()).toEqual({ capabilities: [], hidden: 0, groups: [] })
  })

  it('has the newest used first, with figures, risk and what they call, and what belongs together', async () => {
    await create(readFile)
    await create(both)
    await create(fetchPage)
    const later = Date.now() + 60_000
    await api.use('count_letters', { at: later, ms: 100 })
    await api.use('count_letters', { at: later + 5, ms: 300 })
    const { capabilities, groups } = await list()
    expect(capabilities.map(({ name, uses, risk }) => [name, uses, risk])).toEqual([
      ['count_letters', 2, 'safe'],
      ['count_and_delete', 0, 'dangerous'],
      ['fetch_page', 0, 'safe'],
    ])
    expect(capabilities[0]).toMatchObject({ successes: 2, meanMs: 200, lastUsedAt: later + 5 })
    expect(capabilities[1]).toMatchObject({
      riskWhy: 'It calls files:delete, which is dangerous.',
      calls: [{ name: 'count_letters' }],
    })
    expect(groups).toMatchObject([
      { kind: 'contains', name: 'count_and_delete', members: [{ name: 'count_letters' }] },
    ])
  })

  it('hides what does worse than its tools one by one, and says so where all are asked for', async () => {
    await create(readFile)
    for (let i = 0; i < 6; i++) await api.use('count_letters', { ms: 1_000, callsMs: 100 })
    expect(await list()).toMatchObject({ capabilities: [], hidden: 1 })
    const { capabilities, hidden } = await list('?all=true')
    expect(hidden).toBe(0)
    expect(capabilities).toMatchObject([
      { isHidden: true, why: 'Took 1000 ms, its calls one by one 100 ms. Hidden until it does better.' },
    ])
  })
})

describe('one', () => {
  it('is shown by any form of its name, with code, DAG, tools, needs and uses', async () => {
    const { capability } = await create(readFile)
    await create(both)
    await api.use('count_and_delete', { at: 1 })
    await api.use('count_and_delete', { at: 2, success: false })
    for (const name of [capability.id, capability.id.replace(':', '__'), 'countLetters', 'count-letters'])
      expect((await show(name)).id).toBe(capability.id)
    const report = await show('count_and_delete')
    expect(report).toMatchObject({
      needs: [{ id: capability.id, name: 'count_letters' }],
      neededBy: [],
      layers: [['c1'], ['c2']],
      tasks: [
        {
          id: 'c1',
          kind: 'capability',
          tool: capability.id,
          arguments: { path: { $arg: 'path' } },
          dependsOn: [],
        },
        { id: 'c2', kind: 'tool', tool: 'files:delete', dependsOn: ['c1'], inside: 'branch' },
      ],
      toolRisks: [
        { tool: 'files:delete', risk: 'dangerous', isOwn: true, isThere: true },
        { tool: 'files:read', risk: 'safe', isOwn: false, isThere: true },
      ],
      reliability: { rate: 0.5 },
      recent: [
        { at: 2, success: false },
        { at: 1, success: true },
      ],
      benefit: { isHidden: false },
    })
    expect(await show('count_letters')).toMatchObject({ neededBy: [{ name: 'count_and_delete' }] })
  })

  it('that is not there is told with the closest names', async () => {
    await create(readFile)
    await expect(show('count_leters')).rejects.toMatchObject({
      code: 'CAPABILITY_NOT_FOUND',
      message: expect.stringContaining('count_letters'),
    })
  })

  it('tells of what stands in for it', async () => {
    await create(readFile)
    await create(fetchPage)
    for (let i = 0; i < 5; i++) await api.use('fetch_page')
    await api.post('/api/capability-dependencies', {
      ...{ from: 'fetch_page', to: 'count_letters', type: 'alternative' },
    })
    expect((await show('count_letters')).alternatives).toMatchObject([{ name: 'fetch_page', rate: 6 / 7 }])
  })

  it('keeps and tells no secret', async () => {
    await create({ ...readFile, intent: `with ${testSecret}`, description: `As ${testSecret}.` })
    expect(JSON.stringify(await show('count_letters'))).not.toContain(testSecret)
    expect((await api.store.loadCapabilities())[0]!.intents).toEqual(['with [redacted]'])
    expect((await api.store.loadCapabilities())[0]!.description).toBe('As [redacted].')
  })
})

describe('changes', () => {
  it('a new name and a new description stay; the old name still means it, and can be taken back', async () => {
    await create(readFile)
    const renamed = await api.post('/api/capabilities/count_letters/rename', {
      ...{ name: 'length_of', description: 'How long a file is.' },
    })
    expect(renamed).toMatchObject({ name: 'length_of', description: 'How long a file is.' })
    await api.reload()
    expect(await names()).toEqual(['length_of'])
    expect((await show('count_letters')).name).toBe('length_of')
    await expect(create({ ...fetchPage, name: 'count_letters' })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    })
    await api.post('/api/capabilities/length_of/rename', { name: 'count_letters' })
    expect(await names()).toEqual(['count_letters'])
  })

  it('refuses a rename to nothing, to what is taken, and to what code cannot call', async () => {
    await create(readFile)
    await create(fetchPage)
    const rename = (body: JsonObject) => api.post('/api/capabilities/count_letters/rename', body)
    await expect(rename({})).rejects.toThrow('Neither "name" nor "description"')
    await expect(rename({ name: 'fetch_page' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
    await expect(rename({ name: '9 lives' })).rejects.toMatchObject({ code: 'BAD_NAME' })
    await expect(rename({ description: '' })).rejects.toThrow('"description" must be one line')
  })

  it('two become one with the uses of both, also after a restart', async () => {
    await create(readFile)
    await create(fetchPage)
    await api.use('count_letters')
    await api.use('fetch_page')
    await api.use('fetch_page', { success: false })
    const left = await api.post('/api/capabilities/count_letters/merge', { gone: 'fetch_page' })
    expect(left).toMatchObject({ name: 'count_letters', uses: 3, successes: 2, tools: ['files:read'] })
    await api.reload()
    expect(await list()).toMatchObject({ capabilities: [{ name: 'count_letters', uses: 3 }] })
  })

  it('does not merge away what the code of another calls', async () => {
    await create(readFile)
    await create(fetchPage)
    await create(both)
    await expect(
      api.post('/api/capabilities/fetch_page/merge', { gone: 'count_letters' }),
    ).rejects.toMatchObject({
      code: 'STILL_CALLED',
      message: expect.stringContaining('count_and_delete'),
      hint: expect.stringContaining('merge count_letters fetch_page'),
    })
    expect(await names()).toHaveLength(3)
    await expect(
      api.post('/api/capabilities/fetch_page/merge', { gone: 'fetch_page' }),
    ).rejects.toMatchObject({ code: 'SAME_CAPABILITY' })
  })

  it('forgets for good, and tells who needed it', async () => {
    await create(readFile)
    await create(both)
    expect(await api.post('/api/capabilities/count_letters/forget', {})).toMatchObject({
      forgotten: { name: 'count_letters' },
      neededBy: [{ name: 'count_and_delete' }],
    })
    await api.reload()
    expect(await names()).toEqual(['count_and_delete'])
    expect(await show('count_and_delete')).toMatchObject({ needs: [{}], reliability: { transitive: 0 } })
  })
})

describe('what goes together', () => {
  const dependencies = async (of?: string) => {
    const query = of === undefined ? '' : `?of=${of}`
    const reply = (await api.get(`/api/capability-dependencies${query}`)) as {
      dependencies: readonly DependencyListing[]
    }
    return reply.dependencies.map(({ from, to, type, isManual }) => [from.name, type, to.name, isManual])
  }
  const add = (from: string, to: string, type?: string) =>
    api.post('/api/capability-dependencies', { from, to, ...(type !== undefined && { type }) })

  it('is said, listed, kept and taken back', async () => {
    await create(readFile)
    await create(fetchPage)
    await add('count_letters', 'fetch_page')
    await add('fetch_page', 'count_letters', 'sequence')
    await api.reload()
    expect(await dependencies()).toHaveLength(2)
    expect(await dependencies('fetch_page')).toEqual(
      expect.arrayContaining([
        ['count_letters', 'dependency', 'fetch_page', true],
        ['fetch_page', 'sequence', 'count_letters', true],
      ]),
    )
    expect((await show('count_letters')).needs).toMatchObject([{ name: 'fetch_page' }])
    const removed = { from: 'count_letters', to: 'fetch_page' }
    expect(await api.post('/api/capability-dependencies/remove', removed)).toMatchObject({
      removed: { from: { name: 'count_letters' }, type: 'dependency' },
    })
    await api.reload()
    expect(await dependencies()).toEqual([['fetch_page', 'sequence', 'count_letters', true]])
    await expect(api.post('/api/capability-dependencies/remove', removed)).rejects.toThrow(
      'Nothing is known of',
    )
  })

  it('closes no circle, and has no other types', async () => {
    await create(readFile)
    await create(fetchPage)
    await add('count_letters', 'fetch_page')
    await expect(add('fetch_page', 'count_letters')).rejects.toMatchObject({ code: 'CYCLE' })
    await expect(add('fetch_page', 'fetch_page', 'sequence')).rejects.toMatchObject({ code: 'CYCLE' })
    await expect(add('fetch_page', 'count_letters', 'friend')).rejects.toThrow('A type is one of dependency')
    await expect(add('fetch_page', 'nobody')).rejects.toMatchObject({ code: 'CAPABILITY_NOT_FOUND' })
    expect(await dependencies()).toHaveLength(1)
  })
})

describe('to be run', () => {
  it('it is one task of a workflow, also where it is hidden', async () => {
    const { capability } = await create(readFile)
    for (let i = 0; i < 6; i++) await api.use('count_letters', { ms: 1_000, callsMs: 100 })
    expect(
      await planCapability({ capability: 'count_letters', arguments: { path: 'a' } }, api.deps),
    ).toMatchObject({ tasks: [{ id: 'run', tool: capability.id, arguments: { path: 'a' }, dependsOn: [] }] })
  })

  it('its arguments have to fit', async () => {
    await create(readFile)
    const plan = (args: unknown) =>
      planCapability({ capability: 'count_letters', arguments: args } as JsonObject, api.deps)
    await expect(plan({ path: 5 })).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' })
    await expect(plan({})).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' })
    await expect(plan('a')).rejects.toThrow('"arguments" must be an object')
    await expect(planCapability({ capability: 'nobody' }, api.deps)).rejects.toMatchObject({
      code: 'CAPABILITY_NOT_FOUND',
    })
  })
})
