/** What a user does on the first day, with the built command and real servers in processes of their own. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { alive, dataOf, eventually, fixture, type House, npmServer, openHouse, textOf } from './harness.js'

let house: House
afterEach(() => house.close())

interface WorkflowReply {
  readonly status: string
  readonly workflow_id: string
  readonly tasks: readonly {
    readonly id: string
    readonly status: string
    readonly result?: unknown
    readonly error?: { readonly code: string }
  }[]
}

function openWorkshop(): House {
  const workshop = openHouse({})
  const folder = join(workshop.home, 'files')
  mkdirSync(folder)
  writeFileSync(join(folder, 'greeting.txt'), 'hello from a file')
  workshop.writeConfig({
    mcpServers: {
      files: npmServer('filesystem', folder),
      memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(workshop.home, 'memory.json') } },
      echo: fixture('echo'),
    },
    exposure: 'meta',
    // Who overwrites a file asks a person; users-approvals.test.ts does so.
    approvals: { tools: { 'files:write_file': 'allow' } },
  })
  return workshop
}

async function runThreeTasks(client: Client, home: string): Promise<WorkflowReply> {
  const result = await client.callTool({
    name: 'execute_workflow',
    arguments: {
      intent: 'copy the greeting',
      tasks: [
        { id: 'read', tool: 'files:read_text_file', arguments: { path: join(home, 'files/greeting.txt') } },
        { id: 'sum', tool: 'echo__add', arguments: { a: 2, b: 40 } },
        {
          id: 'write',
          tool: 'files:write_file',
          arguments: { path: join(home, 'files/copy.txt'), content: { $from: 'read.content' } },
          dependsOn: ['sum'],
        },
      ],
    },
  })
  return dataOf<WorkflowReply>(result)
}

describe('the first day', () => {
  for (const way of ['stdio', 'http'] as const) {
    it(`finds tools and runs three tasks with a reference over ${way}`, async () => {
      house = openWorkshop()
      const client = way === 'stdio' ? (await house.stdio()).client : await (await house.http()).client()

      const { tools } = await client.listTools()
      expect(tools.map((tool) => tool.name)).toEqual([
        'discover',
        'execute_workflow',
        'execute_code',
        'control_workflow',
      ])

      const found = await eventually(
        async () =>
          dataOf<{ tools: { id: string }[] }>(
            await client.callTool({ name: 'discover', arguments: { intent: 'read a text file' } }),
          ),
        (reply) => reply.tools.some((tool) => tool.id === 'files:read_text_file'),
      )
      expect(found.tools.slice(0, 3).map((tool) => tool.id)).toContain('files:read_text_file')

      const reply = await runThreeTasks(client, house.home)
      expect(reply).toMatchObject({
        status: 'complete',
        tasks: [
          { id: 'read', status: 'complete' },
          { id: 'sum', status: 'complete' },
          { id: 'write', status: 'complete' },
        ],
      })
      expect(readFileSync(join(house.home, 'files/copy.txt'), 'utf8')).toBe('hello from a file')

      const status = await client.callTool({
        name: 'control_workflow',
        arguments: { workflow_id: reply.workflow_id, action: 'status' },
      })
      expect(dataOf(status)).toMatchObject({ status: 'complete', workflow_id: reply.workflow_id })
    })
  }

  it('sees a killed server come back', async () => {
    house = openHouse({ echo: fixture('echo'), other: fixture('echo', 'other') })
    const { client } = await house.stdio({ args: ['--exposure', 'proxy'] })
    await client.callTool({ name: 'echo__echo', arguments: { text: 'once' } })
    const servers = async () =>
      (
        JSON.parse((await house.pml('status', '--json')).stdout) as {
          servers: { name: string; status: string; pids: number[] }[]
        }
      ).servers
    const before = (await servers()).find((server) => server.name === 'echo')!
    expect(before.status).toBe('ready')
    process.kill(before.pids[0]!, 'SIGKILL')
    expect(textOf(await client.callTool({ name: 'other__echo', arguments: { text: 'unaffected' } }))).toBe(
      'unaffected',
    )
    const after = await eventually(servers, (list) => {
      const server = list.find((one) => one.name === 'echo')!
      return server.status === 'ready' && server.pids[0] !== before.pids[0]
    })
    expect(alive(after.find((server) => server.name === 'echo')!.pids[0]!)).toBe(true)
    expect(textOf(await client.callTool({ name: 'echo__echo', arguments: { text: 'again' } }))).toBe('again')
  })

  for (const era of ['auto', 'legacy'] as const) {
    it(`lets a second client go on when the holder is killed (${era})`, async () => {
      house = openWorkshop()
      const first = await house.stdio()
      await first.client.listTools()
      const second = await house.stdio({ era })
      expect((await second.client.listTools()).tools.map((tool) => tool.name)).toContain('discover')
      const [a, b, status] = await Promise.all([
        first.client.callTool({ name: 'echo:echo', arguments: { text: 'from the first' } }),
        second.client.callTool({ name: 'echo:echo', arguments: { text: 'from the second' } }),
        house.pml('status', '--json'),
      ])
      expect([textOf(a), textOf(b)]).toEqual(['from the first', 'from the second'])
      expect(JSON.parse(status.stdout)).toMatchObject({ pid: first.pid })

      process.kill(first.pid, 'SIGKILL')
      const reply = await runThreeTasks(second.client, house.home)
      expect(reply.status).toBe('complete')
      const later = JSON.parse((await house.pml('status', '--json')).stdout) as { pid: number }
      expect(later.pid).toBe(second.pid)
    })
  }
})
