import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../model/json.js'
import type { IntentPlan } from '../../model/plan.js'
import type { ServerConfig } from '../../model/server.js'
import {
  dataOf,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
  textOf,
} from '../test-gateway.contract.js'
import { makeIntentPlan, plannerOf, type TestTask } from '../test-plan.contract.js'

let house: TestGateway
afterEach(() => house.close())

const readOnly = { annotations: { readOnlyHint: true } }
const textOnly = {
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const catalogue = [
  makeTool('files', 'list', {
    ...readOnly,
    description: 'Lists the files of a directory.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  }),
  makeTool('files', 'read', { ...readOnly, ...textOnly, description: 'Reads a file.' }),
  makeTool('files', 'write', { ...textOnly, description: 'Writes a file.' }),
]
const server: ServerConfig = {
  name: 'files',
  transport: 'stdio',
  command: 'x',
  args: [],
  env: {},
  disabled: false,
  stateful: false,
  trusted: true,
  timeoutMs: 60_000,
  connectTimeoutMs: 60_000,
}

const list: TestTask = { id: 'list', tool: 'files:list', arguments: { path: 'data' } }
const read: TestTask = {
  id: 'read',
  tool: 'files:read',
  arguments: { path: { $from: 'list.names[*]' } },
  each: ['list.names[*]'],
}
const write: TestTask = { id: 'write', tool: 'files:write', arguments: { path: 'x' } }
const missing = [{ task: 'write', argument: 'path', description: 'Where it goes', type: 'string' }]

interface Reply {
  readonly status: string
  readonly mode?: string
  readonly workflow_id?: string
  readonly tasks?: readonly { id: string; status: string; result?: unknown }[]
  readonly plan: {
    readonly tasks: readonly JsonObject[]
    readonly edges: unknown
    readonly confidence: number
  }
  readonly why: string
  readonly hint: string
  readonly failed?: JsonObject
  readonly missing: readonly unknown[]
  readonly omitted?: Readonly<Record<string, number>>
}

/** `list` gives two names, `read` what it was asked for. */
const callTool: NonNullable<TestGatewayOptions['callTool']> = async ({ tool, arguments: args }) =>
  tool === 'files:list'
    ? { content: [], structuredContent: { names: ['a', 'b'] } }
    : { content: [{ type: 'text', text: `text of ${args.path}` }] }

async function open(
  plan: IntentPlan | undefined,
  { config, ...options }: TestGatewayOptions = {},
): Promise<Client> {
  house = openTestGateway({
    tools: catalogue,
    callTool,
    config: { servers: [server], maxResultTokens: 20_000, ...config },
    ...(plan && { planner: plannerOf(plan) }),
    ...options,
  })
  return house.stream({ versionNegotiation: { mode: 'auto' } })
}
async function execute(client: Client, args: JsonObject) {
  const answer = await client.callTool({ name: 'execute_workflow', arguments: { intent: 'do it', ...args } })
  return { answer, data: dataOf<Reply>(answer), text: textOf(answer) }
}

/** What was suggested before is run at once when it is confirmed. */
async function confirm(client: Client) {
  await execute(client, { mode: 'suggest' })
  return execute(client, { mode: 'run' })
}

describe('a plan that is neither sure nor unsure', () => {
  it('is suggested with its tasks, edges and where everything comes from, and nothing is run', async () => {
    const client = await open(makeIntentPlan([list, read], { notes: ['It could be files:find.'] }))
    const { data, text } = await execute(client, {})
    expect(Object.keys(data)[0]).toBe('status')
    expect(data).toMatchObject({
      status: 'suggestion',
      plan: {
        tasks: [
          { id: 'list', tool: 'files:list', arguments: { path: 'data' } },
          { id: 'read', arguments: { path: { $from: 'list.names[*]' } }, dependsOn: ['list'] },
        ],
        edges: [{ from: 'list', to: 'read', probability: 0.934, why: 'in this order' }],
        confidence: 0.8,
      },
      layers: [['list'], ['read']],
      arguments: [
        { task: 'list', argument: 'path', source: 'literal', confidence: 0.9, why: 'in the request' },
        { task: 'read', argument: 'path' },
      ],
      missing: [],
      unserved: [],
      notes: ['It could be files:find.'],
      why: expect.stringContaining('Confidence .80 is below .92'),
    })
    expect(text.split('\n')).toEqual([
      'suggestion: confidence .80. Confidence .80 is below .92, where plans run at once.',
      '1 list: files:list(path: "data")',
      '2 read: files:read(path: list.names[*]) for each of list.names[*], after list .93',
      'note: It could be files:find.',
      'Nothing was run. To run it, send the same intent with "mode": "run", or change the tasks and send them as tasks.',
    ])
    expect(house.calls).toEqual([])
  })

  it('runs when its tasks are sent back as they are', async () => {
    const client = await open(makeIntentPlan([list, read]))
    const { data } = await execute(client, {})
    const ran = await execute(client, { tasks: data.plan.tasks })
    expect(ran.data).toMatchObject({
      status: 'complete',
      tasks: [{ id: 'list' }, { id: 'read', result: ['text of a', 'text of b'] }],
    })
  })

  it('runs when the caller confirms it with mode run, and the reply holds plan and results', async () => {
    const client = await open(makeIntentPlan([list, read], { unserved: ['and sing'] }))
    const { data, text } = await confirm(client)
    expect(data).toMatchObject({
      status: 'complete',
      workflow_id: expect.any(String),
      tasks: [{ id: 'list', status: 'complete' }, { result: ['text of a', 'text of b'] }],
      plan: { tasks: [{ id: 'list' }, { id: 'read' }], confidence: 0.8 },
      unserved: ['and sing'],
    })
    expect(data).not.toHaveProperty('mode')
    expect(text).toMatch(/^complete: 2 of 2 tasks[\s\S]*No tool was found for: and sing$/)
  })

  it('the run is kept with the intent', async () => {
    const client = await open(makeIntentPlan([list]))
    await confirm(client)
    const local = await house.listen('local')
    const { runs } = (await (await fetch(`${local}/api/runs`)).json()) as { runs: JsonObject[] }
    expect(runs[0]).toMatchObject({ intent: 'do it', status: 'complete' })
  })

  it('a run that fails after a confirmation is answered as any run', async () => {
    const client = await open(makeIntentPlan([list]), {
      callTool: () => Promise.reject(new Error('broken')),
    })
    const { answer, data } = await confirm(client)
    expect(answer.isError).toBe(true)
    expect(data).toMatchObject({ status: 'failed', plan: { tasks: [{ id: 'list' }] } })
  })
})

describe('a plan that is confirmed unseen and not sure', () => {
  const control = async (client: Client, args: JsonObject) => {
    const answer = await client.callTool({ name: 'control_workflow', arguments: args })
    return dataOf<Reply & { layer?: JsonObject; workflow_id: string }>(answer)
  }
  const check = async (args: JsonObject = {}, rest: Partial<IntentPlan> = {}) => {
    const client = await open(makeIntentPlan([list, read], rest))
    const { data, text } = await execute(client, { mode: 'run', ...args })
    return { client, data, text, workflow_id: data.workflow_id! }
  }

  it('is shown before anything runs, with its confidence, why, and what can be done', async () => {
    const { data, text, workflow_id } = await check()
    expect(data).toMatchObject({
      status: 'layer_complete',
      layer: { done: [], next: [{ id: 'list', tool: 'files:list', arguments: { path: 'data' } }] },
      plan: { tasks: [{ id: 'list' }, { id: 'read' }], confidence: 0.8 },
      why: expect.stringContaining('Confidence .80 is below .92'),
      next: expect.stringContaining(`{"workflow_id":"${workflow_id}","action":"continue"}`),
    })
    for (const action of ['replan', 'abort', 'modify']) expect(text).toContain(`"${action}"`)
    expect(text).toContain('Nothing was run yet')
    expect(house.calls).toEqual([])
  })

  it('runs to its end when it is continued', async () => {
    const { client, workflow_id } = await check()
    expect(await control(client, { workflow_id, action: 'continue' })).toMatchObject({
      status: 'complete',
      workflow_id,
      tasks: [{ id: 'list' }, { result: ['text of a', 'text of b'] }],
    })
  })

  it('stops after every layer where that is wanted', async () => {
    const { client, workflow_id } = await check({ per_layer_validation: true })
    const first = await control(client, { workflow_id, action: 'continue' })
    expect(first).toMatchObject({
      status: 'layer_complete',
      layer: { done: ['list'], next: [{ id: 'read' }] },
    })
    expect(await control(client, { workflow_id, action: 'continue' })).toMatchObject({ status: 'complete' })
  })

  it('can be changed or given up first', async () => {
    const { client, workflow_id } = await check()
    const changed = { workflow_id, action: 'modify', task: 'list', arguments: { path: 'other' } }
    expect(await control(client, changed)).toMatchObject({
      status: 'layer_complete',
      layer: { next: [{ arguments: { path: 'other' } }] },
    })
    expect(await control(client, { workflow_id, action: 'abort' })).toMatchObject({ status: 'aborted' })
    expect(house.calls).toEqual([])
  })

  it('is not stopped when it is sure, was shown before, or is sent as tasks', async () => {
    const sure = await check({}, { confidence: 0.95 })
    expect(sure.data.status).toBe('complete')
    await house.close()
    const { client, data } = await check()
    expect((await execute(client, { mode: 'run', intent: ' Do  it\n' })).data.status).toBe('complete')
    expect((await execute(client, { tasks: data.plan.tasks })).data.status).toBe('complete')
    expect((await execute(client, { mode: 'run', intent: 'something else' })).data.status).toBe(
      'layer_complete',
    )
  })

  it('what one client was shown, another was not', async () => {
    const { client } = await check()
    await execute(client, { mode: 'suggest' })
    const other = await house.stream({ versionNegotiation: { mode: 'auto' } })
    expect((await execute(other, { mode: 'run' })).data.status).toBe('layer_complete')
  })
})

describe('a plan with something missing', () => {
  const plan = makeIntentPlan([list, { ...write, arguments: {} }], { missing, confidence: 0.99 })

  it.each([
    'auto',
    'suggest',
    'run',
  ])('is a suggestion in mode %s that names it and how to add it', async (mode) => {
    const { data, text } = await execute(await open(plan), { mode })
    expect(data).toMatchObject({ status: 'suggestion', missing, why: expect.stringContaining('missing') })
    expect(data.hint).toContain('{"write.path":"<string>"}')
    expect(text).toContain('missing: write.path (string): Where it goes')
    expect(house.calls).toEqual([])
  })

  it('what the caller knows reaches the planner', async () => {
    const planner = plannerOf(plan)
    const client = await open(undefined, { planner })
    await execute(client, { arguments: { 'write.path': 'b.txt' } })
    expect(planner.asked).toEqual([
      { intent: 'do it', options: { given: { 'write.path': 'b.txt' }, tokenBudget: 10_000 } },
    ])
  })
})

describe('a plan that is sure', () => {
  const sure = makeIntentPlan([list, read], { confidence: 0.95 })

  it('runs at once where every tool only reads', async () => {
    const { data } = await execute(await open(sure), {})
    expect(Object.keys(data)[0]).toBe('status')
    expect(data).toMatchObject({
      status: 'complete',
      mode: 'speculative_execution',
      plan: { tasks: [{ id: 'list' }, { id: 'read' }] },
      tasks: [{ id: 'list' }, { result: ['text of a', 'text of b'] }],
    })
  })

  it('never runs in mode suggest', async () => {
    expect((await execute(await open(sure), { mode: 'suggest' })).data.status).toBe('suggestion')
    expect(house.calls).toEqual([])
  })

  it.each<[string, IntentPlan, TestGatewayOptions]>([
    ['a tool writes', makeIntentPlan([list, write], { confidence: 1 }), {}],
    ['its server is not trusted', sure, { config: { servers: [{ ...server, trusted: false }] } }],
    ['part of the request is unserved', { ...sure, unserved: ['and sing'] }, {}],
  ])('is only suggested where %s', async (_why, plan, options) => {
    expect((await execute(await open(plan, options), {})).data.status).toBe('suggestion')
    expect(house.calls).toEqual([])
  })

  it('is a suggestion with what failed when its run does not go well', async () => {
    const client = await open(sure, {
      config: { secrets: ['sk-12345678'] },
      async callTool({ tool }) {
        if (tool === 'files:list') return { content: [], structuredContent: { names: ['a'] } }
        throw new Error('no entry with sk-12345678')
      },
    })
    const { answer, data, text } = await execute(client, {})
    expect(answer.isError).toBeFalsy()
    expect(data).toMatchObject({
      status: 'suggestion',
      plan: { tasks: [{ id: 'list' }, { id: 'read' }] },
      failed: {
        status: 'partial_failure',
        workflow_id: expect.any(String),
        tasks: [{}, { status: 'failed' }],
      },
      why: expect.stringContaining('partial_failure'),
    })
    expect(text).toContain('no entry with [redacted]')
    expect(JSON.stringify(answer)).not.toContain('sk-12345678')
  })

  it('answers running when it takes longer than replyWithinMs', async () => {
    const client = await open(sure, {
      config: { replyWithinMs: 30 },
      callTool: () => new Promise(() => {}),
    })
    expect((await execute(client, {})).data).toMatchObject({
      status: 'running',
      mode: 'speculative_execution',
      workflow_id: expect.any(String),
    })
  })
})

describe('an intent that no plan serves', () => {
  it('is answered with candidates, the draft and tasks to start from', async () => {
    const draft = makeIntentPlan([list, { ...write, arguments: {} }], { confidence: 0.4, missing })
    const client = await open({ ...draft, unserved: ['and sing'] })
    for (const mode of ['auto', 'suggest', 'run']) {
      const { data, text } = await execute(client, { intent: 'read a file', mode })
      expect(data).toMatchObject({
        status: 'explicit_required',
        candidates: expect.arrayContaining([expect.objectContaining({ id: 'files:read' })]),
        plan: { tasks: [{ id: 'list' }, { id: 'write' }], confidence: 0.4 },
        example: { tasks: [{ id: 'list' }, { id: 'write', arguments: { path: '<path>' } }] },
        missing,
        unserved: ['and sing'],
        why: expect.stringContaining('.40 is below .70'),
      })
      expect(text).toMatch(/^explicit_required: Confidence .40 is below .70/)
    }
    expect(house.calls).toEqual([])
  })

  it('without a draft shows the best tool with what the caller knows filled in', async () => {
    const client = await open(makeIntentPlan([], { confidence: 0 }))
    const { data } = await execute(client, { intent: 'files:read', arguments: { path: 'a.txt', other: 1 } })
    expect(data).toMatchObject({
      status: 'explicit_required',
      example: { tasks: [{ tool: 'files:read', arguments: { path: 'a.txt' } }] },
    })
    expect(data).not.toHaveProperty('plan')
    const sent = /instance (\{.*\})$/.exec(data.hint)![1]!
    expect((await execute(client, JSON.parse(sent))).data.status).toBe('complete')
  })

  it('and no tool either says so', async () => {
    const { data, text } = await execute(await open(undefined), { intent: 'paint the moon' })
    expect(data).toMatchObject({ status: 'explicit_required', candidates: [], unserved: ['paint the moon'] })
    expect(text).toContain('discover with other words')
  })
})

describe('the planner that serves', () => {
  it('takes a request to its results in two steps: a suggestion, and one confirmation', async () => {
    const client = await open(undefined)
    const intent = 'read the file notes.txt'
    const first = await execute(client, { intent, mode: 'suggest' })
    expect(first.data).toMatchObject({
      status: 'suggestion',
      plan: { tasks: [{ tool: 'files:read', arguments: { path: 'notes.txt' } }] },
    })
    const second = await execute(client, { intent, mode: 'run' })
    expect(second.data).toMatchObject({ status: 'complete', tasks: [{ result: 'text of notes.txt' }] })
  })

  it.each([
    '',
    ' ',
    '"',
    '{"$from": "x"}',
    '\u0000\u202e',
    'x'.repeat(20_000),
    'read '.repeat(2_000),
  ])('any text is an intent: %j is answered', async (intent) => {
    const { data } = await execute(await open(undefined), { intent })
    expect(['explicit_required', 'suggestion', 'failed']).toContain(data.status)
    expect(house.calls).toEqual([])
  })
})

describe('a reply stays within maxResultTokens', () => {
  const many = Array.from({ length: 200 }, (_, i): TestTask => ({ ...list, id: `list_${i}` }))
  const long = 'because of this and that '.repeat(100)
  const large = makeIntentPlan(many, {
    confidence: 0.8,
    arguments: many.map(({ id }) => ({
      task: id,
      argument: 'path',
      source: 'literal',
      confidence: 0.9,
      why: long,
    })),
    missing: many.map(({ id }) => ({ task: id, argument: 'other', description: long })),
    notes: Array.from({ length: 100 }, () => long),
  })

  it.each([
    ['suggestion', large, 20_000],
    ['suggestion', large, 1_000],
    ['explicit_required', { ...large, confidence: 0.1 }, 1_000],
    ['layer_complete', { ...large, missing: [] }, 1_000],
    ['complete', { ...large, missing: [], confidence: 0.95 }, 1_000],
  ])('a %s of 200 tasks', async (status, plan, maxResultTokens) => {
    const client = await open(plan, { config: { maxResultTokens } })
    const { answer, data } = await execute(client, { mode: 'run' })
    expect(data.status).toBe(status)
    // A run's tasks are told one by one, however many there are.
    const floor = status === 'complete' || status === 'layer_complete' ? 60_000 : 4_000
    expect(JSON.stringify(answer).length).toBeLessThan(Math.max(maxResultTokens * 3, floor))
  })

  it('whole tasks are worth more than explanations, and what is left out is counted', async () => {
    const { data } = await execute(await open(large), {})
    expect(data.plan.tasks).toHaveLength(200)
    expect(data.omitted).toMatchObject({ arguments: expect.any(Number), missing: expect.any(Number) })
  })

  it('tasks that do not fit are kept under a handle, and can be read and sent from there', async () => {
    const client = await open({ ...large, missing: [] }, { config: { maxResultTokens: 1_000 } })
    const { data } = await execute(client, {})
    const { handle, cut } = data.plan.tasks as unknown as { handle: string; cut: boolean }
    expect(cut).toBe(true)
    let text = ''
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: { text: string; next?: number } = dataOf(
        await client.callTool({ name: 'control_workflow', arguments: { action: 'read', handle, offset } }),
      )
      text += page.text
      offset = page.next
    }
    expect(JSON.parse(text)).toHaveLength(200)
  })
})

it('what is said of a plan holds no secret; its tasks stay what would be run', async () => {
  const secret = 'sk-12345678'
  const plan = makeIntentPlan([{ ...list, arguments: { path: secret } }], { notes: [`uses ${secret}`] })
  const { data, text } = await execute(await open(plan, { config: { secrets: [secret] } }), {})
  expect(data).toMatchObject({
    plan: { tasks: [{ arguments: { path: secret } }] },
    notes: ['uses [redacted]'],
  })
  expect(text).not.toContain(secret)
})

it('POST /api/plan gives plan and explanation, and runs nothing however sure it is', async () => {
  await open(makeIntentPlan([list, read], { confidence: 0.99 }))
  const ask = async (body: JsonObject) => {
    const url = `${await house.listen('local')}/api/plan`
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as JsonObject }
  }
  expect(await ask({ intent: 'do it', arguments: { path: 'x' } })).toMatchObject({
    status: 200,
    body: {
      status: 'suggestion',
      plan: { intent: 'do it', plan: { tasks: [{ id: 'list' }, { id: 'read', each: ['list.names[*]'] }] } },
      explanation: { text: expect.stringContaining('list -> read .93'), edges: [{ direct: [] }] },
    },
  })
  for (const body of [{}, { intent: 5 }, { intent: 'x', arguments: [] }])
    expect(await ask(body as JsonObject)).toMatchObject({ status: 400, body: { error: { code: 'USAGE' } } })
  expect(house.calls).toEqual([])
})
