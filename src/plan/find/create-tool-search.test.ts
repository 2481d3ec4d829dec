import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../model/seeded-random.js'
import type { Tool } from '../../model/tool.js'
import { makeTool } from '../make-tool.contract.js'
import { createToolSearch } from './create-tool-search.js'
import { openTestSearch } from './test-search.contract.js'

const catalogue = [
  makeTool('github:create_issue', 'Opens a new issue in a repository'),
  makeTool('github:list_issues', 'Lists the issues of a repository'),
  makeTool('github:get_file_contents', 'Reads a file or a directory of a repository'),
  makeTool('gitlab:create_issue', 'Create an issue in a project'),
  makeTool('jira:jira_search', 'Finds tickets with JQL'),
  makeTool('files:read_file', 'Read the complete contents of a file from disk'),
  makeTool('files:write_file', 'Creates a new file or overwrites an existing one', {
    inputSchema: {
      type: 'object',
      properties: { encoding: { type: 'string', description: 'Charset such as latin1' } },
    },
  }),
  makeTool('weather:forecast', '東京などの都市の天気予報を取得します'),
  makeTool('ci:deploy', 'Ships the build 🚀'),
]
const household = [
  makeTool('weather:forecast', 'Weather forecast for a city and day'),
  makeTool('clock:alarm', 'Sets an alarm for a time of day'),
  makeTool('helper:help', 'Everything about alarms and the weather'),
  makeTool('chat:send', 'Sends a direct message to a user'),
  makeTool('stocks:quote', 'Current price of a share by its symbol'),
  makeTool('restaurants:reserve', 'Makes a reservation at a restaurant'),
  makeTool('music:play', 'Plays a song or an album'),
  makeTool('lights:switch', 'Turns lamps on or off'),
]
/** With all vectors there: while they are being made, an answer hangs on how far that has come. */
const find = async (tools: readonly Tool[], query: string, limit: number) => {
  const { search } = openTestSearch(tools)
  await search.settled()
  return search.search(query, { limit, context: [] })
}
const ids = async (tools: readonly Tool[], query: string, limit = 3) =>
  (await find(tools, query, limit)).map((hit) => hit.tool.id as string)

describe('names come first', async () => {
  it.each([
    ['files:read_file', 'files:read_file'],
    ['files__read_file', 'files:read_file'],
    ['mcp__pml__files__read_file', 'files:read_file'],
    ['read_file', 'files:read_file'],
    ['readFile', 'files:read_file'],
    ['READ FILE', 'files:read_file'],
    ['read-file', 'files:read_file'],
    ['github create issue', 'github:create_issue'],
    ['search', 'jira:jira_search'],
  ])('%j is the whole name of %s', async (query, id) => {
    const [first] = await find(catalogue, query, 5)
    expect(first).toMatchObject({ tool: { id }, score: 1, parts: { name: 1 } })
  })

  it.each([
    ['please call github:create_issue for this bug', 'github:create_issue', 0.98],
    ['the file read tool', 'files:read_file', 0.95],
    ['create issues on github', 'github:create_issue', 0.95],
    ['raed_file', 'files:read_file', 0.9],
    ['github:create_isue', 'github:create_issue', 0.9],
  ])('%j is near %s', async (query, id, nearness) => {
    const [first] = await find(catalogue, query, 5)
    expect(first).toMatchObject({ tool: { id }, score: nearness, parts: { name: nearness } })
  })

  it('gives every server’s tool of that name, then what the text finds', async () => {
    expect(await ids(catalogue, 'create_issue')).toEqual([
      'gitlab:create_issue',
      'github:create_issue',
      'github:list_issues',
    ])
  })

  it('takes no known word for a misspelt one: get_user is not set_user', async () => {
    const tools = [makeTool('a:set_user', 'Changes a person'), makeTool('a:fetch_user', 'Get a user')]
    expect((await ids(tools, 'get user'))[0]).toBe('a:fetch_user')
  })

  it('beats any amount of matching text', async () => {
    const loud = makeTool('x:other', 'deploy '.repeat(500), { title: 'deploy deploy deploy' })
    expect((await ids([loud, ...catalogue], 'deploy'))[0]).toBe('ci:deploy')
  })

  it('finds a name that had to be cut for the wire by its wire name', async () => {
    const long = makeTool(`files:${'very_'.repeat(20)}long`)
    expect((await ids([long, ...catalogue], `files:${'very_'.repeat(20)}long`))[0]).toBe(long.id)
  })
})

describe('text', () => {
  it.each([
    ['overwriting what already exists', 'files:write_file'],
    ['charset latin1', 'files:write_file'],
    ['tickets', 'jira:jira_search'],
    ['listing of all issues', 'github:list_issues'],
    ['天気', 'weather:forecast'],
    ['東京の天気を教えて', 'weather:forecast'],
    ['🚀', 'ci:deploy'],
  ])('%j finds %s', async (query, id) => {
    expect((await ids(catalogue, query))[0]).toBe(id)
  })

  it('drops words of grammar, unless the query has no others', async () => {
    expect(await ids(catalogue, 'the tickets of the')).toEqual(['jira:jira_search'])
    expect(await ids(catalogue, 'the')).toHaveLength(3)
  })

  it('explains every score by its parts, in [0, 1] and never above a near name', async () => {
    for (const query of ['repository', 'create a new file', 'issue', 'read file contents of a repository']) {
      for (const { score, parts } of await find(catalogue, query, 20)) {
        expect(score).toBe(parts.semantic)
        expect(score).toBeGreaterThan(0)
        expect(score).toBeLessThan(parts.name === 0 ? 0.9 : 1)
        expect(parts.words).toBeGreaterThanOrEqual(0)
        expect(Math.abs(parts.cosine!)).toBeLessThanOrEqual(1)
        expect(parts.graph).toBeUndefined()
      }
    }
  })

  it('is sorted by score and the same whatever the order of the catalogue', async () => {
    const hits = await find(catalogue, 'create issue file repository', 20)
    const again = await find([...catalogue].reverse(), 'create issue file repository', 20)
    expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).sort((a, b) => b - a))
    expect(again).toEqual(hits)
  })

  it('gives the first of the full list for any limit', async () => {
    const all = await find(catalogue, 'create a file in a repository', 100)
    for (let limit = 0; limit <= all.length; limit++) {
      expect(await find(catalogue, 'create a file in a repository', limit)).toEqual(all.slice(0, limit))
    }
  })
})

describe('odd catalogues and queries', () => {
  it('finds nothing in an empty catalogue, for an empty query, for words of no tool', async () => {
    expect(await ids([], 'anything')).toEqual([])
    expect(await ids(catalogue, '')).toEqual([])
    expect(await ids(catalogue, '   \n')).toEqual([])
    expect(await ids(catalogue, 'zyxwvut qwrtp')).toEqual([])
    expect(await ids(catalogue, 'file', Number.NaN)).toEqual([])
    expect(await ids(catalogue, 'file', -1)).toEqual([])
  })

  it('works with a single tool', async () => {
    expect(await ids([makeTool('a:b', 'Counts sheep')], 'sheep counting')).toEqual(['a:b'])
  })

  it('answers from 10,000 tools with the same description', async () => {
    const herd = Array.from({ length: 10_000 }, (_, i) =>
      makeTool(`s${String(i).padStart(5, '0')}:t`, 'Counts sheep'),
    )
    expect(await ids(herd, 'count sheep', 50)).toHaveLength(50)
    expect((await ids(herd, 's07777 counts sheep', 2))[0]).toBe('s07777:t')
  })

  it('takes schemas and descriptions that are not what they should be', async () => {
    const odd = makeTool('a:odd', 'fine', {
      inputSchema: {
        properties: { list: { type: 'array', items: { properties: { nestedName: null } } }, x: 'no' },
      },
    })
    const broken = {
      ...makeTool('a:broken'),
      definition: { ...odd.definition, description: 5, title: {}, inputSchema: null },
    } as never
    expect(await ids([odd, broken], 'nested name')).toEqual(['a:odd'])
  })

  it('answers a query of 100 KB', async () => {
    const words = Array.from({ length: 12_000 }, (_, i) => `word${i}`).join(' ')
    const query = `overwrite the existing file ${words}`
    expect(query.length).toBeGreaterThan(100_000)
    const before = performance.now()
    expect((await ids(catalogue, query))[0]).toBe('files:write_file')
    expect(performance.now() - before).toBeLessThan(500)
  })

  it('is not confused by words that objects have anyway', async () => {
    expect(await ids(catalogue, 'constructor __proto__ toString hasOwnProperty')).toEqual([])
  })
})

describe('a catalogue that changes', () => {
  it('is searched as if it had been there from the beginning', async () => {
    const random = seededRandom(42)
    const words = ['file', 'issue', 'read', 'write', 'list', 'weather', 'city', 'query', 'table', 'send']
    const word = () => words[Math.floor(random() * words.length)]!
    const random5 = () => Array.from({ length: 5 }, word).join(' ')
    const { search } = openTestSearch([])
    let tools: Tool[] = []
    for (let round = 0; round < 30; round++) {
      tools = tools.filter(() => random() > 0.3)
      for (let i = 0; i < 20; i++) {
        const tool = makeTool(
          `s${Math.floor(random() * 4)}:${word()}_${Math.floor(random() * 40)}`,
          random5(),
        )
        tools = [...tools.filter(({ id }) => id !== tool.id), tool]
      }
      search.follow(tools)
      await search.settled()
      const query = random5()
      const hits = await search.search(query, { limit: 20, context: [] })
      expect(hits).toEqual(await find(tools, query, 20))
    }
  })

  it('is searched whole even while it is being taken up', async () => {
    const herd = Array.from({ length: 2_000 }, (_, i) => makeTool(`s:t${i}`, 'Counts sheep'))
    const { search } = openTestSearch([])
    search.follow(herd.slice(0, 1_000))
    const first = search.search('t999', { limit: 1, context: [] })
    search.follow(herd)
    expect((await first).map(({ tool }) => tool.id)).toEqual(['s:t999'])
    const second = await search.search('t1999', { limit: 1, context: [] })
    expect(second.map(({ tool }) => tool.id)).toEqual(['s:t1999'])
    search.follow([])
    expect(await search.search('t1999', { limit: 1, context: [] })).toEqual([])
  })

  it('shows a tool as it is now, though search has nothing new to learn of it', async () => {
    const tool = makeTool('a:b', 'Counts sheep')
    const { search } = openTestSearch([tool])
    search.follow([{ ...tool, tokens: 7 }])
    const [hit] = await search.search('sheep', { limit: 1, context: [] })
    expect(hit?.tool.tokens).toBe(7)
  })
})

describe('meaning', () => {
  it.each([
    ['is it going to rain in Oslo', 'weather:forecast'],
    ['put on some quiet jazz', 'music:play'],
    ['what is Apple trading at', 'stocks:quote'],
  ])('%j finds %s, which shares no word with it', async (query, id) => {
    const [first] = await find(household, query, 3)
    expect(first).toMatchObject({ tool: { id }, parts: { name: 0, words: 0 } })
  })

  it('finds a misspelt word by its parts', async () => {
    expect((await ids(catalogue, 'repositry'))[0]).toMatch('github:')
  })
})

describe('a request of two wishes', () => {
  const both = 'wake me at seven tomorrow and will it rain in Oslo tomorrow'
  const wanted = ['clock:alarm', 'weather:forecast']
  const byWhole = (tools: readonly Tool[]) => {
    const { vectors, graph } = openTestSearch([])
    const embedQuery = (text: string) => vectors.embedQuery(text, [])
    const search = createToolSearch({ vectors: { ...vectors, embedQuery }, graph })
    search.follow(tools)
    return search
  }

  it('finds the tools of both before what is a little near to the whole', async () => {
    const hits = await find(household, both, 3)
    // No word decides here: the order is that of the cosines, however the two are weighed.
    expect(hits.map(({ parts }) => parts.words)).toEqual([0, 0, 0])
    expect(
      hits
        .map(({ tool }) => tool.id as string)
        .slice(0, 2)
        .sort(),
    ).toEqual(wanted)
    const search = byWhole(household)
    await search.settled()
    const whole = await search.search(both, { limit: 3, context: [] })
    expect(whole.map(({ tool }) => tool.id)).toEqual(['weather:forecast', 'helper:help', 'clock:alarm'])
  })

  it('finds what only a part of it is near to', async () => {
    const found = await ids(household, 'what is Apple trading at and put on some quiet jazz', 4)
    expect(found).toEqual(expect.arrayContaining(['music:play', 'stocks:quote']))
  })

  it('is answered the same however often it is asked, and whatever is asked in between', async () => {
    const { search } = openTestSearch(household)
    await search.settled()
    const first = await search.search(both, { limit: 20, context: [] })
    for (const between of ['wake me at seven tomorrow', 'will it rain in Oslo tomorrow', both]) {
      await search.search(between, { limit: 1, context: [] })
      expect(await search.search(both, { limit: 20, context: [] })).toEqual(first)
    }
    expect(await find([...household].reverse(), both, 20)).toEqual(first)
  })

  it('of one wish, nothing is different', async () => {
    const search = byWhole(household)
    await search.settled()
    const query = 'will it rain in Oslo tomorrow'
    expect(await search.search(query, { limit: 20, context: [] })).toEqual(await find(household, query, 20))
  })
})

describe('context', () => {
  const project = [
    makeTool('git:clone', 'Copies a repository to this machine'),
    makeTool('npm:install', 'Fetches what a package needs'),
    makeTool('ci:deploy', 'Ships a build to production'),
    makeTool('ci:rollback', 'Takes a build back from production'),
  ]
  const learned = async (search = openTestSearch(project)) => {
    // What was learned is weighed against meaning: without vectors, not at all.
    await search.search.settled()
    const at = { success: true, at: 0 }
    const [clone, install, deploy] = project.map(({ id }) => id) as [Id, Id, Id]
    for (let i = 0; i < 20; i++)
      search.graph.observe([
        { from: clone, to: install, type: 'dependency', ...at },
        { from: install, to: deploy, type: 'sequence', ...at },
      ])
    return search
  }

  it('brings in what no word names, between what was used and what is wanted', async () => {
    const { search } = await learned()
    const query = 'ship the build to production'
    const without = await search.search(query, { limit: 4, context: [] })
    expect(without.map(({ tool }) => tool.id)).not.toContain('npm:install')
    const hits = await search.search(query, { limit: 4, context: [project[0]!.id] })
    const gem = hits.find(({ tool }) => tool.id === 'npm:install')
    expect(gem?.parts.graph).toMatchObject({ by: 'edge', from: 'git:clone' })
    expect(gem!.score).toBeGreaterThan(gem!.parts.semantic)
  })

  it('never puts anything before a near name', async () => {
    const { search } = await learned()
    const [first] = await search.search('rollbakc', { limit: 4, context: project.map(({ id }) => id) })
    expect(first?.tool.id).toBe('ci:rollback')
  })

  it('without one, the order is that of meaning and words, whatever the graph holds', async () => {
    const random = seededRandom(7)
    for (let round = 0; round < 50; round++) {
      const { search, graph } = openTestSearch(catalogue)
      const before = await search.search('create a file in a repository', { limit: 20, context: [] })
      const pick = () => catalogue[Math.floor(random() * catalogue.length)]!.id
      const types = ['dependency', 'contains', 'provides', 'alternative', 'sequence'] as const
      graph.observe(
        Array.from({ length: 200 }, () => ({
          from: pick(),
          to: pick(),
          type: types[Math.floor(random() * 5)]!,
          success: random() > 0.3,
          at: 0,
        })),
      )
      expect(await search.search('create a file in a repository', { limit: 20, context: [] })).toEqual(before)
      // A context that nothing is known of says nothing either.
      const stranger = await search.search('create a file in a repository', {
        limit: 20,
        context: ['nobody:knows' as Id],
      })
      expect(stranger.map(({ tool, score }) => [tool.id, score])).toEqual(
        before.map(({ tool, score }) => [tool.id, score]),
      )
    }
  })

  it('can only lift: no score is below the semantic one', async () => {
    const { search } = await learned()
    const context = [project[0]!.id, project[2]!.id]
    for (const { score, parts } of await search.search('fetch packages and ship', { limit: 9, context }))
      expect(score).toBeGreaterThanOrEqual(parts.semantic)
  })
})

describe('speed', () => {
  it('takes up 5,000 tools and answers in milliseconds', async () => {
    const words = Array.from({ length: 3_000 }, (_, i) => `w${((i * 7919) % 3_000).toString(36)}x`)
    const word = (i: number) => words[i % words.length]!
    const many = Array.from({ length: 5_000 }, (_, i) =>
      makeTool(
        `server${i % 50}:${word(i)}_${word(i * 3 + 1)}_${i}`,
        Array.from({ length: 40 }, (_, j) => word(i * 31 + j * j)).join(' '),
      ),
    )
    const before = performance.now()
    const { search } = openTestSearch(many)
    await search.settled()
    const buildMs = performance.now() - before
    const times: number[] = []
    for (let i = 0; i < 200; i++) {
      const query = Array.from({ length: 12 }, (_, j) => word(i * 17 + j * 5)).join(' ')
      const start = performance.now()
      await search.search(query, { limit: 10, context: [] })
      times.push(performance.now() - start)
    }
    times.sort((a, b) => a - b)
    // bench/search has the figures: this only notices when they grow out of all bounds.
    expect(buildMs).toBeLessThan(15_000)
    expect(times[100]).toBeLessThan(50)
  })
})

type Id = Tool['id']
