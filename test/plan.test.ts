/** From an intent to a run, as a user meets it: the built command, two servers from npm, a real database. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf, eventually, type House, npmServer, openHouse, type StdioHouseClient } from './harness.js'

const intent = "read every JSON file in data and store each file's name and content as an entity"

interface Origin {
  readonly task: string
  readonly argument: string
  readonly source: string
  readonly confidence: number
  readonly why: string
}

interface Reply {
  readonly status: string
  readonly workflow_id?: string
  readonly plan: {
    readonly tasks: readonly { readonly id: string; readonly tool: string; readonly arguments: unknown }[]
    readonly edges: readonly { readonly from: string; readonly to: string; readonly why: string }[]
    readonly confidence: number
  }
  readonly arguments: readonly Origin[]
  readonly missing: readonly {
    readonly task: string
    readonly argument: string
    readonly description: string
  }[]
  readonly tasks: readonly { readonly id: string; readonly status: string; readonly result?: unknown }[]
  readonly added?: readonly { readonly task: string; readonly why: string }[]
}

describe('an intent over filesystem and memory', () => {
  let house: House
  let client: StdioHouseClient

  const execute = async (args: Record<string, unknown>): Promise<Reply> =>
    dataOf(await client.client.callTool({ name: 'execute_workflow', arguments: args })) as unknown as Reply

  const entities = async (): Promise<
    readonly { name: string; entityType: string; observations: string[] }[]
  > => {
    const tasks = [{ id: 'all', tool: 'memory:read_graph' }]
    const { tasks: done } = await execute({ tasks })
    return (done[0]!.result as { entities: { name: string; entityType: string; observations: string[] }[] })
      .entities
  }

  beforeAll(async () => {
    house = openHouse({})
    const folder = join(house.home, 'files')
    mkdirSync(join(folder, 'data'), { recursive: true })
    writeFileSync(join(folder, 'data', 'anna.json'), '{"age": 31}')
    writeFileSync(join(folder, 'data', 'bert.json'), '{"age": 47}')
    writeFileSync(join(folder, 'data', 'notes.txt'), 'no JSON')
    house.writeConfig({
      mcpServers: {
        filesystem: npmServer('filesystem', folder),
        memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(house.home, 'memory.json') } },
      },
      // Who overwrites a file asks a person; users-approvals.test.ts does so.
      approvals: { tools: { 'filesystem:write_file': 'allow' } },
    })
    client = await house.stdio()
    await eventually(
      async () =>
        JSON.parse((await house.pml('status', '--json')).stdout) as { servers: { status: string }[] },
      ({ servers }) => servers.length === 2 && servers.every(({ status }) => status === 'ready'),
      60_000,
    )
  })
  afterAll(() => house.close())

  it('is planned with a fan-out, each argument with where it comes from, and what is missing named', async () => {
    const reply = await execute({ intent })
    expect(reply.status).toBe('suggestion')
    expect(reply.plan.tasks.map(({ id, tool, arguments: args }) => [id, tool, args])).toEqual([
      ['search_files', 'filesystem:search_files', { path: 'data', pattern: '*.json' }],
      ['read_text_file', 'filesystem:read_text_file', { path: { $from: 'search_files.content[*]' } }],
      [
        'create_entities',
        'memory:create_entities',
        {
          entities: [
            {
              name: { $from: 'search_files.content[*]' },
              observations: [{ $from: 'read_text_file[*].content' }],
            },
          ],
        },
      ],
    ])
    const sources = reply.arguments.map(({ task, argument, source }) => `${task}.${argument} ${source}`)
    expect(sources).toEqual([
      'search_files.path literal',
      'search_files.pattern literal',
      'read_text_file.path wired',
      'create_entities.entities[0].name wired',
      'create_entities.entities[0].observations wired',
    ])
    for (const { confidence, why } of reply.arguments) {
      expect(confidence).toBeGreaterThan(0)
      expect(why).not.toBe('')
    }
    expect(reply.missing).toEqual([
      expect.objectContaining({
        task: 'create_entities',
        argument: 'entities[0].entityType',
        description: 'The type of the entity',
      }),
    ])
    expect(await entities()).toEqual([])
  })

  it('runs after one confirmation that names what was missing', async () => {
    const reply = await execute({ intent, arguments: { entityType: 'file' }, mode: 'run' })
    expect(reply.status).toBe('complete')
    const stored = (await entities()).toSorted((a, b) => a.name.localeCompare(b.name))
    expect(
      stored.map(({ name, entityType, observations }) => [name.split('/').at(-1), entityType, observations]),
    ).toEqual([
      ['anna.json', 'file', ['{"age": 31}']],
      ['bert.json', 'file', ['{"age": 47}']],
    ])
  })

  it('asks for nothing the second time', async () => {
    writeFileSync(join(house.home, 'files', 'data', 'carl.json'), '{"age": 5}')
    const again = await eventually(
      () => execute({ intent, mode: 'suggest' }),
      ({ missing }) => missing.length === 0,
      20_000,
    )
    expect(again.status).toBe('suggestion')
    const constant = again.arguments.find(({ argument }) => argument === 'entities[0].entityType')
    expect(constant).toMatchObject({ source: 'learned' })
    const reply = await execute({ intent, mode: 'run' })
    expect(reply.status).toBe('complete')
    expect((await entities()).length).toBe(3)
  })

  it('grows when more is required: what is done stays done', async () => {
    const first = await execute({
      tasks: [{ id: 'read', tool: 'filesystem:read_text_file', arguments: { path: 'data/anna.json' } }],
      intent: 'read data/anna.json',
    })
    expect(first.status).toBe('complete')
    const control = async (args: Record<string, unknown>): Promise<Reply> =>
      dataOf(await client.client.callTool({ name: 'control_workflow', arguments: args })) as unknown as Reply
    const wanted = {
      workflow_id: first.workflow_id,
      action: 'replan',
      requirement: 'save its content to data/copy.txt',
    }
    const suggestion = await control(wanted)
    expect(suggestion.status).toBe('suggestion')
    expect(suggestion.added).toEqual([expect.objectContaining({ task: 'write_file' })])
    const done = await control({ ...wanted, mode: 'run' })
    expect(done.tasks.map(({ id, status }) => [id, status])).toEqual([
      ['read', 'complete'],
      ['write_file', 'complete'],
    ])
    const copy = await execute({
      tasks: [{ id: 'copy', tool: 'filesystem:read_text_file', arguments: { path: 'data/copy.txt' } }],
    })
    expect(copy.tasks[0]!.result).toEqual({ content: '{"age": 31}' })
  })

  it('is drawn in the terminal', async () => {
    const { code, stdout } = await house.pml('plan', intent)
    expect(code).toBe(0)
    for (const tool of ['filesystem:search_files', 'filesystem:read_text_file', 'memory:create_entities'])
      expect(stdout).toContain(tool)
    expect(stdout).toContain('search_files.content[*]')
  })

  it('refuses tasks that wait for one another, and names the circle', async () => {
    const tasks = [
      { id: 'a', tool: 'memory:read_graph', dependsOn: ['b'] },
      { id: 'b', tool: 'memory:read_graph', dependsOn: ['a'] },
    ]
    const result = await client.client.callTool({ name: 'execute_workflow', arguments: { tasks } })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toMatch(/a.*b.*a/)
  })

  it('says plainly what no tool serves, and what contradicts itself', async () => {
    const impossible = await execute({ intent: 'fly me to the moon tomorrow at noon' })
    expect(impossible.status).toBe('explicit_required')
    const contradictory = await execute({
      intent: "delete the entity 'anna' but do not delete the entity 'anna'",
    })
    expect(contradictory.status).toBe('explicit_required')
    expect(JSON.stringify(contradictory)).toContain('ruled out')
  })
})
