import { describe, expect, it } from 'vitest'
import { wireName } from '../model/wire-name.js'
import { capability, capId, day, dependency, noon, shelfOf, toolId, use } from './test-shelf.contract.js'

const readConfig = capability('read_config', { tools: [toolId('fs:read')] })
const report = capability('report', {
  tools: [toolId('mail:send')],
  calls: [readConfig.id],
  createdAt: noon + 1,
})

describe('names', () => {
  const shelf = shelfOf([readConfig, report])

  it.each([
    ['its id', readConfig.id],
    ['its wire form', 'cap__read-config-00beef'],
    ['its name', 'read_config'],
    ['what stands behind cap:', 'read-config-00beef'],
    ['its slug', 'read-config'],
    ['its name as camelCase', 'readConfig'],
  ])('a capability is found by %s', (_, name) => {
    expect(shelf.find(name)).toBe(readConfig)
  })

  it('a name that nobody has finds nothing', () => {
    for (const name of ['', 'cap:', 'nothing', 'constructor', '__proto__'])
      expect(shelf.find(name)).toBeUndefined()
  })

  it('a slug that two have finds neither; their names do', () => {
    const twin = capability('readConfig', { id: toolId('cap:read-config-ffff00'), structure: 'another' })
    const both = shelfOf([readConfig, twin])
    expect(both.find('read-config')).toBeUndefined()
    expect(both.find('readConfig')).toBe(twin)
    expect(both.find('read_config')).toBe(readConfig)
  })

  it('a renamed one is found by its new name and by the slug of its id, not by its old name', () => {
    const renamed = shelfOf([readConfig, report])
    renamed.put({ ...report, name: 'tell_all' })
    expect(renamed.find('tell_all')?.id).toBe(report.id)
    expect(renamed.find('report')?.id).toBe(report.id)
    expect(renamed.names()).toEqual(new Set(['read_config', 'tell_all']))
  })

  it('a wire form that had to be shortened is found', () => {
    const long = capability('x', { id: toolId(`cap:${'very-'.repeat(20)}long-abcdef`) })
    expect(shelfOf([long]).find(wireName(long.id, 'server'))).toBe(long)
  })
})

it('a structure is found once it is there, and no more when it is gone', () => {
  const shelf = shelfOf([readConfig])
  expect(shelf.ofStructure(readConfig.structure)).toBe(readConfig)
  shelf.remove(readConfig.id)
  expect(shelf.ofStructure(readConfig.structure)).toBeUndefined()
})

it('all are given by age, whatever the order they came in', () => {
  const ids = (shelf: ReturnType<typeof shelfOf>) => shelf.all().map(({ id }) => id)
  expect(ids(shelfOf([report, readConfig]))).toEqual([readConfig.id, report.id])
  expect(ids(shelfOf([readConfig, report]))).toEqual([readConfig.id, report.id])
})

it('every change raises the revision; asking does not', () => {
  const shelf = shelfOf([readConfig, report])
  const raises = (change: () => unknown): boolean => {
    const before = shelf.revision
    change()
    return shelf.revision > before
  }
  expect(raises(() => shelf.put(capability('third')))).toBe(true)
  expect(raises(() => shelf.noteUse(report.id, use()))).toBe(true)
  expect(raises(() => shelf.addDependencies([dependency('third', 'report')]))).toBe(true)
  expect(raises(() => shelf.removeDependency(dependency('third', 'report')))).toBe(true)
  expect(raises(() => shelf.remove(capId('third')))).toBe(true)
  expect(raises(() => [shelf.all(), shelf.tools(), shelf.transitive(report.id), shelf.dependencies()])).toBe(
    false,
  )
  expect(raises(() => [shelf.remove(capId('none')), shelf.noteUse(capId('none'), use())])).toBe(false)
})

describe('uses', () => {
  it('are counted, timed by the successes, and keep the newest twenty and eight intents', () => {
    const shelf = shelfOf([readConfig])
    for (let at = 0; at < 30; at++)
      shelf.noteUse(readConfig.id, {
        at: noon + at,
        success: at % 3 !== 0,
        ms: at % 3 === 0 ? 10_000 : 60,
        callsMs: 50,
        intent: `intent ${at % 12}`,
      })
    const { uses, successes, meanMs, recent, intents, lastUsedAt } = shelf.get(readConfig.id)!
    expect({ uses, successes, meanMs, lastUsedAt }).toEqual({
      uses: 30,
      successes: 20,
      meanMs: 60,
      lastUsedAt: noon + 29,
    })
    expect(recent.map(({ at }) => at - noon)).toEqual(Array.from({ length: 20 }, (_, at) => at + 10))
    expect(recent[0]).toEqual({ at: noon + 10, success: true, ms: 60, callsMs: 50 })
    expect(intents).toEqual([5, 4, 3, 2, 1, 0, 11, 10].map((at) => `intent ${at}`))
  })

  it('a shape of the output replaces the one before', () => {
    const shelf = shelfOf([readConfig])
    const { outputSchema } = shelf.noteUse(readConfig.id, { ...use(), outputSchema: { type: 'string' } })!
    expect(outputSchema).toEqual({ type: 'string' })
    expect(shelf.noteUse(readConfig.id, use())?.outputSchema).toEqual({ type: 'string' })
  })
})

describe('as tools', () => {
  it('a capability is a tool of the server cap', () => {
    expect(shelfOf([readConfig]).tools()).toEqual([
      {
        id: readConfig.id,
        server: 'cap',
        name: 'read-config-00beef',
        definition: {
          name: 'read-config-00beef',
          title: 'read_config',
          description: 'Does read_config.',
          inputSchema: readConfig.inputSchema,
        },
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        listed: true,
        flags: [],
      },
    ])
  })

  it('the list is the same array until what it says changes', () => {
    const shelf = shelfOf([readConfig, report])
    const before = shelf.tools()
    shelf.noteUse(report.id, use())
    shelf.addDependencies([dependency('report', 'read_config', 'sequence')])
    shelf.put({ ...report, code: 'return 2' })
    expect(shelf.tools()).toBe(before)
    shelf.noteUse(report.id, { ...use(), outputSchema: { type: 'number' } })
    const after = shelf.tools()
    expect(after).not.toBe(before)
    expect(after[0]).toBe(before[0])
    expect(after[1]!.hash).not.toBe(before[1]!.hash)
  })

  it('one that does worse than its tools is not listed, and is called by name all the same', () => {
    let now = noon
    const shelf = shelfOf([readConfig, report], [], {
      now: () => now,
      toolSuccess: () => ({ successes: 100, count: 100 }),
    })
    for (let at = 0; at < 5; at++) shelf.noteUse(report.id, use({ at: now, success: at < 2 }))
    expect(shelf.tools().map(({ id }) => id)).toEqual([readConfig.id])
    expect(shelf.isVisible(report.id)).toBe(false)
    expect(shelf.find('report')?.id).toBe(report.id)
    now += day
    expect(shelf.tools().map(({ id }) => id)).toEqual([readConfig.id, report.id])
    shelf.noteUse(report.id, use({ at: now, success: false }))
    expect(shelf.tools().map(({ id }) => id)).toEqual([readConfig.id])
    for (let at = 0; at < 5; at++) shelf.noteUse(report.id, use({ at: now }))
    expect(shelf.tools().map(({ id }) => id)).toEqual([readConfig.id, report.id])
  })
})

describe('how they go together', () => {
  it('counts are added up, and what a person said stays', () => {
    const shelf = shelfOf([readConfig, report])
    shelf.addDependencies([dependency('report', 'read_config', 'sequence', { isManual: true })])
    shelf.addDependencies([
      dependency('report', 'read_config', 'sequence', { count: 2, successes: 1, lastSeen: noon - 5 }),
    ])
    expect(shelf.dependencies()).toEqual([
      dependency('report', 'read_config', 'sequence', { count: 3, successes: 2, isManual: true }),
    ])
  })

  it.each(['dependency', 'contains'] as const)('a circle of %s is refused', (type) => {
    const shelf = shelfOf(['a', 'b', 'c'].map((name) => capability(name)))
    const closing = dependency('c', 'a', type)
    expect(shelf.addDependencies([dependency('a', 'b', type), dependency('b', 'c', type), closing])).toEqual([
      closing,
    ])
    expect(shelf.addDependencies([dependency('c', 'a', 'sequence')])).toEqual([])
    expect(shelf.dependencies()).toHaveLength(3)
  })

  it('what leads to itself, or to what is not there, is refused', () => {
    const shelf = shelfOf([readConfig])
    const refused = [dependency('read_config', 'read_config', 'sequence'), dependency('read_config', 'none')]
    expect(shelf.addDependencies(refused)).toEqual(refused)
  })

  it('a capability that is forgotten takes its edges along', () => {
    const shelf = shelfOf([readConfig, report], [dependency('report', 'read_config', 'sequence')])
    expect(shelf.remove(readConfig.id)).toBe(true)
    expect(shelf.dependencies()).toEqual([])
    expect(shelf.needs(report.id)).toEqual([readConfig.id])
    expect(shelf.usersOf(toolId('fs:read'))).toEqual([])
  })

  it('of two that are merged the first stays, with the uses, intents and edges of both', () => {
    const a = capability('a', {
      uses: 2,
      successes: 1,
      meanMs: 100,
      intents: ['x', 'y'],
      recent: [use({ at: 1 })],
    })
    const b = capability('b', {
      uses: 4,
      successes: 3,
      meanMs: 200,
      intents: ['y', 'z'],
      recent: [use({ at: 0 })],
      createdAt: noon - 1,
    })
    const shelf = shelfOf(
      [a, b, capability('c')],
      [dependency('c', 'b'), dependency('c', 'a'), dependency('a', 'b', 'alternative')],
    )
    expect(shelf.merge(a.id, b.id)).toEqual({
      ...a,
      uses: 6,
      successes: 4,
      meanMs: 175,
      intents: ['x', 'y', 'z'],
      recent: [use({ at: 0 }), use({ at: 1 })],
      createdAt: noon - 1,
    })
    expect(shelf.get(b.id)).toBeUndefined()
    expect(shelf.dependencies()).toEqual([dependency('c', 'a', 'dependency', { count: 2, successes: 2 })])
    expect(shelf.merge(a.id, a.id)).toBeUndefined()
    expect(shelf.get(a.id)).toBeDefined()
  })
})
