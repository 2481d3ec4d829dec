/** Three servers from npm behind one gateway, as bench/servers does with fifteen: nothing is missing, nothing stays behind. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  dataOf,
  eventually,
  type House,
  npmServer,
  openHouse,
  type StdioHouseClient,
  textOf,
} from './harness.js'
import { commandOf, processesOf } from './servers/processes-of.js'

interface Server {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Record<string, string>
}

interface Status {
  readonly servers: readonly { readonly status: string }[]
}

/** `server:tool` of all that a server lists to a client of its own. */
async function listDirectly(name: string, { command, args, env = {} }: Server): Promise<readonly string[]> {
  const client = new Client({ name: 'direct', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command, args: [...args], env, stderr: 'ignore' }))
  try {
    return (await client.listTools()).tools.map((tool) => `${name}:${tool.name}`)
  } finally {
    await client.close()
  }
}

describe('everything, filesystem and memory behind one gateway', () => {
  let house: House
  let first: StdioHouseClient
  let folder: string
  let direct: readonly string[]

  const houseIs = (count: number): Promise<readonly string[]> =>
    eventually(
      () => processesOf(house.home).map(commandOf),
      (processes) => processes.length === count,
      30_000,
    )

  beforeAll(async () => {
    house = openHouse({})
    folder = join(house.home, 'files')
    mkdirSync(folder)
    writeFileSync(join(folder, 'note.txt'), 'a note')
    const servers: Record<string, Server> = {
      everything: npmServer('everything'),
      filesystem: npmServer('filesystem', folder),
      memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(house.home, 'memory.json') } },
    }
    house.writeConfig({ mcpServers: servers })
    const lists = Object.entries(servers).map(([name, server]) => listDirectly(name, server))
    direct = (await Promise.all(lists)).flat()
    first = await house.stdio()
    await eventually(
      async () => JSON.parse((await house.pml('status', '--json')).stdout) as Status,
      ({ servers }) => servers.length === 3 && servers.every(({ status }) => status === 'ready'),
      60_000,
    )
  })
  afterAll(() => house.close())

  it('knows every tool that the servers list by themselves, and finds each first by its id', async () => {
    const { stdout } = await house.pml('tools', '--json')
    const known = (JSON.parse(stdout) as { tools: readonly { id: string }[] }).tools.map(({ id }) => id)
    expect(direct.length).toBeGreaterThan(20)
    expect(known).toEqual(expect.arrayContaining([...direct]))
    for (const id of direct) {
      const found = await first.client.callTool({ name: 'discover', arguments: { intent: id, limit: 3 } })
      expect(dataOf<{ tools: readonly { id: string }[] }>(found).tools[0]?.id).toBe(id)
    }
  })

  it('lists four tools in place of them all, and calls those it does not list', async () => {
    const { tools } = await first.client.listTools(undefined, { cacheMode: 'bypass' })
    expect(tools.map(({ name }) => name)).toEqual([
      'discover',
      'execute_workflow',
      'execute_code',
      'control_workflow',
    ])
    const call = async (name: string, args: Record<string, unknown>): Promise<string> =>
      textOf(await first.client.callTool({ name, arguments: args }))
    expect(await call('everything__echo', { message: 'hello' })).toContain('hello')
    expect(await call('filesystem__list_directory', { path: folder })).toContain('note.txt')
    expect(await call('memory__read_graph', {})).toContain('entities')
  })

  it('runs each server once however many windows are open, and leaves no process behind', async () => {
    await houseIs(1 + 3)
    const windows = [await house.stdio(), await house.stdio()]
    for (const { client } of windows) await client.listTools()
    await houseIs(3 + 3)
    for (const window of windows) await window.close()
    await houseIs(1 + 3)
    await first.close()
    await houseIs(0)
  })

  it('lists all of them at once on the next start, and leaves none of the servers that were still starting', async () => {
    const again = await house.stdio({ args: ['--exposure', 'proxy'] })
    const names = (await again.client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(direct.map((id) => id.replace(':', '__'))))
    await again.close()
    await houseIs(0)
    expect(again.stderr()).not.toMatch(/uncaught|unhandled|^\s+at /im)
  })
})
