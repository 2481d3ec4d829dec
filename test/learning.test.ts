/** Learning as a user meets it over time: real servers, a real database, a gateway that is killed. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import {
  dataOf,
  eventually,
  fixture,
  type House,
  npmServer,
  openHouse,
  type StdioHouseClient,
} from './harness.js'

const houses: House[] = []
afterEach(async () => {
  for (const house of houses.splice(0)) await house.close()
})

function open(...args: Parameters<typeof openHouse>): House {
  const house = openHouse(...args)
  houses.push(house)
  return house
}

interface Reliability {
  readonly tool: string
  readonly alpha: number
  readonly beta: number
  readonly observations: number
}

async function reliability(house: House): Promise<ReadonlyMap<string, Reliability>> {
  const { code, stdout, stderr } = await house.pml('learn', '--json')
  if (code !== 0) throw new Error(stderr)
  const { reliability: rows } = JSON.parse(stdout) as { reliability: readonly Reliability[] }
  return new Map(rows.map((row) => [row.tool, row]))
}

/** Of Beta(1, 1), with a decay of .955 for each outcome. */
const stateAfter = (outcomes: number): number => 1 + (1 - 0.955 ** outcomes) / (1 - 0.955)

describe('how calls went', () => {
  it('is there after a kill, to the last one that was answered: 500 outcomes', async () => {
    const house = open({ echo: fixture('echo') }, { exposure: 'proxy' })
    const { client, pid } = await house.stdio()
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args })
    for (let at = 0; at < 30; at++) {
      const tasks = Array.from({ length: 10 }, (_, task) =>
        task === 9
          ? { id: `t${task}`, tool: 'echo:fail', arguments: { message: 'no' }, onError: 'skip' }
          : { id: `t${task}`, tool: 'echo:echo', arguments: { text: `${at} ${task}` } },
      )
      await call('execute_workflow', { tasks })
    }
    for (let at = 0; at < 100; at++) {
      await call('echo__add', { a: at, b: 1 })
      await call('echo__fail', { message: 'no' })
    }
    process.kill(pid, 'SIGKILL')

    const states = await eventually(
      () => reliability(house),
      (found) => (found.get('echo:echo')?.observations ?? 0) >= 270,
      60_000,
    )
    const figures = (tool: string) => {
      const { alpha, beta, observations } = states.get(tool)!
      return [observations, alpha, beta]
    }
    const near = (value: number) => expect.closeTo(value, 9)
    expect(figures('echo:echo')).toEqual([270, near(stateAfter(270)), near(1)])
    expect(figures('echo:add')).toEqual([100, near(stateAfter(100)), near(1)])
    expect(figures('echo:fail')).toEqual([130, near(1), near(stateAfter(130))])

    const rebuilt = await house.pml('learn', '--rebuild', '--json')
    expect(rebuilt.code).toBe(0)
    const again = await reliability(house)
    for (const [tool, { alpha, beta, observations }] of states)
      expect(again.get(tool)).toMatchObject({ observations, alpha: near(alpha), beta: near(beta) })
  })
})

interface Round {
  readonly status: string
  readonly mode?: string
  readonly missing?: readonly unknown[]
  readonly plan?: { readonly confidence: number; readonly tasks: readonly { readonly tool: string }[] }
}

describe('the same intent ten times over', () => {
  const intent = "read every JSON file in data and store each file's name and content as an entity"

  it('needs fewer questions, and the plan becomes surer', async () => {
    const house = open({})
    const folder = join(house.home, 'files')
    mkdirSync(join(folder, 'data'), { recursive: true })
    writeFileSync(join(folder, 'data', 'anna.json'), '{"age": 31}')
    writeFileSync(join(folder, 'data', 'bert.json'), '{"age": 47}')
    house.writeConfig({
      mcpServers: {
        filesystem: npmServer('filesystem', folder),
        memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(house.home, 'memory.json') } },
      },
      // Adding to the memory is what the user wants it for.
      approvals: { tools: { 'memory:create_entities': 'allow' } },
    })
    const { client } = (await house.stdio()) satisfies StdioHouseClient
    await eventually(
      async () =>
        JSON.parse((await house.pml('status', '--json')).stdout) as { servers: { status: string }[] },
      ({ servers }) => servers.length === 2 && servers.every(({ status }) => status === 'ready'),
      60_000,
    )
    const execute = async (args: Record<string, unknown>): Promise<Round> =>
      dataOf(await client.callTool({ name: 'execute_workflow', arguments: args })) as unknown as Round

    const rows: { run: number; first: string; confidence: number; missing: number; requests: number }[] = []
    for (let run = 1; run <= 10; run++) {
      const begun = performance.now()
      const first = await execute({ intent })
      let requests = 1
      let last = first
      // What an agent does with a suggestion: it adds what is missing, and confirms.
      if (first.status === 'suggestion') {
        requests += 1
        last = await execute({ intent, arguments: { entityType: 'file' }, mode: 'run' })
      }
      expect(last.status).toBe('complete')
      rows.push({
        run,
        first: first.status,
        confidence: Math.round((first.plan?.confidence ?? 0) * 100) / 100,
        missing: first.missing?.length ?? 0,
        requests,
        ...{ ms: Math.round(performance.now() - begun) },
      })
      // The lesson is learned off the request path, in some 20 ms.
      await sleep(500)
    }
    console.table(rows)
    expect(rows[0]).toMatchObject({ first: 'suggestion', missing: 1, requests: 2 })
    expect(rows.at(-1)).toMatchObject({ first: 'complete', missing: 0, requests: 1 })
    expect(rows.at(-1)!.confidence).toBeGreaterThan(rows[0]!.confidence)
    const questions = (from: number, to: number): number =>
      rows.slice(from, to).reduce((sum, { requests }) => sum + requests - 1, 0)
    expect(questions(5, 10)).toBe(0)
  })
})

describe('what was decided, and why', () => {
  it('can be explained, shared with another gateway, and forgotten', async () => {
    const house = open({ echo: fixture('echo') }, { exposure: 'meta' })
    const { client } = await house.stdio()
    const call = async (name: string, args: Record<string, unknown>) =>
      dataOf(await client.callTool({ name, arguments: args }))
    const found = (await call('discover', { intent: 'add two numbers' })) as unknown as {
      tools: readonly { id: string; risk: string; sure: boolean }[]
    }
    expect(found.tools[0]).toMatchObject({ id: 'echo:add', risk: 'safe' })
    await client.callTool({ name: 'echo__add', arguments: { a: 1, b: 2 } })
    for (let at = 0; at < 3; at++)
      await call('execute_workflow', {
        tasks: [
          { id: 'sum', tool: 'echo:add', arguments: { a: at, b: 2 } },
          { id: 'say', tool: 'echo:echo', arguments: { text: { $from: 'sum.sum', $as: 'text' } } },
        ],
      })

    const explained = await eventually(
      async () => (await house.pml('explain', 'last')).stdout,
      (text) => /echo:add: (un)?sure/.test(text) && text.includes('selected, went well'),
      20_000,
    )
    expect(explained).toMatch(/threshold +\.?0?\.\d+ = 0\.55 for safe/)
    expect((await house.pml('explain', 'no-such-id')).stderr).toContain('Nothing was scored under')

    const file = join(house.home, 'team.json')
    expect((await house.pml('memory', 'export', file)).code).toBe(0)
    const other = open({ echo: fixture('echo') })
    await other.stdio()
    const imported = await other.pml('memory', 'import', file)
    expect(imported.stdout).toMatch(/^Imported \d+ edges?, how 2 tools did/)
    expect((await other.pml('memory', 'import', file)).code).not.toBe(0)
    expect((await reliability(other)).get('echo:add')?.observations).toBe(4)
    const unchanged = await other.pml('learn', '--rebuild')
    expect(unchanged.stdout).toContain('nothing changed')

    expect((await house.pml('memory', 'reset')).stderr).toContain('--yes')
    expect((await house.pml('memory', 'reset', '--yes')).code).toBe(0)
    expect(await reliability(house)).toEqual(new Map())
    await client.callTool({ name: 'echo__add', arguments: { a: 1, b: 2 } })
    expect((await reliability(house)).get('echo:add')?.observations).toBe(1)
  }, 120_000)
})

describe('what tools may do', () => {
  it('is told, can be said, holds at once, and is written down', async () => {
    const house = open({ echo: fixture('echo') }, { exposure: 'proxy' })
    const { client } = await house.stdio()
    await client.listTools()
    const risk = async (tool: string): Promise<string> => {
      const { stdout } = await house.pml('risk', '--json')
      const { tools } = JSON.parse(stdout) as { tools: readonly { tool: string; risk: string }[] }
      return tools.find((one) => one.tool === tool)!.risk
    }
    const answered = async (): Promise<unknown> =>
      (await client.callTool({ name: 'echo__sleep', arguments: { ms: 0 } })).structuredContent
    expect([await risk('echo:add'), await risk('echo:sleep')]).toEqual(['safe', 'moderate'])

    const file = join(house.home, 'mcp-permissions.yaml')
    writeFileSync(file, 'toolOverrides: { "echo:sleep": { risk: dangerous, reason: it takes time } }\n')
    await eventually(
      () => risk('echo:sleep'),
      (found) => found === 'dangerous',
      20_000,
    )
    expect(await answered()).toMatchObject({ status: 'approval_required' })
    // A file that cannot be read changes nothing.
    writeFileSync(file, 'toolOverrides: [\n')
    expect(await risk('echo:sleep')).toBe('dangerous')

    expect((await house.pml('risk', 'set', 'echo:sleep', 'moderate')).stderr).toContain('takes a reason')
    const set = await house.pml('risk', 'set', 'echo:sleep', 'moderate', '--reason', 'milliseconds only')
    expect(set.code).toBe(0)
    expect(await answered()).toBeUndefined()
    expect((await house.pml('risk', 'audit')).stdout).toMatch(/echo:sleep.*dangerous.*moderate/s)
    expect((await house.pml('risk', 'unset', 'echo:sleep')).code).toBe(0)
    expect(await answered()).toMatchObject({ status: 'approval_required' })
  })
})
