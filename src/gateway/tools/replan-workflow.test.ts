import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../model/json.js'
import type { IntentPlan } from '../../model/plan.js'
import type { Run } from '../../model/run.js'
import type { ToolId } from '../../model/tool.js'
import type { PlanIntentOptions } from '../../plan/intent-planner.js'
import { dataOf, makeTool, openTestGateway, type TestGateway, textOf } from '../test-gateway.contract.js'
import { makeIntentPlan, makeReplanned, plannerOf } from '../test-plan.contract.js'

let house: TestGateway
afterEach(() => house.close())

const list = { id: 'list', tool: 'files:list' }
const read = { id: 'read', tool: 'files:read', arguments: { path: { $from: 'list.names[0]' } } }
const missing = [{ task: 'read', argument: 'path', description: 'Where it is', type: 'string' }]

interface Open {
  readonly rest?: Partial<IntentPlan>
  readonly added?: readonly string[]
  readonly listing?: () => Promise<JsonObject>
}

/** `list` has been run; the planner adds `read` to it. */
async function open({
  rest = {},
  added = ['read'],
  listing = async () => ({ names: ['a', 'b'] }),
}: Open = {}) {
  const asked: { run: Run; requirement: string; options: PlanIntentOptions }[] = []
  const planner = plannerOf(makeIntentPlan([]), async (run, requirement, options) => {
    asked.push({ run, requirement, options })
    return makeReplanned(makeIntentPlan([list, read], rest), {
      finished: run.tasks.filter(({ status }) => status === 'complete'),
      added: added.map((task) => ({ task, tool: `files:${task}` as ToolId, why: 'it was asked for' })),
    })
  })
  house = openTestGateway({
    tools: [makeTool('files', 'list'), makeTool('files', 'read')],
    planner,
    config: { maxResultTokens: 20_000, replyWithinMs: 300 },
    callTool: async ({ tool, arguments: args }) =>
      tool === 'files:list'
        ? { content: [], structuredContent: await listing() }
        : { content: [{ type: 'text', text: `text of ${args.path}` }] },
  })
  const client: Client = await house.stream({ versionNegotiation: { mode: 'auto' } })
  const started = dataOf<{ workflow_id: string }>(
    await client.callTool({ name: 'execute_workflow', arguments: { tasks: [list] } }),
  )
  const replan = async (args: JsonObject) => {
    const answer = await client.callTool({
      name: 'control_workflow',
      arguments: {
        workflow_id: started.workflow_id,
        action: 'replan',
        requirement: 'and read the first',
        ...args,
      },
    })
    return { answer, data: dataOf(answer), text: textOf(answer) }
  }
  return { replan, asked, id: started.workflow_id }
}

describe('replan', () => {
  it('suggests the whole plan, with what was added and what is finished, and runs nothing', async () => {
    const { replan, asked, id } = await open()
    const { data, text } = await replan({ arguments: { head: 3 } })
    expect(data).toMatchObject({
      status: 'suggestion',
      replans: id,
      added: [{ task: 'read', tool: 'files:read', why: 'it was asked for' }],
      finished: ['list'],
      plan: { tasks: [{ id: 'list' }, { id: 'read', dependsOn: ['list'] }], confidence: 0.8 },
      missing: [],
    })
    expect(text).toContain('"mode": "run": finished tasks are not called again')
    expect(asked).toMatchObject([
      { run: { id }, requirement: 'and read the first', options: { given: { head: 3 } } },
    ])
    expect(house.calls).toHaveLength(1)
  })

  it('in mode run starts the new plan with what is finished, which is not called again', async () => {
    const { replan, id } = await open()
    const { data } = await replan({ mode: 'run' })
    expect(data).toMatchObject({
      status: 'complete',
      tasks: [
        { id: 'list', status: 'complete' },
        { id: 'read', status: 'complete', result: 'text of a' },
      ],
      replans: id,
      added: [{ task: 'read' }],
      finished: ['list'],
      plan: { tasks: [{ id: 'list' }, { id: 'read' }] },
    })
    expect(data.workflow_id).not.toBe(id)
    expect(house.calls.map(({ tool }) => tool)).toEqual(['files:list', 'files:read'])
  })

  it('says where a finished result no longer holds a secret', async () => {
    const { replan } = await open({ listing: async () => ({ names: ['[redacted]'] }) })
    const { data } = await replan({})
    expect(data.notes).toEqual([expect.stringContaining('What list gave holds [redacted]')])
  })

  it('names what is missing instead of running', async () => {
    const { replan } = await open({ rest: { missing } })
    const { data, text } = await replan({ mode: 'run' })
    expect(data).toMatchObject({ status: 'suggestion', missing })
    expect(text).toContain('{"read.path":"<string>"}')
    expect(house.calls).toHaveLength(1)
  })

  it.each<[string, Open, string]>([
    ['too unsure', { rest: { confidence: 0.3 } }, '.30 is below .70'],
    ['nothing new', { added: [] }, 'Nothing was found that the requirement adds'],
  ])('a plan that is %s is no suggestion', async (_what, given, why) => {
    const { replan } = await open(given)
    const { data } = await replan({ mode: 'run' })
    expect(data).toMatchObject({ status: 'explicit_required', why: expect.stringContaining(why) })
    expect(house.calls).toHaveLength(1)
  })

  describe('of a run under way', () => {
    /** `list` is under way until it is let go on. */
    const openSlow = async (rest: Partial<IntentPlan> = {}) => {
      let finish = (): void => {}
      const gate = new Promise<void>((resolve) => {
        finish = resolve
      })
      const listing = async (): Promise<JsonObject> => {
        await gate
        return { names: ['a', 'b'] }
      }
      return { ...(await open({ listing, rest })), finish: () => finish() }
    }

    it('suggests what it would take up', async () => {
      const notes = ['list is not taken over: it is running.', 'It could be files:find.']
      const { replan, finish } = await openSlow({ notes })
      const { data, text } = await replan({})
      expect(data).toMatchObject({ status: 'suggestion', finished: [], notes: ['It could be files:find.'] })
      expect(text).toContain('"mode": "run": the workflow takes up the new tasks')
      finish()
    })

    it('in mode run puts the new tasks into the same run', async () => {
      const { replan, finish, id } = await openSlow()
      const pending = replan({ mode: 'run' })
      setTimeout(finish, 50)
      const { data } = await pending
      expect(data).toMatchObject({
        status: 'complete',
        workflow_id: id,
        tasks: [
          { id: 'list', status: 'complete' },
          { id: 'read', result: 'text of a' },
        ],
        messages: [{ from: 'agent', text: 'and read the first' }],
      })
      expect(house.calls.map(({ tool }) => tool)).toEqual(['files:list', 'files:read'])
    })
  })

  it.each<[string, JsonObject, string]>([
    ['an unknown workflow', { workflow_id: 'none' }, 'RUN_NOT_FOUND'],
    ['no workflow', { workflow_id: '' }, 'BAD_ARGUMENTS'],
    ['no requirement', { requirement: null }, 'BAD_ARGUMENTS'],
    ['an unknown mode', { mode: 'auto' }, 'BAD_ARGUMENTS'],
    ['arguments that are none', { arguments: 'x' }, 'BAD_ARGUMENTS'],
  ])('refuses %s', async (_what, args, code) => {
    const { replan } = await open()
    expect((await replan(args)).answer).toMatchObject({
      isError: true,
      structuredContent: { error: { code } },
    })
  })
})

it('the planner that serves: a workflow grows by what was asked for next, and nothing is done twice', async () => {
  const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
  const text = {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  }
  const output = { type: 'object', properties: { content: { type: 'string' } }, required: ['content'] }
  house = openTestGateway({
    tools: [
      makeTool('files', 'read_file', {
        description: 'Reads the content of a text file.',
        inputSchema: path,
        outputSchema: output,
      }),
      makeTool('files', 'write_file', {
        description: 'Writes content to a text file.',
        inputSchema: text,
      }),
    ],
    config: { maxResultTokens: 20_000 },
    callTool: async ({ tool }) =>
      tool === 'files:read_file'
        ? { content: [], structuredContent: { content: 'hello' } }
        : { content: [{ type: 'text', text: 'written' }] },
  })
  const client = await house.stream({ versionNegotiation: { mode: 'auto' } })
  const ask = async (name: string, args: JsonObject) =>
    dataOf(await client.callTool({ name, arguments: args }))
  const first = await ask('execute_workflow', { intent: 'read the file a.txt', mode: 'run' })
  expect(first).toMatchObject({ status: 'complete' })
  const more = {
    workflow_id: first.workflow_id!,
    action: 'replan',
    requirement: 'write its content to b.txt',
  }
  expect(await ask('control_workflow', more)).toMatchObject({
    status: 'suggestion',
    added: [{ tool: 'files:write_file' }],
    finished: ['read_file'],
    missing: [],
  })
  expect(await ask('control_workflow', { ...more, mode: 'run' })).toMatchObject({ status: 'complete' })
  expect(house.calls.map(({ tool, arguments: args }) => [tool, args])).toEqual([
    ['files:read_file', { path: 'a.txt' }],
    ['files:write_file', { path: 'b.txt', content: 'hello' }],
  ])
})
