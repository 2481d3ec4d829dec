/** One holder, many clients: whoever holds the data directory may die in any way, and the others go on. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import {
  alive,
  dataOf,
  eventually,
  fixture,
  type House,
  openHouse,
  type StdioHouseClient,
  textOf,
} from './harness.js'
import { processesOf } from './servers/processes-of.js'

let house: House
afterEach(() => house.close())

const effects = (): string => join(house.home, 'effects.txt')

/** Two servers, one of which leaves a trace of every call that was carried out. */
function openShop(env: Record<string, string> = {}): House {
  house = openHouse({}, {}, env)
  writeFileSync(effects(), '')
  house.writeConfig({
    mcpServers: { echo: fixture('echo'), shop: fixture('appender', effects()) },
    exposure: 'proxy',
  })
  return house
}

const servers = (): readonly number[] => processesOf(house.home, 'test/servers/')
const gateways = (): readonly number[] => processesOf(house.home, 'bin/pml.js')
const filesLike = (pattern: RegExp): readonly string[] =>
  readdirSync(house.env.PML_HOME!).filter((name) => pattern.test(name))
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** The process that the newest lock names; undefined between two holders. */
function holder(): number | undefined {
  const newest = filesLike(/^holder\.\d+\.lock$/)
    .map((name) => Number(name.split('.')[1]))
    .sort((a, b) => b - a)[0]
  const text = readFileSync(join(house.env.PML_HOME!, `holder.${newest}.lock`), 'utf8')
  return text === '' ? undefined : (JSON.parse(text) as { pid: number }).pid
}

const shopPid = async (client: Client): Promise<number> =>
  Number(textOf(await client.callTool({ name: 'shop__pid', arguments: {} })))

/** One holder, one process of each server, and every client reaches the same. */
async function expectOneHouse(clients: readonly StdioHouseClient[]): Promise<void> {
  const pids = await Promise.all(clients.map(({ client }) => shopPid(client)))
  expect(new Set(pids).size).toBe(1)
  await eventually(servers, (list) => list.length === 2)
  expect(servers()).toContain(pids[0])
  expect(clients.map(({ pid }) => pid)).toContain(holder())
  expect(filesLike(/^holder\.\d+\.lock$/)).toHaveLength(1)
}

type Outcome = 'result' | 'GATEWAY_LOST' | 'hangs' | { readonly odd: unknown }

/** Whatever becomes of a call is one of three things, within 20 s. */
async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  const ended = call.then(
    (result) => ((result as { isError?: boolean }).isError ? { odd: result } : ('result' as const)),
    (error: { data?: { code?: string } }) =>
      error.data?.code === 'GATEWAY_LOST' ? ('GATEWAY_LOST' as const) : { odd: String(error) },
  )
  return Promise.race([ended, sleep(20_000, 'hangs' as const, { ref: false })])
}

/** Calls, lists and searches of one client that are all under way when the holder goes. */
function keepBusy({ client }: StdioHouseClient, name: string) {
  return {
    slow: outcomeOf(
      client.callTool({ name: 'shop__append', arguments: { text: `slow ${name}`, ms: 15_000 } }),
    ),
    workflow: outcomeOf(
      client.callTool({
        name: 'execute_workflow',
        arguments: { tasks: [{ id: 'a', tool: 'echo:sleep', arguments: { ms: 15_000 } }] },
      }),
    ),
    /** One after another, until the holder is another one. */
    async *appends() {
      for (let at = 0; ; at++) {
        const text = `${name} ${at}`
        yield {
          text,
          outcome: await outcomeOf(client.callTool({ name: 'shop__append', arguments: { text } })),
        }
      }
    },
  }
}

/** Goes through one change of holder with every other client busy, and checks that nothing was lost or done twice. */
async function changeHolder(clients: readonly StdioHouseClient[], end: (old: number) => unknown) {
  const old = holder()!
  const oldServers = servers()
  const others = clients.filter(({ pid }) => pid !== old)
  const busy = others.map((client, at) => keepBusy(client, `of ${client.pid} at ${at} with ${old}`))
  const appended: { readonly text: string; readonly outcome: Outcome }[] = []
  let over = false
  const appending = busy.map(async ({ appends }) => {
    for await (const one of appends()) {
      appended.push(one)
      if (over || one.outcome === 'hangs') return
    }
  })
  await sleep(500)
  await end(old)
  const lists = await Promise.all(
    others.map(({ client }) => outcomeOf(client.listTools(undefined, { cacheMode: 'bypass' }))),
  )
  expect(lists).toEqual(others.map(() => 'result'))
  expect(await Promise.all(busy.map(({ slow }) => slow))).toEqual(others.map(() => 'GATEWAY_LOST'))
  expect(await Promise.all(busy.map(({ workflow }) => workflow))).toEqual(others.map(() => 'GATEWAY_LOST'))
  over = true
  await Promise.all(appending)

  const done = readFileSync(effects(), 'utf8').split('\n')
  expect(appended.length).toBeGreaterThan(others.length)
  for (const { text, outcome } of appended) {
    const times = done.filter((line) => line === text).length
    if (outcome === 'result') expect([text, times]).toEqual([text, 1])
    else expect([text, outcome, times > 1]).toEqual([text, 'GATEWAY_LOST', false])
  }
  await expectOneHouse(others)
  expect(holder()).not.toBe(old)
  await eventually(
    () => [old, ...oldServers].filter(alive),
    (left) => left.length === 0,
    5_000,
  )
  return others
}

describe('one holder, many clients', () => {
  it('five that start at the same moment share one gateway and one set of servers', async () => {
    openShop()
    const eras = ['auto', 'legacy', 'auto', 'legacy', 'legacy'] as const
    const clients = await Promise.all(eras.map((era) => house.stdio({ era })))
    await expectOneHouse(clients)
    await eventually(gateways, (list) => list.length === 5)
    expect(new Set(gateways())).toEqual(new Set(clients.map(({ pid }) => pid)))
  })

  it('a killed holder is followed by exactly one other, three times in a row, with calls in flight', async () => {
    openShop()
    let clients = await Promise.all(
      (['auto', 'legacy', 'legacy', 'auto', 'legacy'] as const).map((era) => house.stdio({ era })),
    )
    await expectOneHouse(clients)
    for (let round = 0; round < 3; round++) {
      const others = await changeHolder(clients, (old) => process.kill(old, 'SIGKILL'))
      expect(others).toHaveLength(4)
      clients = [...others, await house.stdio({ era: 'legacy' })]
    }
    await expectOneHouse(clients)
    expect(filesLike(/\.sock$/)).toHaveLength(1)
  }, 120_000)

  it('a successor that is killed as soon as it holds loses nothing either', async () => {
    openShop()
    const clients = await Promise.all(
      (['legacy', 'legacy', 'auto', 'legacy'] as const).map((era) => house.stdio({ era })),
    )
    await expectOneHouse(clients)
    const first = holder()!
    const busy = clients.map((client, at) => ({ pid: client.pid, ...keepBusy(client, `busy ${at}`) }))
    await sleep(500)
    process.kill(first, 'SIGKILL')
    const second = (await eventually(holder, (pid) => pid !== undefined && pid !== first))!
    await eventually(
      () => filesLike(/\.sock$/).length,
      (count) => count > 1,
      5_000,
    ).catch(() => {})
    process.kill(second, 'SIGKILL')
    const left = busy.filter(({ pid }) => pid !== first && pid !== second)
    expect(left).toHaveLength(2)
    expect(await Promise.all(left.flatMap(({ slow, workflow }) => [slow, workflow]))).toEqual(
      left.flatMap(() => ['GATEWAY_LOST', 'GATEWAY_LOST']),
    )
    await expectOneHouse(clients.filter(({ pid }) => pid !== first && pid !== second))
  }, 60_000)

  it('a holder whose client closes its input hands over as well', async () => {
    openShop()
    const clients = await Promise.all(
      (['auto', 'legacy', 'legacy'] as const).map((era) => house.stdio({ era })),
    )
    await expectOneHouse(clients)
    const others = await changeHolder(clients, (old) => clients.find(({ pid }) => pid === old)!.close())
    expect(others).toHaveLength(2)
    await others.find(({ pid }) => pid !== holder())!.close()
    await expectOneHouse(others.filter(({ pid }) => alive(pid)))
  }, 60_000)

  it('status answers while one holder follows another, and stands in nobody’s way', async () => {
    openShop()
    const clients = await Promise.all([1, 2, 3].map(() => house.stdio()))
    await expectOneHouse(clients)
    const old = holder()!
    process.kill(old, 'SIGKILL')
    const answers = await Promise.all(
      [0, 150, 400, 800].map(async (ms) => {
        await sleep(ms)
        return house.pml('status', '--json', '--config', house.config)
      }),
    )
    for (const { code, stdout, stderr } of answers) {
      expect([code, stderr]).toEqual([0, ''])
      const status = JSON.parse(stdout) as { pid: number; servers: { name: string }[] }
      expect(status.pid).not.toBe(old)
      expect(status.servers.map(({ name }) => name)).toEqual(['echo', 'shop'])
    }
    const others = clients.filter(({ pid }) => pid !== old)
    await eventually(
      () =>
        expectOneHouse(others).then(
          () => true,
          () => false,
        ),
      (settled) => settled,
      20_000,
    )
  }, 120_000)

  it('a command that looks goes on when the command that held has ended', async () => {
    // It never says a word, so that each command waits for it as long as it waits for any.
    house = openHouse({ mute: { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] } })
    const answers = await Promise.all(
      [0, 1_000, 2_000].map(async (ms) => {
        await sleep(ms)
        return house.pml('status', '--json')
      }),
    )
    expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual([0, 0, 0].map((code) => [code, '']))
    const pids = answers.map(({ stdout }) => (JSON.parse(stdout) as { pid: number }).pid)
    expect(new Set(pids).size).toBeGreaterThan(1)
    expect(servers()).toEqual([])
  })

  it('an HTTP front in front of another holder relays to it, and takes over when it is killed', async () => {
    openShop()
    const first = await house.stdio()
    const pid = await shopPid(first.client)
    const front = await house.http()
    const web = await front.client()
    expect(await shopPid(web)).toBe(pid)
    expect(holder()).toBe(first.pid)
    const started = Date.now()
    const inFlight = web
      .callTool({ name: 'echo__sleep', arguments: { ms: 15_000 } })
      .catch((error: unknown) => String(error))
    await sleep(300)
    process.kill(first.pid, 'SIGKILL')
    expect(await inFlight).toContain('GATEWAY_LOST')
    expect(Date.now() - started).toBeLessThan(10_000)
    const later = await eventually(
      () => shopPid(web).catch(() => undefined),
      (found) => found !== undefined,
    )
    expect(later).not.toBe(pid)
    expect(holder()).toBe(front.pid)
    expect(await (await fetch(new URL('status.json', front.url))).json()).toMatchObject({ pid: front.pid })
    await eventually(
      () => alive(pid),
      (lives) => !lives,
      5_000,
    )

    const second = await house.stdio()
    expect(await shopPid(second.client)).toBe(later)
    process.kill(front.pid, 'SIGKILL')
    expect(await shopPid(second.client)).not.toBe(later)
    expect(holder()).toBe(second.pid)
    await eventually(servers, (list) => list.length === 2)
  }, 60_000)

  it('while the configuration is broken nobody can take over, and once it is mended somebody does', async () => {
    openShop()
    const good = readFileSync(house.config, 'utf8')
    const first = await house.stdio()
    await shopPid(first.client)
    const [second, front] = await Promise.all([house.stdio(), house.http()])
    const web = await front.client()
    await Promise.all([shopPid(second.client), shopPid(web)])
    writeFileSync(house.config, `${good}}`)
    process.kill(first.pid, 'SIGKILL')
    const waiting = shopPid(second.client)
    await sleep(2_000)
    expect([alive(second.pid), alive(front.pid)]).toEqual([true, true])
    writeFileSync(house.config, good)
    const pid = await waiting
    expect(
      await eventually(
        () => shopPid(web).catch(() => undefined),
        (found) => found !== undefined,
      ),
    ).toBe(pid)
    expect([second.pid, front.pid]).toContain(holder())
  }, 60_000)
})

describe('the data directory', () => {
  it('is for its user alone, however lax the mask', async () => {
    const before = process.umask(0)
    try {
      openShop()
      await shopPid((await house.stdio()).client)
    } finally {
      process.umask(before)
    }
    expect(modeOf(house.env.PML_HOME!)).toBe('700')
    const shared = [...filesLike(/\.lock$/), ...filesLike(/\.sock$/)]
    expect(shared).toHaveLength(2)
    for (const name of shared) expect([name, modeOf(join(house.env.PML_HOME!, name))]).toEqual([name, '600'])
    const snapshot = await eventually(
      () => filesLike(/^snapshot\.json$/),
      (found) => found.length === 1,
    )
    expect(modeOf(join(house.env.PML_HOME!, snapshot[0]!))).toBe('600')
  })

  it('may lie so deep that no socket could be opened in it', async () => {
    const base = mkdtempSync(join(tmpdir(), 'pml-deep-'))
    try {
      openShop({ PML_HOME: join(base, ...Array.from({ length: 6 }, (_, at) => `${at}`.padEnd(40, 'x'))) })
      const clients = await Promise.all([house.stdio(), house.stdio()])
      await expectOneHouse(clients)
      const status = await house.pml('status', '--json', '--config', house.config)
      expect(JSON.parse(status.stdout)).toMatchObject({ pid: holder() })
      process.kill(holder()!, 'SIGKILL')
      const left = clients.filter(({ pid }) => pid !== holder())
      await expectOneHouse(left)
      await house.close()
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  })
})

describe('clients that were given different variables', () => {
  it('lend the holder what its configuration refers to, and nothing else', async () => {
    house = openHouse(
      { echo: { ...fixture('echo'), env: { TOKEN: '${LENT_TOKEN}' } } },
      { exposure: 'proxy' },
    )
    const first = await house.stdio()
    const environment = async () =>
      dataOf<Record<string, string>>(await first.client.callTool({ name: 'echo__env', arguments: {} }))
    expect((await environment()).TOKEN).toBe('')
    const slow = first.client.callTool({ name: 'echo__sleep', arguments: { ms: 3_000 } })
    const second = await house.stdio({ env: { LENT_TOKEN: 'from-the-second', OTHER: 'stays-at-home' } })
    const lent = dataOf<Record<string, string>>(
      await second.client.callTool({ name: 'echo__env', arguments: {} }),
    )
    expect(lent.TOKEN).toBe('from-the-second')
    // What the other client had under way goes on where it was.
    expect((await slow).isError).not.toBe(true)
    expect((await environment()).TOKEN).toBe('from-the-second')
    expect(Object.values(lent)).not.toContain('stays-at-home')
    expect(first.stderr()).not.toContain('from-the-second')
  })
})
