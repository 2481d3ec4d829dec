/**
 * Programs of an agent through the built gateway: real servers, a real sandbox, people at a command line, SIGKILL. A ledger that no
 * process can take back is the judge of what was called how often.
 */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  alive,
  dataOf,
  eventually,
  fixture,
  type House,
  npmServer,
  openHouse,
  type StdioHouseClient,
  textOf,
} from './harness.js'

const secret = 'sk-journey-9f3b1c7d2e'
let directory: string
let house: House
let gateway: StdioHouseClient

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'pml-code-')))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(directory, `${name}.txt`), `text of ${name}`)
  house = openHouse({}, {}, { LEDGER_KEY: secret })
  rule({})
  gateway = await house.stdio()
  // Its database is made, which takes seconds.
  await ran('return 0')
}, 120_000)
afterAll(async () => {
  await house.close()
  rmSync(directory, { recursive: true, force: true })
})

/** What the user writes into the configuration, while the gateway runs. */
function rule(settings: object): void {
  house.writeConfig({
    mcpServers: {
      files: npmServer('filesystem', directory),
      memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(directory, '.memory.jsonl') } },
      everything: npmServer('everything'),
      ledger: {
        ...fixture('ledger', join(house.home, 'ledger.jsonl')),
        env: { LEDGER_KEY: '${LEDGER_KEY}' },
      },
    },
    ...settings,
  })
}

interface Reply {
  readonly status: string
  readonly workflow_id: string
  readonly value?: unknown
  readonly logs: readonly string[]
  readonly calls: readonly {
    readonly tool: string
    readonly ok: boolean
    readonly error?: { readonly code: string }
  }[]
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string }
  readonly ms?: number
  readonly decision?: { readonly id: string; readonly task: string; readonly tool: string }
  readonly decisions?: readonly { readonly id: string; readonly task: string }[]
  readonly next?: string
}

const send = (code: string, args?: object, more: object = {}) =>
  gateway.client.callTool({
    name: 'execute_code',
    arguments: { code, ...(args && { arguments: args }), ...more },
  })
const ran = async (code: string, args?: object, more: object = {}): Promise<Reply> =>
  dataOf<Reply>(await send(code, args, more))
const control = async (workflow_id: string, action: string, more: object = {}): Promise<Reply> =>
  dataOf<Reply>(
    await gateway.client.callTool({
      name: 'control_workflow',
      arguments: { workflow_id, action, ...more },
    }),
  )
const pml = (...args: string[]) => house.pml(...args, '--config', house.config)
const ended = (id: string): Promise<Reply> =>
  eventually(
    () => control(id, 'status'),
    ({ status }) => ['complete', 'failed', 'aborted', 'partial_failure'].includes(status),
  )

/** What the ledger's tools were called with, in that order. */
function called(token: string): readonly string[] {
  const file = join(house.home, 'ledger.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines
    .filter((line) => line.includes('"begin"'))
    .map((line) => JSON.parse(line) as { tool: string; token: string })
    .filter((entry) => entry.token.startsWith(token))
    .map((entry) => `${entry.tool} ${entry.token}`)
}

describe('what comes back', () => {
  test('the value that is returned, or that of the last expression', async () => {
    expect(await ran('return { sum: 1 + 1 }')).toMatchObject({
      status: 'complete',
      value: { sum: 2 },
      calls: [],
    })
    expect((await ran('const doubled = [1, 2].map((n) => n * 2)\ndoubled')).value).toEqual([2, 4])
    expect((await ran('const nothing = 1')).value).toBe(null)
    expect((await ran('Promise.resolve("awaited")')).value).toBe('awaited')
  })

  test('TypeScript as it is written, with enums and generics', async () => {
    const { value } = await ran(`
      interface Row { readonly name: string; size?: number }
      enum Unit { Byte = 1, Kilo = 1_000 }
      function largest<T extends Row>(rows: readonly T[]): T { return rows.toSorted((a, b) => b.size! - a.size!)[0]! }
      const rows = [{ name: 'a', size: 1 }, { name: 'b', size: 2 * Unit.Kilo }] satisfies Row[]
      return largest(rows) as Row`)
    expect(value).toEqual({ name: 'b', size: 2_000 })
  })

  test('what it said, in order, with levels, next to the value', async () => {
    const answer = await send('console.log("one", { a: 1 })\nconsole.warn("two")\nreturn 3')
    expect(dataOf<Reply>(answer)).toMatchObject({ value: 3, logs: ['one { a: 1 }', 'warn: two'] })
    expect(textOf(answer)).toContain('one { a: 1 }\nwarn: two')
  })

  test('what it said before it failed, and the line where it did', async () => {
    const failed = await send('console.log("so far")\n\nthrow new TypeError("not so")')
    expect(failed.isError).toBe(true)
    expect(dataOf<Reply>(failed)).toMatchObject({
      status: 'failed',
      logs: ['so far'],
      error: { code: 'CODE_FAILED', message: expect.stringMatching(/Line 3.*not so/) },
    })
  })

  test('a value that is large, cut, with a handle that gives it whole', async () => {
    const { value } = await ran('return Array.from({ length: 40_000 }, (_, at) => `row ${at}`)')
    const { cut, handle, characters, preview } = value as {
      cut: boolean
      handle: string
      characters: number
      preview: string
    }
    expect(cut).toBe(true)
    expect(preview).toContain('row 0')
    expect(preview.length).toBeLessThan(characters / 2)
    const { contents } = await gateway.client.readResource({ uri: `pml://result/${handle}?offset=0` })
    const [first] = contents as readonly { text: string }[]
    expect(first?.text).toContain('["row 0","row 1"')
    const read = await gateway.client.callTool({
      name: 'control_workflow',
      arguments: { action: 'read', handle, offset: characters - 20 },
    })
    expect(textOf(read)).toContain('"row 39999"]')
  })

  test('no value that is no data: the error says so', async () => {
    expect((await ran('return 10n')).error).toMatchObject({ code: 'CODE_VALUE' })
    expect((await ran('return () => 1')).error).toMatchObject({ code: 'CODE_VALUE' })
  })
})

describe('tools', () => {
  test('are called by server and name, by any name that they have, with args', async () => {
    const read = { path: join(directory, 'a.txt') }
    const dotted = await ran('return (await tools.files.read_text_file(args)).content', read)
    expect(dotted).toMatchObject({ value: 'text of a', calls: [{ tool: 'files:read_text_file', ok: true }] })
    for (const name of ['files__read_text_file', 'files:read_text_file'])
      expect((await ran(`return (await tools["${name}"](args)).content`, read)).value).toBe('text of a')
  })

  test('run together under Promise.all', async () => {
    const each = 'tools.ledger.slow_append({ token: "all-" + n, ms: 400 })'
    const { value, calls } = await ran(`
      const got = await Promise.all([1, 2, 3, 4, 5].map((n) => ${each}))
      return got.map(({ token }) => token)`)
    expect(value).toEqual(['all-1', 'all-2', 'all-3', 'all-4', 'all-5'])
    expect(calls).toHaveLength(5)
    const times = readFileSync(join(house.home, 'ledger.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"all-'))
      .map((line) => (JSON.parse(line) as { phase: string }).phase)
    expect(times).toEqual([...Array(5).fill('begin'), ...Array(5).fill('end')])
  })

  test('of several servers work in one program', async () => {
    const { value, calls } = await ran(
      `
      const { content } = await tools.files.read_text_file({ path: args.path })
      await tools.memory.create_entities({
        entities: [{ name: 'note', entityType: 'file', observations: [content] }],
      })
      const found = await tools.memory.search_nodes({ query: 'note' })
      const said = await tools.everything.echo({ message: found.entities[0].observations[0] })
      return typeof said === 'string' ? said : JSON.stringify(said)`,
      { path: join(directory, 'b.txt') },
    )
    expect(value).toContain('text of b')
    expect(calls.map(({ tool }) => tool)).toEqual([
      'files:read_text_file',
      'memory:create_entities',
      'memory:search_nodes',
      'everything:echo',
    ])
  })

  test('that do not exist, or get what they do not take, are told with their lines before anything runs', async () => {
    const first = 'await tools.ledger.append({ token: "unseen" })\n'
    const unknown = await send(`${first}return await tools.files.read_txt_file({ path: "x" })`)
    expect(unknown.isError).toBe(true)
    expect(dataOf<Reply>(unknown).error).toMatchObject({
      code: 'CODE_CHECK',
      message: expect.stringMatching(/line 2: .*files:read_txt_file.*files:read_text_file/),
    })
    const wrong = await ran(`${first}\nreturn await tools.files.read_text_file({ path: 5 })`)
    expect(wrong.error).toMatchObject({
      code: 'CODE_CHECK',
      message: expect.stringMatching(/line 3: .*path.*string/),
    })
    const missing = await ran(`${first}return await tools.files.read_text_file({})`)
    expect(missing.error?.message).toMatch(/line 2: .*path/)
    const none = await ran(`${first}return await capabilities.never_learned({})`)
    expect(none.error?.message).toMatch(/line 2: .*never_learned/)
    const syntax = await ran(`${first}const = 2`)
    expect(syntax.error).toMatchObject({ code: 'CODE_SYNTAX', message: expect.stringMatching(/line 2/i) })
    expect(called('unseen')).toEqual([])
  })

  test('that get what only running shows to be wrong are refused by their schema, and not called', async () => {
    const { error, calls } = await ran('return await tools.ledger.append({ token: args.token })', {
      token: 5,
    })
    expect(error?.message).toMatch(/token/)
    expect(calls.every(({ ok }) => !ok)).toBe(true)
    expect(called('5')).toEqual([])
  })

  test('that are named only when it runs are found, or their error is caught', async () => {
    const { value } = await ran(
      `
      const { token } = await tools[args.there]({ token: 'by name' })
      const gone = await tools[args.gone]({}).catch((error) => error.code)
      return [token, gone]`,
      { there: 'ledger:read', gone: 'ledger:gone' },
    )
    expect(value).toEqual(['by name', 'TOOL_NOT_FOUND'])
  })

  test('that fail throw: caught, the program goes on; not caught, it ends there with the line', async () => {
    const path = join(directory, 'none.txt')
    const caught = await ran(
      'try { await tools.files.read_text_file(args) } catch (error) { return { code: error.code, said: error.message } }',
      { path },
    )
    expect(caught).toMatchObject({
      status: 'complete',
      value: { code: 'TOOL_ERROR', said: expect.stringContaining('ENOENT') },
      calls: [{ ok: false, error: { code: 'TOOL_ERROR' } }],
    })
    const failed = await ran('const a = 1\nawait tools.files.read_text_file(args)\nreturn a', { path })
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'CODE_FAILED', message: expect.stringMatching(/Line 2: .*ENOENT/) },
    })
    expect(failed.value).toBeUndefined()
  })

  test('are declared by discover in TypeScript that a program may be written by', async () => {
    const found = dataOf<{ types: string }>(
      await gateway.client.callTool({
        name: 'discover',
        arguments: { intent: 'read a text file', types: true, limit: 2 },
      }),
    )
    expect(found.types).toMatch(/files: \{/)
    expect(found.types).toMatch(
      /read_text_file\(args: \{ path: string; [^}]*\}\): Promise<\{ content: string \}>/,
    )
  })
})

describe('limits', () => {
  const limited = async (code: object): Promise<void> => {
    rule({ code })
    await sleep(600)
  }
  afterAll(() => limited({}))

  test('a loop without end, and a wait without end, end with the wall clock; the next program runs', async () => {
    await limited({ wallMs: 1_000 })
    for (const endless of ['for (;;) {}', 'await new Promise(() => {})', 'while (true) await null']) {
      const begin = performance.now()
      const { status, error } = await ran(`console.log('in')\n${endless}`)
      expect([status, error?.code], endless).toEqual(['failed', 'CODE_TIMEOUT'])
      expect(performance.now() - begin).toBeLessThan(3_000)
    }
    expect((await ran('return "alive"')).value).toBe('alive')
  })

  test('memory that grows without end is an error of its own', async () => {
    await limited({ wallMs: 20_000, heapMb: 64, memoryMb: 128 })
    const heap = await ran('const all = []\nfor (;;) all.push(new Array(10_000).fill("x" + all.length))')
    expect(heap.error?.code).toBe('CODE_MEMORY')
    const buffers = await ran('const all = []\nfor (;;) all.push(new Uint8Array(10_000_000).fill(1))')
    expect(buffers.error?.code).toBe('CODE_MEMORY')
    expect((await ran('return "alive"')).value).toBe('alive')
  })

  test('more calls than it may make are an error of their own', async () => {
    await limited({ maxCalls: 10 })
    const { error, calls } = await ran('for (;;) await tools.ledger.read({ token: "many" })')
    expect(error?.code).toBe('CODE_CALLS')
    expect(calls).toHaveLength(10)
    expect(called('many')).toHaveLength(10)
  })

  test('switched off, it says so and runs nothing', async () => {
    await limited({ enabled: false })
    const off = await send('return await tools.ledger.append({ token: "off" })')
    expect(off.isError).toBe(true)
    expect(dataOf<Reply>(off).error).toMatchObject({ code: 'CODE_OFF' })
    expect(called('off')).toEqual([])
  })
})

describe('a dangerous call', () => {
  /** A write, a question, a write that builds on the answer: nothing of it may happen twice. */
  const program = `
    const lot = Math.random().toString(36).slice(2, 8)
    const { token } = await tools.ledger.append({ token: args.at + ' before ' + lot })
    console.log('asking')
    const gone = await tools.ledger.erase({ token: args.at + ' erased ' + lot })
    await tools.ledger.append({ token: args.at + ' after ' + lot })
    return { lot, token, gone: gone.token }`

  test('asks, and the same program goes on when a person has approved at a command line', async () => {
    const asked = await ran(program, { at: 'yes' }, { intent: 'clean up' })
    expect(asked).toMatchObject({
      status: 'approval_required',
      calls: [{ tool: 'ledger:append', ok: true }],
      decision: { tool: 'ledger:erase' },
    })
    expect(asked.next).toContain(`pml approve ${asked.decision?.id}`)
    expect((await control(asked.workflow_id, 'status')).status).toBe('approval_required')
    const approved = await pml('approve', asked.decision!.id)
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('ledger:erase') })
    const done = await ended(asked.workflow_id)
    const { lot } = done.value as { lot: string }
    expect(done).toMatchObject({
      status: 'complete',
      value: { token: `yes before ${lot}`, gone: `yes erased ${lot}` },
      logs: ['asking'],
    })
    expect(called('yes')).toEqual([
      `append yes before ${lot}`,
      `erase yes erased ${lot}`,
      `append yes after ${lot}`,
    ])
  })

  test('that is refused throws; whoever catches that goes on', async () => {
    const asked = await ran(program, { at: 'no' })
    expect((await pml('reject', asked.decision!.id, '--reason', 'not today')).code).toBe(0)
    expect(await ended(asked.workflow_id)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('not today') },
    })
    const caught = await ran(
      'const no = await tools.ledger.erase({ token: "no-2" }).catch((error) => error.code)\nreturn { no }',
    )
    await control(caught.workflow_id, 'reject', { decision: caught.decision!.id })
    expect(await ended(caught.workflow_id)).toMatchObject({
      status: 'complete',
      value: { no: 'NOT_APPROVED' },
    })
    expect(called('no').filter((entry) => entry.startsWith('erase'))).toEqual([])
  })

  test('of two at once asks twice, and each answer is for its own', async () => {
    const asked = await ran(`
      const both = await Promise.allSettled(['one', 'two'].map((at) => tools.ledger.erase({ token: 'pair ' + at })))
      return both.map(({ status }) => status)`)
    const [first, second] = await eventually(
      async () => (await control(asked.workflow_id, 'status')).decisions ?? [],
      (decisions) => decisions.length === 2,
    )
    await pml('reject', first!.id)
    expect((await control(asked.workflow_id, 'status')).status).toBe('approval_required')
    await pml('approve', second!.id)
    expect((await ended(asked.workflow_id)).value).toEqual(['rejected', 'fulfilled'])
    expect(called('pair')).toEqual(['erase pair two'])
  })

  test('waits longer than a program may run', async () => {
    rule({ code: { wallMs: 1_000 } })
    await sleep(600)
    const asked = await ran(program, { at: 'slow' })
    await sleep(1_500)
    expect((await control(asked.workflow_id, 'status')).status).toBe('approval_required')
    await pml('approve', asked.decision!.id)
    expect((await ended(asked.workflow_id)).status).toBe('complete')
    rule({})
    await sleep(600)
  })

  test('outlives its gateway: begun anew by the next one, nothing that ran before runs twice', async () => {
    const asked = await ran(program, { at: 'kill' })
    process.kill(gateway.pid, 'SIGKILL')
    await eventually(
      () => alive(gateway.pid),
      (lives) => !lives,
    )
    gateway = await house.stdio()
    expect((await control(asked.workflow_id, 'status')).status).toBe('approval_required')
    expect((await pml('approve', asked.decision!.id)).code).toBe(0)
    const done = await ended(asked.workflow_id)
    const { lot } = done.value as { lot: string }
    expect(done).toMatchObject({ status: 'complete', value: { gone: `kill erased ${lot}` } })
    expect(called('kill')).toEqual([
      `append kill before ${lot}`,
      `erase kill erased ${lot}`,
      `append kill after ${lot}`,
    ])
  })
})

describe('a run of code', () => {
  const kill = async (): Promise<void> => {
    process.kill(gateway.pid, 'SIGKILL')
    await eventually(
      () => alive(gateway.pid),
      (lives) => !lives,
    )
    gateway = await house.stdio()
  }

  test('that takes long is told as running, and its value is there when it has ended', async () => {
    rule({ replyWithinMs: 500 })
    await sleep(600)
    const begun = await ran('await tools.ledger.slow_append({ token: "long", ms: 1_500 })\nreturn "at last"')
    expect(begun.status).toBe('running')
    expect(await ended(begun.workflow_id)).toMatchObject({ status: 'complete', value: 'at last' })
    rule({})
    await sleep(600)
  })

  test('is paused between its calls, goes on, and is aborted', async () => {
    rule({ replyWithinMs: 500 })
    await sleep(600)
    const steps = (name: string): string =>
      `for (let n = 0; n < 4; n++) await tools.ledger.slow_append({ token: '${name} ' + n, ms: 400 })\nreturn 'done'`
    const paused = await ran(steps('pause'))
    await control(paused.workflow_id, 'pause')
    await eventually(
      async () => (await control(paused.workflow_id, 'status')).status,
      (status) => status === 'paused',
    )
    const soFar = called('pause').length
    await sleep(1_000)
    expect(called('pause')).toHaveLength(soFar)
    await control(paused.workflow_id, 'resume')
    expect(await ended(paused.workflow_id)).toMatchObject({ status: 'complete', value: 'done' })
    expect(called('pause')).toHaveLength(4)

    const aborted = await ran(steps('abort'))
    await control(aborted.workflow_id, 'abort')
    expect((await ended(aborted.workflow_id)).status).toBe('aborted')
    const calls = called('abort').length
    await sleep(1_000)
    expect(called('abort')).toHaveLength(calls)
    rule({})
    await sleep(600)
  })

  test('whose gateway dies during a call that must not be repeated asks what is to become of that one', async () => {
    const cut = gateway.client
      .callTool({
        name: 'execute_code',
        arguments: {
          code: `
            await tools.ledger.append({ token: 'cut first' })
            const { token } = await tools.ledger.slow_append({ token: 'cut second', ms: 2_000 })
            await tools.ledger.append({ token: 'cut third' })
            return token`,
          intent: 'cut off in the middle',
        },
      })
      .catch(() => undefined)
    await eventually(
      () => called('cut'),
      (calls) => calls.length === 2,
    )
    await kill()
    await cut
    const { runs } = JSON.parse((await pml('runs', '--json')).stdout) as {
      runs: readonly { id: string; intent?: string }[]
    }
    const { id } = runs.find(({ intent }) => intent === 'cut off in the middle')!
    const waiting = await eventually(
      () => control(id, 'status'),
      ({ status }) => status === 'interrupted',
    )
    expect(called('cut')).toEqual(['append cut first', 'slow_append cut second'])
    expect(waiting.decision).toMatchObject({ task: 'code[1]', tool: 'ledger:slow_append' })
    expect((await pml('approve', waiting.decision!.id)).code).toBe(0)
    expect(await ended(id)).toMatchObject({ status: 'complete', value: 'cut second' })
    expect(called('cut')).toEqual([
      'append cut first',
      'slow_append cut second',
      'slow_append cut second',
      'append cut third',
    ])
  })

  test('does the same again when it is begun anew: by the clock, by chance, and by who came first', async () => {
    const asked = await ran(`
      const lot = crypto.randomUUID()
      await Promise.all([
        tools.ledger.slow_append({ token: 'same all ' + lot, ms: 300 }),
        tools.ledger.append({ token: 'same all ' + Date.now() }),
      ])
      const at = Date.now()
      const first = await Promise.race([
        tools.ledger.slow_append({ token: 'same race', ms: 400 }).then(() => 'slow'),
        tools.ledger.append({ token: 'same race' }).then(() => 'fast'),
      ])
      await tools.ledger.append({ token: 'same ' + first + ' ' + (Date.now() >= at) + ' ' + at })
      await tools.ledger.erase({ token: 'same erased' })
      return { first, lot }`)
    expect(asked.status).toBe('approval_required')
    const before = called('same')
    expect(before).toHaveLength(5)
    await kill()
    expect((await pml('approve', asked.decision!.id)).code).toBe(0)
    expect(await ended(asked.workflow_id)).toMatchObject({ status: 'complete', value: { first: 'fast' } })
    expect(called('same')).toEqual([...before, 'erase same erased'])
  })

  test('goes on in the same request where its client asks the person itself', async () => {
    const asked: string[] = []
    const other = await house.stdio({
      era: 'legacy',
      capabilities: { elicitation: { form: {} } },
      setUp(client) {
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          asked.push(params.message)
          return { action: 'accept', content: { approve: true } }
        })
      },
    })
    const answer = await other.client.callTool({
      name: 'execute_code',
      arguments: {
        code: `
          await tools.ledger.append({ token: 'asked before' })
          const { token } = await tools.ledger.erase({ token: 'asked' })
          return { token }`,
      },
    })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('ledger:erase')
    expect(dataOf<Reply>(answer)).toMatchObject({ status: 'complete', value: { token: 'asked' } })
    expect(called('asked')).toEqual(['append asked before', 'erase asked'])
    await other.close()
  })

  test('that holds a secret does not show it, neither in what it says nor in what is kept of it', async () => {
    const reply = await ran(
      `console.log('with ${secret}')
       const { token } = await tools.ledger.read({ token: '${secret}' })
       const again = await tools.ledger.read({ token: 'hidden' })
       return { length: token.length + again.token.length }`,
      {},
      { intent: `use ${secret} to read` },
    )
    expect(reply).toMatchObject({ status: 'complete', value: { length: secret.length + 6 } })
    expect(JSON.stringify(reply)).not.toContain(secret)
    expect((await pml('runs', 'show', reply.workflow_id, '--json')).stdout).not.toContain(secret)
    const found = await gateway.client.callTool({
      name: 'discover',
      arguments: { intent: 'use to read', kind: 'capability', types: true },
    })
    expect(JSON.stringify(found)).not.toContain(secret)
  })
})

test('a client that goes away ends its program: the call under way ends, no other begins', async () => {
  const left = new AbortController()
  const answer = gateway.client.callTool(
    {
      name: 'execute_code',
      arguments: {
        code: `
          await tools.ledger.slow_append({ token: 'gone 1', ms: 1_000 })
          await tools.ledger.append({ token: 'gone 2' })`,
        intent: 'left alone',
      },
    },
    { signal: left.signal },
  )
  await eventually(
    () => called('gone'),
    (calls) => calls.length === 1,
  )
  left.abort('no more')
  await expect(answer).rejects.toThrow()
  const run = await eventually(
    async () =>
      (
        JSON.parse((await pml('runs', '--json')).stdout) as { runs: { intent?: string; status: string }[] }
      ).runs.find(({ intent }) => intent === 'left alone'),
    (found) => found !== undefined && found.status !== 'running',
  )
  expect(run?.status).toBe('aborted')
  await sleep(1_200)
  expect(called('gone')).toEqual(['slow_append gone 1'])
})
