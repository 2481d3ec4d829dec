/** Tools that clients call by themselves, with real clients of both eras: what waits for a person, and how they are asked. */
import type { Client, ClientOptions } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { hashArguments } from '../model/hash-arguments.js'
import type { JsonObject } from '../model/json.js'
import type { CallTool } from '../model/tool-call.js'
import { createRequestStates } from './request-states.js'
import { openTestApprovals, openTestDecisions } from './test-decisions.contract.js'
import {
  dataOf,
  eventually,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
  testConfig,
  textOf,
  ways,
} from './test-gateway.contract.js'

const tools = [makeTool('files', 'read'), makeTool('files', 'delete')]
const call = { name: 'files__delete', arguments: { text: 'a' } }

let house: TestGateway
let store: ReturnType<typeof openTestDecisions>
let approvals: ReturnType<typeof openTestApprovals>
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

function open(options: TestGatewayOptions = {}): void {
  store = openTestDecisions()
  openAgain(options)
}

/** Another gateway over the same decisions: one that was started again. */
function openAgain(options: TestGatewayOptions = {}): void {
  approvals = openTestApprovals({ store, redact: (text) => text.replaceAll('hush-hush', '[redacted]') })
  house = openTestGateway({ tools, approvals, ...options })
  closers.push(house.close)
}

type Reply = { readonly action: string; readonly content?: JsonObject }
const yes: Reply = { action: 'accept', content: { approve: true } }
const no: Reply = { action: 'accept', content: { approve: false } }

/** A client whose person answers; what they saw is kept. */
async function personAt(
  face: 'stream' | 'http',
  options: ClientOptions,
  reply: (message: string, signal: AbortSignal) => Reply | Promise<Reply>,
): Promise<{ readonly client: Client; readonly seen: string[] }> {
  const client = await house[face]({ ...options, capabilities: { elicitation: { form: {} } } })
  const seen: string[] = []
  client.setRequestHandler('elicitation/create', async ({ params }, ctx) => {
    seen.push(params.message)
    return (await reply(params.message, ctx.mcpReq.signal)) as never
  })
  return { client, seen }
}

interface Waiting {
  readonly status: string
  readonly decision: { readonly id: string }
  readonly next: string
}

describe.each(ways)('over %s', (_way, face, options) => {
  it('what is not dangerous just runs', async () => {
    open()
    const client = await house[face](options)
    expect(textOf(await client.callTool({ name: 'files__read', arguments: { text: 'x' } }))).toContain('x')
    expect(store.all()).toEqual([])
  })

  it('without anybody to ask it says what is to be decided, and is made once it is approved', async () => {
    open()
    const client = await house[face](options)
    const asked = await client.callTool(call)
    expect(asked.isError).toBe(true)
    const { status, decision, next } = dataOf<Waiting>(asked)
    expect(status).toBe('approval_required')
    expect(decision).toMatchObject({ tool: 'files:delete', arguments: { text: 'a' }, risk: 'dangerous' })
    expect(next).toContain(`pml approve ${decision.id}`)
    expect(textOf(asked)).toContain(next)
    expect(dataOf<Waiting>(await client.callTool(call)).decision.id).toBe(decision.id)
    expect(house.calls).toEqual([])

    expect(await approvals.answer(decision.id, { verdict: 'approve', by: 'command line' })).toMatchObject({
      caller: 'test',
    })
    expect(textOf(await client.callTool(call))).toContain('a')
    expect(house.calls).toHaveLength(1)
    expect(dataOf(await client.callTool(call))).toMatchObject({ status: 'approval_required' })
    expect(house.calls).toHaveLength(1)
  })

  it('a person who says yes is asked once, sees what matters, and the call is made', async () => {
    open()
    const { client, seen } = await personAt(face, options, () => yes)
    const result = await client.callTool({ ...call, arguments: { text: 'hush-hush a' } })
    expect(textOf(result)).toContain('hush-hush a')
    expect(house.calls).toHaveLength(1)
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatch(/test wants to call files:delete.*\[redacted\] a.*Risk: dangerous/s)
    expect(seen[0]).not.toContain('hush-hush')
    expect(store.all()).toMatchObject([{ answer: { verdict: 'approve', by: 'elicitation' } }])
    expect(store.all()[0]?.usedAt).toBeDefined()
  })

  it.each([no, { action: 'decline' }])('one who says no is heard: %j', async (reply) => {
    open()
    const { client } = await personAt(face, options, () => reply)
    const result = await client.callTool(call)
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'NOT_APPROVED' } } })
    expect(house.calls).toEqual([])
  })

  it('one who only closes the question leaves it open for others', async () => {
    open()
    const { client, seen } = await personAt(face, options, () => ({ action: 'cancel' }))
    const { status, decision } = dataOf<Waiting>(await client.callTool(call))
    expect(status).toBe('approval_required')
    expect(seen).toHaveLength(1)
    await approvals.answer(decision.id, { verdict: 'approve', by: 'page' })
    expect(textOf(await client.callTool(call))).toContain('a')
  })

  it('a rejection from elsewhere is told once, with its reason', async () => {
    open()
    const client = await house[face](options)
    const { decision } = dataOf<Waiting>(await client.callTool(call))
    await approvals.answer(decision.id, { verdict: 'reject', by: 'page', reason: 'not today' })
    const told = await client.callTool(call)
    expect(dataOf(told)).toMatchObject({ error: { code: 'NOT_APPROVED' } })
    expect(textOf(told)).toContain('not today')
    expect(dataOf(await client.callTool(call))).toMatchObject({ status: 'approval_required' })
  })

  it('what the server itself asks after the approval goes on without a second one', async () => {
    const question = {
      method: 'elicitation/create',
      params: {
        message: 'Which?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      },
    }
    const isModern = options.versionNegotiation.mode === 'auto'
    const rounds: unknown[] = []
    const askingServer: CallTool = async ({ client, round, signal }) => {
      if (!isModern) {
        const answer = await client!.ask(question, signal)
        return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
      }
      rounds.push(round)
      if (round === undefined)
        return { resultType: 'input_required', inputRequests: { q: question }, requestState: 's1' } as never
      if (round.requestState === 's1')
        return { resultType: 'input_required', inputRequests: { r: question } } as never
      return { content: [{ type: 'text', text: JSON.stringify(round.inputResponses) }] }
    }
    open({ callTool: askingServer })
    const { client, seen } = await personAt(face, options, (message) =>
      message === 'Which?' ? { action: 'accept', content: { name: 'Ada' } } : yes,
    )
    expect(textOf(await client.callTool(call))).toContain('Ada')
    expect(seen.filter((message) => message.includes('wants to call'))).toHaveLength(1)
    if (isModern) {
      expect(rounds).toHaveLength(3)
      expect(rounds.slice(1)).toMatchObject([
        { requestState: 's1', inputResponses: { q: {} } },
        { inputResponses: { r: {} } },
      ])
      expect(rounds[2]).not.toHaveProperty('requestState')
    }
  })

  it('of 50 calls at once with one approval, one is made', async () => {
    open()
    const client = await house[face](options)
    const { decision } = dataOf<Waiting>(await client.callTool(call))
    await approvals.answer(decision.id, { verdict: 'approve', by: 'page' })
    const results = await Promise.all(Array.from({ length: 50 }, () => client.callTool(call)))
    expect(house.calls).toHaveLength(1)
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(1)
    expect(store.all()).toHaveLength(2)
  })

  it('an answer that fits the tool in form reaches the client also where the tool promises another', async () => {
    const outputSchema = {
      type: 'object' as const,
      properties: { n: { type: 'number' } },
      required: ['n'],
    }
    open({ tools: [makeTool('files', 'delete', { outputSchema })] })
    const client = await house[face](options)
    await client.listTools()
    expect(await client.callTool(call)).toMatchObject({ isError: true })
  })

  it('nobody is asked about a call that would be refused', async () => {
    open()
    const { client, seen } = await personAt(face, options, () => yes)
    const result = await client.callTool({ ...call, arguments: { text: 5 } })
    expect(dataOf(result)).toMatchObject({ error: { code: 'BAD_ARGUMENTS' } })
    expect(seen).toEqual([])
  })
})

describe('what the user says', () => {
  const configured = (approvalsOf: Partial<typeof testConfig.approvals>): TestGatewayOptions => ({
    config: { approvals: { ...testConfig.approvals, ...approvalsOf } },
  })

  it('block: it is not called, and the agent learns who can change that', async () => {
    open(configured({ direct: 'client', tools: { 'files:*': 'block' } }))
    const client = await house.stream()
    const result = await client.callTool({ name: 'files__read', arguments: {} })
    expect(dataOf(result)).toMatchObject({
      error: { code: 'CALL_BLOCKED', hint: expect.stringContaining('approvals.tools') },
    })
    expect(house.calls).toEqual([])
  })

  it('allow: it runs unasked', async () => {
    open(configured({ tools: { 'files:delete': 'allow' } }))
    await (await house.stream()).callTool(call)
    expect(house.calls).toHaveLength(1)
  })

  it("direct: client leaves it to the client's own prompt", async () => {
    open(configured({ direct: 'client' }))
    await (await house.stream()).callTool(call)
    expect(house.calls).toHaveLength(1)
  })

  it('ask: also what only reads', async () => {
    open(configured({ tools: { 'files:read': 'ask' } }))
    const client = await house.stream()
    const result = await client.callTool({ name: 'files__read', arguments: {} })
    expect(dataOf(result)).toMatchObject({ status: 'approval_required' })
  })

  it('by: agent, and the agent learns where it can approve by itself', async () => {
    open(configured({ by: 'agent' }))
    const { decision, next } = dataOf<Waiting>(await (await house.stream()).callTool(call))
    expect(decision).toMatchObject({ answeredBy: 'anyone' })
    expect(next).toContain('control_workflow')
    await approvals.answer(decision.id, { verdict: 'approve', by: 'agent' })
    await (await house.stream()).callTool(call)
    expect(house.calls).toHaveLength(1)
  })

  it('a policy that changed after the approval counts, and that is written down', async () => {
    open()
    const client = await house.stream()
    const { decision } = dataOf<Waiting>(await client.callTool(call))
    await approvals.answer(decision.id, { verdict: 'approve', by: 'page' })
    house.setConfig({ approvals: { ...testConfig.approvals, tools: { '*': 'ask' } } })
    expect(dataOf(await client.callTool(call))).toMatchObject({ status: 'approval_required' })
    expect(house.calls).toEqual([])
    expect(store.all()[0]?.refusals).toMatchObject([{ code: 'DECISION_CHANGED' }])
  })
})

describe('a client of a 2025 revision that is asked', () => {
  const legacy = { versionNegotiation: { mode: 'legacy' } } as const
  const never = (_message: string, signal: AbortSignal): Promise<Reply> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  it('goes on by an answer from elsewhere, and its question is taken back', async () => {
    open()
    let takenBack = false
    const { client, seen } = await personAt('stream', legacy, async (message, signal) => {
      signal.addEventListener('abort', () => {
        takenBack = true
      })
      return never(message, signal)
    })
    const result = client.callTool(call)
    await eventually(
      () => seen.length,
      (count) => count === 1,
    )
    await approvals.answer(store.all()[0]!.id, { verdict: 'approve', by: 'command line' })
    expect(textOf(await result)).toContain('a')
    expect(house.calls).toHaveLength(1)
    await eventually(
      () => takenBack,
      (is) => is,
    )
  })

  it('gets its reply in time; a late answer of the person still counts', async () => {
    open({ config: { replyWithinMs: 30 } })
    let answer = (_reply: Reply): void => {}
    const { client, seen } = await personAt(
      'stream',
      legacy,
      () => new Promise<Reply>((resolve) => (answer = resolve)),
    )
    expect(dataOf(await client.callTool(call))).toMatchObject({ status: 'approval_required' })
    answer(yes)
    await eventually(
      () => store.all()[0]?.answer?.verdict,
      (verdict) => verdict === 'approve',
    )
    expect(textOf(await client.callTool(call))).toContain('a')
    expect(seen).toHaveLength(1)
  })

  it('is asked once for many calls, and each further one needs its own yes', async () => {
    open()
    let asked = 0
    const { client, seen } = await personAt('stream', legacy, () =>
      ++asked <= 2 ? yes : { action: 'cancel' },
    )
    const results = await Promise.all(Array.from({ length: 20 }, () => client.callTool(call)))
    expect(house.calls).toHaveLength(2)
    expect(seen).toHaveLength(3)
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(2)
  })

  it('that cancels its call takes the question with it; the decision stays', async () => {
    open()
    const { client, seen } = await personAt('stream', legacy, never)
    const stop = new AbortController()
    const result = client.callTool(call, { signal: stop.signal })
    await eventually(
      () => seen.length,
      (count) => count === 1,
    )
    stop.abort('enough')
    await expect(result).rejects.toThrow()
    expect(await approvals.pending()).toHaveLength(1)
    expect(house.calls).toEqual([])
  })

  it('is told where nobody can be asked because the store is away', async () => {
    const away = { ...openTestDecisions(), listUnusedApprovals: () => Promise.reject(new Error('away')) }
    open({ approvals: openTestApprovals({ store: away }) })
    const client = await house.stream(legacy)
    expect(await client.callTool(call)).toMatchObject({ isError: true })
    expect(house.calls).toEqual([])
  })
})

describe('a client of 2026-07-28, round by round', () => {
  const send = async (params: JsonObject): Promise<Record<string, unknown>> => {
    const response = await fetch(`${await house.listen()}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': String(params.name),
        connection: 'close',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
          },
        },
      }),
    })
    const text = await response.text()
    return JSON.parse(text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)![1]!).result
  }
  interface Asked {
    readonly resultType: string
    readonly inputRequests: JsonObject
    readonly requestState: string
  }
  const ask = async (params: JsonObject = call): Promise<Asked> => (await send(params)) as unknown as Asked
  const answering = ({ inputRequests, requestState }: Asked, reply: Reply): JsonObject => ({
    requestState,
    inputResponses: Object.fromEntries(Object.keys(inputRequests).map((key) => [key, reply as never])),
  })

  it('may answer after the gateway was started again', async () => {
    open()
    const asked = await ask()
    expect(asked.resultType).toBe('input_required')
    await house.close()
    openAgain()
    const result = await send({ ...call, ...answering(asked, yes) })
    expect(textOf(result)).toContain('a')
    expect(house.calls).toHaveLength(1)
  })

  it('who sends the same answer twice is asked again: one approval is one call', async () => {
    open()
    const asked = await ask()
    const answer = { ...call, ...answering(asked, yes) }
    const results = await Promise.all([send(answer), send(answer), send(answer)])
    expect(house.calls).toHaveLength(1)
    expect(results.filter(({ resultType }) => resultType === 'input_required')).toHaveLength(2)
  })

  it('an answer that comes with other arguments does not count, and that is written down', async () => {
    open()
    const asked = await ask()
    const other = { ...call, arguments: { text: 'everything' } }
    const again = (await send({ ...other, ...answering(asked, yes) })) as unknown as Asked
    expect(again.resultType).toBe('input_required')
    expect(again.requestState).not.toBe(asked.requestState)
    expect(JSON.stringify(again.inputRequests)).toContain('everything')
    expect(house.calls).toEqual([])
    expect(store.all()[0]).toMatchObject({ refusals: [{ code: 'DECISION_CHANGED', by: 'elicitation' }] })
  })

  it('a yes after the no of somebody else is refused', async () => {
    open()
    const asked = await ask()
    await approvals.answer(store.all()[0]!.id, { verdict: 'reject', by: 'page' })
    const result = await send({ ...call, ...answering(asked, yes) })
    expect(dataOf(result)).toMatchObject({ error: { code: 'DECISION_ANSWERED' } })
    expect(house.calls).toEqual([])
  })

  it('one that comes back without an answer is not asked the same again', async () => {
    open()
    const { requestState } = await ask()
    const result = await send({ ...call, requestState })
    expect(dataOf(result)).toMatchObject({ status: 'approval_required' })
  })

  it('state that was made up, or is of another decision, approves nothing', async () => {
    open()
    for (const requestState of ['pml-approved:made-up', 'something']) {
      const inputResponses = { 'made-up': yes as never }
      expect(await send({ ...call, requestState, inputResponses })).toMatchObject({
        resultType: 'input_required',
      })
    }
    expect(house.calls).toEqual([])
  })

  it.each([
    ['unsigned', (id: string) => `pml-decision:${id}`],
    [
      'signed with another key',
      (id: string) =>
        createRequestStates(Buffer.alloc(32)).write(
          'decision',
          { ids: [id], request: hashArguments({ name: 'files:delete', arguments: call.arguments }) },
          'raw',
        ),
    ],
  ])('state that is %s is refused, and nothing is decided', async (_what, forge) => {
    open()
    const asked = await ask()
    const id = Object.keys(asked.inputRequests)[0]!
    const result = await send({ ...call, ...answering(asked, yes), requestState: forge(id) })
    expect(dataOf(result)).toMatchObject({
      error: { code: 'COMMAND_REFUSED', message: expect.stringContaining('not of this request') },
    })
    expect(store.all()).toHaveLength(1)
    expect(store.all()[0]).not.toHaveProperty('answer')
    expect(house.calls).toEqual([])
  })

  it('state of another client is refused, and so is one that a client without elicitation made up', async () => {
    open()
    const asked = await ask()
    const inputResponses = answering(asked, yes).inputResponses!
    const made = `pml-decision:${Object.keys(asked.inputRequests)[0]}`
    const auto = { versionNegotiation: { mode: 'auto' } } as const
    const mute = await house.stream(auto, 'raw')
    const other = await house.stream({ ...auto, capabilities: { elicitation: { form: {} } } }, 'other')
    for (const [client, requestState] of [
      [mute, made],
      [other, asked.requestState],
    ] as const)
      expect(dataOf(await client.callTool({ ...call, requestState, inputResponses } as never))).toMatchObject(
        { error: { message: expect.stringContaining('not of this request') } },
      )
    expect(store.all()[0]).not.toHaveProperty('answer')
    expect(house.calls).toEqual([])
  })

  it('what the server asked in an approved call is answered once', async () => {
    const rounds: unknown[] = []
    open({
      async callTool({ round }) {
        rounds.push(round?.requestState)
        if (round !== undefined) return { content: [{ type: 'text', text: 'done' }] }
        return { resultType: 'input_required', inputRequests: {}, requestState: 's1' } as never
      },
    })
    const asked = await ask()
    const paused = (await send({ ...call, ...answering(asked, yes) })) as unknown as Asked
    expect(paused.requestState).not.toContain('s1')
    const next = { ...call, requestState: paused.requestState }
    expect(await send({ ...next, arguments: { text: 'b' } })).toMatchObject({ resultType: 'input_required' })
    expect(textOf(await send(next))).toBe('done')
    expect(await send(next)).toMatchObject({ resultType: 'input_required' })
    expect(rounds).toEqual([undefined, 's1'])
  })
})
