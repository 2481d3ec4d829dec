import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import {
  dataOf,
  eventually,
  makeServer,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
  testConfig,
  textOf,
} from '../test-gateway.contract.js'

let house: TestGateway
afterEach(() => house.close())

const catalogue = [
  makeTool('files', 'read_file', {
    description: 'Reads a text file.\nAnd more about it.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, head: { type: 'integer' } },
      required: ['path'],
    },
  }),
  makeTool('files', 'write_file', { description: 'Writes a text file.' }),
  makeTool('mail', 'send', { description: 'Sends a message to somebody.' }),
]

/** Sending is dangerous, and here it is allowed: approvals have their own tests. */
const approvals = { ...testConfig.approvals, tools: { 'mail:send': 'allow' } } as const

const open = async ({ config, ...options }: TestGatewayOptions = {}): Promise<Client> => {
  house = openTestGateway({ tools: catalogue, config: { approvals, ...config }, ...options })
  return house.stream({ versionNegotiation: { mode: 'auto' } })
}
const call = async (client: Client, name: string, args: Record<string, unknown>) =>
  client.callTool({ name, arguments: args })

describe('discover', () => {
  interface Found {
    readonly status: string
    readonly tools: readonly Record<string, unknown>[]
    readonly servers?: unknown
    readonly omitted?: number
    readonly hint?: string
  }

  it('puts the tool whose name was given first, with what is needed to call it', async () => {
    const client = await open()
    for (const intent of ['files:read_file', 'files__read_file', 'read_file', 'read file']) {
      const { status, tools } = dataOf<Found>(await call(client, 'discover', { intent }))
      expect(status).toBe('complete')
      expect(tools[0]).toMatchObject({
        id: 'files:read_file',
        name: 'files__read_file',
        description: 'Reads a text file.',
        signature: 'files__read_file(path: string, head?: integer)',
        parts: { name: expect.any(Number), words: expect.any(Number) },
      })
    }
  })

  it('says status first and is readable as text alone', async () => {
    const answer = await call(await open(), 'discover', { intent: 'write a file' })
    expect(Object.keys(dataOf(answer))[0]).toBe('status')
    expect(textOf(answer)).toContain('files__write_file(text?: string) - Writes a text file.')
  })

  it('says which servers are loading, down or disabled, without secrets', async () => {
    const trouble = { kind: 'exit', message: 'exited, key sk-12345678', hint: 'Install it.', at: 1 } as const
    const client = await open({
      config: { secrets: ['sk-12345678'] },
      servers: [
        makeServer('files'),
        makeServer('slow', { status: 'connecting' }),
        makeServer('broken', { status: 'down', trouble }),
        makeServer('off', { status: 'disabled' }),
      ],
    })
    const answer = await call(client, 'discover', { intent: 'mail' })
    expect(dataOf<Found>(answer).servers).toEqual([
      { name: 'slow', status: 'loading' },
      { name: 'broken', status: 'down', trouble: 'exited, key [redacted]', hint: 'Install it.' },
      { name: 'off', status: 'disabled' },
    ])
    expect(textOf(answer)).toMatch(/slow is loading; broken is down.*off is disabled/)
  })

  it('names a quarantined tool as such, with how to approve it', async () => {
    const changed = { definition: { name: 'send', inputSchema: {} }, hash: 'other', seenAt: 1 }
    const client = await open({ tools: [...catalogue.slice(0, 2), makeTool('mail', 'send', { changed })] })
    const answer = await call(client, 'discover', { intent: 'mail:send' })
    expect(dataOf<Found>(answer).tools[0]).toMatchObject({ id: 'mail:send', quarantined: true })
    expect(textOf(answer)).toContain('pml trust mail:send')
  })

  it('stays within its budget however many and long the tools are', async () => {
    const description = 'find the needle '.repeat(500)
    const tools = Array.from({ length: 60 }, (_, i) => makeTool('many', `find_${i}`, { description }))
    const answer = await call(await open({ tools }), 'discover', { intent: 'find the needle', limit: 50 })
    const { tools: shown, omitted } = dataOf<Found>(answer)
    expect(shown.length + omitted!).toBe(50)
    expect(JSON.stringify(dataOf(answer)).length).toBeLessThan(9_000)
    expect(textOf(answer).length).toBeLessThan(9_000)
  })

  it('waits a little on a first run, so that the first search finds something', async () => {
    const client = await open({
      tools: [],
      async settled() {
        await new Promise((resolve) => setTimeout(resolve, 100))
        house.setTools(catalogue)
      },
    })
    expect(dataOf<Found>(await call(client, 'discover', { intent: 'mail' })).tools[0]).toMatchObject({
      id: 'mail:send',
    })
  })

  it('takes what it has no use for yet', async () => {
    const answer = await call(await open(), 'discover', { intent: 'mail', context: ['files:read_file'] })
    expect(dataOf<Found>(answer).status).toBe('complete')
  })

  it('says what to do when nothing is found', async () => {
    const client = await open()
    expect(dataOf<Found>(await call(client, 'discover', { intent: 'zzzz' })).hint).toContain('other words')
    const none = dataOf<Found>(await call(client, 'discover', { intent: 'mail', kind: 'capability' }))
    expect(none.tools).toEqual([])
    const wrong = await call(client, 'discover', { intent: 7 })
    expect(wrong).toMatchObject({
      isError: true,
      structuredContent: { status: 'failed', error: { code: 'BAD_ARGUMENTS' } },
    })
  })
})

describe('execute_workflow', () => {
  interface Reply {
    readonly status: string
    readonly workflow_id: string
    readonly tasks: readonly { id: string; tool: string; status: string; result?: unknown; ms: number }[]
    readonly plan?: unknown
  }
  const tasks = [
    { id: 'a', tool: 'read_file', arguments: { path: 'x' } },
    { id: 'b', tool: 'mail__send', arguments: { text: 'y' }, dependsOn: ['a'] },
  ]

  it('runs tasks and answers every result, status first', async () => {
    const answer = await call(await open(), 'execute_workflow', { tasks, intent: 'read and mail' })
    const reply = dataOf<Reply>(answer)
    expect(Object.keys(reply).slice(0, 3)).toEqual(['status', 'workflow_id', 'tasks'])
    expect(reply).toMatchObject({
      status: 'complete',
      tasks: [
        { id: 'a', tool: 'files:read_file', status: 'complete', result: { path: 'x' } },
        { id: 'b', tool: 'mail:send', status: 'complete', result: { text: 'y' } },
      ],
    })
    expect(textOf(answer)).toMatch(
      /^complete: 2 of 2 tasks[\s\S]*a \(files:read_file\) complete: {"path":"x"}/,
    )
  })

  it.each([
    'pml:execute_workflow',
    'pml__execute_workflow',
    'mcp__pml__execute_workflow',
  ])('is reached as %s', async (alias) => {
    expect(dataOf<Reply>(await call(await open(), alias, { tasks })).status).toBe('complete')
  })

  it('answers running when it takes longer than replyWithinMs; the run goes on', async () => {
    let finish = (): void => {}
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    const client = await open({
      config: { replyWithinMs: 50 },
      async callTool() {
        await gate
        return { content: [{ type: 'text', text: 'late' }] }
      },
    })
    const first = await call(client, 'execute_workflow', { tasks })
    const { status, workflow_id } = dataOf<Reply>(first)
    expect(status).toBe('running')
    expect(textOf(first)).toContain(workflow_id)
    finish()
    const reply = await eventually(
      async () => dataOf<Reply>(await call(client, 'control_workflow', { workflow_id, action: 'status' })),
      (one) => one.status === 'complete',
    )
    expect(reply.tasks[1]!.result).toBe('late')
  })

  it('tells progress to a client that asked', async () => {
    const client = await open()
    const seen: unknown[] = []
    await client.callTool(
      { name: 'execute_workflow', arguments: { tasks } },
      { onprogress: (progress) => void seen.push(progress) },
    )
    expect(seen[0]).toEqual({ progress: 1, total: 2, message: 'a complete' })
  })

  it('progress counts the elements of a task done for each, and never passes its total', async () => {
    const client = await open({
      callTool: async ({ tool }) =>
        tool === 'mail:send'
          ? { content: [], structuredContent: { paths: ['a', 'b', 'c'] } }
          : { content: [{ type: 'text', text: 'body' }] },
    })
    const seen: { readonly progress: number; readonly total?: number | undefined }[] = []
    const fan = [
      { id: 'list', tool: 'mail:send' },
      { id: 'read', tool: 'files:read_file', arguments: { path: { $from: 'list.paths[*]' } } },
      { id: 'then', tool: 'mail:send', dependsOn: ['read'] },
    ]
    await client.callTool(
      { name: 'execute_workflow', arguments: { tasks: fan } },
      { onprogress: (progress) => void seen.push(progress) },
    )
    expect(seen.at(-1)).toMatchObject({ progress: 6, total: 6 })
    for (const { progress, total } of seen) expect(progress).toBeLessThanOrEqual(total!)
    const { runs } = (await (await fetch(`${await house.listen('local')}/api/status`)).json()) as {
      runs: readonly { readonly tasks: number }[]
    }
    expect(runs.map(({ tasks: count }) => count)).toEqual([3])
  })

  it('aborts the run when the request is cancelled', async () => {
    const client = await open({ callTool: () => new Promise(() => {}) })
    const stop = new AbortController()
    const pending = client.callTool(
      { name: 'execute_workflow', arguments: { tasks } },
      { signal: stop.signal },
    )
    const first = await eventually(
      () => house.calls[0],
      (one) => one !== undefined,
    )
    stop.abort()
    await expect(pending).rejects.toThrow()
    await eventually(
      () => first!.signal.aborted,
      (aborted) => aborted,
    )
  })

  it('marks a run in which everything failed as an error, and keeps what failed and why', async () => {
    const client = await open({
      async callTool() {
        throw new Error('broken')
      },
    })
    const answer = await call(client, 'execute_workflow', { tasks })
    expect(answer.isError).toBe(true)
    expect(dataOf(answer)).toMatchObject({
      status: 'failed',
      tasks: [{ status: 'failed', error: { code: 'INTERNAL' } }, {}],
    })
    expect(textOf(answer)).toContain('broken')
  })

  it('errors of tasks carry no secret, results are as the tools gave them', async () => {
    const client = await open({
      config: { secrets: ['sk-12345678'] },
      async callTool({ tool }) {
        if (tool === 'mail:send') throw new Error('refused the key sk-12345678')
        return { content: [{ type: 'text', text: 'the key is sk-12345678' }] }
      },
    })
    const first = await call(client, 'execute_workflow', { tasks })
    const { workflow_id } = dataOf<Reply>(first)
    const again = await call(client, 'control_workflow', { workflow_id, action: 'status' })
    for (const answer of [first, again]) {
      expect(dataOf(answer)).toMatchObject({
        tasks: [
          { result: 'the key is sk-12345678' },
          { error: { message: expect.stringContaining('refused the key [redacted]') } },
        ],
      })
      expect(textOf(answer)).not.toContain('refused the key sk-')
    }
  })

  it('acknowledges nothing while it cannot be stored, says why, and goes on when it can', async () => {
    const stored = await call(await open(), 'execute_workflow', { tasks })
    expect(dataOf(stored)).not.toHaveProperty('stored')
    await house.close()
    let isAway = true
    const client = await open({
      config: { replyWithinMs: 100 },
      record: () =>
        isAway ? Promise.reject(new Error('the database is away, key sk-1')) : Promise.resolve(),
    })
    const first = await call(client, 'execute_workflow', { tasks })
    const { workflow_id } = dataOf<Reply>(first)
    const again = await call(client, 'control_workflow', { workflow_id, action: 'status' })
    for (const answer of [first, again]) {
      expect(dataOf(answer)).toMatchObject({
        status: 'running',
        stored: false,
        trouble: expect.stringContaining('the database is away'),
      })
      expect(textOf(answer)).toMatch(/Not stored since: .*the database is away.* goes on by itself/)
    }
    expect(house.calls).toEqual([])
    isAway = false
    const reply = await eventually(
      async () => dataOf<Reply>(await call(client, 'control_workflow', { workflow_id, action: 'status' })),
      (one) => one.status === 'complete',
    )
    expect(reply).not.toHaveProperty('stored')
  })

  it('never runs in mode suggest, and shows the plan', async () => {
    const written = [{ ...tasks[0]!, onError: 'skip', timeoutMs: 500 }, ...tasks.slice(1)]
    const answer = await call(await open(), 'execute_workflow', { tasks: written, mode: 'suggest' })
    expect(dataOf(answer)).toMatchObject({
      status: 'suggestion',
      plan: {
        tasks: [{ id: 'a', tool: 'files:read_file', onError: 'skip', timeoutMs: 500 }, { id: 'b' }],
        edges: [{ from: 'a', to: 'b' }],
      },
      missing: [],
    })
    expect(house.calls).toEqual([])
  })

  it.each([
    ['no tasks and no intent', {}, 'BAD_TASKS'],
    ['tasks that are none', { tasks: 'read' }, 'BAD_TASKS'],
    ['an unknown tool', { tasks: [{ id: 'a', tool: 'read_fiel' }] }, 'TOOL_NOT_FOUND'],
    [
      'a circle',
      {
        tasks: [
          { id: 'a', tool: 'send', dependsOn: ['b'] },
          { id: 'b', tool: 'send', dependsOn: ['a'] },
        ],
      },
      'CYCLIC_TASKS',
    ],
    ['an unknown mode', { tasks, mode: 'fast' }, 'BAD_ARGUMENTS'],
  ])('refuses %s, and says why', async (_what, args, code) => {
    const answer = await call(await open(), 'execute_workflow', args)
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { status: 'failed', error: { code, hint: expect.any(String) } },
    })
  })

  it('cuts large results, in the text and in the structure, and pages through them', async () => {
    const large = Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join('\n')
    const client = await open({ callTool: async () => ({ content: [{ type: 'text', text: large }] }) })
    const answer = await call(client, 'execute_workflow', { tasks })
    expect(JSON.stringify(answer).length).toBeLessThan(12_000)
    const { handle } = dataOf<Reply>(answer).tasks[0]!.result as { handle: string }
    expect(textOf(answer)).toContain(handle)
    let text = ''
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: { text: string; next?: number } = dataOf(
        await call(client, 'control_workflow', { action: 'read', handle, offset, limit: 3_000 }),
      )
      text += page.text
      offset = page.next
    }
    expect(text).toBe(large)
  })
})

describe('control_workflow', () => {
  it('aborts a run', async () => {
    const client = await open({ config: { replyWithinMs: 20 }, callTool: () => new Promise(() => {}) })
    const started = await call(client, 'execute_workflow', { tasks: [{ id: 'a', tool: 'send' }] })
    const { workflow_id } = dataOf<{ workflow_id: string }>(started)
    const answer = await call(client, 'control_workflow', { workflow_id, action: 'abort' })
    expect(dataOf(answer)).toMatchObject({ status: 'aborted', workflow_id })
  })

  it.each([
    ['an unknown workflow', { workflow_id: 'none', action: 'status' }, 'RUN_NOT_FOUND'],
    ['an unknown handle', { action: 'read', handle: 'none' }, 'RESULT_GONE'],
    ['a command to an unknown workflow', { workflow_id: 'x', action: 'pause' }, 'RUN_NOT_FOUND'],
    ['an action that is none', { workflow_id: 'x', action: 'dance' }, 'BAD_ARGUMENTS'],
    ['no action', {}, 'BAD_ARGUMENTS'],
  ])('answers %s with what works', async (_what, args, code) => {
    const answer = await call(await open(), 'control_workflow', args)
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code } } })
  })
})

it('execute_code says why no code can be run, by whatever name it is called', async () => {
  const answer = await call(await open(), 'pml:execute_code', { code: '1' })
  expect(dataOf(answer)).toMatchObject({ status: 'failed', error: { code: 'SANDBOX_UNAVAILABLE' } })
})
