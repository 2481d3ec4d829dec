import { describe, expect, it } from 'vitest'
import type { ApprovalsConfig, PmlConfig } from '../model/config.js'
import type { JsonObject } from '../model/json.js'
import type { ServerConfig } from '../model/server.js'
import type { Tool, ToolAnnotations, ToolDefinition, ToolId } from '../model/tool.js'
import { createCallRules } from './call-rules.js'
import { makeTool, testConfig } from './test-gateway.contract.js'
import { openTestRisks } from './test-risk.contract.js'

const server: ServerConfig = {
  name: 'files',
  transport: 'stdio',
  command: 'x',
  args: [],
  env: {},
  disabled: false,
  stateful: false,
  trusted: true,
  timeoutMs: 1,
  connectTimeoutMs: 1,
}

const unsure = { ...server, name: 'unsure', trusted: false }

function open(tools: readonly Tool[], approvals: Partial<ApprovalsConfig> = {}) {
  let config: PmlConfig = {
    ...testConfig,
    servers: [server, unsure],
    approvals: { ...testConfig.approvals, ...approvals },
  }
  const rules = createCallRules({
    config: () => config,
    tool: (id) => tools.find((tool) => tool.id === id),
    risk: openTestRisks({ config: () => config, tools: () => tools }),
  })
  return {
    rules,
    judge: (tool: string, requireApproval = false) =>
      rules.judge({ tool: tool as ToolId, arguments: {}, requireApproval }),
    configure(next: Partial<PmlConfig>) {
      config = { ...config, ...next }
    },
  }
}

const tools = [makeTool('files', 'read'), makeTool('files', 'write'), makeTool('files', 'delete')]

describe('without a rule of the user', () => {
  it('what is dangerous waits for a person, all else runs', () => {
    const { judge } = open(tools)
    expect(judge('files:read')).toMatchObject({ verdict: 'run', risk: 'safe' })
    expect(judge('files:write')).toMatchObject({ verdict: 'run', risk: 'moderate' })
    expect(judge('files:delete')).toMatchObject({ verdict: 'ask', risk: 'dangerous', answeredBy: 'human' })
  })

  it('the agent may approve where the configuration lets it', () => {
    expect(open(tools, { by: 'agent' }).judge('files:delete')).toMatchObject({ answeredBy: 'anyone' })
  })

  it('a task that asks for approval waits, for anyone unless it is dangerous', () => {
    const { judge } = open(tools)
    expect(judge('files:read', true)).toMatchObject({ verdict: 'ask', answeredBy: 'anyone' })
    expect(judge('files:delete', true)).toMatchObject({ verdict: 'ask', answeredBy: 'human' })
  })

  it('a tool that nobody lists is judged by its name', () => {
    const { judge } = open([])
    expect(judge('gone:delete_all')).toMatchObject({ verdict: 'ask' })
    expect(judge('gone:read')).toMatchObject({ verdict: 'run', risk: 'moderate' })
  })
})

describe('a tool that is given statements is judged by those of the call', () => {
  const judgeCall = (
    id: string,
    args: JsonObject,
    approvals: Partial<ApprovalsConfig> = {},
    more?: object,
  ) => {
    const [, name = ''] = id.split(':')
    const tool = makeTool('files', name, more)
    return open([tool], approvals).rules.judge({ tool: tool.id, arguments: args, requireApproval: false })
  }

  it.each<[string, JsonObject]>([
    ['postgres:query', { sql: 'SELECT * FROM users;' }],
    ['sqlite:read_query', { query: 'select count(*) from notes -- all of them' }],
    ['sqlite:write_query', { query: 'SELECT 1' }],
    ['bigquery:execute_sql', { sql: 'WITH a AS (SELECT 1) SELECT * FROM a', project: 'Drop shipping' }],
    ['supabase:execute_sql', { project_id: 'p', query: "SELECT name FROM t WHERE note = 'drop table; x'" }],
    ['snowflake:run_snowflake_query', { statement: 'SHOW TABLES' }],
    ['mysql:mysql_query', { sql: 'SHOW CREATE TABLE users' }],
    ['redshift:execute-statement', { Sql: 'EXPLAIN SELECT 1' }],
    ['any:execute', { sql: 'SELECT 1' }],
    ['neo4j:query', { query: 'MATCH (n) RETURN n LIMIT 5' }],
    ['github:search_issues', { query: 'drop table users;' }],
    ['github:search_code', { q: 'DELETE FROM' }],
    [
      'notion:query_database',
      { database_id: 'x', filter: { property: 'Name', title: { contains: 'Update' } } },
    ],
    ['notion:query_database', { database_id: 'x', filter: { select: { equals: 'Drop box' } } }],
    ['any:query', { query: 'what did we sell last week?' }],
    ['any:query', { query: 'create a report of sales' }],
    ['any:query', { query: "show me what's new" }],
    ['any:query', {}],
    ['bank:get_bank_statement', { query: 'last month' }],
    ['redash:create_query', { name: 'Update of counts', query: 'SELECT 1' }],
    ['any:query_docs', { query: 'delete rows in prisma' }],
    ['athena:get_query_results', { query_id: 'x' }],
    ['api:graphql', { query: '{ viewer { name } }' }],
    ['api:graphql', { query: 'query A { search(text: "mutation") { id } } # mutation' }],
  ])('a read runs: %s %j', (id, args) => {
    const more =
      id === 'any:execute' ? { inputSchema: { type: 'object', properties: { sql: {} } } } : undefined
    expect(judgeCall(id, args, {}, more)).toMatchObject({ verdict: 'run' })
  })

  it.each<[string, JsonObject]>([
    ['postgres:query', { sql: 'COMMIT; DROP SCHEMA public CASCADE' }],
    ['sqlite:read_query', { query: 'DELETE FROM notes' }],
    ['sqlite:write_query', { query: 'INSERT INTO notes VALUES (1)' }],
    ['bigquery:execute_sql', { sql: 'MERGE a USING b ON true' }],
    ['supabase:execute_sql', { project_id: 'p', query: 'select net.http_post(1)' }],
    ['snowflake:run_snowflake_query', { statement: 'PUT file:///x @stage' }],
    ['mysql:mysql_query', { sql: 'SELECT 1 INTO OUTFILE "/x"' }],
    ['redshift:batch-execute-statement', { Sqls: 'x', statements: ['SELECT 1', 'DROP TABLE x'] }],
    ['any:execute_sql', {}],
    ['any:execute_sql', { input: 'whatever' }],
    ['any:sql', { sql: 'SELECT 1', also: 'drop table x' }],
    ['any:query', { options: { text: 'DROP TABLE x' } }],
    ['any:query', { requests: [{ sql: 'vacuum' }] }],
    ['any:query', { input: 'UPDATE a SET b = 1' }],
    ['any:query', { query: '/* x */ ; drop table a' }],
    ['any:query', { query: '/*! drop table a */' }],
    ['any:query', { query: '.shell rm x' }],
    ['any:query', { query: 'db.users.drop()' }],
    ['any:query', { query: 'mutation { deleteAll }' }],
    ['neo4j:query', { query: 'MATCH (n) DETACH DELETE n' }],
    ['neo4j:write_neo4j_cypher', { query: 'CREATE (n)' }],
    ['api:graphql', { query: 'mutation { deleteAll { ok } }' }],
    ['api:graphql', { query: 'query A { a } mutation B { b }' }],
    ['any:query', { query: 'foo 1 DROP TABLE x' }],
    ['any:query', { query: 'query DROP TABLE x -- {' }],
    ['any:query', { query: '{ call wipe() }' }],
    ['any:sql', { sql: `SELECT ${'a, '.repeat(50_000)}` }],
    ['any:query', { query: `${' '.repeat(2_000_000)}DROP TABLE x` }],
    ['any:mysql', { query: 'drop table x' }],
  ])('anything else waits for a person: %s %j', (id, args) => {
    expect(judgeCall(id, args)).toMatchObject({ verdict: 'ask', risk: 'dangerous', answeredBy: 'human' })
  })

  it('says why, under the same version for every statement', () => {
    const drop = judgeCall('db:query', { sql: 'DROP TABLE x' })
    const select = judgeCall('db:query', { sql: 'SELECT 1' })
    expect(drop.why).toBe('It is not one plain SELECT.')
    expect(select).toMatchObject({ verdict: 'run', risk: 'moderate', policyVersion: drop.policyVersion })
  })

  it('unless the user has a rule for it, or its server, which is trusted, says that it only reads', () => {
    const drop = { sql: 'DROP TABLE x' }
    expect(judgeCall('db:query', drop, { tools: { 'files:query': 'allow' } }).verdict).toBe('run')
    expect(judgeCall('db:query', { sql: 'SELECT 1' }, { tools: { '*': 'ask' } }).verdict).toBe('ask')
    expect(judgeCall('db:query', drop, {}, { annotations: { readOnlyHint: true } })).toMatchObject({
      risk: 'safe',
    })
    const destroys = { annotations: { destructiveHint: true } }
    expect(judgeCall('db:query', { sql: 'SELECT 1' }, {}, destroys).verdict).toBe('ask')
  })

  it('a task that asks for approval waits for a person where its statement is dangerous', () => {
    const { rules } = open([makeTool('files', 'query')])
    const judge = (sql: string) =>
      rules.judge({ tool: 'files:query' as ToolId, arguments: { sql }, requireApproval: true })
    expect(judge('SELECT 1')).toMatchObject({ verdict: 'ask', answeredBy: 'anyone' })
    expect(judge('DROP TABLE x')).toMatchObject({ verdict: 'ask', answeredBy: 'human' })
  })
})

describe('a rule of the user', () => {
  it.each<[string, ApprovalsConfig['tools']]>([
    ['run', { 'files:delete': 'allow' }],
    ['run', { 'files:*': 'allow' }],
    ['run', { '*': 'allow' }],
    ['block', { 'files:delete': 'block' }],
    ['block', { 'files:delete': 'block', 'files:*': 'allow', '*': 'allow' }],
    ['run', { 'files:delete': 'allow', 'files:*': 'block', '*': 'block' }],
    ['block', { 'files:*': 'block', '*': 'allow' }],
    ['ask', { 'other:*': 'allow', 'files:dele': 'allow' }],
  ])('the most specific one counts: %s by %j', (verdict, rules) => {
    expect(open(tools, { tools: rules }).judge('files:delete').verdict).toBe(verdict)
  })

  it('ask is for a person, whatever the risk, and whoever may approve else', () => {
    const { judge } = open(tools, { by: 'agent', tools: { 'files:read': 'ask' } })
    expect(judge('files:read')).toMatchObject({ verdict: 'ask', risk: 'safe', answeredBy: 'human' })
    expect(judge('files:read').why).toContain('approvals.tools, "files:read"')
  })

  it('allow does not answer for a task that asks itself, nor for what is blocked', () => {
    const { judge } = open(tools, { tools: { 'files:*': 'allow', 'files:write': 'block' } })
    expect(judge('files:delete', true)).toMatchObject({ verdict: 'ask', answeredBy: 'human' })
    expect(judge('files:write', true)).toMatchObject({ verdict: 'block' })
  })

  it('is looked up as written: a tool named constructor has none', () => {
    expect(open([makeTool('files', 'constructor')]).judge('files:constructor').verdict).toBe('run')
  })
})

describe('the version of the policy', () => {
  it('is another when what the user says of the tool is, or the tool itself', () => {
    const versions = new Set<string>()
    const house = open(tools)
    const version = (): string => house.judge('files:delete').policyVersion
    versions.add(version())
    for (const approvals of [{ by: 'agent' }, { tools: { '*': 'ask' } }] as const) {
      house.configure({ approvals: { ...testConfig.approvals, ...approvals } })
      versions.add(version())
    }
    house.configure({ approvals: testConfig.approvals, servers: [] })
    versions.add(version())
    versions.add(
      open([makeTool('files', 'delete', { description: 'x' })]).judge('files:delete').policyVersion,
    )
    expect(versions.size).toBe(5)
  })

  it('stays when something else changes', () => {
    const house = open(tools)
    const before = house.judge('files:delete').policyVersion
    const { approvals } = testConfig
    house.configure({ approvals: { ...approvals, expireAfterMs: 5, tools: { 'files:read': 'block' } } })
    expect(house.judge('files:delete').policyVersion).toBe(before)
    expect(house.rules.decideWithinMs).toBe(5)
    expect(house.judge('files:read').verdict).toBe('block')
  })
})

describe('what may be called again unasked', () => {
  const isRepeatable = (annotations?: ToolAnnotations, from = 'files'): boolean => {
    const tool = makeTool(from, 'thing', annotations && { annotations })
    return open([tool]).rules.isRepeatable(tool.id)
  }

  it.each<[boolean, ToolAnnotations | undefined]>([
    [true, { readOnlyHint: true }],
    [true, { idempotentHint: true }],
    [true, { idempotentHint: true, destructiveHint: true }],
    [false, { readOnlyHint: true, destructiveHint: true }],
    [false, { readOnlyHint: false, destructiveHint: false }],
    [false, undefined],
  ])('%s for %j', (expected, annotations) => {
    expect(isRepeatable(annotations)).toBe(expected)
  })

  it('nothing of a server that is not trusted', () => {
    expect(isRepeatable({ readOnlyHint: true }, 'unsure')).toBe(false)
    expect(isRepeatable({ idempotentHint: true }, 'nobody')).toBe(false)
  })

  const keyArgument = (name: string, schema: ToolDefinition['inputSchema'] | true, from = 'files') => {
    const inputSchema = { type: 'object', properties: { text: {}, [name]: schema } }
    const tool = makeTool(from, 'pay', { inputSchema })
    const { rules } = open([tool])
    expect(rules.isRepeatable(tool.id)).toBe(rules.keyArgument(tool.id) !== undefined)
    return rules.keyArgument(tool.id)
  }

  it.each([
    'idempotency_key',
    'idempotencyKey',
    'Idempotency-Key',
    'ClientToken',
    'client_request_token',
  ])('what takes a key by which its server knows it again: %s', (name) => {
    for (const schema of [{ type: 'string' }, {}, true, { type: ['string', 'null'] }] as const)
      expect(keyArgument(name, schema as never)).toBe(name)
    expect(keyArgument(name, { anyOf: [{ type: 'string' }, { type: 'null' }] })).toBe(name)
    expect(keyArgument(name, { type: 'string' }, 'unsure')).toBeUndefined()
  })

  it.each([
    ['idempotency_key', { type: 'integer' }],
    ['idempotency_key', { type: 'string', maxLength: 20 }],
    ['idempotency_key', { type: 'string', pattern: '^[0-9]+$' }],
    ['idempotency_key', { type: 'string', format: 'uuid' }],
    ['idempotency_key', { enum: ['a'] }],
    ['token', { type: 'string' }],
    ['key', { type: 'string' }],
  ])('a parameter that is no such key, or would not take ours, is none: %s %j', (name, schema) => {
    expect(keyArgument(name, schema)).toBeUndefined()
  })
})

it('a tool is judged once while nothing changes', () => {
  let read = 0
  const tool = makeTool('files', 'delete')
  const counted = new Proxy(tool, {
    get(target, key) {
      if (key === 'definition') read += 1
      return Reflect.get(target, key)
    },
  })
  const { judge } = open([counted])
  judge('files:delete')
  const once = read
  for (let i = 0; i < 100; i++) judge('files:delete')
  expect(read).toBe(once)
})
