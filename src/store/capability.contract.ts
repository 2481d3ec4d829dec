/** What every Store promises of capabilities: the procedures, their uses, and how they go together. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import {
  type Capability,
  type CapabilityDependency,
  type CapabilityId,
  type CapabilityUse,
  capabilityId,
} from '../model/capability.js'
import { seededRandom } from '../model/seeded-random.js'
import { formatToolId } from '../model/tool.js'
import type { LearnedContract } from './learned.contract.js'
import type { Store } from './store.js'

export function testCapabilities({ store, reopen, asPerson, strings }: LearnedContract): void {
  it('knows no capabilities at first, and of one that is not there nothing can be said', async () => {
    const { id } = aCapability('none')
    await store().saveCapabilityDependencies([])
    await store().saveCapabilityDependencies([aDependency(id, aCapability('other').id)])
    expect(await store().noteCapabilityUse(id, aUse())).toBe(false)
    expect(await store().renameCapability(id, { name: 'x' })).toBe(false)
    expect(await store().mergeCapabilities(id, aCapability('other').id)).toBe(false)
    expect(await store().forgetCapability(id)).toBe(false)
    expect(await store().removeCapabilityDependency(aDependency(id, id))).toBe(false)
    expect(await store().loadCapabilities()).toEqual([])
    expect(await store().loadCapabilityDependencies()).toEqual([])
  })

  it('gives back capabilities and their dependencies as they were saved, oldest first, also after a reopen', async () => {
    const whole = aCapability('whole', {
      ...{ createdAt: 1_700_000_000_122, lastUsedAt: 1_700_000_000_789, origin: 'imported' },
      ...{ intents: ['newest', 'older'], tools: [read, write, read], calls: [aCapability('b').id] },
      ...{ inputSchema: { z: 1, a: [null, true, 1e21, { deep: [] }] }, outputSchema: { type: 'array' } },
      ...{
        uses: 3,
        successes: 2,
        meanMs: 1 / 3,
        recent: [aUse({ ms: 0.1 + 0.2 }), aUse({ success: false })],
      },
    })
    const [a, b] = ['a', 'b'].map((slug) => aCapability(slug, { createdAt: 1_700_000_000_123 }))
    for (const capability of [b!, whole, a!])
      expect(await store().addCapability(capability)).toStrictEqual(capability)
    const dependencies = [
      aDependency(a!.id, b!.id, { type: 'alternative', count: 7, successes: 5, isManual: true }),
      aDependency(whole.id, a!.id, { type: 'sequence', lastSeen: 1_700_000_000_123 }),
      aDependency(whole.id, b!.id, { type: 'contains' }),
      aDependency(whole.id, b!.id, { type: 'dependency', count: 0, successes: 0 }),
    ]
    await store().saveCapabilityDependencies(dependencies.toReversed())
    for (const _ of ['before', 'after']) {
      const loaded = await store().loadCapabilities()
      expect(loaded).toStrictEqual([whole, a, b])
      expect(JSON.stringify(loaded[0]!.inputSchema)).toBe(JSON.stringify(whole.inputSchema))
      expect(await store().loadCapabilityDependencies()).toStrictEqual(dependencies)
      await reopen()
    }
  })

  it('a structure is there once, and so is an id: whoever adds it again is given the one that is there', async () => {
    const first = aCapability('first')
    await store().addCapability(first)
    await store().noteCapabilityUse(first.id, aUse())
    const [known] = await store().loadCapabilities()
    const sameStructure = aCapability('second', { structure: first.structure, name: 'other' })
    const sameId = aCapability('first', { structure: 'another', name: 'other', tools: [] })
    for (const again of [first, sameStructure, sameId])
      expect(await store().addCapability(again)).toStrictEqual(known)
    expect(await store().loadCapabilities()).toStrictEqual([known])
    expect(await toolsOf(first.id)).toEqual(first.tools)
  })

  it('a name is there once: one that another has is refused, and nothing is written', async () => {
    const [a, b] = [aCapability('a'), aCapability('b')]
    await store().addCapability(a)
    const refused = store().addCapability({ ...b, name: a.name })
    await expect(refused).rejects.toBeInstanceOf(StoreError)
    await expect(refused).rejects.toThrow('The name "a"')
    await store().addCapability(b)
    expect(await store().renameCapability(b.id, { name: a.name, description: 'new' })).toBe(false)
    expect(await store().loadCapabilities()).toStrictEqual([a, b])
    expect(await store().renameCapability(b.id, { name: b.name })).toBe(true)
    expect(await store().renameCapability(b.id, { description: 'new' })).toBe(true)
    expect(await store().renameCapability(b.id, {})).toBe(true)
    expect(await store().renameCapability(a.id, { name: 'c', description: '' })).toBe(true)
    expect(await store().renameCapability(b.id, { name: a.name })).toBe(true)
    expect(await store().loadCapabilities()).toStrictEqual([
      { ...a, name: 'c', description: '' },
      { ...b, name: a.name, description: 'new' },
    ])
  })

  it('a use adds to its counts and to the mean of its successes', async () => {
    const capability = aCapability('a', { uses: 4, successes: 2, meanMs: 100, lastUsedAt: 5_000 })
    await store().addCapability(capability)
    const uses = [
      aUse({ at: 9_000, ms: 400 }),
      aUse({ at: 7_000, ms: 9_999, success: false }),
      aUse({ at: 8_000, ms: 0.5 }),
    ]
    for (const use of uses) expect(await store().noteCapabilityUse(capability.id, use)).toBe(true)
    const [{ meanMs, ...noted }] = (await store().loadCapabilities()) as [Capability]
    expect(meanMs).toBeCloseTo((200 + 400.5) / 4, 9)
    const { meanMs: _, ...before } = capability
    expect(noted).toStrictEqual({
      ...before,
      ...{ uses: 7, successes: 4, recent: [uses[1], uses[2], uses[0]], lastUsedAt: 9_000 },
    })
  })

  it('keeps the newest twenty uses, whatever order they come in, and eight intents, the newest first', async () => {
    const capability = aCapability('a')
    await store().addCapability(capability)
    const random = seededRandom(7)
    const uses = Array.from({ length: 50 }, (_, at) => aUse({ at: 1_000 + at, ms: at }))
    for (const use of uses.toSorted(() => random() - 0.5)) await store().noteCapabilityUse(capability.id, use)
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9, 5])
      await store().noteCapabilityUse(capability.id, { ...aUse({ at: 0 }), intent: `intent ${number}` })
    await store().noteCapabilityUse(capability.id, { ...aUse({ at: 0 }), outputSchema: { type: 'array' } })
    const [noted] = await store().loadCapabilities()
    expect(noted!.recent).toStrictEqual(uses.slice(-20))
    expect(noted!.intents).toEqual([5, 9, 8, 7, 6, 4, 3, 2].map((number) => `intent ${number}`))
    expect(noted!.outputSchema).toEqual({ type: 'array' })
    expect(noted).toMatchObject({ uses: 61, successes: 61, lastUsedAt: capability.lastUsedAt })
  })

  it('uses that are noted at the same time are all counted', async () => {
    const capability = aCapability('a')
    await store().addCapability(capability)
    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        store().noteCapabilityUse(capability.id, aUse({ at, ms: at, success: at % 3 > 0 })),
      ),
    )
    const [noted] = await store().loadCapabilities()
    expect(noted).toMatchObject({ uses: 60, successes: 40 })
    expect(noted!.recent.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, at) => 40 + at))
    expect(noted!.meanMs).toBeCloseTo(30, 9)
  })

  it('a number of a capability that is none is refused, and nothing is written', async () => {
    const [capability, other] = [aCapability('a'), aCapability('other')]
    await addAll(store(), [capability, other])
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, 'x' as unknown as number]) {
      for (const field of ['at', 'ms', 'callsMs'] as const)
        for (const success of [true, false]) {
          const use = aUse({ [field]: bad, success })
          await expect(store().noteCapabilityUse(capability.id, use)).rejects.toBeInstanceOf(StoreError)
          await expect(store().addCapability(aCapability('b', { recent: [use] }))).rejects.toThrow()
        }
      for (const field of ['uses', 'successes', 'meanMs', 'createdAt', 'lastUsedAt'] as const)
        await expect(store().addCapability(aCapability('b', { [field]: bad }))).rejects.toBeInstanceOf(
          StoreError,
        )
      for (const field of ['count', 'successes', 'lastSeen'] as const) {
        const dependency = aDependency(capability.id, other.id, { [field]: bad })
        await expect(store().saveCapabilityDependencies([dependency])).rejects.toBeInstanceOf(StoreError)
      }
    }
    expect(await store().loadCapabilities()).toStrictEqual([capability, other])
    expect(await store().loadCapabilityDependencies()).toEqual([])
  })

  it('of two that become one, all that is known of the second is the first one’s', async () => {
    const kept = aCapability('kept', {
      ...{ uses: 3, successes: 1, meanMs: 100, lastUsedAt: 2_000, intents: ['a', 'b', 'c', 'd', 'e'] },
      recent: Array.from({ length: 15 }, (_, at) => aUse({ at: at * 2 })),
    })
    const gone = aCapability('gone', {
      ...{ uses: 5, successes: 3, meanMs: 20, lastUsedAt: 3_000, intents: ['f', 'c', 'g', 'h', 'i'] },
      recent: Array.from({ length: 15 }, (_, at) => aUse({ at: at * 2 + 1, success: false })),
      outputSchema: { type: 'string' },
    })
    const caller = aCapability('caller', { calls: [gone.id, kept.id], tools: [read] })
    const [x, y] = [aCapability('x'), aCapability('y')]
    await addAll(store(), [kept, gone, caller, x, y])
    await store().saveCapabilityDependencies([
      aDependency(caller.id, gone.id, { type: 'contains', count: 2, successes: 1, lastSeen: 9 }),
      aDependency(caller.id, kept.id, { type: 'contains', count: 3, successes: 3, lastSeen: 8 }),
      aDependency(kept.id, gone.id, { type: 'alternative' }),
      aDependency(gone.id, x.id, { isManual: true }),
      // Of one that is both before and behind, what the first one's say stands.
      aDependency(kept.id, y.id),
      aDependency(y.id, gone.id),
    ])
    await store().replaceBetaStates(
      'capability',
      [
        { id: kept.id, alpha: 3, beta: 2, observations: 3, updatedAt: 5 },
        { id: gone.id, alpha: 2, beta: 5, observations: 5, updatedAt: 4 },
      ],
      0,
    )
    expect(await store().mergeCapabilities(kept.id, kept.id)).toBe(false)
    expect(await store().mergeCapabilities(kept.id, gone.id)).toBe(true)
    expect(await store().mergeCapabilities(kept.id, gone.id)).toBe(false)
    const loaded = await store().loadCapabilities()
    expect(loaded).toHaveLength(4)
    expect(loaded.find(({ id }) => id === kept.id)).toStrictEqual({
      ...kept,
      ...{ uses: 8, successes: 4, meanMs: 40, lastUsedAt: 3_000, outputSchema: { type: 'string' } },
      intents: ['f', 'c', 'g', 'h', 'i', 'a', 'b', 'd'],
      recent: Array.from({ length: 20 }, (_, at) => aUse({ at: at + 10, success: at % 2 === 0 })),
    })
    expect(loaded.find(({ id }) => id === caller.id)).toStrictEqual({ ...caller, calls: [kept.id] })
    expect(await toolsOf(caller.id)).toEqual([read, kept.id])
    expect(await store().loadCapabilityDependencies()).toStrictEqual([
      aDependency(caller.id, kept.id, { type: 'contains', count: 5, successes: 4, lastSeen: 9 }),
      aDependency(kept.id, x.id, { isManual: true }),
      aDependency(kept.id, y.id),
    ])
    expect(await store().loadBetaStates('capability')).toEqual([
      { id: kept.id, alpha: 4, beta: 6, observations: 8, updatedAt: 5 },
    ])
  })

  it('one that is merged into the one that called it is no call any more', async () => {
    const gone = aCapability('gone')
    const kept = aCapability('kept', { calls: [gone.id] })
    await addAll(store(), [kept, gone])
    expect(await store().mergeCapabilities(kept.id, gone.id)).toBe(true)
    expect(await store().loadCapabilities()).toStrictEqual([{ ...kept, calls: [] }])
    expect(await toolsOf(kept.id)).toEqual(kept.tools)
  })

  it('one that is forgotten takes its tools, its dependencies and its state with it, and its name is free', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((slug) => aCapability(slug)) as [Capability, Capability, Capability]
    await addAll(store(), [a, b, c])
    await store().saveCapabilityDependencies([
      aDependency(a.id, b.id),
      aDependency(b.id, c.id),
      aDependency(a.id, c.id),
    ])
    await store().replaceBetaStates(
      'capability',
      [
        { ...prior, id: b.id },
        { ...prior, id: c.id },
      ],
      0,
    )
    expect(await store().forgetCapability(b.id)).toBe(true)
    expect(await store().forgetCapability(b.id)).toBe(false)
    expect(await store().loadCapabilities()).toStrictEqual([a, c])
    expect(await store().loadCapabilityDependencies()).toStrictEqual([aDependency(a.id, c.id)])
    expect(await store().loadBetaStates('capability')).toMatchObject([{ id: c.id }])
    expect(await toolsOf(b.id)).toEqual([])
    expect(await store().addCapability({ ...b, structure: 'new' })).toStrictEqual({ ...b, structure: 'new' })
  })

  it('dependencies are counted up, and what a person has said stays said until it is removed', async () => {
    const [a, b] = [aCapability('a'), aCapability('b')]
    await addAll(store(), [a, b])
    const seen = aDependency(a.id, b.id, { type: 'sequence', count: 2, successes: 1, lastSeen: 50 })
    await store().saveCapabilityDependencies([seen, { ...seen, isManual: true, lastSeen: 90 }])
    await store().saveCapabilityDependencies([
      { ...seen, lastSeen: 70 },
      { ...seen, type: 'alternative' },
    ])
    expect(await store().loadCapabilityDependencies()).toStrictEqual([
      { ...seen, type: 'alternative' },
      { ...seen, count: 6, successes: 3, lastSeen: 90, isManual: true },
    ])
    expect(await store().removeCapabilityDependency({ from: b.id, to: a.id, type: 'sequence' })).toBe(false)
    expect(await store().removeCapabilityDependency(seen)).toBe(true)
    expect(await store().removeCapabilityDependency(seen)).toBe(false)
    expect(await store().loadCapabilityDependencies()).toHaveLength(1)
  })

  it('dependencies are saved all or none', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((slug) => aCapability(slug)) as [Capability, Capability, Capability]
    await addAll(store(), [a, b, c])
    const broken = aDependency(b.id, c.id, { count: 'many' as unknown as number })
    const failed = store().saveCapabilityDependencies([aDependency(a.id, b.id), broken])
    await expect(failed).rejects.toBeInstanceOf(StoreError)
    expect(await store().loadCapabilityDependencies()).toEqual([])
  })

  it('nothing comes to need or to hold itself, over however many others; the rest of the batch is saved', async () => {
    const all = Array.from({ length: 12 }, (_, at) => aCapability(`c${at}`))
    await addAll(store(), all)
    const ids = all.map(({ id }) => id)
    for (const type of ['dependency', 'contains', 'sequence', 'alternative'] as const) {
      await store().saveCapabilityDependencies(
        ids.slice(1).map((to, at) => aDependency(ids[at]!, to, { type })),
      )
      await store().saveCapabilityDependencies([
        aDependency(ids[0]!, ids[0]!, { type }),
        aDependency(ids[11]!, ids[0]!, { type, isManual: true }),
        aDependency(ids[0]!, ids[11]!, { type }),
        aDependency(ids[5]!, ids[4]!, { type }),
        aDependency(ids[0]!, aCapability('not there').id, { type }),
        // Once more: what is there stays and is counted.
        aDependency(ids[0]!, ids[1]!, { type }),
      ])
    }
    const saved = await store().loadCapabilityDependencies()
    const ofType = (type: string) => saved.filter((one) => one.type === type)
    for (const type of ['dependency', 'contains']) {
      expect(ofType(type)).toHaveLength(12)
      expect(ofType(type)).toContainEqual(aDependency(ids[0]!, ids[11]!, { type } as object))
      expect(ofType(type)).toContainEqual(
        aDependency(ids[0]!, ids[1]!, { type, count: 2, successes: 2 } as object),
      )
    }
    // What comes before and what stands in for something may well go round.
    for (const type of ['sequence', 'alternative']) expect(ofType(type)).toHaveLength(14)
  })

  it('random dependencies, saved by many at once, never close a circle', async () => {
    const ids = Array.from({ length: 15 }, (_, at) => aCapability(`c${at}`))
    await addAll(store(), ids)
    const random = seededRandom(42)
    const pick = () => ids[Math.floor(random() * ids.length)]!.id
    const saves = Array.from({ length: 20 }, () =>
      store().saveCapabilityDependencies(
        Array.from({ length: 8 }, () =>
          aDependency(pick(), pick(), { type: random() < 0.5 ? 'dependency' : 'contains' }),
        ),
      ),
    )
    await Promise.all(saves)
    const saved = await store().loadCapabilityDependencies()
    expect(saved.length).toBeGreaterThan(50)
    for (const type of ['dependency', 'contains'] as const)
      expect(isCircular(saved.filter((one) => one.type === type))).toBe(false)
  })

  it('keeps every string, also those longer than an index entry, and a person can look into them', async () => {
    const texts = [...strings, '名'.repeat(3_400), `${'名'.repeat(3_400)}2`]
    const capabilities = texts.map((text, at) =>
      aCapability(text, {
        // Strings that differ in case or in one character alone stay apart.
        ...{ id: formatToolId('cap', `${at}${text}`), name: `${at}${text}`, structure: `${at}${text}` },
        ...{ description: text, intents: [text], code: text, createdAt: 1_000 + at, lastUsedAt: 1_000 + at },
        ...{ inputSchema: { [text]: [text] }, outputSchema: { [text]: text } },
        ...{ tools: [formatToolId('fs', text)], calls: [formatToolId('cap', text)] },
      }),
    )
    await addAll(store(), capabilities)
    expect(await store().loadCapabilities()).toStrictEqual(capabilities)
    const dependencies = capabilities.map(({ id }, at) => aDependency(capabilities[at - 1]?.id ?? id, id))
    await store().saveCapabilityDependencies(dependencies)
    const asTexts = (all: readonly object[]) => new Set(all.map((one) => JSON.stringify(one)))
    expect(asTexts(await store().loadCapabilityDependencies())).toEqual(asTexts(dependencies.slice(1)))
    for (const { id } of [...capabilities.slice(0, 9), ...capabilities.slice(-2)]) {
      const text = texts.at(-1)!
      expect(await store().renameCapability(id, { name: `${id}${text}`, description: text })).toBe(true)
      expect(await store().noteCapabilityUse(id, { ...aUse(), intent: text })).toBe(true)
    }
    const last = (await store().loadCapabilities()).at(-1)
    expect(last).toMatchObject({ name: `${last!.id}${texts.at(-1)}`, intents: [texts.at(-1)], uses: 1 })
    const [counted] = await asPerson(`
      select count(input_schema::jsonb)::integer as capabilities, count(recent::jsonb)::integer as recent,
        (select count(distinct tool) from capability_tool where tool like 'fs:%')::integer as tools
      from capability`)
    const every = texts.length
    expect(counted).toEqual({ capabilities: every, recent: every, tools: new Set(texts).size })
    for (const { id } of capabilities.slice(-2)) expect(await store().forgetCapability(id)).toBe(true)
  })

  it('learned ones are forgotten with all else that was learned; what people wrote or brought stays', async () => {
    const learned = aCapability('learned')
    const [own, brought] = [
      aCapability('own', { origin: 'manual', calls: [learned.id], createdAt: 1 }),
      aCapability('brought', { origin: 'imported', createdAt: 2 }),
    ]
    await addAll(store(), [learned, own, brought])
    const said = aDependency(own.id, brought.id, { isManual: true })
    const held = aDependency(own.id, brought.id, { type: 'contains' })
    await store().saveCapabilityDependencies([
      ...[said, held, aDependency(own.id, learned.id, { isManual: true })],
      aDependency(own.id, brought.id, { type: 'sequence' }),
      aDependency(learned.id, brought.id),
    ])
    await store().forgetLearned()
    await reopen()
    expect(await store().loadCapabilities()).toStrictEqual([own, brought])
    expect(await store().loadCapabilityDependencies()).toStrictEqual([held, said])
    expect(await asPerson('select distinct capability as id from capability_tool order by id')).toEqual([
      { id: brought.id },
      { id: own.id },
    ])
  })

  it('five thousand load in well under a second', async () => {
    const one = aCapability('one', {
      code: `return await tools.fs.read(args.path) // ${'x'.repeat(800)}`,
      recent: Array.from({ length: 20 }, (_, at) => aUse({ at: 1_700_000_000_000 + at })),
    })
    await store().addCapability(one)
    await asPerson(
      `insert into capability
      select (json_populate_record(one, json_build_object(
        'id', 'cap:copy-' || number, 'name', 'copy_' || number, 'structure', number))).*
      from capability as one, generate_series(1, 4999) as number`,
    )
    const ids = (await store().loadCapabilities()).map(({ id }) => id)
    await store().saveCapabilityDependencies(
      ids.slice(1, 1_001).map((id, at) => aDependency(ids[at]!, id, { type: 'contains' })),
    )
    const begin = performance.now()
    const loaded = await store().loadCapabilities()
    const dependencies = await store().loadCapabilityDependencies()
    const ms = performance.now() - begin
    expect(loaded).toHaveLength(5_000)
    expect(loaded.at(-1)).toStrictEqual(one)
    expect(dependencies).toHaveLength(1_000)
    expect(ms).toBeLessThan(1_500)
  })

  it('noting uses does not make the database grow', async () => {
    const capabilities = Array.from({ length: 20 }, (_, at) =>
      aCapability(`c${at}`, { code: 'x'.repeat(900) }),
    )
    await addAll(store(), capabilities)
    for (let at = 0; at < 1_500; at++)
      await store().noteCapabilityUse(
        capabilities[at % 20]!.id,
        aUse({ at: 1_700_000_000_000 + at, ms: at / 7 }),
      )
    const [size] = await asPerson(`select pg_total_relation_size('capability')::integer as bytes`)
    // Measured: 0.15 MB; 1,500 earlier states would be some 3 MB.
    expect(size!.bytes).toBeLessThan(500_000)
  })

  async function toolsOf(id: CapabilityId): Promise<readonly unknown[]> {
    const rows = await asPerson(
      `select tool from capability_tool where capability = '${id}' order by position`,
    )
    return rows.map(({ tool }) => tool)
  }
}

const read = formatToolId('fs', 'read')
const write = formatToolId('fs', 'write')
const prior = { alpha: 1, beta: 1, observations: 0, updatedAt: 1 }

export function aCapability(slug: string, fields: Partial<Capability> = {}): Capability {
  const structure = createHash('sha256').update(slug).digest('hex')
  return {
    ...{ id: capabilityId(slug, structure), name: slug, description: `does ${slug}`, intents: [] },
    ...{ code: 'return await tools.fs.read({ path: args.path })', structure },
    ...{ inputSchema: { type: 'object' }, tools: [read, write], calls: [], origin: 'learned' },
    ...{ uses: 0, successes: 0, meanMs: 0, recent: [] },
    ...{ createdAt: 1_700_000_000_000, lastUsedAt: 1_700_000_000_000 },
    ...fields,
  }
}

export function aUse(fields: Partial<CapabilityUse> = {}): CapabilityUse {
  return { at: 1_700_000_000_000, success: true, ms: 12, callsMs: 30, ...fields }
}

function aDependency(
  from: CapabilityId,
  to: CapabilityId,
  fields: Partial<CapabilityDependency> = {},
): CapabilityDependency {
  return {
    ...{ from, to, type: 'dependency', count: 1, successes: 1, lastSeen: 1_700_000_000_000, isManual: false },
    ...fields,
  }
}

async function addAll(store: Store, capabilities: readonly Capability[]): Promise<void> {
  await Promise.all(capabilities.map((capability) => store.addCapability(capability)))
}

/** Takes away, again and again, those that lead nowhere: of a circle something is left. */
function isCircular(edges: readonly CapabilityDependency[]): boolean {
  const left = edges.filter(({ to }) => edges.some(({ from }) => from === to))
  return left.length === edges.length ? left.length > 0 : isCircular(left)
}
