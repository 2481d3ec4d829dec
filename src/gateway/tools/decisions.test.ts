/** What a run asks of a person, through every way a client offers: 2025 elicitation, 2026 input_required, and none. */
import type { Client, ClientOptions } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import type { Decision } from '../../model/decision.js'
import { hashArguments } from '../../model/hash-arguments.js'
import type { JsonObject } from '../../model/json.js'
import { createRequestStates } from '../request-states.js'
import {
  dataOf,
  eventually,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
  textOf,
} from '../test-gateway.contract.js'

let house: TestGateway
afterEach(() => house.close())

const tools = [makeTool('files', 'read'), makeTool('files', 'delete'), makeTool('files', 'erase')]
const read = { id: 'read', tool: 'files:read', arguments: { text: 'x' } }
const wipe = { id: 'wipe', tool: 'files:delete', arguments: { text: 'y' }, dependsOn: ['read'] }
const asked = { ...read, id: 'asked', requireApproval: true }
const tasks = [read, wipe]

interface Reply {
  readonly status: string
  readonly workflow_id: string
  readonly tasks: readonly { id: string; status: string; result?: unknown; error?: { code: string } }[]
  readonly decision: { id: string; task: string; answeredBy: string }
  readonly decisions: readonly { id: string; task: string }[]
  readonly soFar: string
  readonly next: string
  readonly error?: { code: string; message: string; hint: string }
}

type Answer = (params: { readonly message: string }, signal: AbortSignal) => JsonObject | Promise<JsonObject>

const accept = (approve: boolean): JsonObject => ({ action: 'accept', content: { approve } })
const eras = [
  ['2025', { versionNegotiation: { mode: 'legacy' } }],
  ['2026', { versionNegotiation: { mode: 'auto' } }],
] as const satisfies readonly (readonly [string, ClientOptions])[]

const open = (options: TestGatewayOptions = {}): TestGateway => {
  house = openTestGateway({ tools, ...options })
  return house
}

async function connect(era: ClientOptions, answer?: Answer, at = house): Promise<Client> {
  const capabilities = answer === undefined ? {} : { capabilities: { elicitation: { form: {} } } }
  const client = await at.stream({ ...era, ...capabilities } as ClientOptions)
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', (({ params }: never, ctx: never) => {
      const { signal } = (ctx as { mcpReq: { signal: AbortSignal } }).mcpReq
      return answer(params, signal)
    }) as never)
  return client
}

const call = async (client: Client, name: string, args: object): Promise<Reply> =>
  dataOf<Reply>(await client.callTool({ name, arguments: args as Record<string, unknown> }))
const execute = (client: Client, given: readonly object[] = tasks): Promise<Reply> =>
  call(client, 'execute_workflow', { tasks: given })
const control = (client: Client, workflow_id: string, action: string, more: object = {}): Promise<Reply> =>
  call(client, 'control_workflow', { workflow_id, action, ...more })
const called = (): readonly string[] => house.calls.map(({ tool }) => tool)

describe.each(eras)('a person behind a client of %s that can ask', (_era, era) => {
  it('is shown what is wanted, and the run goes on with their yes in the same call', async () => {
    open()
    const seen: string[] = []
    const reply = await execute(
      await connect(era, ({ message }) => {
        seen.push(message)
        return accept(true)
      }),
    )
    expect(reply).toMatchObject({ status: 'complete', tasks: [{}, { id: 'wipe', status: 'complete' }] })
    expect(seen).toHaveLength(1)
    expect(seen[0]).toContain('test wants to call files:delete')
    expect(seen[0]).toMatch(/"text": "y"[\s\S]*Risk: dangerous[\s\S]*So far: /)
    expect(called()).toEqual(['files:read', 'files:delete'])
  })

  it.each([
    ['declines', { action: 'decline' }],
    ['does not tick the box', accept(false)],
  ])('who %s rejects it', async (_how, answer) => {
    open()
    const reply = await execute(await connect(era, () => answer))
    expect(reply).toMatchObject({
      status: 'partial_failure',
      tasks: [{ status: 'complete' }, { status: 'failed', error: { code: 'NOT_APPROVED' } }],
    })
    expect(called()).toEqual(['files:read'])
  })

  it('who cancels is not asked again; the decision waits for the other ways', async () => {
    open()
    let count = 0
    const client = await connect(era, () => {
      count += 1
      return { action: 'cancel' }
    })
    const reply = await execute(client)
    expect(reply).toMatchObject({ status: 'approval_required', decision: { task: 'wipe' } })
    expect((await control(client, reply.workflow_id, 'status')).status).toBe('approval_required')
    expect(count).toBe(1)
    await house.runs.decide(reply.decision.id, { verdict: 'approve', by: 'command line' })
    await eventually(
      () => control(client, reply.workflow_id, 'status'),
      ({ status }) => status === 'complete',
    )
  })

  it('answers several, each by itself', async () => {
    open()
    const seen: string[] = []
    const many = [
      { ...wipe, dependsOn: [] },
      { id: 'erase', tool: 'files:erase' },
    ]
    const reply = await execute(
      await connect(era, ({ message }) => {
        seen.push(message)
        return accept(message.includes('files:erase'))
      }),
      many,
    )
    expect(seen).toHaveLength(2)
    expect(reply).toMatchObject({
      status: 'partial_failure',
      tasks: [
        { id: 'wipe', status: 'failed' },
        { id: 'erase', status: 'complete' },
      ],
    })
  })

  it('is asked whether a call that was cut off is to be made again', async () => {
    let isHanging = true
    const callTool: NonNullable<TestGatewayOptions['callTool']> = async () => {
      if (isHanging) await new Promise(() => {})
      return { content: [{ type: 'text', text: 'done' }] }
    }
    open({ callTool, config: { replyWithinMs: 50 } })
    const { workflow_id } = await execute(await connect(era), [read])
    await house.close()
    isHanging = false
    open({ callTool, runStore: house.runStore })
    const seen: string[] = []
    const client = await connect(era, ({ message }) => {
      seen.push(message)
      return accept(true)
    })
    expect(await control(client, workflow_id, 'resume')).toMatchObject({ status: 'complete' })
    expect(seen).toEqual([expect.stringContaining('was cut off and may have taken effect')])
  })

  it('sees no secret', async () => {
    open({ config: { secrets: ['sk-12345678'] } })
    const seen: string[] = []
    const client = await connect(era, ({ message }) => {
      seen.push(message)
      return accept(true)
    })
    await execute(client, [{ id: 'wipe', tool: 'files:delete', arguments: { text: 'sk-12345678' } }])
    expect(seen[0]).toContain('[redacted]')
    expect(seen[0]).not.toContain('sk-12345678')
    expect(house.calls[0]!.arguments).toEqual({ text: 'sk-12345678' })
  })
})

describe('a person behind a client of 2025', () => {
  const [, era] = eras[0]

  it('may be slow: the reply does not wait, and the answer counts when it comes', async () => {
    open({ config: { replyWithinMs: 50 } })
    let answer = (_: JsonObject): void => {}
    const client = await connect(era, () => new Promise((resolve) => (answer = resolve)))
    const reply = await execute(client)
    expect(reply).toMatchObject({ status: 'approval_required', decision: { task: 'wipe' } })
    answer(accept(true))
    await eventually(
      () => control(client, reply.workflow_id, 'status'),
      ({ status }) => status === 'complete',
    )
    expect(called()).toEqual(['files:read', 'files:delete'])
  })

  it('is asked once, however often the run is looked at meanwhile', async () => {
    open({ config: { replyWithinMs: 30 } })
    let count = 0
    const client = await connect(era, () => {
      count += 1
      return new Promise(() => {})
    })
    const { workflow_id } = await execute(client)
    for (let i = 0; i < 3; i++) await control(client, workflow_id, 'status')
    expect(count).toBe(1)
  })

  it('need not answer what was answered elsewhere: the question is taken back', async () => {
    open({ config: { replyWithinMs: 5_000 } })
    let isOver = false
    const client = await connect(
      era,
      (_params, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            isOver = true
            reject(new Error('taken back'))
          })
        }),
    )
    const pending = execute(client)
    const [decision] = await eventually(
      () => house.runs.pendingDecisions(),
      (list) => list.length === 1,
    )
    await house.runs.decide(decision!.id, { verdict: 'approve', by: 'page' })
    expect((await pending).status).toBe('complete')
    await eventually(
      () => isOver,
      (over) => over,
    )
  })

  it('is asked while other tasks go on', async () => {
    let finish = (): void => {}
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    open({
      async callTool({ tool }) {
        if (tool === 'files:read') await gate
        return { content: [{ type: 'text', text: 'done' }] }
      },
    })
    const client = await connect(era, () => {
      finish()
      return accept(true)
    })
    expect((await execute(client, [read, { ...wipe, dependsOn: [] }])).status).toBe('complete')
  })

  it('whose client refuses to ask is told of as a value', async () => {
    open()
    const client = await connect(era, () => Promise.reject(new Error('no dialogues here')))
    expect((await execute(client)).status).toBe('approval_required')
  })

  it('is asked by a look at the run when the request that started it was over before', async () => {
    let finish = (): void => {}
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    open({
      config: { replyWithinMs: 30 },
      async callTool({ tool }) {
        if (tool === 'files:read') await gate
        return { content: [{ type: 'text', text: 'done' }] }
      },
    })
    const client = await connect(era, () => accept(true))
    const { workflow_id, status } = await execute(client)
    expect(status).toBe('running')
    finish()
    await eventually(
      () => control(client, workflow_id, 'status'),
      (reply) => reply.status === 'complete',
    )
  })

  it('a request that is cancelled ends the run and takes the question back', async () => {
    open({ config: { replyWithinMs: 5_000 } })
    const stop = new AbortController()
    const client = await connect(era, () => new Promise(() => {}))
    const pending = client.callTool(
      { name: 'execute_workflow', arguments: { tasks } },
      { signal: stop.signal },
    )
    const [decision] = await eventually(
      () => house.runs.pendingDecisions(),
      (list) => list.length === 1,
    )
    stop.abort()
    await expect(pending).rejects.toThrow()
    await eventually(
      () => house.runs.find(decision!.runId!),
      (run) => run?.status === 'aborted',
    )
    expect(await house.runs.pendingDecisions()).toEqual([])
  })
})

describe('rounds of 2026-07-28', () => {
  const manual: ClientOptions = {
    ...eras[1][1],
    capabilities: { elicitation: { form: {} } },
    inputRequired: { autoFulfill: false },
  }
  interface Asked {
    readonly resultType: string
    readonly inputRequests: Readonly<Record<string, { method: string; params: { message: string } }>>
    readonly requestState: string
  }
  const send = async (client: Client, args: object, round: object = {}, name = 'execute_workflow') =>
    (await client.callTool(
      { name, arguments: args, ...round } as never,
      { allowInputRequired: true } as never,
    )) as unknown
  const ask = async (client: Client, args: object = { tasks }): Promise<Asked> =>
    (await send(client, args)) as Asked
  const answerTo = ({ requestState, inputRequests }: Asked, response: JsonObject): object => ({
    requestState,
    inputResponses: Object.fromEntries(Object.keys(inputRequests).map((id) => [id, response])),
  })

  it('carry the decision as the question, and the run in the state', async () => {
    open()
    const client = await house.stream(manual)
    const question = await ask(client)
    const [decision] = (await house.runs.pendingDecisions()) as [Decision]
    expect(question).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        [decision.id]: {
          method: 'elicitation/create',
          params: { message: expect.stringContaining('files:delete') },
        },
      },
      requestState: expect.stringMatching(
        new RegExp(`^pml-run:${decision.runId},${decision.id}:[0-9a-f]{64}:[0-9a-f]{64}$`),
      ),
    })
    expect(dataOf(await send(client, { tasks }, answerTo(question, accept(true))))).toMatchObject({
      status: 'complete',
      workflow_id: decision.runId,
    })
    expect(called()).toEqual(['files:read', 'files:delete'])
  })

  it('sent twice, even at once, decide once and run nothing twice', async () => {
    open()
    const client = await house.stream(manual)
    const question = await ask(client)
    const round = answerTo(question, accept(true))
    const replies = await Promise.all([1, 2, 3].map(() => send(client, { tasks }, round)))
    replies.push(await send(client, { tasks }, round))
    expect(new Set(replies.map((one) => dataOf<Reply>(one).workflow_id)).size).toBe(1)
    expect(replies.map((one) => dataOf<Reply>(one).status)).toEqual(Array(4).fill('complete'))
    expect(called()).toEqual(['files:read', 'files:delete'])
    expect(await house.runs.list(10)).toHaveLength(1)
  })

  it('with another answer afterwards change nothing, and that is kept', async () => {
    open()
    const client = await house.stream(manual)
    const question = await ask(client)
    const [decision] = (await house.runs.pendingDecisions()) as [Decision]
    await send(client, { tasks }, answerTo(question, { action: 'decline' }))
    const late = dataOf<Reply>(await send(client, { tasks }, answerTo(question, accept(true))))
    expect(late).toMatchObject({
      status: 'partial_failure',
      tasks: [{}, { error: { code: 'NOT_APPROVED' } }],
    })
    expect((await house.runs.findDecision(decision.id))!.refusals).toMatchObject([{ by: 'elicitation' }])
    expect(called()).toEqual(['files:read'])
  })

  it.each([
    ['other arguments', { tasks: [read] }, 'execute_workflow'],
    ['another tool', { action: 'status', workflow_id: 'x' }, 'control_workflow'],
  ])('with %s are refused, and start nothing', async (_what, args, name) => {
    open()
    const client = await house.stream(manual)
    const question = await ask(client)
    const answer = await send(client, args, answerTo(question, accept(true)), name)
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: {
        error: { code: 'COMMAND_REFUSED', message: expect.stringContaining('not of this request') },
      },
    })
    expect(called()).toEqual(['files:read'])
    expect(await house.runs.list(10)).toHaveLength(1)
    expect(await house.runs.pendingDecisions()).toHaveLength(1)
  })

  it.each([
    ['a state of somebody else', 'whatever'],
    ['a run that is not there', undefined],
    ['a run whose state nobody signed', 'unsigned'],
  ])('with %s start nothing', async (_what, state) => {
    open()
    const client = await house.stream(manual)
    const { requestState } = await ask(client)
    const unsigned = requestState.slice(0, requestState.lastIndexOf(':'))
    const forged =
      state === 'unsigned' ? unsigned : (state ?? requestState.replace(/:[0-9a-f-]{36},/, ':none,'))
    const answer = await send(client, { tasks }, { requestState: forged })
    expect(answer).toMatchObject({ isError: true })
    expect(await house.runs.list(10)).toHaveLength(1)
  })

  it('that a client which can ask nobody has made up decide nothing', async () => {
    open()
    const client = await house.stream(eras[1][1])
    const { workflow_id, decision } = dataOf<Reply>(await send(client, { tasks }))
    const request = hashArguments({ name: 'execute_workflow', arguments: { tasks } })
    const inputResponses = { [decision.id]: accept(true) }
    const unsigned = `pml-run:${workflow_id},${decision.id}:${request}`
    const signed = createRequestStates(Buffer.alloc(32)).write(
      'run',
      { ids: [workflow_id, decision.id], request },
      'test',
    )
    for (const requestState of [`pml-run:${workflow_id}:${request}`, unsigned, signed])
      expect(await send(client, { tasks }, { requestState, inputResponses })).toMatchObject({
        isError: true,
        structuredContent: { error: { message: expect.stringContaining('not of this request') } },
      })
    const [pending] = await house.runs.pendingDecisions()
    expect(pending).toMatchObject({ id: decision.id })
    expect(pending).not.toHaveProperty('answer')
    expect(called()).toEqual(['files:read'])
  })

  it('of another client decide nothing', async () => {
    open()
    const question = await ask(await house.stream(manual))
    const other = await house.stream(manual, 'somebody else')
    expect(await send(other, { tasks }, answerTo(question, accept(true)))).toMatchObject({
      isError: true,
      structuredContent: { error: { message: expect.stringContaining('not of this request') } },
    })
    expect(await house.runs.pendingDecisions()).toHaveLength(1)
    expect(called()).toEqual(['files:read'])
  })

  it('answer only what was asked in them', async () => {
    open()
    const client = await house.stream(manual)
    const question = await ask(client, { tasks })
    const { workflow_id } = (await house.runs.pendingDecisions()).map(({ runId }) => ({
      workflow_id: runId!,
    }))[0]!
    const erase = { id: 'erase', tool: 'files:erase', arguments: { text: 'z' } }
    await house.runs.send(workflow_id, {
      type: 'inject',
      tasks: [{ ...erase, dependsOn: [], onError: 'fail', requireApproval: false } as never],
    })
    const both = await eventually(
      () => house.runs.pendingDecisions(),
      (list) => list.length === 2,
    )
    const inputResponses = Object.fromEntries(both.map(({ id }) => [id, accept(true)]))
    const { requestState } = question
    const again = (await send(client, { tasks }, { requestState, inputResponses })) as Asked
    expect(JSON.stringify(again.inputRequests)).toContain('files:erase')
    expect(called()).toEqual(['files:read', 'files:delete'])
  })

  it('ask again what was left unanswered, and ignore what nobody asked', async () => {
    open()
    const client = await house.stream(manual)
    const question = await ask(client)
    const again = (await send(
      client,
      { tasks },
      {
        requestState: question.requestState,
        inputResponses: { other: accept(true) },
      },
    )) as Asked
    expect(again).toEqual(expect.objectContaining({ requestState: question.requestState }))
    expect(Object.keys(again.inputRequests)).toEqual(Object.keys(question.inputRequests))
  })

  it('are refused by a gateway with another key', async () => {
    open()
    const question = await ask(await house.stream(manual))
    await house.close()
    const { runStore } = house
    open({ runStore, stateKey: Buffer.alloc(32, 9) })
    const answer = await send(await house.stream(manual), { tasks }, answerTo(question, accept(true)))
    expect(answer).toMatchObject({ isError: true })
    expect(called()).toEqual([])
  })

  it('are answered in time while the database is away, and count when it is back', async () => {
    let isAway = false
    open({
      config: { replyWithinMs: 150 },
      record: async () => (isAway ? Promise.reject(new Error('the disk is full')) : undefined),
    })
    const client = await house.stream(manual)
    const question = await eventually(
      () => ask(client),
      ({ resultType }) => resultType === 'input_required',
    )
    isAway = true
    const answer = await send(client, { tasks }, answerTo(question, accept(true)))
    expect(dataOf(answer)).toMatchObject({
      status: 'approval_required',
      stored: false,
      trouble: expect.stringContaining('"answer" is not carried out yet'),
    })
    expect(called()).not.toContain('files:delete')
    isAway = false
    await eventually(called, (list) => list.includes('files:delete'))
  })

  it('go on in the gateway that comes after this one', async () => {
    open()
    const question = await ask(await house.stream(manual))
    await house.close()
    const { runStore } = house
    open({ runStore })
    const client = await house.stream(manual)
    const answer = await send(client, { tasks }, answerTo(question, accept(true)))
    expect(dataOf(answer)).toMatchObject({
      status: 'complete',
      tasks: [{}, { id: 'wipe', status: 'complete' }],
    })
    expect(called()).toEqual(['files:delete'])
    expect(await house.runs.list(10)).toHaveLength(1)
  })

  it('come over HTTP, too', async () => {
    open()
    const client = await house.http({ ...manual, inputRequired: {} } as ClientOptions)
    client.setRequestHandler('elicitation/create', (() => accept(true)) as never)
    expect((await execute(client)).status).toBe('complete')
  })

  it('serve control_workflow as well, whose action is done once', async () => {
    open()
    const client = await house.stream(manual)
    const started = dataOf<Reply>(await send(client, { tasks: [read, wipe], per_layer_validation: true }))
    expect(started.status).toBe('layer_complete')
    const go = { workflow_id: started.workflow_id, action: 'continue' }
    const question = (await send(client, go, {}, 'control_workflow')) as Asked
    expect(question.resultType).toBe('input_required')
    const done = await send(client, go, answerTo(question, accept(true)), 'control_workflow')
    expect(dataOf(done)).toMatchObject({ status: 'complete', workflow_id: started.workflow_id })
  })

  const whichOne = {
    message: 'Which one?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  }

  it('after an approval a tool may still ask its own question', async () => {
    open({
      async callTool({ tool, client, signal }) {
        if (tool !== 'files:delete') return { content: [{ type: 'text', text: 'read' }] }
        const question = { method: 'elicitation/create', params: whichOne }
        const { content } = await client!.ask(question, signal)
        return { content: [{ type: 'text', text: (content as { name: string }).name }] }
      },
    })
    const client = await connect(eras[1][1], ({ message }) =>
      message === 'Which one?' ? { action: 'accept', content: { name: 'this one' } } : accept(true),
    )
    expect(await execute(client)).toMatchObject({ status: 'complete', tasks: [{}, { result: 'this one' }] })
  })
})

describe.each(eras)('a client of %s that cannot ask', (_era, era) => {
  it('gets what is to be decided as a value, with who can and how', async () => {
    open()
    const client = await connect(era)
    const answer = await client.callTool({ name: 'execute_workflow', arguments: { tasks } })
    const reply = dataOf<Reply>(answer)
    expect(answer.isError).toBeFalsy()
    expect(reply).toMatchObject({
      status: 'approval_required',
      tasks: [{ status: 'complete' }, { id: 'wipe', status: 'waiting' }],
      decision: {
        id: expect.any(String),
        task: 'wipe',
        tool: 'files:delete',
        arguments: { text: 'y' },
        risk: 'dangerous',
        why: expect.any(String),
        answeredBy: 'human',
        expiresAt: expect.stringMatching(/^\d{4}-/),
      },
      soFar: expect.any(String),
    })
    expect(reply.decisions).toEqual([reply.decision])
    for (const text of [reply.next, textOf(answer)]) {
      expect(text).toContain(`pml approve ${reply.decision.id}`)
      expect(text).toContain('You cannot approve it')
    }
    expect(called()).toEqual(['files:read'])
  })

  it('cannot approve where a person has to, and the attempt is kept; it may reject', async () => {
    open()
    const client = await connect(era)
    const { workflow_id, decision } = await execute(client)
    const refused = await control(client, workflow_id, 'approve')
    expect(refused).toMatchObject({
      status: 'failed',
      error: { code: 'DECISION_HUMAN', hint: expect.stringContaining('pml approve') },
    })
    const [kept] = await house.runs.pendingDecisions()
    expect(kept!.refusals).toMatchObject([{ verdict: 'approve', by: 'agent', code: 'DECISION_HUMAN' }])
    const rejected = await control(client, workflow_id, 'reject', {
      decision: decision.id,
      reason: 'too bold',
    })
    expect(rejected).toMatchObject({
      status: 'partial_failure',
      tasks: [{}, { error: { code: 'NOT_APPROVED' } }],
    })
    expect(called()).toEqual(['files:read'])
  })

  it('may approve what it asked for itself, and the call is made once', async () => {
    open()
    const client = await connect(era)
    const reply = await execute(client, [asked])
    expect(reply).toMatchObject({ status: 'approval_required', decision: { answeredBy: 'anyone' } })
    expect(reply.next).toContain('"action":"approve"')
    expect(await control(client, reply.workflow_id, 'approve')).toMatchObject({ status: 'complete' })
    expect(await control(client, reply.workflow_id, 'approve')).toMatchObject({
      error: { code: 'COMMAND_REFUSED', message: expect.stringContaining('It is complete') },
    })
    expect(called()).toEqual(['files:read'])
  })

  it('has to say which one where several wait', async () => {
    open()
    const client = await connect(era)
    const { workflow_id, decisions } = await execute(client, [asked, { ...asked, id: 'other' }])
    expect(decisions).toHaveLength(2)
    expect(await control(client, workflow_id, 'approve')).toMatchObject({
      error: { code: 'BAD_ARGUMENTS', message: expect.stringContaining(decisions[1]!.id) },
    })
    expect(await control(client, workflow_id, 'approve', { decision: 'none' })).toMatchObject({
      error: { code: 'COMMAND_REFUSED', message: expect.stringContaining('not of this workflow') },
    })
    const half = await control(client, workflow_id, 'approve', { decision: decisions[1]!.id })
    expect(half).toMatchObject({ status: 'approval_required', decisions: [{ id: decisions[0]!.id }] })
    expect(await control(client, workflow_id, 'approve')).toMatchObject({ status: 'complete' })
  })

  it('is not needed for what a standing rule allows, and told of what one blocks', async () => {
    const approvals = { by: 'human', direct: 'gateway', expireAfterMs: 60_000 } as const
    open({
      config: { approvals: { ...approvals, tools: { 'files:delete': 'allow', 'files:erase': 'block' } } },
    })
    const client = await connect(era)
    expect(await execute(client)).toMatchObject({ status: 'complete' })
    const blocked = await execute(client, [{ id: 'a', tool: 'files:erase' }])
    expect(blocked).toMatchObject({ status: 'failed', tasks: [{ error: { code: 'CALL_BLOCKED' } }] })
  })
})
