import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../model/json.js'
import { formatToolId, type Tool } from '../model/tool.js'
import { guessTemplates } from './guess-templates.js'

describe('what may feed what', () => {
  it('a tool that names a thing feeds one that needs a pointer to it', () => {
    expect(
      guess([
        tool('tracker:search_issues'),
        tool('tracker:close_issue', ['issue_number']),
        tool('tracker:list_labels'),
      ]),
    ).toEqual(['tracker:search_issues -> tracker:close_issue'])
  })

  it.each([
    ['issueId', 'tracker:list_issues'],
    ['issue', 'tracker:getIssue'],
    ['issue-key', 'tracker:tracker_find_issue'],
    ['ids', 'tracker:create_issue'],
  ])('%s is given by %s', (parameter, giver) => {
    expect(guess([tool(giver), tool('tracker:close_issue', [parameter])])).toEqual([
      `${giver} -> tracker:close_issue`,
    ])
  })

  it('an output schema says what is given, however the tool is called', () => {
    const output = {
      type: 'object',
      properties: { rows: { type: 'array', items: { properties: { customer_id: { type: 'string' } } } } },
    }
    expect(guess([tool('crm:report', [], output), tool('mail:send', ['customerId', 'text'])])).toEqual([
      'crm:report -> mail:send',
    ])
  })

  it('what is being made needs no pointer to itself, and words that say nothing connect nothing', () => {
    expect(guess([tool('a:list_notes'), tool('a:create_note', ['id', 'title', 'content'])])).toEqual([])
    expect(guess([tool('a:list_items'), tool('b:get_results', ['query', 'limit', 'items'])])).toEqual([])
  })

  it('no tool feeds itself', () => {
    expect(guess([tool('a:get_user', ['user_id'])])).toEqual([])
  })
})

describe('bounds', () => {
  it('few for each tool, its own server first', () => {
    const many = Array.from({ length: 30 }, (_, i) => tool(`s${i}:list_users`))
    const edges = guess([...many, tool('s7:delete_user', ['user_id'])])
    expect(edges).toHaveLength(4)
    expect(edges).toContain('s7:list_users -> s7:delete_user')
  })

  it('a thing that everybody deals with is paired within a server only', () => {
    const tools = Array.from({ length: 200 }, (_, i) => [
      tool(`s${i}:list_users`),
      tool(`s${i}:ban_user`, ['user_id']),
    ]).flat()
    expect(guess(tools)).toEqual(
      Array.from({ length: 200 }, (_, i) => `s${i}:list_users -> s${i}:ban_user`).sort(),
    )
  })

  it('the order of the catalogue does not matter, and 5,000 tools take no time to speak of', () => {
    const tools = Array.from({ length: 5_000 }, (_, i) =>
      tool(`s${i % 40}:${['list', 'get', 'ban'][i % 3]}_thing${i % 97}`, [`thing${(i * 7) % 97}_id`]),
    )
    const before = performance.now()
    const edges = guess(tools)
    expect(performance.now() - before).toBeLessThan(2_000)
    expect(guess([...tools].reverse())).toEqual(edges)
    expect(edges.length).toBeGreaterThan(100)
  })

  it('a server whose tools all give and take the same thing costs a moment, and no other its guesses', () => {
    const alike = Array.from({ length: 3_000 }, (_, i) =>
      tool(`big:t${i}`, ['user_id'], { properties: { user_id: {} } }),
    )
    const before = performance.now()
    const edges = guess([...alike, tool('a:list_notes'), tool('a:open', ['note_id'])])
    expect(performance.now() - before).toBeLessThan(1_000)
    expect(edges).toContain('a:list_notes -> a:open')
  })

  it('schemas that are not what they should be say nothing', () => {
    const odd = { ...tool('a:list_users'), definition: { name: 'x', inputSchema: null, outputSchema: 7 } }
    expect(guess([odd as never, tool('a:ban', [])])).toEqual([])
    expect(guess([])).toEqual([])
  })
})

function guess(tools: readonly Tool[]): readonly string[] {
  return guessTemplates(tools)
    .map(({ from, to }) => `${from} -> ${to}`)
    .sort()
}

function tool(id: string, required: readonly string[] = [], outputSchema?: JsonObject): Tool {
  const [server, name] = id.split(':') as [string, string]
  const properties = Object.fromEntries(required.map((parameter) => [parameter, { type: 'string' }]))
  const inputSchema = { type: 'object', properties, required: [...required] }
  return {
    id: formatToolId(server, name),
    server,
    name,
    definition: { name, inputSchema, ...(outputSchema && { outputSchema }) },
    hash: '',
    listed: true,
    flags: [],
  }
}
