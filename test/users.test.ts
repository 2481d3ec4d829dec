/** One test for each trouble that users of such gateways report and this one must not have; the number is that of our list. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterEach, describe, expect, it } from 'vitest'
import { alive, dataOf, eventually, fixture, type House, npmServer, openHouse, textOf } from './harness.js'

let house: House
afterEach(() => house.close())

const tokensOf = (
  tools: readonly { name: string; description?: string | undefined; inputSchema: unknown }[],
): number =>
  tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + encode(JSON.stringify({ name, description, inputSchema })).length,
    0,
  )

interface Status {
  readonly servers: readonly {
    readonly name: string
    readonly status: string
    readonly pids: readonly number[]
    readonly trouble?: { readonly kind: string; readonly hint: string }
  }[]
}
const status = async (): Promise<Status> => JSON.parse((await house.pml('status', '--json')).stdout) as Status
const allReady = (state: Status): boolean => state.servers.every((server) => server.status === 'ready')

describe('what users of gateways run into', () => {
  it('row 1: many tools cost the context 900 tokens at most, few tools pass straight through', async () => {
    house = openHouse({ a: npmServer('everything'), b: npmServer('filesystem', '.'), c: npmServer('memory') })
    const large = await house.stdio()
    await eventually(status, allReady)
    const listed = await eventually(
      async () => (await large.client.listTools(undefined, { cacheMode: 'bypass' })).tools,
      (tools) => tools.length === 4,
    )
    expect(tokensOf(listed)).toBeLessThanOrEqual(900)
    await large.close()
    await house.close()
    house = openHouse({ c: npmServer('memory') })
    const small = await house.stdio()
    const names = (await small.client.listTools()).tools.map((tool) => tool.name)
    expect(names).toContain('discover')
    expect(names).toContain('c__create_entities')
  })

  it('row 2: a tool is found by its exact name, and what is still loading or down is said', async () => {
    house = openHouse({
      echo: fixture('echo'),
      hangs: fixture('hanging'),
      gone: { command: 'no-such-program-anywhere' },
    })
    const { client } = await house.stdio({ args: ['--exposure', 'meta'] })
    await eventually(status, (state) =>
      state.servers.some((server) => server.name === 'echo' && server.status === 'ready'),
    )
    for (const name of ['echo:add', 'echo__add', 'add']) {
      const reply = dataOf<{ tools: { id: string }[]; servers?: unknown }>(
        await client.callTool({ name: 'discover', arguments: { intent: name } }),
      )
      expect(reply.tools[0]!.id).toBe('echo:add')
      expect(JSON.stringify(reply.servers)).toMatch(/hangs/)
      expect(JSON.stringify(reply.servers)).toMatch(/gone/)
    }
  })

  it('row 3: a tool that is not listed is called by any form of its name', async () => {
    house = openHouse({ echo: fixture('echo') })
    const { client } = await house.stdio({ args: ['--exposure', 'meta'] })
    expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain('echo__echo')
    await eventually(status, allReady)
    for (const name of ['echo:echo', 'echo__echo', 'echo']) {
      expect(textOf(await client.callTool({ name, arguments: { text: name } }))).toBe(name)
    }
  })

  it('row 4: a changed list reaches the client, in both eras', async () => {
    for (const era of ['auto', 'legacy'] as const) {
      house = openHouse({ changing: fixture('changing') })
      const { client } = await house.stdio({ era, args: ['--exposure', 'proxy'] })
      const before = (await client.listTools()).tools.map((tool) => tool.name)
      let told = 0
      client.setNotificationHandler('notifications/tools/list_changed', () => {
        told++
      })
      if (era === 'auto') await client.listen({ toolsListChanged: true })
      await client.callTool({ name: 'changing__add_tool', arguments: {} })
      await eventually(
        () => told,
        (count) => count > 0,
      )
      const after = (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.map(
        (tool) => tool.name,
      )
      expect(after.length).toBe(before.length + 1)
      await house.close()
    }
    house = openHouse({})
  })

  it('row 5: the first list waits for servers that were never seen, later ones are announced', async () => {
    house = openHouse({ a: fixture('echo'), b: fixture('echo') }, { exposure: 'proxy' })
    const { client } = await house.stdio()
    const { tools } = await client.listTools()
    expect(new Set(tools.map((tool) => tool.name.split('__')[0]))).toEqual(new Set(['a', 'b']))
  })

  it('row 6: no process is left behind, however the gateway ends', async () => {
    house = openHouse({ a: fixture('echo'), b: fixture('grandchild'), c: npmServer('everything') })
    for (const ending of ['close', 'SIGTERM'] as const) {
      const { client, pid, close } = await house.stdio()
      await client.listTools()
      const pids = (await eventually(status, allReady)).servers.flatMap((server) => server.pids)
      const family = [...pids, ...pids.flatMap(descendants)]
      expect(family.length).toBeGreaterThanOrEqual(4)
      const started = Date.now()
      if (ending === 'SIGTERM') process.kill(pid, 'SIGTERM')
      await close()
      await eventually(
        () => [pid, ...family].filter(alive),
        (left) => left.length === 0,
        6_000,
      )
      expect(Date.now() - started).toBeLessThan(7_000)
    }
  })

  it('row 7: a hanging and a missing server block nothing', async () => {
    house = openHouse(
      { echo: fixture('echo'), hangs: fixture('hanging'), gone: { command: 'no-such-program-anywhere' } },
      { firstListWaitMs: 3000 },
    )
    const { client } = await house.stdio({ args: ['--exposure', 'proxy'] })
    const started = Date.now()
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('echo__echo')
    expect(Date.now() - started).toBeLessThan(6_000)
    expect(textOf(await client.callTool({ name: 'echo__echo', arguments: { text: 'works' } }))).toBe('works')
    const state = await eventually(status, (now) =>
      now.servers.some((server) => server.name === 'gone' && server.status === 'down'),
    )
    expect(state.servers.find((server) => server.name === 'gone')!.trouble).toMatchObject({
      hint: expect.stringContaining('no-such-program-anywhere'),
    })
  })

  it('row 10: a name above 64 characters is listed short, stays the same, and is called', async () => {
    const long = 'a-server-with-a-really-long-name-that-somebody-thought-was-good'
    house = openHouse({ [long]: fixture('echo') }, { exposure: 'proxy' })
    const first = await house.stdio()
    const names = (await first.client.listTools()).tools.map((tool) => tool.name)
    expect(names.some((name) => name.startsWith(long.slice(0, 40)))).toBe(true)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    await first.close()
    const second = await house.stdio()
    expect((await second.client.listTools()).tools.map((tool) => tool.name)).toEqual(names)
    for (const name of [`${long}:echo`, `${long}__echo`]) {
      expect(textOf(await second.client.callTool({ name, arguments: { text: 'short' } }))).toBe('short')
    }
  })

  it('row 17: a huge result is cut, and paged through by its handle', async () => {
    house = openHouse({ echo: fixture('echo') }, { exposure: 'proxy', maxResultTokens: 1000 })
    const { client } = await house.stdio()
    const cut = await client.callTool({ name: 'echo__big', arguments: { bytes: 3_000_000 } })
    expect(textOf(cut).length).toBeLessThan(10_000)
    const handle = /"?handle"?[:= ]+"?([\w-]+)/.exec(JSON.stringify(cut).replaceAll('\\', ''))![1]!
    const page = await client.callTool({
      name: 'control_workflow',
      arguments: { action: 'read', handle, offset: 2_999_000 },
    })
    expect(JSON.stringify(page)).toContain('x'.repeat(900))
  })

  it('row 18: sessions of a stateful server do not see each other, and no call reopens a connection', async () => {
    house = openHouse(
      { shared: fixture('counter'), own: { ...fixture('counter'), stateful: true } },
      { exposure: 'proxy' },
    )
    const one = await house.stdio()
    const two = await house.stdio()
    const count = async (who: typeof one, server: string) =>
      Number(
        /\d+/.exec(textOf(await who.client.callTool({ name: `${server}__increment`, arguments: {} })))![0],
      )
    expect([await count(one, 'shared'), await count(two, 'shared'), await count(one, 'shared')]).toEqual([
      1, 2, 3,
    ])
    expect([await count(one, 'own'), await count(two, 'own'), await count(one, 'own')]).toEqual([1, 1, 2])
  })

  it('row 20: a secret reaches its server by reference, and no log, error, store or page shows it', async () => {
    const secret = 'sk-very-secret-0123456789'
    house = openHouse(
      { echo: { ...fixture('echo'), env: { API_TOKEN: '${MY_TOKEN}' } } },
      { exposure: 'proxy' },
      { MY_TOKEN: secret, UNRELATED: 'stays-out-of-children' },
    )
    const http = await house.http()
    const client = await http.client()
    const environment = dataOf<Record<string, string>>(
      await client.callTool({ name: 'echo__env', arguments: {} }),
    )
    expect(environment.API_TOKEN).toBe(secret)
    expect(environment.MY_TOKEN).toBeUndefined()
    expect(environment.UNRELATED).toBeUndefined()
    await client.callTool({
      name: 'execute_workflow',
      arguments: {
        tasks: [
          { id: 'e', tool: 'echo:env', arguments: {} },
          { id: 'f', tool: 'echo:fail', arguments: { message: secret } },
        ],
      },
    })
    const page = await (await fetch(http.url)).text()
    const shown = [
      page,
      (await house.pml('status', '--json')).stdout,
      (await house.pml('tools', '--json')).stdout,
    ]
    for (const text of shown) expect(text).not.toContain(secret)
    await sleep(500)
    await http.close()
    expect(spawnSync('grep', ['-rlaF', secret, join(house.home, 'pml')], { encoding: 'utf8' }).stdout).toBe(
      '',
    )
  })
})

function descendants(pid: number): number[] {
  const children = execFileSync('sh', ['-c', `cat /proc/${pid}/task/*/children 2>/dev/null || true`], {
    encoding: 'utf8',
  })
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map(Number)
  return [...children, ...children.flatMap(descendants)]
}
