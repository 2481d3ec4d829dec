import { afterEach, describe, expect, it } from 'vitest'
import type { Decision } from '../model/decision.js'
import type { RunReport } from './report-run.js'
import { listRuns, runEvents } from './runs-api.js'
import {
  eventually,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from './test-gateway.contract.js'

let house: TestGateway
afterEach(() => house.close())

const tools = [makeTool('files', 'read'), makeTool('files', 'delete')]
const dangerous = { id: 'rm', tool: 'files:delete', arguments: { text: 'a.txt' } }
const safe = { id: 'look', tool: 'files:read', arguments: { text: 'a.txt' } }

interface Reply<Data> {
  readonly status: number
  readonly data: Data & { readonly error?: { readonly code: string; readonly message: string } }
}

async function open(options: TestGatewayOptions = {}) {
  house = openTestGateway({ tools, ...options })
  const url = await house.listen('local')
  const ask = async <Data>(path: string, init?: RequestInit): Promise<Reply<Data>> => {
    const answer = await fetch(url + path, init)
    return { status: answer.status, data: (await answer.json()) as Reply<Data>['data'] }
  }
  const get = <Data>(path: string): Promise<Reply<Data>> => ask<Data>(path)
  const post = <Data>(path: string, body: unknown, signal?: AbortSignal): Promise<Reply<Data>> =>
    ask<Data>(path, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) })
  const run = async (...tasks: readonly object[]): Promise<RunReport> =>
    (await post<RunReport>('/api/run', { tasks, intent: 'tidy up' })).data
  return { url, get, post, run }
}

describe('a run that asks', () => {
  it('answers when it waits, with what is asked and what has run; siblings have gone on', async () => {
    const { run } = await open()
    const waiting = await run(dangerous, safe)
    expect(waiting).toMatchObject({
      status: 'approval_required',
      tasks: [
        { id: 'rm', status: 'waiting' },
        { id: 'look', status: 'complete' },
      ],
      decisions: [
        { tool: 'files:delete', risk: 'dangerous', caller: 'pml run', arguments: { text: 'a.txt' } },
      ],
    })
    expect(house.calls.map(({ tool }) => tool)).toEqual(['files:read'])
    expect(house.ended).toEqual([])
  })

  it('goes on when it is approved, by the command line; the same answer again is fine, another is refused', async () => {
    const { run, post, get } = await open()
    const { id, decisions } = await run(dangerous)
    const [decision] = decisions!
    expect((await get<{ decisions: Decision[] }>('/api/decisions')).data.decisions).toMatchObject([
      { id: decision!.id },
    ])
    const path = `/api/decisions/${decision!.id}`
    expect(await post<Decision>(path, { verdict: 'approve', reason: 'seen' })).toMatchObject({
      status: 200,
      data: { answer: { verdict: 'approve', by: 'command line', reason: 'seen' } },
    })
    expect((await post<RunReport>(`/api/runs/${id}/follow`, {})).data).toMatchObject({
      id,
      status: 'complete',
    })
    expect(house.calls.map(({ arguments: args }) => args)).toEqual([{ text: 'a.txt' }])
    expect((await get<Decision>(path)).data.answer).toMatchObject({ verdict: 'approve' })
    expect((await get<{ decisions: Decision[] }>('/api/decisions')).data.decisions).toEqual([])
    await eventually(
      () => house.ended.length,
      (count) => count === 1,
    )
  })

  it('fails that task when it is rejected', async () => {
    const { run, post } = await open()
    const { id, decisions } = await run(dangerous)
    await post(`/api/decisions/${decisions![0]!.id}`, { verdict: 'reject' })
    expect((await post<RunReport>(`/api/runs/${id}/follow`, {})).data).toMatchObject({
      status: 'failed',
      tasks: [{ status: 'failed', error: { code: 'NOT_APPROVED' } }],
    })
    expect(house.calls).toEqual([])
  })

  it('shows no secret of its arguments', async () => {
    const { run, get } = await open({ config: { secrets: ['sk-12345678'] } })
    const waiting = await run({ ...dangerous, arguments: { text: 'sk-12345678' } })
    const seen = [
      waiting.decisions,
      (await get('/api/decisions')).data,
      (await get(`/api/decisions/${waiting.decisions![0]!.id}`)).data,
    ]
    for (const one of seen) expect(JSON.stringify(one)).not.toContain('sk-12345678')
  })

  it.each([
    [{}, 400, 'USAGE'],
    [{ verdict: 'yes' }, 400, 'USAGE'],
    [{ verdict: 'approve', reason: 5 }, 400, 'USAGE'],
    [{ verdict: 'approve', reason: 'x'.repeat(2_001) }, 400, 'USAGE'],
    [{ verdict: 'approve' }, 404, 'DECISION_NOT_FOUND'],
  ])('an answer %j to nothing is %i %s', async (body, status, code) => {
    const { post, get } = await open()
    expect(await post('/api/decisions/none', body)).toMatchObject({ status, data: { error: { code } } })
    expect(await get('/api/decisions/none')).toMatchObject({
      status: 404,
      data: { error: { code: 'DECISION_NOT_FOUND' } },
    })
  })
})

describe('a run under way', () => {
  /** Calls end when they are told to. */
  function held() {
    const ends: (() => void)[] = []
    const callTool = async ({ signal }: { signal: AbortSignal }) => {
      await new Promise<void>((resolve) => {
        ends.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      return { content: [{ type: 'text' as const, text: 'done' }] }
    }
    return { callTool, end: () => ends.shift()?.(), count: () => ends.length }
  }
  const second = { id: 'then', tool: 'files:read', dependsOn: ['look'] }

  it('is paused and resumed, by the beginning of its id; what comes next is told', async () => {
    const { callTool, end, count } = held()
    const { post, get } = await open({ callTool })
    const running = post<RunReport>('/api/run', { tasks: [safe, second] })
    await eventually(count, (n) => n === 1)
    const [{ id }] = (await get<{ runs: { id: string }[] }>('/api/runs')).data.runs as [{ id: string }]
    const named = id.slice(0, 20)
    await post(`/api/runs/${named}/command`, { command: { type: 'pause' } })
    end()
    expect((await running).data.status).toBe('paused')
    const shown = (await get<RunReport>(`/api/runs/${named}`)).data
    expect(shown).toMatchObject({ id, status: 'paused', upcoming: [{ id: 'then' }] })
    const resumed = post<RunReport>(`/api/runs/${named}/resume`, {})
    await eventually(count, (n) => n === 1)
    end()
    expect((await resumed).data).toMatchObject({ id, status: 'complete' })
    expect((await post(`/api/runs/${id}/resume`, {})).data.error).toMatchObject({ code: 'COMMAND_REFUSED' })
  })

  it('is looked at for a while, and as it is by then', async () => {
    const { callTool, end, count } = held()
    const { post, get } = await open({ callTool })
    const running = post<RunReport>('/api/run', { tasks: [safe] })
    await eventually(count, (n) => n === 1)
    const [{ id }] = (await get<{ runs: { id: string }[] }>('/api/runs')).data.runs as [{ id: string }]
    expect((await post<RunReport>(`/api/runs/${id}/follow`, { withinMs: 20 })).data.status).toBe('running')
    end()
    await running
  })

  it('is aborted with its client where it is the client’s own, and goes on where it is not', async () => {
    const { callTool, end, count } = held()
    const { post, get } = await open({ callTool })
    const stop = new AbortController()
    const gone = post('/api/run', { tasks: [safe] }, stop.signal)
    await eventually(count, (n) => n === 1)
    const [{ id }] = (await get<{ runs: { id: string }[] }>('/api/runs')).data.runs as [{ id: string }]
    const other = new AbortController()
    const onlooker = post(`/api/runs/${id}/follow`, {}, other.signal)
    other.abort()
    await expect(onlooker).rejects.toThrow()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await get<RunReport>(`/api/runs/${id}`)).data.status).toBe('running')
    stop.abort()
    await expect(gone).rejects.toThrow()
    await eventually(
      async () => (await get<RunReport>(`/api/runs/${id}`)).data.status,
      (status) => status === 'aborted',
    )
    end()
  })

  it('is not answered for while it cannot be stored, and says why', async () => {
    let isAway = false
    const { post, get } = await open({
      record: async () => (isAway ? Promise.reject(new Error('the disk is full')) : undefined),
      async callTool() {
        isAway = true
        return { content: [{ type: 'text', text: 'done' }] }
      },
    })
    const started = (await post<RunReport>('/api/run', { tasks: [safe], follow: false })).data
    expect(started.status).toBe('running')
    const settled = post<RunReport>(`/api/runs/${started.id}/follow`, {})
    await eventually(
      async () => (await get<RunReport>(`/api/runs/${started.id}`)).data,
      ({ trouble, status }) => trouble?.includes('the disk is full') === true && status === 'running',
    )
    const late = await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, 100, 'late'))])
    expect(late).toBe('late')
    isAway = false
    expect((await settled).data.status).toBe('complete')
  })
})

describe('the list', () => {
  it('is as long as it is asked to be, newest first', async () => {
    const { run, get } = await open()
    const ids = [(await run(safe)).id, (await run(safe)).id, (await run(safe)).id].reverse()
    const list = async (query: string) =>
      (await get<{ runs: { id: string }[] }>(`/api/runs${query}`)).data.runs.map(({ id }) => id)
    expect(await list('')).toEqual(ids)
    expect(await list('?limit=2')).toEqual(ids.slice(0, 2))
    for (const limit of ['0', '-1', '1.5', 'many'])
      expect((await get(`/api/runs?limit=${limit}`)).status).toBe(400)
  })

  it('tells of a run that is stored as going on and does not go on here', async () => {
    const { run } = await open()
    const { id } = await run(safe)
    const stored = { id, status: 'running', tasks: 1, startedAt: 0 } as const
    const runs = { ...house.runs, list: async () => [stored] }
    expect(await listRuns(5, { runs, redact: (text) => text })).toEqual([{ ...stored, isElsewhere: true }])
  })

  it.each([
    ['running', ['run-start']],
    ['interrupted', ['run-start', 'run-pause']],
    ['approval_required', ['run-start', 'run-pause']],
    ['complete', ['run-end']],
  ] as const)('of a run that is stored as %s, and is not under way here, tells %j', async (status, told) => {
    await open()
    const runs = { ...house.runs, find: async () => ({ id: 'r1', status, tasks: [], startedAt: 0 }) }
    const types: string[] = []
    for await (const { type } of await runEvents('r1', { runs, redact: (text) => text })) types.push(type)
    expect(types).toEqual(told)
  })

  it('a beginning that several have names none of them', async () => {
    const { run, get } = await open()
    await run(safe)
    await run(safe)
    expect(await get('/api/runs/0')).toMatchObject({
      status: 400,
      data: { error: { code: 'USAGE', message: expect.stringContaining('2 workflows') } },
    })
  })
})

it.each([
  [undefined],
  ['pause'],
  [{}],
  [{ type: 'decide', decision: 'x', answer: { verdict: 'approve', by: 'page', at: 0 } }],
  [{ type: 'inject', tasks: [] }],
  [{ type: 'skip' }],
  [{ type: 'modify', task: 'a' }],
  [{ type: 'modify', task: 'a', arguments: [] }],
  [{ type: 'abort', reason: 5 }],
])('the command %j is refused before anything is looked for', async (command) => {
  const { post } = await open()
  expect(await post('/api/runs/none/command', { command })).toMatchObject({
    status: 400,
    data: { error: { code: 'USAGE' } },
  })
})

it.each(['command', 'resume', 'follow'])('%s of a run that is unknown is not found', async (verb) => {
  const { post } = await open()
  expect(await post(`/api/runs/none%2f..%ff/${verb}`, { command: { type: 'pause' } })).toMatchObject({
    status: 404,
    data: { error: { code: 'RUN_NOT_FOUND' } },
  })
})
