/**
 * Running ahead as it is put together in the house, with the rules of the house: what is known of tools, learned and predicted is anything,
 * and no tool is called unasked that is not safe. What safe means is said here once more, by DESIGN 8 and 9.
 */
import { expect, test } from 'vitest'
import type { DataflowTemplate } from '../model/dataflow-template.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { silentLog } from '../model/log.js'
import { type Permissions, permissionSets } from '../model/permissions.js'
import type { Risk } from '../model/risk.js'
import { seededRandom } from '../model/seeded-random.js'
import type { SpeculationConfig, SpeculationMode } from '../model/speculation.js'
import type { Tool, ToolAnnotations, ToolId } from '../model/tool.js'
import type { ToolCall, ToolResult } from '../model/tool-call.js'
import type { Store } from '../store/store.js'
import { isSafeTool } from './is-safe-tool.js'
import { type OpenSpeculation, openSpeculation } from './open-speculation.js'
import { makeServer, makeTool, testConfig } from './test-gateway.contract.js'
import { openTestRisks } from './test-risk.contract.js'

const cases = 10_000
/** They wait for timers most of the time. */
const together = 100

/** DESIGN 8: a word that is lost from the list of the house is missed here. */
const acts =
  'remove delete drop truncate destroy wipe purge erase clear reset revert rollback format kill terminate stop shutdown restart deploy release publish push merge force pay payment purchase buy order book charge refund transfer send email mail message post tweet reply notify call invite share grant revoke approve sign submit execute exec run eval install uninstall write create insert upsert set update put patch add edit modify move rename upload import save store commit start enable disable'.split(
    ' ',
  )
const harmless = ['get', 'list', 'read', 'search', 'user', 'file', 'page', 'status', 'query', 'think', 'v2']
const servers = ['own', 'also', 'stranger', 'unknown']
const risks: readonly Risk[] = ['safe', 'moderate', 'dangerous']
const sources = ['constant', 'same', 'argument', 'result', 'request', 'none', 'plan']
const thresholds = [Number.NaN, -1, 0, 0, 0.5, 0.6, 1, 2]
const someArguments: readonly JsonObject[] = [{}, { path: 'a' }, { path: 'b' }, { path: 'b', page: 2 }]

test('no tool is called unasked that is not safe, whatever was learned, predicted and said of it', {
  timeout: 300_000,
}, async () => {
  const learned = await someState()
  const totals = await runCases(cases, learned, {})
  expect(totals.wrong).toEqual([])
  // Otherwise nothing was shown: calls were made ahead in both ways, and each rule has refused some.
  expect(totals.prepared).toBeGreaterThan(cases / 10)
  expect(totals.foretold).toBeGreaterThan(cases / 10)
  for (const why of ['not safe', 'never ahead', 'off', 'below threshold', 'below cut-off'])
    expect(totals.refusals.get(why) ?? 0, why).toBeGreaterThan(100)
})

test.each(['off', 'shadow'] as const)('%s calls nothing, however safe and sure', async (mode) => {
  const totals = await runCases(500, await someState(), { mode })
  expect(totals.wrong).toEqual([])
  expect(totals.prepared + totals.foretold).toBe(0)
  // In shadow the same calls are sure enough; off does not even look.
  expect(totals.shadow > 100).toBe(mode === 'shadow')
  expect(totals.entries > 0).toBe(mode === 'shadow')
})

test('what is safe by every rule is called ahead, so that refusing all would not do', async () => {
  const totals = await runCases(200, await someState(), { mode: 'on', isAllSafe: true })
  expect(totals.wrong).toEqual([])
  expect(totals.prepared + totals.foretold).toBeGreaterThan(100)
})

interface Totals {
  readonly wrong: string[]
  /** Called ahead as tasks of a plan, and as predictions. */
  prepared: number
  foretold: number
  shadow: number
  entries: number
  readonly refusals: Map<string, number>
}

interface Fixed {
  readonly mode?: SpeculationMode
  readonly isAllSafe?: boolean
}

async function runCases(count: number, learned: JsonObject, fixed: Fixed): Promise<Totals> {
  const totals: Totals = {
    ...{ wrong: [], prepared: 0, foretold: 0, shadow: 0, entries: 0 },
    refusals: new Map(),
  }
  for (let first = 1; first <= count; first += together)
    await Promise.all(
      Array.from({ length: together }, (_, at) => oneCase(first + at, { learned, fixed, totals })),
    )
  return totals
}

interface TestTool {
  tool: Tool
  readonly words: readonly string[]
  readonly override: Risk | undefined
}

async function oneCase(
  seed: number,
  { learned, fixed, totals }: { learned: JsonObject; fixed: Fixed; totals: Totals },
): Promise<void> {
  const random = createRandom(seed)
  const { pick, chance } = random
  const isAllSafe = fixed.isAllSafe === true
  const tools = Array.from({ length: 2 + Math.floor(random.next() * 4) }, () => randomTool(random, isAllSafe))
  const known = new Map(tools.map((one) => [one.tool.id, one]))
  const permissions = isAllSafe ? { servers: {}, toolOverrides: {} } : randomPermissions(random, tools)
  const config = {
    ...testConfig,
    servers: ['own', 'also', 'stranger'].map((name) => ({
      ...testConfig.servers[0]!,
      ...{ name, trusted: name !== 'stranger' },
    })),
    speculation: randomSettings(random, tools, fixed),
  }
  const rated = openTestRisks({ config: () => config, tools: () => tools.map(({ tool }) => tool) })
  rated.usePermissions(permissions)
  for (const { tool, override } of tools)
    if (override !== undefined) await rated.set(tool, override, { reason: 'a test', by: 'test' })

  /** A tool may change while it is looked at. */
  const flip = (): void => {
    if (isAllSafe || !chance(0.1)) return
    const one = pick(tools)
    one.tool = { ...one.tool, listed: !one.tool.listed }
  }
  const asked = new WeakSet<AbortSignal>()
  let isPreparing = false
  const callTool = async (call: ToolCall): Promise<ToolResult> => {
    if (!asked.has(call.signal)) {
      const why = forbiddenBy(known.get(call.tool), permissions, config)
      if (why !== undefined) totals.wrong.push(`seed ${seed}, ${call.tool}: ${why}`)
      if (isPreparing) totals.prepared += 1
      else totals.foretold += 1
    }
    return { content: [{ type: 'text', text: JSON.stringify([{ path: 'a' }, { path: 'b' }]) }] }
  }
  const speculation = openSpeculation({
    callTool,
    config: () => config.speculation,
    tool: (id) => known.get(id)?.tool,
    servers: { servers: () => servers.map((name) => makeServer(name)), onChange: () => () => {} },
    isSafe: (tool) => isSafeTool(tool, config, rated.rate(tool)),
    runsUnasked: () => true,
    foresight: {
      hear() {},
      // Of them all, unsafe ones too: who ranks tools may be mistaken about what may be run ahead.
      nextTools: () =>
        tools.map(({ tool }) => ({ tool: tool.id, p: pick([0.2, 0.9, 0.99, 1, 5]), signals: {} })),
      threshold() {
        flip()
        return isAllSafe ? 0 : pick(thresholds)
      },
    },
    store: async () => randomStore(random, learned, tools),
    onEntry({ decision, refusal }) {
      totals.entries += 1
      if (decision === 'shadow') totals.shadow += 1
      if (refusal !== undefined) totals.refusals.set(refusal, (totals.refusals.get(refusal) ?? 0) + 1)
    },
    redact: (text) => text,
    log: silentLog,
  })
  if (chance(0.8)) await speculation.load(randomStore(random, learned, tools))
  for (const { tool } of tools) {
    const { signal } = new AbortController()
    asked.add(signal)
    await speculation.callTool({ tool: tool.id, arguments: pick(someArguments), session: 's', signal })
  }
  isPreparing = true
  const unknown = { tool: 'unknown:nobody' as ToolId, arguments: {} }
  const calls = tools.map(({ tool }) => ({ tool: tool.id, arguments: pick(someArguments) }))
  speculation.prepare('s', [...calls, unknown], pick([1, 1, 0.9, 5, Number.NaN]))
  await turn()
  isPreparing = false
  speculation.lookAhead('s')
  await looked()
  await closeOf(speculation)
}

/** Why DESIGN 8 and 9 say that it is not run ahead. Undefined: they let it. */
function forbiddenBy(
  one: TestTool | undefined,
  permissions: Permissions,
  { servers, speculation }: Pick<typeof testConfig, 'servers' | 'speculation'>,
): string | undefined {
  if (one === undefined) return 'nobody knows it'
  const { tool, words, override } = one
  const { readOnlyHint, destructiveHint } = tool.definition.annotations ?? {}
  const act = words.find((word) => acts.includes(word))
  if (act !== undefined) return `its name says ${act}`
  if (readOnlyHint === false) return 'it says that it does not only read'
  if (!tool.listed || tool.changed !== undefined) return 'it is not to be called'
  const { tools, mode } = speculation
  const said = tools[tool.id] ?? tools[`${tool.server}:*`] ?? tools['*'] ?? 'on'
  if (mode !== 'on' || said !== 'on') return 'it is switched off'
  const isTrusted = servers.some(({ name, trusted }) => name === tool.server && trusted)
  // The first that says anything counts.
  const risk =
    override ??
    permissions.toolOverrides[tool.id]?.risk ??
    (permissions.servers[tool.server]?.isReadOnly === true ? 'safe' : undefined) ??
    (destructiveHint === true ? 'dangerous' : undefined) ??
    (readOnlyHint === true && isTrusted ? 'safe' : undefined)
  return risk === 'safe' ? undefined : `nobody who is to be believed calls it safe, but ${risk ?? 'nothing'}`
}

interface Random {
  next(): number
  pick<Item>(items: readonly Item[]): Item
  chance(share: number): boolean
}

function createRandom(seed: number): Random {
  const next = seededRandom(seed)
  return {
    next,
    pick: (items) => items[Math.floor(next() * items.length)]!,
    chance: (share) => next() < share,
  }
}

function randomTool(random: Random, isAllSafe: boolean): TestTool {
  const { pick, chance, next } = random
  const words = Array.from({ length: 1 + Math.floor(next() * 3) }, () =>
    !isAllSafe && chance(0.12) ? pick(acts) : pick(harmless),
  )
  const annotations: ToolAnnotations = isAllSafe
    ? { readOnlyHint: true }
    : {
        ...(chance(0.6) && { readOnlyHint: chance(0.8) }),
        ...(chance(0.3) && { destructiveHint: chance(0.3) }),
        ...(chance(0.2) && { idempotentHint: chance(0.5) }),
      }
  const base = makeTool(isAllSafe ? 'own' : pick(servers), written(words, random), {
    description: pick(['Reads a thing.', 'Deletes everything.', '']),
    ...(chance(0.9) && { annotations }),
    ...(isAllSafe && { annotations }),
  })
  const isQuarantined = !isAllSafe && chance(0.07)
  return {
    tool: {
      ...base,
      listed: isAllSafe || chance(0.95),
      ...(isQuarantined && { changed: { definition: base.definition, hash: 'other', seenAt: 1 } }),
    },
    words,
    override: !isAllSafe && chance(0.2) ? pick(risks) : undefined,
  }
}

/** In any of the ways in which servers write names. */
function written(words: readonly string[], { pick }: Random): string {
  const hump = (word: string): string => word[0]!.toUpperCase() + word.slice(1)
  const [first = '', ...rest] = words
  return pick([
    words.join('_'),
    words.join('-'),
    words.join('.'),
    words.join(' '),
    words.join('_').toUpperCase(),
    [first, ...rest.map(hump)].join(''),
    words.map(hump).join(''),
    `${words.join('_')}2`,
    `api/${words.join('/')}`,
  ])
}

function randomPermissions({ pick, chance }: Random, tools: readonly TestTool[]): Permissions {
  return {
    servers: Object.fromEntries(
      servers
        .filter(() => chance(0.3))
        .map((name) => [
          name,
          {
            ...(chance(0.5) && { isReadOnly: chance(0.7) }),
            ...(chance(0.5) && { permissionSet: pick(permissionSets) }),
          },
        ]),
    ),
    toolOverrides: Object.fromEntries(
      tools.filter(() => chance(0.2)).map(({ tool }) => [tool.id, { risk: pick(risks) }]),
    ),
  }
}

function randomSettings(
  { pick, chance }: Random,
  tools: readonly TestTool[],
  { mode, isAllSafe }: Fixed,
): SpeculationConfig {
  const names = [...tools.map(({ tool }) => tool.id), ...servers.map((name) => `${name}:*`), '*']
  const switched = names.filter(() => isAllSafe !== true && chance(0.05))
  return {
    ...testConfig.speculation,
    mode: mode ?? pick(['on', 'on', 'on', 'on', 'on', 'on', 'shadow', 'off']),
    preset: pick(['careful', 'eager']),
    tools: Object.fromEntries(switched.map((name) => [name, pick(['on', 'shadow', 'off'])])),
  }
}

/** What was learned, of these tools, as somebody may have left it. */
function randomStore(random: Random, learned: JsonObject, tools: readonly TestTool[]): Store {
  const { pick, chance, next } = random
  const ids = tools.map(({ tool }) => tool.id)
  const counts = (): number[] => Array.from({ length: 20 }, () => (chance(0.3) ? next() * 50 : 0))
  const gate = (): Json =>
    pick<Json>([
      null,
      {
        version: 1,
        cells: ids.flatMap((id) =>
          sources
            .filter(() => chance(0.4))
            .map((source) => ({
              ...{ name: `${id} ${source}`, seen: counts(), used: counts(), expected: counts() },
            })),
        ),
      },
    ])
  const state: JsonObject = {
    ...learned,
    predictor: chance(0.5) ? shaken(learned.predictor ?? null, random) : (learned.predictor ?? null),
    careful: gate(),
    eager: gate(),
  }
  const templates = ids.flatMap((tool) =>
    someArguments.map(
      (args): DataflowTemplate => ({
        ...{ tool, parameter: 'path', after: '', source: 'constant', value: args.path ?? 'c' },
        ...{ count: 50, hits: pick([0, 25, 50]), lastAt: 1 },
      }),
    ),
  )
  const store: Partial<Store> = {
    loadLearnedState: async () => state,
    saveLearnedState: async () => {},
    loadDataflowTemplates: async () => (chance(0.5) ? templates : []),
    saveDataflowTemplates: async () => {},
    saveSpeculations: async () => {},
    pruneSpeculations: async () => 0,
  }
  return store as Store
}

/** The same shape with other numbers. */
function shaken(value: Json, random: Random): Json {
  if (typeof value === 'number') return random.chance(0.3) ? (random.next() - 0.3) * 10 : value
  if (Array.isArray(value)) return value.map((item) => shaken(item, random))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === 'version' ? item : shaken(item, random)]),
  )
}

/** As it is left after some calls. */
async function someState(): Promise<JsonObject> {
  let state: Json = null
  const tool = makeTool('own', 'read', { annotations: { readOnlyHint: true } })
  const store = {
    ...randomStore(createRandom(1), {}, []),
    saveLearnedState: async (_: string, saved: Json) => {
      state = saved
    },
    loadLearnedState: async () => undefined,
    loadDataflowTemplates: async () => [],
  }
  const speculation = openSpeculation({
    callTool: async () => ({ content: [{ type: 'text', text: 'x' }] }),
    config: () => testConfig.speculation,
    tool: () => tool,
    servers: { servers: () => [makeServer('own')], onChange: () => () => {} },
    isSafe: () => true,
    runsUnasked: () => true,
    foresight: {
      hear() {},
      nextTools: () => [{ tool: tool.id, p: 0.9, signals: {} }],
      threshold: () => 0,
    },
    store: async () => store,
    onEntry() {},
    redact: (text) => text,
    log: silentLog,
  })
  await speculation.load(store)
  for (const args of [...someArguments, ...someArguments]) {
    const { signal } = new AbortController()
    await speculation.callTool({ tool: tool.id, arguments: args, session: 's', signal })
    speculation.lookAhead('s')
    await looked()
  }
  await speculation.close()
  if (!isObject(state)) throw new Error('nothing was saved')
  return state
}

async function closeOf(speculation: OpenSpeculation): Promise<void> {
  await turn()
  await speculation.close()
}

/** A look comes with the next timer, and is done at the end of its turn. */
async function looked(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 8))
  await turn()
  await turn()
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
