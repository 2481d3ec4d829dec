/** Search and what it learns from runs, as a user meets them: the built command, real servers, a real database, real kills. */
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { alive, dataOf, eventually, fixture, type House, openHouse } from './harness.js'

let house: House
/** Creating a database takes seconds: it is made once, and every house begins with a copy. */
let firstDay: House
const endpoints: Endpoint[] = []

beforeAll(async () => {
  firstDay = openHouse({})
  const { code, stderr } = await firstDay.pml('learn', '--config', firstDay.config)
  expect([code, stderr]).toEqual([0, ''])
})
afterEach(async () => {
  await house.close()
  await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.stop()))
})
afterAll(() => firstDay.close())

function openShop(
  servers: Record<string, unknown>,
  settings: Record<string, unknown> = {},
  env: Record<string, string> = {},
): House {
  const shop = openHouse(servers, { exposure: 'meta', ...settings }, env)
  cpSync(firstDay.env.PML_HOME!, shop.env.PML_HOME!, {
    recursive: true,
    filter: (path) => !/\.(lock|sock)$/.test(path),
  })
  return shop
}

const stated = (tools: readonly StatedTool[] | number) => fixture('stated', JSON.stringify(tools))

interface StatedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: unknown
}

function tool(name: string, description: string, ...required: string[]): StatedTool {
  const properties = Object.fromEntries(required.map((parameter) => [parameter, { type: 'string' }]))
  return { name, description, inputSchema: { type: 'object', properties, required } }
}

interface Hit {
  readonly id: string
  readonly sure?: boolean
  readonly score: number
  readonly parts: {
    readonly semantic: number
    readonly words: number
    readonly graph?: { readonly from: string; readonly by: string; readonly alpha: number }
  }
}

interface Found {
  readonly status: string
  readonly tools: readonly Hit[]
  readonly hint?: string
}

async function discover(client: Client, intent: string, context?: readonly string[]): Promise<Found> {
  const result = await client.callTool({
    name: 'discover',
    arguments: { intent, ...(context && { context }) },
  })
  const found = dataOf<Found & Record<string, unknown>>(result)
  return { ...found, tools: withoutSure(found) }
}

/** What is called sure moves with what was learned; order and scores do not. */
const withoutSure = ({ tools }: Found): readonly Hit[] => tools.map(({ sure: _, ...hit }) => hit)

const idsOf = ({ tools }: Found): readonly string[] => tools.map(({ id }) => id)

const ready = (client: Client, id: string): Promise<Found> =>
  eventually(
    () => discover(client, id),
    (found) => idsOf(found).includes(id),
  )

interface LearnedEdge {
  readonly from: string
  readonly to: string
  readonly type: string
  readonly source: string
  readonly count: number
  readonly weight: number
}

interface Learned {
  readonly summary: {
    readonly tools: number
    readonly edges: number
    readonly kinds: readonly { readonly type: string; readonly source: string; readonly edges: number }[]
    readonly strongest: readonly LearnedEdge[]
  }
  readonly rebuilt?: { readonly runs: number; readonly edges: number }
}

/** What a rebuild says that found nothing to mend. */
const nothingChanged = { added: [], removed: [], changed: [] }

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await house.pml(...args, '--json', '--config', house.config)
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as T
}

const learned = (...args: string[]): Promise<Learned> => json('learn', ...args)

/** All of it that does not fade by the hour. */
function remembered({ summary: { tools, edges, kinds, strongest } }: Learned) {
  return { tools, edges, kinds, strongest: strongest.map(({ weight: _, ...edge }) => edge) }
}

const seen = ({ summary }: Learned): number => summary.strongest[0]?.count ?? 0

async function runTasks(client: Client, tasks: readonly unknown[]): Promise<void> {
  const result = await client.callTool({ name: 'execute_workflow', arguments: { tasks } })
  expect(dataOf(result)).toMatchObject({ status: 'complete' })
}

const siteTools = [
  tool('checkout', 'Copies a repository to this machine.', 'url'),
  tool('prepare', 'Fetches every package on a list.', 'folder'),
  tool('publish', 'Puts a site online.', 'folder'),
  tool('forecast', 'Says what the weather will be.', 'city'),
  tool('translate', 'Says a text in another language.', 'text'),
]

/** Each takes up what the one before it gave. */
const publishing = [
  { id: 'get', tool: 'ship:checkout', arguments: { url: 'https://example.org/site' } },
  { id: 'fill', tool: 'ship:prepare', arguments: { folder: { $from: 'get.id' } } },
  { id: 'out', tool: 'ship:publish', arguments: { folder: { $from: 'fill.id' } } },
]

/** Two chains side by side, every task waiting for all before it: 12 dependencies, and as many that follow by layer alone. */
const chains = ['invoice', 'rocket']
const chainTools = chains.flatMap((chain) =>
  [1, 2, 3, 4].map((at) => tool(`${chain}_${at}`, `Step of the ${chain}.`)),
)
const chainTasks = chains.flatMap((chain) =>
  [1, 2, 3, 4].map((at) => ({
    id: `${chain}${at}`,
    tool: `work:${chain}_${at}`,
    dependsOn: Array.from({ length: at - 1 }, (_, before) => `${chain}${before + 1}`),
  })),
)

async function killed(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await eventually(
    () => alive(pid),
    (is) => !is,
  )
}

describe('learning from runs', () => {
  it('shows what goes together, brings it in by context, and leaves a search without context as it was', async () => {
    // To publish sounds final, and nobody is here to be asked.
    house = openShop({ ship: stated(siteTools) }, { approvals: { tools: { 'ship:publish': 'allow' } } })
    const { client } = await house.stdio()
    await ready(client, 'ship:publish')
    const intents = [
      'put the site online',
      'get a repository',
      'weather',
      'a folder',
      'ship:prepare',
      'xyzzy',
    ]
    const searchAll = () => Promise.all(intents.map((intent) => discover(client, intent)))
    const before = await searchAll()
    expect(idsOf(before[0]!)).toEqual(['ship:publish'])
    expect(await discover(client, intents[0]!, ['ship:checkout'])).toEqual(before[0])

    for (let run = 0; run < 6; run++) await runTasks(client, publishing)
    const { summary } = await eventually(learned, (reply) => seen(reply) === 6)
    expect(summary.strongest).toHaveLength(6)
    for (const type of ['dependency', 'provides', 'sequence'])
      for (const [from, to] of [
        ['ship:checkout', 'ship:prepare'],
        ['ship:prepare', 'ship:publish'],
      ])
        expect(summary.strongest).toContainEqual(
          expect.objectContaining({
            from,
            to,
            type,
            source: 'observed',
            count: 6,
            successes: 6,
            failures: 0,
          }),
        )

    expect(await searchAll()).toEqual(before)
    const { tools } = await discover(client, intents[0]!, ['ship:checkout'])
    expect(tools[0]).toEqual(before[0]!.tools[0])
    expect(tools[1]).toMatchObject({
      id: 'ship:prepare',
      parts: { words: 0, graph: { from: 'ship:checkout', by: 'edge' } },
    })
    expect(tools[1]!.score).toBeGreaterThan(tools[1]!.parts.semantic)
    // No word names these either, and nothing was done with them.
    expect(tools.map(({ id }) => id)).not.toContain('ship:forecast')
    const typed = await json<Found>('search', intents[0]!, '--context', 'ship:checkout')
    expect(withoutSure(typed)).toEqual(tools)
  })

  it('guesses from schemas what may feed what before anything was called', async () => {
    house = openShop({
      tracker: stated([
        tool('search_issues', 'Finds problems that people reported.', 'query'),
        tool('close_issue', 'Marks one as done.', 'issue_number'),
        tool('send_mail', 'Writes to somebody.', 'address'),
      ]),
    })
    const { client } = await house.stdio()
    const { summary } = await eventually(learned, (reply) => reply.summary.edges > 0)
    expect(summary.strongest).toMatchObject([
      {
        from: 'tracker:search_issues',
        to: 'tracker:close_issue',
        type: 'provides',
        source: 'template',
        count: 0,
      },
    ])
    // A guess is a candidate to look at; it moves no score.
    const { tools } = await discover(client, 'write to somebody', ['tracker:search_issues'])
    const guessed = tools.find(({ id }) => id === 'tracker:close_issue')!
    expect(guessed.parts.graph).toMatchObject({ from: 'tracker:search_issues', alpha: 1 })
    expect(guessed.score).toBe(guessed.parts.semantic)
    expect(tools[0]!.id).toBe('tracker:send_mail')
  })

  it('a gateway that is killed has kept what it showed, and all or nothing of the run it had just answered', async () => {
    house = openShop({ work: stated(chainTools) })
    const first = await house.stdio()
    await runOften(first.client)
    const before = await eventually(learned, (reply) => seen(reply) === sureFrom)
    await killed(first.pid)

    const second = await house.stdio()
    expect(remembered(await learned())).toEqual(remembered(before))
    await runTasks(second.client, chainTasks)
    await killed(second.pid)

    const { summary, rebuilt } = await learned('--rebuild')
    expect(rebuilt).toMatchObject(nothingChanged)
    expect([sureFrom, sureFrom + 1]).toContain(rebuilt!.runs)
    expect(new Set(summary.strongest.map(({ count }) => count))).toEqual(new Set([rebuilt!.runs]))
  })

  it('killed at any moment, again and again, what was learned is what the traces say', async () => {
    house = openShop({ work: stated(chainTools) })
    let begun = 0
    let answered = 0
    const work = async (client: Client): Promise<void> => {
      for (;;) {
        begun += 1
        try {
          await runTasks(client, chainTasks)
        } catch {
          return
        }
        answered += 1
      }
    }
    for (const { after, ms } of killMoments) {
      const { client, pid } = await house.stdio()
      if (begun === 0) await runOften(client)
      const before = answered
      const working = work(client)
      if (after === 'answer')
        await eventually(
          () => answered,
          (count) => count > before,
        )
      await sleep(ms)
      await killed(pid)
      await working
    }

    const { summary, rebuilt } = await learned('--rebuild')
    expect(rebuilt).toMatchObject({ edges: 24, ...nothingChanged })
    expect(rebuilt!.runs).toBe(seen({ summary }))
    // A kill takes at most the lesson of the run that was answered last.
    expect(rebuilt!.runs).toBeGreaterThanOrEqual(sureFrom + answered - killMoments.length)
    expect(rebuilt!.runs).toBeLessThanOrEqual(sureFrom + begun)
  }, 120_000)
})

/** From so many observations on an edge is sure, whatever its ends are like: what the model of search says has no part in it. */
const sureFrom = 3

async function runOften(client: Client): Promise<void> {
  for (let run = 0; run < sureFrom; run++) await runTasks(client, chainTasks)
}

/** As the store opens, and while runs are written one after another. */
const killMoments = [
  { after: 'answer', ms: 0 },
  { after: 'handshake', ms: 130 },
  { after: 'answer', ms: 3 },
  { after: 'handshake', ms: 500 },
  { after: 'answer', ms: 17 },
  { after: 'handshake', ms: 950 },
  { after: 'answer', ms: 41 },
  { after: 'handshake', ms: 1_400 },
  { after: 'answer', ms: 97 },
  { after: 'answer', ms: 210 },
] as const

interface Endpoint {
  readonly url: string
  readonly keys: ReadonlySet<string | undefined>
  /** How many requests wait for an answer. */
  waiting(): number
  mode: 'answers' | 'waits' | 'refuses'
  stop(): Promise<void>
}

/** One is nobody's word: what is usual, the static model knows too. */
const sameMeaning: Readonly<Record<string, string>> = { zyxwvut: 'car', vehicle: 'car', mend: 'repair' }
const dimensions = 256

/** Words of a text as a vector; words of one meaning are one word. */
function toVector(text: string): readonly number[] {
  const vector = new Array<number>(dimensions).fill(0)
  for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
    const meant = sameMeaning[word] ?? word
    const at = [...meant].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) % 65_521, 7)
    vector[at % dimensions]! += 1
  }
  return vector
}

/** A small program that makes vectors and speaks as OpenAI does. */
async function startEndpoint(): Promise<Endpoint> {
  const keys = new Set<string | undefined>()
  let waiting = 0
  const server: Server = createServer(async (request, response) => {
    keys.add(request.headers.authorization)
    const { input } = JSON.parse(await bodyOf(request)) as { readonly input: readonly string[] }
    waiting += 1
    while (endpoint.mode === 'waits') await sleep(20)
    waiting -= 1
    const refused = endpoint.mode === 'refuses'
    response.writeHead(refused ? 401 : 200, { 'content-type': 'application/json' })
    const data = input.map((text, index) => ({ index, embedding: toVector(text) }))
    const message = `Incorrect key: ${request.headers.authorization}`
    response.end(JSON.stringify(refused ? { error: { message } } : { data }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint: Endpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    keys,
    waiting: () => waiting,
    mode: 'answers',
    async stop() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  endpoints.push(endpoint)
  return endpoint
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

const key = 'sk-never-to-be-seen-4711'
const byEndpoint = ({ url }: Endpoint) => ({
  search: { embedder: 'near', endpoints: { near: { url, model: 'words', apiKey: `\${NEAR_KEY}` } } },
})

interface SearchStatus {
  readonly model?: string
  readonly next?: { readonly model: string }
  readonly trouble?: string
}

const searchStatus = async (): Promise<SearchStatus> =>
  (await json<{ readonly search: SearchStatus }>('status')).search

const garage = {
  garage: stated([
    tool('repair_car', 'Puts it back on the road.', 'plate'),
    tool('paint_wall', 'Gives it a colour.', 'room'),
    tool('boil_egg', 'Makes breakfast.', 'minutes'),
  ]),
}

describe('an embedder behind an endpoint', () => {
  it('is taken up while searches go on, finds by meaning, and may go away', async () => {
    house = openShop(garage, {}, { NEAR_KEY: key })
    const endpoint = await startEndpoint()
    const { client, stderr } = await house.stdio()
    await ready(client, 'garage:repair_car')
    const { model: before } = await eventually(searchStatus, ({ model }) => model !== undefined)
    expect(idsOf(await discover(client, 'automobile'))[0]).toBe('garage:repair_car')
    expect(idsOf(await discover(client, 'zyxwvut'))).not.toContain('garage:repair_car')

    endpoint.mode = 'waits'
    house.writeConfig({ mcpServers: garage, exposure: 'meta', ...byEndpoint(endpoint) })
    await eventually(endpoint.waiting, (count) => count > 0)
    for (let time = 0; time < 20; time++) {
      const { value, ms } = await timed(() => discover(client, `paint the wall ${time}`))
      expect(idsOf(value)[0]).toBe('garage:paint_wall')
      expect(ms).toBeLessThan(1_000)
    }
    expect(await searchStatus()).toMatchObject({
      model: before,
      next: { model: expect.stringContaining('words') },
    })
    endpoint.mode = 'answers'
    const { model } = await eventually(searchStatus, (state) => state.model !== before)
    expect(model).toContain('words')

    expect(idsOf(await discover(client, 'zyxwvut'))[0]).toBe('garage:repair_car')
    expect([...endpoint.keys]).toEqual([`Bearer ${key}`])

    await endpoint.stop()
    const { value: found, ms } = await timed(() => discover(client, 'paint the vehicle'))
    expect(idsOf(found)[0]).toBe('garage:paint_wall')
    expect(ms).toBeLessThan(2_500)
    expect(await searchStatus()).toMatchObject({ model, trouble: expect.stringContaining('nobody listens') })
    const { stdout: said } = await house.pml('status', '--config', house.config)
    expect(said).toMatch(/search.*trouble: .*nobody listens/)
    expect(stderr()).toContain('nobody listens')
    expect(stderr()).not.toContain(key)
  })

  it('refuses a key, and the key is in no log, status or error', async () => {
    const endpoint = await startEndpoint()
    endpoint.mode = 'refuses'
    house = openShop(garage, byEndpoint(endpoint), { NEAR_KEY: key })
    const { client, stderr } = await house.stdio({ env: { PML_LOG: 'debug' } })
    await ready(client, 'garage:paint_wall')
    const state = await eventually(searchStatus, ({ trouble }) => trouble !== undefined)
    expect(state.trouble).toContain('refused the key')
    expect(state.model).toBeDefined()
    expect(endpoint.keys).toContain(`Bearer ${key}`)
    expect(idsOf(await discover(client, 'paint the wall'))[0]).toBe('garage:paint_wall')
    const bench = await house.pml(
      'bench',
      'retrieval',
      '--set',
      writeSet(),
      '--embedder',
      'near',
      '--config',
      house.config,
    )
    expect(bench.code).toBe(1)
    expect(bench.stderr).toContain('refused the key')
    const status = await house.pml('status', '--config', house.config)
    const everything = [
      stderr(),
      JSON.stringify(state),
      bench.stdout,
      bench.stderr,
      status.stdout,
      status.stderr,
    ]
    expect(everything.join('\n')).not.toContain(key)
  })
})

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const from = performance.now()
  return { value: await work(), ms: performance.now() - from }
}

describe('odd catalogues and odd questions', () => {
  it('nothing to find is said, and one tool is found', async () => {
    house = openShop({})
    const { client } = await house.stdio()
    expect(await discover(client, 'anything')).toMatchObject({
      status: 'complete',
      tools: [],
      hint: expect.stringContaining('no server is configured'),
    })
    house.writeConfig({ mcpServers: { one: stated([tool('ring', 'Rings a bell.')]) }, exposure: 'meta' })
    await ready(client, 'one:ring')
    expect(idsOf(await discover(client, 'bell'))).toEqual(['one:ring'])
    expect(idsOf(await discover(client, 'bell', ['one:ring', 'nobody:nothing']))).toEqual(['one:ring'])
  })

  it('answers any question over 10,000 tools that say the same', async () => {
    house = openShop({
      many: stated(10_000),
      few: stated([
        tool('天気', '都市の天気予報を取得する'),
        tool('party', 'Throws confetti 🎉 for a birthday.'),
        tool('empty', ''),
      ]),
    })
    const { client, pid } = await house.stdio()
    await ready(client, 'many:tool_9999')
    await ready(client, 'few:party')
    const questions = {
      'does what it is for': 'many:',
      'many:tool_4321': 'many:tool_4321',
      'tool 77': 'many:tool_77',
      'throw confetti': 'few:party',
      '🎉': 'few:party',
      明日の天気予報: 'few:天気',
      '\u0000\ud800 \u202e': undefined,
      ' ': undefined,
      [`confetti ${'lorem ipsum dolor '.repeat(6_000)}`]: 'few:party',
      ['x'.repeat(100_000)]: undefined,
    }
    for (const [intent, wanted] of Object.entries(questions)) {
      const { value, ms } = await timed(() => discover(client, intent))
      const asked = JSON.stringify(intent.slice(0, 20))
      expect({ asked, status: value.status }).toEqual({ asked, status: 'complete' })
      if (wanted !== undefined)
        expect([asked, idsOf(value)[0]]).toEqual([asked, expect.stringMatching(wanted)])
      // Twenty times what the slowest took when this was written.
      expect([asked, ms < 2_000]).toEqual([asked, true])
    }
    await runTasks(client, [{ id: 'a', tool: 'many:tool_5' }])
    expect(alive(pid)).toBe(true)
  })
})

/** Four tools and three requests, one of which wants two of them. */
function writeSet(): string {
  const folder = join(house.home, 'set')
  mkdirSync(folder, { recursive: true })
  const tools = [
    { id: 't1', server: 'files', name: 'read_file', description: 'Reads the contents of a file.' },
    { id: 't2', server: 'files', name: 'write_file', description: 'Writes a file.' },
    { id: 't3', server: 'weather', name: 'forecast', description: 'Weather forecast for a city.' },
    { id: 't4', server: 'chat', name: 'send', description: 'Sends a message to a person.' },
  ]
  const queries = [
    { id: 'q1', query: 'read the contents of a file', gold: ['t1'] },
    { id: 'q2', query: 'weather in a city', gold: ['t3'] },
    { id: 'q3', query: 'send a message with the forecast', gold: ['t4', 't3'] },
  ]
  for (const [name, rows] of Object.entries({ tools, queries }))
    writeFileSync(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return folder
}

describe('search at the terminal', () => {
  it('finds tools without a gateway, and says what it cannot do', async () => {
    house = openShop({ ship: stated(siteTools) })
    const { tools } = await json<Found>('search', 'put', 'a site online', '--limit', '3')
    expect(tools[0]).toMatchObject({ id: 'ship:publish', score: expect.any(Number) })
    expect(tools.length).toBeLessThanOrEqual(3)
    const none = await house.pml('search', 'online', '--limit', 'many', '--config', house.config)
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--limit: expected a whole number'),
    })
  })

  it('measures retrieval on a set, and writes what it predicted', async () => {
    house = openShop({})
    const set = writeSet()
    const file = join(house.home, 'predictions.jsonl')
    const bench = (...args: string[]) => house.pml('bench', 'retrieval', ...args)
    const { code, stdout, stderr } = await bench('--set', set, '--json', '--predictions', file)
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1)!)).toMatchObject({
      queries: 3,
      tools: 4,
      'recall@1': expect.closeTo(2.5 / 3),
      'recall@5': 1,
      'recall@10': 1,
      'ndcg@10': expect.closeTo(1),
      mrr: 1,
      'all_gold@10': 1,
      p50_ms: expect.any(Number),
      p95_ms: expect.any(Number),
    })
    const predictions = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly id: string; readonly ranked: readonly string[] })
    expect(predictions.map(({ id, ranked }) => [id, ranked[0]])).toEqual([
      ['q1', 't1'],
      ['q2', 't3'],
      ['q3', 't4'],
    ])

    const broken = join(house.home, 'broken')
    cpSync(set, broken, { recursive: true })
    writeFileSync(join(broken, 'queries.jsonl'), '{"id": "q1", "query": "a", "gold": []}\n{"id": "q2"\n')
    const nowhere = join(house.home, 'nowhere')
    const refusals = [
      [await bench(), '--set: expected the folder'],
      [await bench('--set', nowhere), `${join(nowhere, 'tools.jsonl')} cannot be read: ENOENT`],
      [await bench('--set', broken), 'queries.jsonl:2: expected one JSON object'],
      [await bench('--set', set, '--predictions', join(nowhere, 'file')), '--predictions: ENOENT'],
      [await bench('--set', set, '--embedder', 'statik', '--config', house.config), '--embedder: '],
      [await house.pml('bench', 'speed', '--set', set), 'No bench "speed"'],
    ] as const
    for (const [refusal, why] of refusals)
      expect(refusal).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(why) })
  })
})
