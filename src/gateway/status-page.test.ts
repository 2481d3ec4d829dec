import { afterEach, describe, expect, it } from 'vitest'
import type { Decision } from '../model/decision.js'
import type { ServerState } from '../model/server.js'
import { formatToolId } from '../model/tool.js'
import { noFigures } from './speculation-figures.js'
import type { Status } from './status.js'
import { renderStatusPage } from './status-page.js'
import { makeServer, makeTool, openTestGateway, type TestGateway } from './test-gateway.contract.js'

const status: Status = {
  version: '1',
  pid: 1,
  uptimeMs: 1,
  config: '/x.yaml',
  http: 'http://127.0.0.1:3939/',
  clients: 0,
  exposure: { mode: 'auto', effective: 'meta' },
  listing: { tools: 4, tokens: 800 },
  tools: { known: 3, callable: 2, unreachable: 1, quarantined: 0 },
  search: { model: 'static-1' },
  speculation: { mode: 'on', preset: 'careful', figures: noFigures },
  servers: [],
  runs: [],
}
const nothing = { tools: [], moreTools: 0, waiting: [], decisions: [], nonce: 'n', key: 'k' }
const page = (changes: Partial<Status>): string =>
  renderStatusPage({ ...nothing, status: { ...status, ...changes } })

describe('the status page', () => {
  it('says how to connect while nobody is, and not afterwards', () => {
    expect(page({})).toContain('claude mcp add --transport http pml http://127.0.0.1:3939/mcp')
    expect(page({ clients: 1 })).not.toContain('claude mcp add')
    const { http: _, ...silent } = status
    expect(renderStatusPage({ ...nothing, status: silent })).not.toContain('claude mcp add')
  })

  it('says which server waits for a sign-in', () => {
    const trouble = {
      kind: 'auth',
      message: 'needs you to sign in.',
      hint: 'Run: pml auth <b>',
      at: 0,
    } as const
    const text = page({ servers: [makeServer('<b>', { status: 'down', trouble })] })
    expect(text).toContain(
      '<li><code>&lt;b&gt;</code>: needs you to sign in. <code>Run: pml auth &lt;b&gt;</code></li>',
    )
    expect(text).not.toContain('no decision is pending')
  })

  it('shows what a server is busy with, beside the trouble of the attempt before', () => {
    const server: ServerState = makeServer('cold', {
      status: 'connecting',
      start: { since: Date.now(), launcher: { program: 'npx', target: '@scope/<b>' } },
      trouble: { kind: 'offline', message: 'npx cannot reach npm.', hint: 'Check the network.', at: 0 },
    })
    const text = page({ servers: [server] })
    expect(text).toMatch(/npx is starting @scope\/&lt;b&gt;, \d s; a first start downloads it/)
    expect(text).toContain('npx cannot reach npm. <i>Check the network.</i>')
  })

  it('shows a change of the configuration that cannot be used', () => {
    const configProblem = { file: '/x.yaml', line: 3, message: '/x.yaml:3: expected <YAML>', since: 0 }
    expect(page({ configProblem })).toContain('/x.yaml:3: expected &lt;YAML&gt;')
    expect(page({ configProblem })).toContain('1970-01-01 00:00:00 UTC')
    expect(page({})).toContain('no decision is pending')
  })

  const decision: Decision = {
    id: '01981b6e-0000-7000-8000-000000000001',
    kind: 'call',
    runId: 'run-1',
    taskId: 'rm',
    caller: 'claude <code>',
    tool: formatToolId('files', 'delete'),
    arguments: { path: '</pre><script>alert(1)</script>', hidden: 'a\u202eb\u200bc' },
    argumentsHash: '',
    policyVersion: '',
    risk: 'dangerous',
    why: 'It <b>deletes</b>.',
    soFar: '2 of 3 tasks complete',
    answeredBy: 'human',
    requestedAt: 0,
    expiresAt: 60_000,
    refusals: [],
  }

  it('shows all that a decision is about, escaped, and what cannot be seen written out', () => {
    const text = renderStatusPage({ ...nothing, status, decisions: [decision] })
    for (const shown of [
      'claude &lt;code&gt; wants to call <code>files:delete</code> <span class="badge bad">dangerous</span>',
      '&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;',
      'a\\u{202e}b\\u{200b}c',
      'It &lt;b&gt;deletes&lt;/b&gt;.',
      'So far: 2 of 3 tasks complete',
      '1970-01-01 00:01:00',
      `<button data-decision="${decision.id}" data-verdict="approve">Approve</button>`,
      `<button data-decision="${decision.id}" data-verdict="reject">Reject</button>`,
      `pml approve ${decision.id}`,
      '<main data-key="k">',
    ])
      expect(text).toContain(shown)
    expect(text.match(/<script/g)?.length).toBe(1)
    expect(text).not.toContain('no decision is pending')
  })

  it('says of a call that was cut off that it may have taken effect', () => {
    const text = renderStatusPage({ ...nothing, status, decisions: [{ ...decision, kind: 'repeat' }] })
    expect(text).toContain('once more, after a call that was cut off and may have taken effect')
  })

  it('counts the calls of a task done for each, and says that the agent tried to approve them itself', () => {
    const refusals = [{ verdict: 'approve', by: 'agent', code: 'DECISION_HUMAN', at: 0 }] as const
    const each = { ...decision, arguments: { each: [{ path: 'a' }, { path: 'b' }] }, refusals }
    const text = renderStatusPage({ ...nothing, status, decisions: [each] })
    expect(text).toContain('<pre>2 calls, one for each:\n')
    expect(text).toContain('Note: the agent tried to approve it itself')
    expect(text).toContain('Run: run-1, task rm')
  })

  it('says where arguments are too long to be shown in full', () => {
    const long = { ...decision, arguments: { text: 'x'.repeat(50_000) } }
    expect(renderStatusPage({ ...nothing, status, decisions: [long] })).toMatch(
      /\(50\d{3} characters; all of them with: pml approve --json\)/,
    )
  })

  it('keeps a revision on one line, and tells tools of servers that are down apart', () => {
    const text = page({ servers: [makeServer('a', { protocolVersion: '2026-07-28' })] })
    expect(text).toContain('<span class="whole">2026-07-28</span>')
    expect(text).toContain('and 1 of servers that are down')
  })
})

describe('the status', () => {
  let house: TestGateway
  afterEach(() => house.close())
  const read = async (): Promise<Status> =>
    (await (await fetch(`${await house.listen()}/status.json`)).json()) as Status

  it('counts tools of servers that are down apart from those that can be called', async () => {
    house = openTestGateway({
      tools: [makeTool('up', 'a'), makeTool('gone', 'b'), makeTool('gone', 'c'), makeTool('cold', 'd')],
      servers: [
        makeServer('up'),
        makeServer('gone', { status: 'down' }),
        makeServer('cold', { status: 'connecting' }),
      ],
    })
    expect((await read()).tools).toEqual({ known: 4, callable: 2, unreachable: 2, quarantined: 0 })
  })

  it('counts clients, over streams and over HTTP', async () => {
    house = openTestGateway()
    expect((await read()).clients).toBe(0)
    const client = await house.http()
    await client.listTools()
    expect((await read()).clients).toBe(1)
    await house.stream()
    await house.stream()
    expect((await read()).clients).toBeGreaterThanOrEqual(2)
  })

  it('counts what waits for somebody', async () => {
    house = openTestGateway({ tools: [makeTool('files', 'delete')] })
    expect((await read()).waiting).toEqual({ runs: 0, decisions: 0 })
    const url = await house.listen('local')
    const tasks = [
      { id: 'a', tool: 'files:delete' },
      { id: 'b', tool: 'files:delete' },
    ]
    await fetch(`${url}/api/run`, { method: 'POST', body: JSON.stringify({ tasks }) })
    expect((await read()).waiting).toEqual({ runs: 1, decisions: 2 })
  })

  it('tells of a configuration that cannot be used until it can', async () => {
    house = openTestGateway()
    const problem = { file: '/x.yaml', line: 2, message: 'no', since: 5 }
    house.gateway.showConfigProblem(problem)
    expect((await read()).configProblem).toEqual(problem)
    house.gateway.showConfigProblem(undefined)
    expect((await read()).configProblem).toBeUndefined()
  })
})
