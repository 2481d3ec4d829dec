import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import type { ClientSide, Question } from '../model/client-side.js'
import type { Json, JsonObject } from '../model/json.js'
import { silentLog } from '../model/log.js'
import { createSchemaChecks } from '../upstream/schema-checks.js'
import { askForArguments } from './ask-for-arguments.js'
import { dataOf, makeTool, openTestGateway, type TestGateway, ways } from './test-gateway.contract.js'
import { makeIntentPlan, plannerOf } from './test-plan.contract.js'

const write = makeTool('files', 'write', {
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 2 },
      times: { type: 'integer' },
      entities: { type: 'array', items: { $ref: '#/$defs/entity' } },
    },
    required: ['path', 'times', 'entities'],
    $defs: {
      entity: { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind', 'name'] },
    },
  },
})
const path = { task: 'write', argument: 'path', description: 'Where it goes', type: 'string' }
const times = { task: 'write', argument: 'times', description: '', type: 'integer' }
const kind = { task: 'write', argument: 'entities[0].kind', description: 'What it is' }
const plan = makeIntentPlan([{ id: 'write', tool: 'files:write' }], { missing: [path, times, kind] })

describe('what a model answers', () => {
  async function ask(
    answer: (question: Question, signal: AbortSignal) => Promise<JsonObject>,
    capabilities: JsonObject = { sampling: {} },
    missing = plan.missing,
  ) {
    const client: ClientSide = { capabilities, ask: answer, tell() {}, takesInputRequired: false }
    return askForArguments(
      { ...plan, missing, intent: 'write it' },
      { client, signal: new AbortController().signal },
      {
        tool: (id) => (id === write.id ? write : undefined),
        checks: createSchemaChecks({ log: silentLog }),
        redact: (text) => text.replaceAll('goes', '[redacted]'),
        answerWithinMs: 100,
      },
    )
  }
  const saying = (text: string) => async (): Promise<JsonObject> => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text },
  })

  it('is asked for in one bounded question that names what is wanted', async () => {
    let asked: Question | undefined
    await ask(async (question) => {
      asked = question
      return {}
    })
    expect(asked).toMatchObject({
      method: 'sampling/createMessage',
      params: { maxTokens: 1_000, temperature: 0 },
    })
    const { messages } = asked!.params as unknown as { messages: { content: { text: string } }[] }
    expect(messages).toHaveLength(1)
    expect(messages[0]!.content.text).toBe(
      [
        'The request:',
        'write it',
        '',
        'The arguments:',
        '- "write.path" (string) of files:write: Where it [redacted]',
        '- "write.times" (integer) of files:write',
        '- "write.entities[0].kind" of files:write: What it is',
      ].join('\n'),
    )
  })

  it('is taken where it fits the schema of the parameter, fenced or not', async () => {
    const values = { 'write.path': 'a.txt', 'write.times': 3, 'write.entities[0].kind': 'b' }
    for (const text of [JSON.stringify(values), `\`\`\`json\n${JSON.stringify(values)}\n\`\`\``])
      expect(await ask(saying(text))).toEqual({
        values,
        notes: ["Filled in by the client's model: write.path, write.times, write.entities[0].kind."],
      })
  })

  it.each<[string, Json, string]>([
    ['write.path', 5, 'does not fit: write.path'],
    ['write.path', 'a', 'does not fit: write.path'],
    ['write.path', ['a.txt'], 'does not fit: write.path'],
    ['write.times', '3', 'does not fit: write.times'],
    ['write.entities[0].kind', 'c', 'does not fit: write.entities[0].kind'],
    ['write.path', null, 'does not know it'],
    ['other.path', 'a.txt', 'does not know it'],
    ['__proto__', { path: 'a.txt' }, 'does not know it'],
  ])('is left where it is wrong: %s = %j', async (key, value, note) => {
    const { values, notes } = await ask(saying(JSON.stringify(Object.fromEntries([[key, value]]))))
    expect(values).toEqual({})
    expect(notes.join()).toContain(note)
  })

  it('is a value, never a reference', async () => {
    const anything = [{ task: 'write', argument: 'more', description: '' }]
    const answer = (more: Json) => ask(saying(JSON.stringify({ 'write.more': more })), undefined, anything)
    expect((await answer({ any: 'value' })).values).toEqual({ 'write.more': { any: 'value' } })
    for (const more of [{ $from: 'read.content' }, [{ x: { $from: 5 } }]])
      expect((await answer(more)).values).toEqual({})
  })

  it.each([
    ['prose', saying('I think it is a.txt')],
    ['a list', saying('["a.txt"]')],
    ['nothing', saying('')],
    ['far too much', saying(`{"write.path": "${'x'.repeat(30_000)}"}`)],
    ['far too deep', saying(`{"write.path": ${'['.repeat(2_000)}${']'.repeat(2_000)}}`)],
    ['no content', async () => ({})],
    ['odd content', async () => ({ content: [null, 5, { type: 'image', data: '' }] })],
  ])('of %s changes nothing and is noted', async (_what, answer) => {
    expect(await ask(answer)).toEqual({ values: {}, notes: [expect.stringContaining('no JSON object')] })
  })

  it('that never comes is not waited for, and a refusal is told', async () => {
    const never = (_: Question, signal: AbortSignal) =>
      new Promise<JsonObject>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    expect((await ask(never)).notes).toEqual([expect.stringContaining('did not answer in time')])
    const refused = await ask(() => Promise.reject(new Error('The user said no.')))
    expect(refused).toEqual({ values: {}, notes: [expect.stringContaining('The user said no.')] })
  })

  it('cannot be had of a client that offers no model', async () => {
    const { notes } = await ask(() => Promise.reject(new Error('was asked')), { roots: {} })
    expect(notes).toEqual([expect.stringContaining('offers no model')])
  })
})

describe('execute_workflow with plan.askModel', () => {
  let house: TestGateway
  afterEach(() => house.close())

  const planner = () =>
    plannerOf(({ given }) => {
      const value = given['write.path']
      if (value === undefined)
        return makeIntentPlan([{ id: 'write', tool: 'files:write' }], { missing: [path], confidence: 0.9 })
      return makeIntentPlan([{ id: 'write', tool: 'files:write', arguments: { path: value } }], {
        confidence: 0.9,
        arguments: [{ task: 'write', argument: 'path', source: 'given', confidence: 1, why: 'given' }],
      })
    })

  async function open(
    askModel: boolean,
    [, over, options]: (typeof ways)[number],
    text = '{"write.path": "a.txt"}',
  ) {
    const asked: string[] = []
    const used = planner()
    house = openTestGateway({
      tools: [write],
      planner: used,
      config: { plan: { askModel }, maxResultTokens: 20_000 },
    })
    const client: Client = await house[over]({ ...options, capabilities: { sampling: {} } })
    client.setRequestHandler('sampling/createMessage', (request) => {
      asked.push(request.method)
      return { role: 'assistant', model: 'm', content: { type: 'text', text } }
    })
    const call = async (args: JsonObject) =>
      dataOf(await client.callTool({ name: 'execute_workflow', arguments: { intent: 'write it', ...args } }))
    return { call, asked, planner: used }
  }

  it.each(
    ways.map((way) => [way[0], way] as const),
  )('asks the model of a client over %s, once', async (_, way) => {
    const { call, asked, planner } = await open(true, way)
    expect(await call({})).toMatchObject({
      status: 'suggestion',
      plan: { tasks: [{ arguments: { path: 'a.txt' } }] },
      arguments: [{ argument: 'path', source: 'model', why: expect.stringContaining("client's model") }],
      missing: [],
      notes: [expect.stringContaining('write.path')],
    })
    expect(asked).toHaveLength(1)
    expect(planner.asked).toHaveLength(2)
    expect(house.calls).toEqual([])
  })

  it('asks nobody when it is off, or when nothing is missing', async () => {
    const off = await open(false, ways[1])
    expect(await off.call({})).toMatchObject({ status: 'suggestion', missing: [path], notes: [] })
    expect(off.asked).toEqual([])
    await house.close()
    const full = await open(true, ways[1])
    await full.call({ arguments: { 'write.path': 'mine' } })
    expect(full.asked).toEqual([])
  })

  it('an answer that cannot be used changes nothing', async () => {
    const { call, planner } = await open(true, ways[1], 'no idea')
    expect(await call({ mode: 'run' })).toMatchObject({
      status: 'suggestion',
      missing: [path],
      notes: [expect.stringContaining('no JSON object')],
    })
    expect(planner.asked).toHaveLength(1)
    expect(house.calls).toEqual([])
  })
})
