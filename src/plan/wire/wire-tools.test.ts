import { describe, expect, it } from 'vitest'
import { createStaticEmbedder } from '../../embed/static-embedder.js'
import { graphOf, noon } from '../../graph/test-graph.contract.js'
import type { Edge, NodeId } from '../../model/edge.js'
import { type Experience, noExperience, type PastRun } from '../../model/experience.js'
import { seededRandom } from '../../model/seeded-random.js'
import type { Tool } from '../../model/tool.js'
import { handMade, listOf, objectOf, pastRun, text, tool, whole } from '../test-planner.contract.js'
import { createWiring, type Wired } from './wire-tools.js'

const named = (name: string): Tool => handMade.find((one) => one.name === name)!

interface Given {
  readonly experience?: Partial<Experience>
  readonly edges?: readonly Edge[]
}

const wiringOf = ({ experience = {}, edges = [] }: Given = {}) =>
  createWiring({
    graph: graphOf(edges),
    embedder: createStaticEmbedder(),
    experience: { ...noExperience, ...experience },
  })

async function wire(intent: string, tools: readonly Tool[], given: Given = {}): Promise<Wired> {
  return wiringOf(given).wire(intent, tools)
}

/** `list_files.files[*].path -> read_file.path`, or `a -> b` where nothing is fed. */
function linksOf({ edges }: Wired, tools: readonly Tool[]): readonly string[] {
  const nameOf = (place: string): string => tools[Number(place)]!.name
  return edges
    .flatMap(({ from, to, fields }) =>
      fields.length === 0
        ? [`${nameOf(from)} -> ${nameOf(to)}`]
        : fields.map(({ output, input }) => `${nameOf(from)}.${output} -> ${nameOf(to)}.${input}`),
    )
    .sort()
}

const observed = (from: string, to: string, type: Edge['type'], count = 8): Edge => ({
  from: from as NodeId,
  to: to as NodeId,
  type,
  source: 'observed',
  count,
  successes: count,
  failures: 0,
  firstSeen: noon,
  lastSeen: noon,
})

/** So many runs in which the second needed the first. */
const runsOf = (first: Tool, second: Tool, count: number, intent: string, name = 'run'): readonly PastRun[] =>
  Array.from({ length: count }, (_, at) =>
    pastRun(`${name}${at}`, intent, [
      ['a', first.id],
      ['b', second.id, {}, ['a']],
    ]),
  )

const chain = [named('read_file'), named('summarize_text'), named('translate_text'), named('send_email')]
const chainIntent =
  'read notes.md, summarize it, translate the summary to French and send it to ann@example.com'

describe('what needs what', () => {
  it('follows the request and the schemas', async () => {
    expect(linksOf(await wire(chainIntent, chain), chain)).toEqual([
      'read_file.content -> summarize_text.text',
      'summarize_text.summary -> translate_text.text',
      'translate_text.translation -> send_email.body',
    ])
  })

  it('is the same in whatever order the tools are given', async () => {
    const requests: readonly (readonly [string, readonly Tool[]])[] = [
      [chainIntent, chain],
      [
        'list the issues of "acme/site", close each of them, get the weather in Rome and play "Sunny"',
        [named('list_issues'), named('close_issue'), named('get_weather'), named('play_song')],
      ],
      [
        'do something with all of it',
        [named('get_weather'), named('read_file'), named('write_file'), named('list_emails')],
      ],
    ]
    const wiring = wiringOf()
    const random = seededRandom(7)
    for (const [intent, tools] of requests) {
      const usual = await wiring.wire(intent, tools)
      for (let round = 0; round < 24; round++) {
        const shuffled = shuffle(tools, random)
        const wired = await wiring.wire(intent, shuffled)
        expect(linksOf(wired, shuffled)).toEqual(linksOf(usual, tools))
        expect(wired.edges.map(({ probability }) => probability).sort()).toEqual(
          usual.edges.map(({ probability }) => probability).sort(),
        )
      }
    }
  })

  it('is nothing where nothing speaks for it', async () => {
    const tools = [named('get_weather'), named('play_song')]
    expect((await wire('play "Sunny" and get the weather in Rome', tools)).edges).toEqual([])
  })

  it('is what `it` points at, where the schemas say little', async () => {
    const tools = [
      tool('s:make_report', 'Makes a report', objectOf({})),
      tool('s:publish', 'Publishes anything', objectOf({})),
    ]
    const { edges } = await wire('make a report and then publish it', tools)
    expect(edges.map(({ from, to, why }) => [from, to, why])).toEqual([
      ['0', '1', 'the request points back at it'],
    ])
    expect(edges[0]!.parts.anaphora).toBeGreaterThan(1)
  })

  it('is what the request speaks of', async () => {
    const tools = [named('get_weather'), named('create_issue')]
    const { edges } = await wire(
      'get the weather in Rome and create an issue in repo "acme/site" with the conditions as the title',
      tools,
    )
    expect(linksOf({ edges } as Wired, tools)).toEqual(['get_weather.conditions -> create_issue.title'])
    expect(edges[0]!.parts.mention).toBeGreaterThan(0)
  })

  it('leaves alone what a value of the request fills', async () => {
    const tools = [named('get_weather'), named('send_email')]
    const { edges } = await wire('get the weather in Rome and send "good morning" to ann@example.com', tools)
    expect(edges.flatMap(({ fields }) => fields)).toEqual([])
  })

  it('feeds each input once, also where several tools would do', async () => {
    const tools = [named('read_file'), named('summarize_text'), named('get_weather'), named('write_file')]
    const wired = await wire(
      'read a.md, summarize it, get the weather in Rome and write the summary and the weather to b.md',
      tools,
    )
    const fed = linksOf(wired, tools).map((link) => link.split(' -> ')[1]!)
    expect(fed.filter((input) => input === 'write_file.content')).toHaveLength(1)
    expect(new Set(fed.filter((input) => input.includes('.'))).size).toBe(
      fed.filter((input) => input.includes('.')).length,
    )
  })

  it('says why, and its parts add up to its probability', async () => {
    for (const { parts, probability, why } of (await wire(chainIntent, chain)).edges) {
      const sum = Object.values(parts).reduce((total, part) => total + part, 0)
      expect(probability).toBeCloseTo(1 / (1 + Math.exp(-sum)), 10)
      expect(why).toMatch(/fits .*; the request (?:points back|speaks)/)
    }
  })
})

describe('a circle', () => {
  const [ping, pong] = [
    tool('s:encode_key', 'Encodes', objectOf({ plain_key: text }), objectOf({ secret_key: text })),
    tool('s:decode_key', 'Decodes', objectOf({ secret_key: text }), objectOf({ plain_key: text })),
  ]

  it('loses its weakest edge, and says which', async () => {
    const { edges, dropped } = await wire('use both keys', [ping, pong])
    expect(edges).toHaveLength(1)
    expect(dropped).toHaveLength(1)
    expect([dropped[0]!.from, dropped[0]!.to]).toEqual([edges[0]!.to, edges[0]!.from])
    expect(dropped[0]!.probability).toBeLessThanOrEqual(edges[0]!.probability)
  })

  it('of three tools is opened, too', async () => {
    const ring = ['a', 'b', 'c'].map((name, at, names) =>
      tool(
        `s:turn_${name}`,
        '',
        objectOf({ [`key_${name}`]: text }),
        objectOf({ [`key_${names[(at + 1) % 3]}`]: text }),
      ),
    )
    const { edges, dropped } = await wire('turn them', ring)
    expect(edges).toHaveLength(2)
    const weakest = Math.min(...edges.map(({ probability }) => probability))
    // The best one that is left for the tool that lost its edge would close the circle as well.
    expect(dropped.length).toBeGreaterThan(0)
    for (const { probability } of dropped) expect(probability).toBeLessThanOrEqual(weakest)
  })
})

describe('past runs', () => {
  const [weather, mail] = [named('get_weather'), named('send_email')]
  const intent = 'get the weather in Rome and send it to ann@example.com'

  it('turn an edge round once ten of them went the other way, where the request does not say which is first', async () => {
    const [find, check] = [
      tool(
        's:find_parcel',
        'Finds a parcel',
        objectOf({ parcel_code: text }),
        objectOf({ route_code: text }),
      ),
      tool('s:find_route', 'Finds a route', objectOf({ route_code: text }), objectOf({ parcel_code: text })),
    ]
    const unclear = 'parcel and route please'
    const usual = await wire(unclear, [find, check])
    const [first] = usual.edges
    const [before, after] = [[find, check][Number(first!.from)]!, [find, check][Number(first!.to)]!]
    const runs = runsOf(after, before, 10, unclear)
    const { edges, dropped, pastRuns } = await wire(unclear, [find, check], {
      experience: { runsAmong: () => runs },
    })
    expect(edges.map(({ from, to }) => [from, to])).toEqual([[first!.to, first!.from]])
    expect(edges[0]!.why).toContain('10 past runs went this way')
    expect(dropped).toEqual([])
    expect(pastRuns).toEqual(['run0', 'run1', 'run2'])
  })

  it('the other way make an edge less sure, however plain the request is', async () => {
    const [plain] = (await wire(intent, [weather, mail])).edges
    const runs = runsOf(mail, weather, 10, intent)
    const { edges } = await wire(intent, [weather, mail], { experience: { runsAmong: () => runs } })
    const doubted = edges.find(({ from, to }) => from === plain!.from && to === plain!.to)
    expect(doubted?.probability ?? 0).toBeLessThan(plain!.probability - 0.2)
  })

  it('speak for an edge that nothing else speaks for', async () => {
    const tools = [named('play_song'), weather]
    const quiet = 'play "Sunny" and get the weather in Rome'
    expect((await wire(quiet, tools)).edges).toEqual([])
    const runs = runsOf(tools[0]!, weather, 10, quiet)
    const { edges } = await wire(quiet, tools, { experience: { runsAmong: () => runs } })
    expect(edges.map(({ from, to }) => [from, to])).toEqual([['0', '1']])
  })

  it('count by how like their intents are', async () => {
    const tools = [named('play_song'), weather]
    const quiet = 'play "Sunny" and get the weather in Rome'
    const runs = [
      ...runsOf(tools[0]!, weather, 10, quiet),
      ...runsOf(weather, tools[0]!, 20, 'migrate the accounting database to another region', 'other'),
    ]
    const { edges } = await wire(quiet, tools, { experience: { runsAmong: () => runs } })
    expect(edges.map(({ from, to }) => [from, to])).toEqual([['0', '1']])
  })

  it('are the counts of the graph where none is remembered', async () => {
    const tools = [named('play_song'), weather]
    const edges = [observed(tools[0]!.id, weather.id, 'dependency', 10)]
    const wired = await wire('play "Sunny" and get the weather in Rome', tools, { edges })
    expect(wired.edges.map(({ from, to, why }) => [from, to, why])).toEqual([
      ['0', '1', 'past runs went this way'],
    ])
  })

  it('that lead there over a third tool speak for it a little', async () => {
    const tools = [named('play_song'), weather]
    const edges = [
      observed(tools[0]!.id, 's:between', 'sequence', 50),
      observed('s:between', weather.id, 'sequence', 50),
    ]
    const wiring = wiringOf({ edges })
    const { edges: found } = await wiring.wire(
      'play "Sunny" and then get the weather conditions of it',
      tools,
    )
    expect(found).toHaveLength(1)
    expect(found[0]!.parts.path).toBeGreaterThan(0.1)
    expect(found[0]!.parts.learned).toBe(0)
  })
})

describe('odd tools', () => {
  it('one tool twice is two places, each with its own values', async () => {
    const translate = named('translate_text')
    const { edges, literals } = await wire('translate "hello" to French and then translate it to German', [
      translate,
      translate,
    ])
    expect(edges).toHaveLength(1)
    const values = literals.map(({ tool: at, field, literals: words }) => [at, field.name, words[0]!.text])
    const [first, second] = [Number(edges[0]!.from), Number(edges[0]!.to)]
    expect(values).toContainEqual([first, 'target_language', 'French'])
    expect(values).toContainEqual([second, 'target_language', 'German'])
  })

  it('one that does not say what it gives is wired by what the request says, without fields', async () => {
    const tools = [tool('s:fetch_page', 'Fetches a page', objectOf({ url: text })), named('summarize_text')]
    const { edges } = await wire('fetch https://example.com and summarize it', tools)
    expect(edges.map(({ from, to, fields }) => [from, to, fields])).toEqual([['0', '1', []]])
  })

  it('one whose results were seen is wired by what they looked like', async () => {
    const tools = [tool('s:fetch_page', 'Fetches a page', objectOf({ url: text })), named('summarize_text')]
    const seen = objectOf({ page_text: text, status: whole }) as never
    const wired = await wire('fetch https://example.com and summarize it', tools, {
      experience: { outputSchema: () => seen },
    })
    expect(linksOf(wired, tools)).toEqual(['fetch_page.page_text -> summarize_text.text'])
  })

  it('one whose schema refers to itself is wired like any other', async () => {
    const node = {
      type: 'object',
      properties: { title: text, children: listOf({ $ref: '#/$defs/node' }) },
      required: ['title'],
    }
    const tree = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      required: ['root'],
      $defs: { node },
    }
    const tools = [tool('s:get_tree', 'Gets a tree', tree, tree), tool('s:save_tree', 'Saves a tree', tree)]
    const { edges } = await wire('get the tree and save it', tools)
    expect(edges.map(({ from, to }) => [from, to])).toEqual([['0', '1']])
  })

  it('no tools, and no words, make no edges', async () => {
    expect((await wire('get the weather', [])).edges).toEqual([])
    expect((await wire('', [named('get_weather'), named('send_email')])).edges.length).toBeLessThanOrEqual(1)
  })

  it('two hundred at once are wired in bounded time', async () => {
    const kinds = [
      'order',
      'invoice',
      'customer',
      'parcel',
      'ticket',
      'report',
      'user',
      'page',
      'song',
      'route',
    ]
    const tools = Array.from({ length: 200 }, (_, at) => {
      const [kind, next] = [kinds[at % 10]!, kinds[(at + 3) % 10]!]
      return tool(
        `s:${['get', 'create', 'send', 'convert'][at % 4]}_${kind}_${at}`,
        `Works on one ${kind} and its ${next}`,
        objectOf({ [`${kind}_id`]: text, amount: whole }, { [`${next}_note`]: text }),
        objectOf({ [`${next}_id`]: text, total: whole, status: text }),
      )
    })
    const intent = 'get the order, then convert it, create the invoice and send it to the customer'
    let fastest = Number.POSITIVE_INFINITY
    // Twice, each time with a wiring that has seen none of them: the machine has other things to do.
    for (let round = 0; round < 2; round++) {
      const started = performance.now()
      expect((await wire(intent, tools)).shapes).toHaveLength(200)
      fastest = Math.min(fastest, performance.now() - started)
    }
    console.info(`200 tools that were never looked at are wired in ${fastest.toFixed(0)} ms`)
    // 1 s where nothing else runs, and it has to be below 3; the whole suite at once takes four times as long.
    expect(fastest).toBeLessThan(12_000)
  })
})

function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}
