import { describe, expect, it } from 'vitest'
import type { Tool } from '../model/tool.js'
import { createToolSearch } from './create-tool-search.js'
import { makeTool } from './make-tool.contract.js'

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
const ids = (tools: readonly Tool[], query: string, limit = 3) =>
  createToolSearch(tools)
    .search(query, { limit })
    .map((hit) => hit.tool.id as string)

describe('names come first', () => {
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
  ])('%j is the whole name of %s', (query, id) => {
    const [first] = createToolSearch(catalogue).search(query, { limit: 5 })
    expect(first).toMatchObject({ tool: { id }, score: 1, parts: { name: 1 } })
  })

  it.each([
    ['please call github:create_issue for this bug', 'github:create_issue', 0.98],
    ['the file read tool', 'files:read_file', 0.95],
    ['create issues on github', 'github:create_issue', 0.95],
    ['raed_file', 'files:read_file', 0.9],
    ['github:create_isue', 'github:create_issue', 0.9],
  ])('%j is near %s', (query, id, nearness) => {
    const [first] = createToolSearch(catalogue).search(query, { limit: 5 })
    expect(first).toMatchObject({ tool: { id }, score: nearness, parts: { name: nearness } })
  })

  it('gives every server’s tool of that name, then what the text finds', () => {
    expect(ids(catalogue, 'create_issue')).toEqual([
      'gitlab:create_issue',
      'github:create_issue',
      'github:list_issues',
    ])
  })

  it('takes no known word for a misspelt one: get_user is not set_user', () => {
    const tools = [makeTool('a:set_user', 'Changes a person'), makeTool('a:fetch_user', 'Get a user')]
    expect(ids(tools, 'get user')[0]).toBe('a:fetch_user')
  })

  it('beats any amount of matching text', () => {
    const loud = makeTool('x:other', 'deploy '.repeat(500), { title: 'deploy deploy deploy' })
    expect(ids([loud, ...catalogue], 'deploy')[0]).toBe('ci:deploy')
  })

  it('finds a name that had to be cut for the wire by its wire name', () => {
    const long = makeTool(`files:${'very_'.repeat(20)}long`)
    expect(ids([long, ...catalogue], `files:${'very_'.repeat(20)}long`)[0]).toBe(long.id)
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
  ])('%j finds %s', (query, id) => {
    expect(ids(catalogue, query)[0]).toBe(id)
  })

  it('drops words of grammar, unless the query has no others', () => {
    expect(ids(catalogue, 'the tickets of the')).toEqual(['jira:jira_search'])
    expect(ids(catalogue, 'the')).toHaveLength(3)
  })

  it('explains every score by its parts, all in [0, 1] and never above a near name', () => {
    for (const query of ['repository', 'create a new file', 'issue', 'read file contents of a repository']) {
      for (const hit of createToolSearch(catalogue).search(query, { limit: 20 })) {
        expect(hit.parts.bm25).toBeGreaterThanOrEqual(0)
        expect(hit.parts.bm25).toBeLessThan(1)
        expect(hit.score).toBe(hit.parts.name || hit.parts.bm25 * 0.9)
      }
    }
  })

  it('is sorted by score and the same whatever the order of the catalogue', () => {
    const hits = createToolSearch(catalogue).search('create issue file repository', { limit: 20 })
    const again = createToolSearch([...catalogue].reverse()).search('create issue file repository', {
      limit: 20,
    })
    expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).sort((a, b) => b - a))
    expect(again).toEqual(hits)
  })

  it('breaks ties by id', () => {
    const same = ['c', 'a', 'b'].map((server) => makeTool(`${server}:run_it`, 'Does the same thing'))
    expect(ids(same, 'same thing')).toEqual(['a:run_it', 'b:run_it', 'c:run_it'])
  })

  it('gives the first of the full list for any limit', () => {
    const search = createToolSearch(catalogue)
    const all = search.search('create a file in a repository', { limit: 100 })
    for (let limit = 0; limit <= all.length; limit++) {
      expect(search.search('create a file in a repository', { limit })).toEqual(all.slice(0, limit))
    }
  })
})

describe('odd catalogues and queries', () => {
  it('finds nothing in an empty catalogue, for an empty query, for words of no tool', () => {
    expect(ids([], 'anything')).toEqual([])
    expect(ids(catalogue, '')).toEqual([])
    expect(ids(catalogue, '   \n')).toEqual([])
    expect(ids(catalogue, 'zyxwvut qwrtp')).toEqual([])
    expect(ids(catalogue, 'file', Number.NaN)).toEqual([])
    expect(ids(catalogue, 'file', -1)).toEqual([])
  })

  it('works with a single tool', () => {
    expect(ids([makeTool('a:b', 'Counts sheep')], 'sheep counting')).toEqual(['a:b'])
  })

  it('answers from 10,000 tools with the same description', () => {
    const herd = Array.from({ length: 10_000 }, (_, i) =>
      makeTool(`s${String(i).padStart(5, '0')}:t`, 'Counts sheep'),
    )
    expect(ids(herd, 'count sheep', 2)).toEqual(['s00000:t', 's00001:t'])
  })

  it('takes schemas and descriptions that are not what they should be', () => {
    const odd = makeTool('a:odd', 'fine', {
      inputSchema: {
        properties: { list: { type: 'array', items: { properties: { nestedName: null } } }, x: 'no' },
      },
    })
    const broken = {
      ...odd,
      definition: { ...odd.definition, description: 5, title: {}, inputSchema: null },
    } as never
    expect(ids([odd, broken], 'nested name')).toEqual(['a:odd'])
  })

  it('answers a query of 100 KB', () => {
    const words = Array.from({ length: 12_000 }, (_, i) => `word${i}`).join(' ')
    const query = `overwrite the existing file ${words}`
    expect(query.length).toBeGreaterThan(100_000)
    const before = performance.now()
    expect(ids(catalogue, query)[0]).toBe('files:write_file')
    expect(performance.now() - before).toBeLessThan(500)
  })

  it('is not confused by words that objects have anyway', () => {
    expect(ids(catalogue, 'constructor __proto__ toString hasOwnProperty')).toEqual([])
  })
})

describe('speed', () => {
  it('builds 5,000 tools and answers in milliseconds', () => {
    const words = Array.from({ length: 3_000 }, (_, i) => `w${((i * 7919) % 3_000).toString(36)}x`)
    const word = (i: number) => words[i % words.length]!
    const many = Array.from({ length: 5_000 }, (_, i) =>
      makeTool(
        `server${i % 50}:${word(i)}_${word(i * 3 + 1)}_${i}`,
        Array.from({ length: 40 }, (_, j) => word(i * 31 + j * j)).join(' '),
      ),
    )
    const before = performance.now()
    const search = createToolSearch(many)
    const buildMs = performance.now() - before
    const times = Array.from({ length: 200 }, (_, i) => {
      const start = performance.now()
      search.search(Array.from({ length: 12 }, (_, j) => word(i * 17 + j * 5)).join(' '), { limit: 10 })
      return performance.now() - start
    }).sort((a, b) => a - b)
    // A free machine takes 300 ms and under 1 ms: this only notices when they grow out of all bounds.
    expect(buildMs).toBeLessThan(15_000)
    expect(times[100]).toBeLessThan(50)
  })
})
