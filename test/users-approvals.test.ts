/**
 * Rows 13 to 16 of what users run into: approvals, and runs that wait for one. Everything is real: the built program, its database, a
 * server whose ledger no process can take back, clients of the SDK, people at a command line, and SIGKILL. The ledger is the judge.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Decision } from '../src/model/decision.js'
import type { Run, RunSummary } from '../src/model/run.js'
import { alive, dataOf, eventually, fixture, type House, openHouse, textOf } from './harness.js'

let house: House
let gateway: Awaited<ReturnType<House['http']>>
const clients: Client[] = []

beforeAll(async () => {
  house = openHouse({})
  rule({})
  gateway = await house.http()
  // Its database is made, which takes seconds: what follows is timed.
  await pml('runs')
}, 120_000)
afterAll(async () => {
  await Promise.allSettled(clients.map((client) => client.close()))
  await house.close()
})

/** What the user writes into the configuration, while the gateway runs or not. */
function rule(approvals: object, settings: object = {}): void {
  house.writeConfig({
    mcpServers: { ledger: fixture('ledger', join(house.home, 'ledger.jsonl')) },
    approvals,
    replyWithinMs: 20_000,
    ...settings,
  })
}

/** As it is by itself again, whatever a test has left. */
async function noRules(): Promise<void> {
  rule({})
  const client = await connect({ name: 'no rules' })
  await eventually(
    async () => [
      await client.callTool({ name: 'ledger__put', arguments: { token: 'no rules' } }),
      await erase(client, `no rules ${Date.now()}`),
    ],
    ([put, erased]) =>
      put!.isError !== true &&
      dataOf<Reply>(erased).status === 'approval_required' &&
      !dataOf<Reply>(erased).decision!.why.includes('configuration') &&
      !expiresWithin(dataOf<Reply>(erased).decision!, 60_000),
  )
}

interface Who {
  readonly name?: string
  readonly era?: 'auto' | 'legacy'
  readonly capabilities?: ClientCapabilities
}

async function connect({ name = 'agent', era = 'auto', capabilities = {} }: Who = {}): Promise<Client> {
  const client = new Client(
    { name, version: '1.0.0' },
    { versionNegotiation: { mode: era }, capabilities, inputRequired: { autoFulfill: false } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL('mcp', gateway.url)))
  clients.push(client)
  return client
}

/** Nothing gets to clean up; its servers find their input closed. */
async function killAndRestart(): Promise<void> {
  process.kill(gateway.pid, 'SIGKILL')
  await eventually(
    () => alive(gateway.pid),
    (lives) => !lives,
  )
  gateway = await house.http()
}

interface Entry {
  readonly phase: 'begin' | 'end'
  readonly tool: string
  readonly token: string
  readonly key?: string
}

function entries(): readonly Entry[] {
  const file = join(house.home, 'ledger.jsonl')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Entry]))
}
const calls = (token: string): readonly Entry[] =>
  entries().filter((entry) => entry.token === token && entry.phase === 'begin')

const pml = (...args: string[]) => house.pml(...args, '--config', house.config)
const json = async (...args: string[]) => JSON.parse((await pml(...args, '--json')).stdout)
const listed = async (intent: string): Promise<RunSummary | undefined> =>
  (await json('runs')).runs.find((run: RunSummary) => run.intent === intent)
const show = async (run: string): Promise<Run & { readonly decisions: readonly Decision[] }> =>
  json('runs', 'show', run)

interface Reply {
  readonly status: string
  readonly workflow_id: string
  readonly decision?: { readonly id: string; readonly why: string; readonly expiresAt: string }
  readonly decisions?: readonly { readonly id: string; readonly task: string }[]
  readonly tasks: readonly {
    readonly id: string
    readonly status: string
    readonly error?: { code: string }
  }[]
  readonly next?: string
}

const erase = async (client: Client, token: string, more: object = {}) =>
  client.callTool({ name: 'ledger__erase', arguments: { token, ...more } })
const askedOf = (result: unknown) => {
  const { status, decision } = dataOf<Reply>(result)
  expect(status).toBe('approval_required')
  return decision!
}
const task = (id: string, tool: string, args: object, more: object = {}) => ({
  id,
  tool: `ledger:${tool}`,
  arguments: args,
  ...more,
})
const start = async (client: Client, ...tasks: readonly object[]): Promise<Reply> =>
  dataOf<Reply>(await client.callTool({ name: 'execute_workflow', arguments: { tasks } }))
const control = async (client: Client, run: string, action: string, more: object = {}) =>
  client.callTool({ name: 'control_workflow', arguments: { workflow_id: run, action, ...more } })
const look = async (client: Client, run: string) => dataOf<Reply>(await control(client, run, 'status'))
const untilStatus = (run: string, status: string) =>
  eventually(
    () => show(run),
    (found) => found.status === status,
    30_000,
  )

describe('row 13: an approval is for what was approved', () => {
  it('one set of arguments, one caller, one call', async () => {
    const [ada, bob] = [await connect({ name: 'ada' }), await connect({ name: 'bob' })]
    const { id } = askedOf(await erase(ada, 'bound'))
    expect((await pml('approve', id)).stdout).toContain('ada can call it now, once.')
    const others = [
      askedOf(await erase(ada, 'bound', { bytes: 1 })),
      askedOf(await erase(bob, 'bound')),
      (await start(ada, task('rm', 'erase', { token: 'bound' }))).decision!,
    ]
    expect(new Set([id, ...others.map((other) => other.id)]).size).toBe(4)
    expect(calls('bound')).toEqual([])
    expect((await erase(ada, 'bound')).isError).not.toBe(true)
    expect(calls('bound')).toMatchObject([{ tool: 'erase' }])
    expect(askedOf(await erase(ada, 'bound')).id).not.toBe(id)
    expect((await pml('approve', id)).code).toBe(0)
    askedOf(await erase(ada, 'bound'))
    expect(calls('bound')).toHaveLength(1)
  })

  it('of ten such calls at once, one is made', async () => {
    const client = await connect({ name: 'ten' })
    await pml('approve', askedOf(await erase(client, 'ten at once')).id)
    const results = await Promise.all(Array.from({ length: 10 }, () => erase(client, 'ten at once')))
    expect(results.filter((result) => result.isError !== true)).toHaveLength(1)
    expect(calls('ten at once')).toHaveLength(1)
  })

  it('a task whose arguments change asks anew, and the yes to the old ones is refused and recorded', async () => {
    const client = await connect()
    const asked = await start(client, task('rm', 'erase', { token: 'before' }))
    const changed = await control(client, asked.workflow_id, 'modify', {
      task: 'rm',
      arguments: { token: 'after' },
    })
    const { id } = askedOf(changed)
    expect(id).not.toBe(asked.decision!.id)
    expect((await pml('approve', asked.decision!.id)).code).toBe(1)
    expect([...calls('before'), ...calls('after')]).toEqual([])
    expect((await pml('approve', id)).code).toBe(0)
    const run = await untilStatus(asked.workflow_id, 'complete')
    expect(run.decisions).toMatchObject([
      { id: asked.decision!.id, answer: { verdict: 'withdraw' }, refusals: [{ by: 'command line' }] },
      { id, answer: { verdict: 'approve' }, refusals: [] },
    ])
    expect([calls('before').length, calls('after').length]).toEqual([0, 1])
  })

  it('a task that failed after it was approved asks anew before it is done again', async () => {
    const client = await connect()
    const asked = await start(client, task('rm', 'erase', { token: 'fails', fail: true }))
    expect((await pml('approve', asked.decision!.id)).code).toBe(0)
    await untilStatus(asked.workflow_id, 'failed')
    const again = askedOf(await control(client, asked.workflow_id, 'retry', { task: 'rm' }))
    expect(again.id).not.toBe(asked.decision!.id)
    expect((await pml('approve', asked.decision!.id)).code).toBe(0)
    expect(await look(client, asked.workflow_id)).toMatchObject({ decision: { id: again.id } })
    expect(calls('fails')).toHaveLength(1)
  })

  it('under the policy of that time: after another rule it does not count', async () => {
    const client = await connect({ name: 'ruled' })
    const before = askedOf(await erase(client, 'policy'))
    expect((await pml('approve', before.id)).code).toBe(0)
    const waiting = await start(client, task('rm', 'erase', { token: 'policy run' }))
    rule({ tools: { 'ledger:erase': 'ask' } })
    await eventually(
      async () => askedOf(await erase(client, 'policy probe')).why,
      (why) => why.includes('configuration says ask'),
    )
    const after = askedOf(await erase(client, 'policy'))
    expect(after.id).not.toBe(before.id)
    expect((await pml('approve', waiting.decision!.id)).code).toBe(0)
    const again = await eventually(
      () => look(client, waiting.workflow_id),
      ({ decision }) => decision !== undefined && decision.id !== waiting.decision!.id,
    )
    expect([...calls('policy'), ...calls('policy run')]).toEqual([])
    expect((await pml('approve', after.id)).code).toBe(0)
    expect((await pml('approve', again.decision!.id)).code).toBe(0)
    await untilStatus(waiting.workflow_id, 'complete')
    expect((await erase(client, 'policy')).isError).not.toBe(true)
    expect([calls('policy').length, calls('policy run').length]).toEqual([1, 1])
  })

  it('the agent cannot give it where a person is asked: refused, recorded, and nothing is called', async () => {
    await noRules()
    const client = await connect()
    const { workflow_id: run, decision } = await start(client, task('rm', 'erase', { token: 'agent' }))
    const refused = await control(client, run, 'approve', { decision: decision!.id })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toContain('pml approve')
    expect(calls('agent')).toEqual([])
    expect((await show(run)).decisions[0]!.refusals).toMatchObject([{ verdict: 'approve', by: 'agent' }])
    // To refuse needs no person.
    expect(dataOf<Reply>(await control(client, run, 'reject', { reason: 'no' })).tasks).toMatchObject([
      { status: 'failed', error: { code: 'NOT_APPROVED' } },
    ])
    const { stdout } = await pml('runs', 'show', run)
    expect(stdout).toMatch(/REFUSED/)
    expect(stdout).toMatch(/reject +agent .* 1 +no/)
    expect(calls('agent')).toEqual([])
  })

  it('approvals.by: agent lets it', async () => {
    rule({ by: 'agent' })
    const client = await connect()
    const approved = await eventually(
      async () => {
        const { workflow_id: run } = await start(client, task('rm', 'erase', { token: 'by agent' }))
        return control(client, run, 'approve')
      },
      ({ isError }) => isError !== true,
    )
    expect(dataOf(approved)).toMatchObject({ status: 'complete' })
    expect(calls('by agent')).toHaveLength(1)
  })

  it('for as long as it is said: what comes later is refused and recorded', async () => {
    rule({ expireAfterMs: 3_000 })
    const client = await connect()
    const asked = await eventually(
      () => start(client, task('rm', 'erase', { token: 'late' })),
      ({ decision }) => expiresWithin(decision!, 60_000),
    )
    const direct = askedOf(await erase(client, 'late'))
    const unused = askedOf(await erase(client, 'late unused'))
    expect((await pml('approve', unused.id)).code).toBe(0)
    const run = await untilStatus(asked.workflow_id, 'failed')
    expect(run.tasks).toMatchObject([{ error: { code: 'NOT_APPROVED' } }])
    await sleep(Math.max(0, Date.parse(unused.expiresAt) - Date.now()) + 50)
    for (const { id } of [asked.decision!, direct]) {
      const late = await pml('approve', id)
      expect(late.code).toBe(1)
      expect(late.stdout).toMatch(/Not taken/)
    }
    expect((await show(asked.workflow_id)).decisions).toMatchObject([
      { answer: { verdict: 'expire', by: 'clock' }, refusals: [{ verdict: 'approve', by: 'command line' }] },
    ])
    expect(askedOf(await erase(client, 'late')).id).not.toBe(direct.id)
    expect(askedOf(await erase(client, 'late unused')).id).not.toBe(unused.id)
    expect([...calls('late'), ...calls('late unused')]).toEqual([])
  })
})

function expiresWithin({ expiresAt }: { readonly expiresAt: string }, ms: number): boolean {
  return Date.parse(expiresAt) < Date.now() + ms
}

describe('row 14: what waits is not lost, and answered twice it is done once', () => {
  beforeAll(noRules)

  it('a client that connects anew finds the same question, also at a gateway that was killed in between', async () => {
    const first = await connect()
    const { workflow_id: run, decision } = await start(
      first,
      task('read', 'read', { token: 'kept read' }),
      task('rm', 'erase', { token: 'kept' }, { dependsOn: ['read'] }),
    )
    await first.close()
    expect(await look(await connect(), run)).toMatchObject({ status: 'approval_required', decision })
    await killAndRestart()
    const client = await connect()
    const found = await eventually(
      () => look(client, run),
      ({ status }) => status === 'approval_required',
    )
    expect(found.decision!.id).toBe(decision!.id)
    const answers = await Promise.all([pml('approve', decision!.id), pml('approve', decision!.id)])
    expect(answers.map(({ code }) => code)).toEqual([0, 0])
    await untilStatus(run, 'complete')
    expect((await pml('approve', decision!.id)).code).toBe(0)
    expect((await pml('reject', decision!.id)).code).toBe(1)
    expect(await look(client, run)).toMatchObject({ status: 'complete' })
    expect([calls('kept read').length, calls('kept').length]).toEqual([1, 1])
  })

  it.each([
    ['a workflow', 'execute_workflow', { tasks: [task('rm', 'erase', { token: 'round run' })] }, 'round run'],
    ['a single call', 'ledger__erase', { token: 'round call' }, 'round call'],
  ])('%s whose input_required is answered twice, and once more after a kill, is done once', async (_, name, args, token) => {
    const params = { name, arguments: args }
    const capabilities = { elicitation: { form: {} } }
    const asked = await manually(await connect({ capabilities }), params)
    expect(asked.resultType).toBe('input_required')
    await killAndRestart()
    const [id] = Object.keys(asked.inputRequests as object)
    const answered = {
      ...params,
      requestState: asked.requestState,
      inputResponses: { [id!]: { action: 'accept', content: { approve: true } } },
    }
    const client = await connect({ capabilities })
    const results = await Promise.all([manually(client, answered), manually(client, answered)])
    expect(
      results.filter(({ resultType, isError }) => resultType === 'complete' && !isError).length,
    ).toBeGreaterThan(0)
    expect(calls(token)).toHaveLength(1)
    await killAndRestart()
    await manually(await connect({ capabilities }), answered)
    expect(calls(token)).toHaveLength(1)
  })

  it.each([
    ['over HTTP', () => connect()],
    ['over HTTP, of 2025', () => connect({ era: 'legacy' })],
    ['over stdio', async () => (await house.stdio()).client],
    ['over stdio, of 2025', async () => (await house.stdio({ era: 'legacy' })).client],
  ] as const)('a workflow goes on without the client that began it (%s)', async (how, open) => {
    const token = `dropped ${how}`
    const client = await open()
    const tasks = [
      task('slow', 'slow_append', { token, ms: 1_000 }),
      task('then', 'append', { token }, { dependsOn: ['slow'] }),
    ]
    const reply = client.callTool({ name: 'execute_workflow', arguments: { intent: token, tasks } })
    reply.catch(() => {})
    await eventually(
      () => calls(token),
      (begun) => begun.length === 1,
    )
    await client.close()
    const run = await eventually(
      () => listed(token),
      (found) => found?.status === 'complete',
    )
    expect((await pml('runs')).stdout).toContain(run!.id)
    expect(calls(token).map(({ tool }) => tool)).toEqual(['slow_append', 'append'])
  })

  it.each([
    ['over HTTP', 'legacy', () => connect({ era: 'legacy' })],
    ['over stdio, 2026-07-28', 'auto', async () => (await house.stdio()).client],
  ] as const)('a request that is cancelled ends its workflow (%s)', async (_, era, open) => {
    const token = `cancelled ${era}`
    const client = await open()
    const stop = new AbortController()
    const tasks = [
      task('slow', 'slow_append', { token, ms: 20_000 }),
      task('then', 'append', { token }, { dependsOn: ['slow'] }),
    ]
    const call = client.callTool(
      { name: 'execute_workflow', arguments: { intent: token, tasks } },
      { signal: stop.signal },
    )
    call.catch(() => {})
    await eventually(
      () => calls(token),
      (begun) => begun.length === 1,
    )
    stop.abort()
    await eventually(
      () => listed(token),
      (run) => run?.status === 'aborted',
    )
    expect(calls(token)).toHaveLength(1)
  })

  it('a yes in the dialogue of the client and one at the command line, at the same time, are one', async () => {
    let asked: string | undefined
    let press = (): void => {}
    const pressed = new Promise<void>((resolve) => {
      press = resolve
    })
    const { client, close } = await house.stdio({
      era: 'legacy',
      capabilities: { elicitation: { form: {} } },
      setUp: (one) =>
        one.setRequestHandler('elicitation/create', async ({ params }) => {
          asked = params.message
          await pressed
          return { action: 'accept', content: { approve: true } }
        }),
    })
    const result = start(client, task('rm', 'erase', { token: 'dialogue' }))
    const { decisions } = await eventually(
      async () => (await json('approve')) as { decisions: readonly Decision[] },
      ({ decisions: pending }) => pending.some((one) => one.arguments.token === 'dialogue'),
    )
    await eventually(
      () => asked,
      (message) => message?.includes('"dialogue"') === true && message.includes('may destroy'),
    )
    expect(calls('dialogue')).toEqual([])
    press()
    const { id } = decisions.find((one) => one.arguments.token === 'dialogue')!
    expect((await pml('approve', id)).code).toBe(0)
    expect(await result).toMatchObject({ status: 'complete' })
    expect(calls('dialogue')).toHaveLength(1)
    await close()
  })
})

describe('row 15: nobody is at the keyboard', () => {
  beforeAll(noRules)

  it('a client that can ask nobody is told what to do, at once, and goes on after pml approve', async () => {
    const client = await connect({ era: 'legacy' })
    const began = Date.now()
    const result = await client.callTool({
      name: 'execute_workflow',
      arguments: {
        tasks: [task('rm', 'erase', { token: 'headless' }), task('see', 'read', { token: 'headless' })],
      },
    })
    expect(Date.now() - began).toBeLessThan(10_000)
    const { workflow_id: run, decision, next } = dataOf<Reply>(result)
    expect(textOf(result)).toContain(`pml approve ${decision!.id}`)
    expect(next).toContain(`pml approve ${decision!.id}`)
    expect(next).toContain(`control_workflow {"workflow_id":"${run}","action":"status"}`)
    expect(calls('headless').map(({ tool }) => tool)).toEqual(['read'])
    expect((await pml('approve', decision!.id)).code).toBe(0)
    const done = await eventually(
      () => look(client, run),
      ({ status }) => status !== 'running',
    )
    expect(done.status).toBe('complete')
    expect(calls('headless').map(({ tool }) => tool)).toEqual(['read', 'erase'])
  })

  it('a single call is answered with what to do, and goes through once', async () => {
    const client = await connect({ era: 'legacy' })
    const result = await erase(client, 'headless call')
    expect(result.isError).toBe(true)
    const { id } = askedOf(result)
    for (const said of [
      `pml approve ${id}`,
      'call it again with the same arguments',
      '"ledger:erase": allow',
    ])
      expect(textOf(result)).toContain(said)
    expect((await pml('approve', id)).code).toBe(0)
    expect((await erase(client, 'headless call')).isError).not.toBe(true)
    askedOf(await erase(client, 'headless call'))
    expect(calls('headless call')).toHaveLength(1)
  })

  it('a rule decides beforehand: allow asks nobody, block says so', async () => {
    const client = await connect({ name: 'rules' })
    rule({ tools: { 'ledger:*': 'allow', 'ledger:put': 'block' } })
    const blocked = await eventually(
      () => client.callTool({ name: 'ledger__put', arguments: { token: 'blocked' } }),
      ({ isError }) => isError === true,
    )
    expect(textOf(blocked)).toMatch(/block.*approvals\.tools.*ledger:put/s)
    expect((await erase(client, 'allowed')).isError).not.toBe(true)
    const before = calls('blocked').length
    const run = await start(
      client,
      task('rm', 'erase', { token: 'allowed' }),
      task('put', 'put', { token: 'blocked' }),
    )
    expect(run).toMatchObject({
      status: 'partial_failure',
      tasks: [{ status: 'complete' }, { status: 'failed' }],
    })
    expect(calls('allowed')).toHaveLength(2)
    expect(calls('blocked')).toHaveLength(before)
  })
})

describe('row 16: people are asked rarely, and once', () => {
  beforeAll(noRules)

  it('reads and writes that can be undone ask nobody', async () => {
    const client = await connect()
    const tools = ['read', 'append', 'put', 'read', 'append', 'put', 'read', 'append', 'put', 'read']
    const run = await start(client, ...tools.map((tool, at) => task(`t${at}`, tool, { token: 'unasked' })))
    expect(run).toMatchObject({ status: 'complete' })
    expect(run.decision).toBeUndefined()
    for (const tool of ['read', 'append', 'put'])
      expect(
        (await client.callTool({ name: `ledger__${tool}`, arguments: { token: 'unasked' } })).isError,
      ).not.toBe(true)
    expect(calls('unasked')).toHaveLength(13)
  })

  it('what is done for each of twenty is asked once, and shows all twenty', async () => {
    const client = await connect()
    const items = Array.from({ length: 20 }, (_, at) => `element-${at}.`)
    const run = await start(
      client,
      task('list', 'read', { token: 'twenty', items }),
      task('rm', 'erase', { token: { $from: 'list.items[*]' } }),
    )
    expect(run).toMatchObject({ status: 'approval_required', decisions: [{ task: 'rm' }] })
    expect(run.decisions).toHaveLength(1)
    const { stdout } = await pml('approve')
    for (const item of items) {
      expect(JSON.stringify(run.decision)).toContain(item)
      expect(stdout).toContain(item)
    }
    expect(entries().filter(({ tool, token }) => tool === 'erase' && items.includes(token))).toEqual([])
    expect((await pml('approve', run.decision!.id)).code).toBe(0)
    await untilStatus(run.workflow_id, 'complete')
    expect(items.map((item) => calls(item).length)).toEqual(items.map(() => 1))
  })

  it('one answer serves all that a run asks; a harmless task asks where it says so', async () => {
    const client = await connect()
    const run = await start(
      client,
      task('one', 'erase', { token: 'all of a run' }),
      task('two', 'erase', { token: 'all of a run', bytes: 2 }),
      task('see', 'read', { token: 'all of a run' }, { requireApproval: true }),
    )
    expect(run.decisions!.map((decision) => decision.task).sort()).toEqual(['one', 'see', 'two'])
    expect(calls('all of a run')).toEqual([])
    expect((await pml('approve', run.workflow_id, '--yes')).code).toBe(0)
    await untilStatus(run.workflow_id, 'complete')
    expect(
      calls('all of a run')
        .map(({ tool }) => tool)
        .sort(),
    ).toEqual(['erase', 'erase', 'read'])
  })
})

it('a killed gateway: what may be repeated is, with the same key; what may not is asked for', async () => {
  rule({ tools: { 'ledger:charge': 'allow' } })
  const client = await connect()
  const ms = 3_000
  const began = [
    ['repeat', 'slow_append'],
    ['leave', 'slow_append'],
    ['reads', 'read'],
    ['charges', 'charge'],
  ] as const
  await eventually(
    () => client.callTool({ name: 'ledger__charge', arguments: { token: 'charge is allowed' } }),
    ({ isError }) => isError !== true,
  )
  for (const [token, tool] of began)
    client
      .callTool({
        name: 'execute_workflow',
        arguments: { intent: token, tasks: [task('it', tool, { token, ms })] },
      })
      .catch(() => {})
  await eventually(
    () => began.map(([token]) => calls(token).length),
    (counts) => counts.every((count) => count === 1),
  )
  await killAndRestart()
  const runs = async (): Promise<Record<string, RunSummary>> =>
    Object.fromEntries((await json('runs')).runs.map((run: RunSummary) => [run.intent ?? '', run]))
  const found = await eventually(
    runs,
    (now) => now.reads?.status === 'complete' && now.charges?.status === 'complete',
    30_000,
  )
  expect(found.repeat!.status).toBe('interrupted')
  expect(found.leave!.status).toBe('interrupted')
  expect([calls('reads').length, calls('charges').length]).toEqual([2, 2])
  const keys = calls('charges').map(({ key }) => key)
  expect(keys[0]).toMatch(/.{16}/)
  expect(keys[1]).toBe(keys[0])
  expect([calls('repeat').length, calls('leave').length]).toEqual([1, 1])

  const { stdout } = await pml('runs')
  expect(stdout).toContain('was cut off and may have taken effect')
  const decisionOf = async (run: string) => (await show(run)).decisions[0]!.id
  const [again, never] = [await decisionOf(found.repeat!.id), await decisionOf(found.leave!.id)]
  expect(stdout).toContain(`pml approve ${again}`)
  expect(stdout).toContain(`pml reject ${never}`)
  expect((await pml('approve', again)).code).toBe(0)
  expect((await pml('reject', never)).code).toBe(0)
  await untilStatus(found.repeat!.id, 'complete')
  expect((await untilStatus(found.leave!.id, 'failed')).tasks).toMatchObject([
    { error: { code: 'INTERRUPTED' } },
  ])
  expect([calls('repeat').length, calls('leave').length]).toEqual([2, 1])

  // Who wants it all the same is asked again, and may say that it did take effect.
  expect((await pml('retry', found.leave!.id, 'it')).stdout).toContain('was cut off')
  expect((await pml('skip', found.leave!.id, 'it')).code).toBe(0)
  expect((await show(found.leave!.id)).tasks).toMatchObject([{ status: 'skipped' }])
  expect(calls('leave').length).toBe(1)
})

/** One round of a request, with its answer as it comes. */
async function manually(client: Client, params: object): Promise<Record<string, unknown>> {
  const result = await client.callTool(params as Parameters<Client['callTool']>[0], {
    allowInputRequired: true,
  })
  return { resultType: 'complete', ...(result as object) }
}
