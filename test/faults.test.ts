/** Bad input and faults: whatever a client, a server or an editor does wrong, it is answered, and everything else goes on. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { alive, dataOf, eventually, fixture, type House, openHouse, root, textOf } from './harness.js'
import { commandOf, processesOf } from './servers/processes-of.js'
import {
  type Answer,
  callLine,
  closeRawClients,
  openRawClient,
  type RawClient,
  startRawClient,
} from './servers/raw-client.js'

const proxy = { exposure: 'proxy' }
/** Seconds are promised of a machine with a core to spare; on a busier one they are longer by as much as it is busier. */
const patience = (): number => Math.min(4, Math.max(1, loadavg()[0]! / availableParallelism()))
const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
const notUtf8 = (before: string, after: string): Buffer =>
  Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe]), Buffer.from(after)])

interface Failure {
  readonly code: string
  readonly message: string
  readonly hint: string
}
const errorOf = (result: unknown): Failure => dataOf<{ error: Failure }>(result).error

interface Status {
  readonly pid: number
  readonly servers: readonly {
    readonly name: string
    readonly status: string
    readonly pids: readonly number[]
    readonly trouble?: { readonly kind: string }
  }[]
}
const statusOf = async (house: House): Promise<Status> =>
  JSON.parse((await house.pml('status', '--json')).stdout) as Status

describe('what a client writes to standard input', () => {
  let house: House
  const clients: { holder: RawClient; bridge: RawClient } = {} as never
  beforeAll(async () => {
    house = openHouse({ echo: fixture('echo'), counter: fixture('counter') }, proxy)
    clients.holder = await openRawClient(house)
    await clients.holder.call('echo__echo', { text: 'up' })
    clients.bridge = await openRawClient(house)
  })
  afterAll(async () => {
    await closeRawClients()
    await house.close()
  })

  const works = async (client: RawClient): Promise<void> =>
    expect((await client.call('echo__echo', { text: 'still here' })).result?.content[0]?.text).toBe(
      'still here',
    )

  const badLines: readonly (readonly [what: string, line: string | Buffer, codes: readonly number[]])[] = [
    ['text that is no JSON', 'increment!', [-32700]],
    ['half a message', callLine(1, 'counter__increment').slice(0, -2), [-32700]],
    [
      'a call in bytes that are not UTF-8',
      notUtf8(callLine(1, 'counter__increment', '{"a":"').slice(0, -2), '"}}}'),
      [-32700],
    ],
    ['10 MB that are no JSON', 'x'.repeat(10_000_000), [-32700]],
    ['20 MB that are no JSON', 'x'.repeat(20_000_000), [-32600]],
    ['a batch', `[${callLine(1, 'counter__increment')}]`, [-32600]],
    ['10,000 levels of brackets', deep, [-32600]],
    ['an id of 10,000 levels', `{"jsonrpc":"2.0","id":${deep},"method":"ping"}`, [-32600]],
    ['a number', '7', [-32600]],
    [
      'a notification whose params are no object',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}',
      [-32600],
    ],
    ['a cancellation of nothing', '{"jsonrpc":"2.0","method":"notifications/cancelled"}', []],
    [
      'a cancellation of an odd id',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
      [],
    ],
    [
      'progress of nothing',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5}}',
      [],
    ],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"notifications/nonsense","params":{"a":[]}}', []],
    ['an answer to a question never asked', '{"jsonrpc":"2.0","id":999,"result":{}}', []],
    [
      'an error for a question never asked',
      '{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}',
      [],
    ],
  ]
  const badRequests: readonly (readonly [what: string, rest: string, code: number])[] = [
    ['an unknown method', '"jsonrpc":"2.0","method":"no/such"', -32601],
    ['another JSON-RPC', '"jsonrpc":"1.0","method":"ping"', -32600],
    ['a call without params', '"jsonrpc":"2.0","method":"tools/call"', -32602],
    ['a call of a number', '"jsonrpc":"2.0","method":"tools/call","params":{"name":7}', -32602],
    [
      'a call whose arguments are a list',
      '"jsonrpc":"2.0","method":"tools/call","params":{"name":"counter__increment","arguments":[]}',
      -32602,
    ],
    [
      'a call of 20 MB',
      `"jsonrpc":"2.0","method":"tools/call","params":{"name":"counter__increment","arguments":{"a":"${'x'.repeat(20_000_000)}"}}`,
      -32600,
    ],
  ]

  for (const seat of ['holder', 'bridge'] as const) {
    it.each(badLines)(`the ${seat} survives %s`, async (_what, line, codes) => {
      const client = clients[seat]
      const before = client.refusals().length
      client.write(line)
      await works(client)
      expect(
        client
          .refusals()
          .slice(before)
          .map((answer) => answer.error?.code),
      ).toEqual(codes)
    })

    it.each(badRequests)(`the ${seat} answers %s under its id`, async (what, rest, code) => {
      const client = clients[seat]
      // The id stands first or last, as clients write it.
      for (const line of [`{"id":"first ${what}",${rest}}`, `{${rest},"id":"last ${what}"}`])
        client.write(line)
      const answers = [await client.answers(`first ${what}`), await client.answers(`last ${what}`)]
      expect(answers.flat().map((answer) => answer.error?.code)).toEqual([code, code])
      await works(client)
    })

    it(`the ${seat} carries out a call of 10 MB`, async () => {
      const { result } = await clients[seat].call('echo__echo', { text: 'y'.repeat(10_000_000) })
      expect(result?.content[0]?.text).toMatch(/cut: 10000000 characters/)
      await works(clients[seat])
    })

    it(`the ${seat} says of arguments of 10,000 levels that they are the caller's fault`, async () => {
      const client = clients[seat]
      client.write(callLine('deep', 'counter__increment', `{"a":${deep}}`))
      const [answer] = await client.answers('deep')
      expect(errorOf(answer!.result)).toMatchObject({
        code: 'BAD_ARGUMENTS',
        message: expect.stringMatching(/level|deep/),
      })
      await works(client)
    })

    it(`the ${seat} answers every one of several requests with the same id`, async () => {
      const client = clients[seat]
      for (const ms of [120, 60, 0]) client.write(callLine('same', 'echo__sleep', JSON.stringify({ ms })))
      const texts = (await client.answers('same', 3)).map((answer) => answer.result?.content[0]?.text)
      expect(texts.sort()).toEqual(['slept 0 ms', 'slept 120 ms', 'slept 60 ms'])
      await works(client)
    })
  }

  it('nothing of all this was carried out', async () => {
    expect((await clients.holder.call('counter__increment')).result?.content[0]?.text).toBe('1')
  })
})

const suite = join(root, '../shared/corpora/json-test-suite/test_parsing')
const strings = join(root, '../shared/corpora/naughty-strings/blns.json')
for (const path of [suite, strings])
  if (!existsSync(path)) console.info(`skipped: there is no corpus at ${path}`)

interface CorpusFile {
  readonly name: string
  readonly bytes: Buffer
}
/** As one line: a carriage return is as good a blank as a newline, and as bad a character in a string. */
const readSuite = (): readonly CorpusFile[] =>
  readdirSync(suite).map((name) => ({
    name,
    bytes: Buffer.from(readFileSync(join(suite, name)).map((byte) => (byte === 0x0a ? 0x0d : byte))),
  }))

/** A call of `counter` with the file among its arguments. */
const asCall = ({ name, bytes }: CorpusFile): Buffer =>
  Buffer.concat([
    Buffer.from(
      `{"jsonrpc":"2.0","id":${JSON.stringify(name)},"method":"tools/call","params":{"name":"counter__increment","arguments":{"value":`,
    ),
    bytes,
    Buffer.from('}}}'),
  ])

describe.runIf(existsSync(suite))('the JSON test suite', () => {
  let house: House
  beforeAll(() => {
    house = openHouse({ counter: fixture('counter') }, proxy)
  })
  afterAll(async () => {
    await closeRawClients()
    await house.close()
  })
  const starting = (files: readonly CorpusFile[], start: string): readonly CorpusFile[] =>
    files.filter(({ name }) => name.startsWith(start))
  const countOf = (answer: Answer): number => Number(answer.result?.content[0]?.text)

  it('as lines: what is JSON is carried out, what is none never is', async () => {
    const files = readSuite()
    const holder = await openRawClient(house)
    let carriedOut = countOf(await holder.call('counter__increment'))
    const bridge = await openRawClient(house)
    for (const client of [holder, bridge]) {
      for (const { bytes } of files) client.write(bytes)
      expect(countOf(await client.call('counter__increment'))).toBe(++carriedOut)

      const refused = client.refusals().length
      const bad = starting(files, 'n_')
      for (const file of bad) client.write(asCall(file))
      expect(countOf(await client.call('counter__increment'))).toBe(++carriedOut)
      expect(
        client
          .refusals()
          .slice(refused)
          .map((answer) => answer.error?.code),
      ).toEqual(bad.map(() => -32700))

      const good = starting(files, 'y_')
      for (const file of good) client.write(asCall(file))
      for (const { name } of good) expect((await client.answers(name))[0]!.result, name).toBeDefined()
      carriedOut += good.length

      const either = starting(files, 'i_')
      for (const file of either) client.write(asCall(file))
      await client.call('counter__pid')
      carriedOut = countOf(await client.call('counter__increment'))
      expect(client.stderr()).toBe('')
    }
  }, 60_000)

  it('as HTTP bodies: what is JSON is carried out, what is none never is', async () => {
    const http = await house.http()
    const session = await openHttpSession(http.url)
    const before = Number(textOf(await session.call('counter__increment')))
    for (const file of readSuite()) {
      const raw = await session.post(file.bytes)
      expect(raw.status, file.name).toBeGreaterThanOrEqual(400)
      if (file.name.startsWith('i_')) continue
      const call = await session.post(asCall(file))
      if (file.name.startsWith('n_'))
        expect(call, file.name).toMatchObject({ status: 400, body: { error: { code: -32700 } } })
      else expect(call, file.name).toMatchObject({ status: 200, body: { id: file.name } })
    }
    const good = starting(readSuite(), 'y_').length
    expect(Number(textOf(await session.call('counter__increment')))).toBe(before + good + 1)
    await http.close()
  }, 60_000)
})

describe.runIf(existsSync(strings))('the big list of naughty strings', () => {
  const naughty = existsSync(strings) ? (JSON.parse(readFileSync(strings, 'utf8')) as readonly string[]) : []
  let house: House
  let client: Client
  beforeAll(async () => {
    house = openHouse({ echo: fixture('echo') }, { maxResultTokens: 1_000_000, exposure: 'hybrid' })
    client = (await house.stdio()).client
  })
  afterAll(() => house.close())

  it('comes back unchanged as arguments', async () => {
    const back = await Promise.all(
      naughty.map(async (text) => textOf(await client.callTool({ name: 'echo:echo', arguments: { text } }))),
    )
    expect(naughty.filter((text, at) => back[at] !== text)).toEqual([])
  })

  it('comes back unchanged from a workflow, also by reference and from the journal', async () => {
    for (const part of [naughty.slice(0, 300), naughty.slice(300)]) {
      // The value of a text that is a JSON object or array is what it says.
      const values = part.map((text) => (/^\s*[[{]/.test(text) ? parseOr(text) : text))
      const tasks = part.flatMap((text, at) => [
        { id: `a${at}`, tool: 'echo:echo', arguments: { text } },
        ...(at % 5 === 0 && typeof values[at] === 'string'
          ? [{ id: `b${at}`, tool: 'echo:echo', arguments: { text: { $from: `a${at}` } } }]
          : []),
      ])
      const run = dataOf<WorkflowReply>(
        await client.callTool({ name: 'execute_workflow', arguments: { tasks } }),
      )
      const journal = dataOf<WorkflowReply>(
        await client.callTool({
          name: 'control_workflow',
          arguments: { workflow_id: run.workflow_id, action: 'status' },
        }),
      )
      for (const { tasks: outcomes } of [run, journal]) {
        const results = new Map(outcomes.map((task) => [task.id, task.result]))
        expect(values.map((_, at) => results.get(`a${at}`))).toEqual(values)
        for (const { id } of tasks.filter((task) => task.id.startsWith('b')))
          expect(results.get(id)).toBe(results.get(id.replace('b', 'a')))
      }
    }
  }, 60_000)

  it('names no tool and finds no way past the search', async () => {
    const answers = await Promise.all(
      naughty.flatMap((text) => [
        client.callTool({ name: `x${text}`, arguments: {} }),
        client.callTool({ name: 'discover', arguments: { intent: `x${text}` } }),
      ]),
    )
    for (const [at, answer] of answers.entries()) {
      if (at % 2 === 0) expect(errorOf(answer).code).toBe('TOOL_NOT_FOUND')
      else expect(dataOf(answer).status).toBe('complete')
    }
  }, 60_000)
})

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

interface WorkflowReply {
  readonly status: string
  readonly workflow_id: string
  readonly tasks: readonly {
    readonly id: string
    readonly status: string
    readonly result?: unknown
    readonly error?: Failure
  }[]
}

interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: {
    readonly result?: unknown
    readonly error?: { readonly code: unknown; readonly message: string }
  }
}

/** As it is written, the Host header included, which fetch does not let through. */
function sendHttp(
  url: string,
  body: string | Buffer,
  headers: OutgoingHttpHeaders,
  method = 'POST',
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      const json = /^data: (.*)$/m.exec(text)?.[1] ?? text
      resolve({
        status: response.statusCode!,
        headers: response.headers,
        body: parseOr(json) as HttpAnswer['body'],
      })
    })
    request.once('error', reject)
    request.end(body)
  })
}

const plainHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
}

/** A client of a 2025 revision at /mcp that may post any bytes. */
async function openHttpSession(address: string) {
  const url = new URL('mcp', address).href
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1.0.0' },
  }
  const opened = await sendHttp(
    url,
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
    plainHeaders,
  )
  const own = { ...plainHeaders, 'mcp-session-id': String(opened.headers['mcp-session-id']) }
  const post = (
    body: string | Buffer,
    headers: OutgoingHttpHeaders = {},
    method?: string,
  ): Promise<HttpAnswer> => sendHttp(url, body, { ...own, ...headers }, method)
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  return {
    post,
    call: async (tool: string, args: unknown = {}): Promise<unknown> =>
      (await post(callLine(1, tool, JSON.stringify(args)))).body.result,
  }
}

describe('what a client posts to /mcp', () => {
  let house: House
  let session: Awaited<ReturnType<typeof openHttpSession>>
  let modern: Client
  beforeAll(async () => {
    house = openHouse({ echo: fixture('echo'), counter: fixture('counter') }, proxy)
    const http = await house.http()
    session = await openHttpSession(http.url)
    modern = await http.client()
    await session.call('echo__echo', { text: 'up' })
  })
  afterAll(() => house.close())

  const increment = callLine(1, 'counter__increment')
  it.each<
    [what: string, body: string | Buffer, headers: OutgoingHttpHeaders, status: number, code: string | number]
  >([
    ['another content type', increment, { 'content-type': 'text/plain' }, 415, -32000],
    ['no content type', increment, { 'content-type': '' }, 415, -32000],
    ['text that is no JSON', 'increment!', {}, 400, -32700],
    ['nothing', '', {}, 400, -32700],
    ['half a message', increment.slice(0, -1), {}, 400, -32700],
    [
      'bytes that are not UTF-8',
      notUtf8(callLine(1, 'counter__increment', '{"a":"').slice(0, -2), '"}}}'),
      {},
      400,
      -32700,
    ],
    ['20 MB', callLine(1, 'counter__increment', `{"a":"${'x'.repeat(20_000_000)}"}`), {}, 413, -32000],
    ['10,000 levels of brackets', deep, {}, 400, -32600],
    ['another host name', increment, { host: 'evil.example' }, 403, 'BAD_HOST'],
    ['the origin of another site', increment, { origin: 'https://evil.example' }, 403, 'BAD_ORIGIN'],
    ['a session that was never opened', increment, { 'mcp-session-id': 'no-such' }, 404, -32001],
    ['a revision that never was', increment, { 'mcp-protocol-version': '1999-01-01' }, 400, -32000],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"no/such"}', {}, 200, -32601],
    [
      'a call of a number',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}',
      {},
      200,
      -32602,
    ],
  ])('%s is refused, and the next call works', async (_what, body, headers, status, code) => {
    const answer = await session.post(body, headers)
    expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status, code })
    expect(textOf(await session.call('echo__echo', { text: 'still here' }))).toBe('still here')
    expect(textOf(await modern.callTool({ name: 'echo__echo', arguments: { text: 'and here' } }))).toBe(
      'and here',
    )
  })

  it('answers to nobody and odd notifications are taken in silence', async () => {
    for (const body of [
      '{"jsonrpc":"2.0","id":999,"result":{}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5}}',
    ]) {
      expect((await session.post(body)).status).toBe(202)
    }
    expect(textOf(await session.call('echo__echo', { text: 'still here' }))).toBe('still here')
  })

  it('a body that never ends and a body beyond all bounds harm nobody', async () => {
    const broken = session.post('{"jsonrpc"', { 'content-length': '1000' })
    const endless = session.post('x'.repeat(60_000_000)).catch((error: NodeJS.ErrnoException) => error.code)
    expect(textOf(await session.call('echo__echo', { text: 'meanwhile' }))).toBe('meanwhile')
    expect(['ECONNRESET', 'EPIPE', 413]).toContain(
      await endless.then((answer) => (typeof answer === 'object' ? answer.status : answer)),
    )
    broken.catch(() => {})
  })

  it('arguments of 10,000 levels are the caller’s fault here too', async () => {
    const { status, body } = await session.post(callLine(1, 'counter__increment', `{"a":${deep}}`))
    expect(status).toBe(200)
    expect(errorOf(body.result).code).toBe('BAD_ARGUMENTS')
  })

  it('nothing of all this was carried out', async () => {
    expect(textOf(await session.call('counter__increment'))).toBe('1')
  })
})

describe('what a call gets wrong', () => {
  let house: House
  let client: Client
  beforeAll(async () => {
    house = openHouse({ echo: fixture('echo'), counter: fixture('counter') }, proxy)
    client = (await house.stdio()).client
    await client.listTools()
    // A new store takes its time, and the first workflows wait for it.
    await eventually(
      async () => dataOf(await workflow([{ id: 'a', tool: 'echo:echo', arguments: { text: 'up' } }])),
      ({ stored }) => stored !== false,
      50_000,
    )
  }, 60_000)
  afterAll(() => house.close())
  const workflow = async (tasks: unknown): Promise<unknown> =>
    client.callTool({ name: 'execute_workflow', arguments: { tasks } as never })

  it('an unknown tool is answered with the closest names', async () => {
    const error = errorOf(await client.callTool({ name: 'echo__ecoh', arguments: {} }))
    expect(error).toMatchObject({ code: 'TOOL_NOT_FOUND', message: expect.stringContaining('echo:echo') })
    expect(errorOf(await client.callTool({ name: 'incremnt', arguments: {} })).message).toContain(
      'counter:increment',
    )
  })

  it('bad arguments are answered with what was expected, and where', async () => {
    const error = errorOf(await client.callTool({ name: 'echo__add', arguments: { a: 'one' } }))
    expect(error.code).toBe('BAD_ARGUMENTS')
    expect(error.message).toMatch(/\/a: .*number/)
    expect(error.message).toMatch(/b/)
  })

  it('a workflow that goes round in a circle is refused, and the circle is named', async () => {
    const error = errorOf(
      await workflow([
        { id: 'a', tool: 'echo:echo', arguments: { text: { $from: 'c' } } },
        { id: 'b', tool: 'echo:echo', arguments: { text: 'x' }, dependsOn: ['a'] },
        { id: 'c', tool: 'echo:echo', arguments: { text: { $from: 'b' } } },
        { id: 'd', tool: 'counter:increment' },
      ]),
    )
    expect(error.code).toBe('CYCLIC_TASKS')
    const circle = /circle: (.+)\./.exec(error.message)![1]!.split(' -> ')
    expect([...circle].sort()).toEqual(['a', 'b', 'c', circle[0]].sort())
    expect(circle.at(-1)).toBe(circle[0])
  })

  it('an unknown tool in a task is answered with the closest names', async () => {
    const error = errorOf(await workflow([{ id: 'a', tool: 'counter:incrament' }]))
    expect(error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringContaining('counter:increment'),
    })
  })

  it.each([
    ['of a task that is not there', 'nobody.text', /a.*nobody.*names no task/],
    ['that is none', 'a..b[', /is not a reference/],
    ['to the task itself', 'a.text', /names the task itself/],
    ['that is no text', { deep: true }, /a/],
  ])('a reference %s is refused before anything runs', async (_what, $from, message) => {
    const error = errorOf(
      await workflow([
        { id: 'one', tool: 'counter:increment' },
        { id: 'a', tool: 'echo:echo', arguments: { text: { $from } } },
      ]),
    )
    expect(['BAD_TASKS', 'BAD_REFERENCE', 'BAD_ARGUMENTS']).toContain(error.code)
    expect(error.message).toMatch(message)
  })

  it('a reference that leads nowhere fails its task and says where it ended', async () => {
    const reply = dataOf<WorkflowReply>(
      await workflow([
        { id: 'sum', tool: 'echo:add', arguments: { a: 1, b: 2 } },
        { id: 'lost', tool: 'echo:echo', arguments: { text: { $from: 'sum.total.value' } } },
        { id: 'beside', tool: 'echo:echo', arguments: { text: { $from: 'sum.sum' } }, onError: 'skip' },
      ]),
    )
    expect(reply.tasks.find((task) => task.id === 'lost')).toMatchObject({
      status: 'failed',
      error: { code: 'BAD_REFERENCE', message: expect.stringContaining('sum') },
    })
    expect(reply.tasks.find((task) => task.id === 'sum')).toMatchObject({
      status: 'complete',
      result: { sum: 3 },
    })
  })

  it('a task that takes too long fails in its time, and those beside it do not', async () => {
    const started = Date.now()
    const reply = dataOf<WorkflowReply>(
      await workflow([
        {
          id: 'slow',
          tool: 'echo:sleep',
          arguments: { ms: 20_000 },
          timeoutMs: 400,
          onError: { default: 'too slow' },
        },
        { id: 'beside', tool: 'echo:sleep', arguments: { ms: 700 } },
        { id: 'after', tool: 'echo:echo', arguments: { text: { $from: 'slow' } } },
      ]),
    )
    expect(Date.now() - started).toBeLessThan(5_000 * patience())
    expect(reply.status).toBe('complete')
    const task = (id: string) => reply.tasks.find((one) => one.id === id)
    expect(task('slow')).toMatchObject({ error: { code: 'UPSTREAM_TIMEOUT' } })
    expect(task('beside')).toMatchObject({ status: 'complete', result: 'slept 700 ms' })
    expect(task('after')).toMatchObject({ status: 'complete', result: 'too slow' })
  })

  it('nothing that was refused was carried out in part', async () => {
    expect(textOf(await client.callTool({ name: 'counter__increment', arguments: {} }))).toBe('1')
  })
})

describe('what a server does wrong', () => {
  let house: House
  let client: Client
  beforeAll(async () => {
    house = openHouse(
      {
        echo: fixture('echo'),
        noisy: fixture('noisy'),
        garbage: fixture('garbage'),
        dying: fixture('dying'),
        silent: { ...fixture('silent-call'), timeoutMs: 1_000 },
        stopped: { ...fixture('counter'), timeoutMs: 1_000 },
        hanging: { ...fixture('hanging'), connectTimeoutMs: 4_000 },
      },
      { ...proxy, firstListWaitMs: 10_000 },
    )
    client = (await house.stdio()).client
    await client.listTools()
  }, 60_000)
  afterAll(() => house.close())
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args })
  const only = (script: string): number => {
    const pids = processesOf(house.home, script)
    expect(pids).toHaveLength(1)
    return pids[0]!
  }

  /** What is asked of another server meanwhile is answered as if nothing were wrong, all of it. */
  async function besideOthers<T>(fault: () => Promise<T>): Promise<T> {
    const slow = call('echo__sleep', { ms: 500 })
    const many = Array.from({ length: 50 }, (_, at) => call('echo__echo', { text: `number ${at}` }))
    const outcome = await fault()
    expect(textOf(await slow)).toBe('slept 500 ms')
    expect((await Promise.all(many)).map(textOf)).toEqual(many.map((_, at) => `number ${at}`))
    return outcome
  }

  it('noise between its messages is passed over', async () => {
    const texts = await besideOthers(() =>
      Promise.all(['a', 'b', 'c'].map((text) => call('noisy__shout', { text }))),
    )
    expect(texts.map(textOf)).toEqual(['A', 'B', 'C'])
  })

  it('bytes that are not UTF-8, repeated answers and answers to nobody change nothing', async () => {
    expect(textOf(await besideOthers(() => call('garbage__bad_utf8')))).toBe('after bad bytes')
    expect(textOf(await call('garbage__twice'))).toBe('first')
    expect(textOf(await call('garbage__bad_utf8'))).toBe('after bad bytes')
  })

  it.each(['null_result', 'text_content', 'asks_back'])('%s is an UPSTREAM_PROTOCOL error', async (tool) => {
    expect(errorOf(await call(`garbage__${tool}`))).toMatchObject({
      code: 'UPSTREAM_PROTOCOL',
      message: expect.stringContaining('garbage'),
    })
    expect(textOf(await call('garbage__bad_utf8'))).toBe('after bad bytes')
  })

  it('its own refusal passes through with code and data', async () => {
    await expect(call('garbage__refuse')).rejects.toMatchObject({ code: -32050, data: { reason: 'rain' } })
  })

  it('what is no tool in its list is left out, and the rest is served', async () => {
    const names = (await client.listTools()).tools.map((tool) => tool.name)
    expect(names).toContain('garbage__refuse')
    expect(names).not.toContain('garbage__no_schema')
  })

  it('an answer above the limit is a typed error at once, and its process lives on', async () => {
    const pid = only('garbage.js')
    for (const tool of ['huge_id_first', 'huge_id_last']) {
      const started = Date.now()
      const error = errorOf(await besideOthers(() => call(`garbage__${tool}`, { bytes: 17_000_000 })))
      expect(error.code).toBe('MESSAGE_TOO_LARGE')
      expect(Date.now() - started).toBeLessThan(10_000 * patience())
    }
    expect(textOf(await call('garbage__bad_utf8'))).toBe('after bad bytes')
    expect(only('garbage.js')).toBe(pid)
  })

  it('an answer of 10 MB arrives, cut, with a handle', async () => {
    expect(textOf(await besideOthers(() => call('echo__big', { bytes: 10_000_000 })))).toMatch(
      /cut: 10000000/,
    )
  })

  it('a server that dies in the middle of calls fails each of them at once, and comes back', async () => {
    const pid = only('dying.js')
    const started = Date.now()
    const ended = await besideOthers(() =>
      Promise.all([call('dying__die'), call('dying__die'), call('dying__die')]),
    )
    expect(Date.now() - started).toBeLessThan(5_000 * patience())
    for (const result of ended) {
      expect(errorOf(result)).toMatchObject({
        code: 'UPSTREAM_EXIT',
        message: expect.stringMatching(/dying.*the disk is on fire.*code 3/s),
      })
    }
    expect(alive(pid)).toBe(false)
    const back = await eventually(
      async () => textOf(await call('dying__live')),
      (text) => text.startsWith('alive'),
    )
    expect(back).toBe(`alive as ${only('dying.js')}`)
  })

  it('a call that is never answered ends with its timeout, is cancelled at the server, and the next works', async () => {
    const pid = only('silent-call.js')
    const started = Date.now()
    expect(errorOf(await besideOthers(() => call('silent__wait')))).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      message: expect.stringContaining('1000 ms'),
    })
    expect(Date.now() - started).toBeGreaterThan(950)
    expect(Date.now() - started).toBeLessThan(5_000 * patience())
    expect(JSON.parse(textOf(await call('silent__cancelled')))).toHaveLength(1)
    expect(only('silent-call.js')).toBe(pid)
  })

  it('a process that stands still ends calls with their timeout, and serves on when it moves again', async () => {
    const pid = only('counter.js')
    process.kill(pid, 'SIGSTOP')
    try {
      expect(errorOf(await besideOthers(() => call('stopped__increment'))).code).toBe('UPSTREAM_TIMEOUT')
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    const counted = await eventually(
      () => call('stopped__increment'),
      (result) => result.isError !== true,
    )
    expect(textOf(counted)).toBe('2')
  })

  it('a server that never answers its handshake is named, told as down, and holds nobody up', async () => {
    expect(errorOf(await call('hanging__anything')).message).toMatch(/Still loading or down: hanging/)
    const down = await eventually(
      async () => (await statusOf(house)).servers.find((server) => server.name === 'hanging')!,
      (server) => server.status === 'down',
    )
    expect(down.trouble?.kind).toBe('timeout')
  })

  it('all of them are gone when the gateway is', async () => {
    expect(processesOf(house.home).length).toBeGreaterThanOrEqual(7)
    await house.close()
    expect(processesOf(house.home)).toEqual([])
  })
})

describe('a house that changes', () => {
  let house: House
  afterEach(() => house.close())

  it('a server that hangs today and worked yesterday ends calls with their timeout', async () => {
    house = openHouse({ one: fixture('echo'), other: fixture('echo') }, proxy)
    const first = await house.stdio()
    await first.client.callTool({ name: 'one__echo', arguments: { text: 'yesterday' } })
    await eventually(
      () => statusOf(house),
      ({ servers }) => servers.every(({ status }) => status === 'ready'),
    )
    await first.close()
    house.writeConfig({
      mcpServers: { one: { ...fixture('hanging'), timeoutMs: 800 }, other: fixture('echo') },
      ...proxy,
    })
    const { client } = await house.stdio()
    const started = Date.now()
    const [hung, fine] = await Promise.all([
      client.callTool({ name: 'one__echo', arguments: { text: 'today' } }),
      client.callTool({ name: 'other__echo', arguments: { text: 'fine' } }),
    ])
    expect(errorOf(hung).code).toBe('UPSTREAM_TIMEOUT')
    expect(textOf(fine)).toBe('fine')
    expect(Date.now() - started).toBeLessThan(5_000 * patience())
  })

  it('a definition that changed is not called until a person accepts it, whatever is restarted or killed', async () => {
    const configure = (...args: string[]) =>
      house.writeConfig({ mcpServers: { changing: fixture('changing', ...args) }, ...proxy })
    const greet = async (client: Client) =>
      client.callTool({ name: 'changing__greet', arguments: { name: 'Ada' } })
    house = openHouse({ changing: fixture('changing') }, proxy)
    const first = await house.stdio()
    expect(textOf(await greet(first.client))).toBe('hello Ada')
    await first.client.callTool({ name: 'changing__change', arguments: {} })
    const refused = await eventually(
      () => greet(first.client),
      (result) => result.isError === true,
    )
    expect(errorOf(refused)).toMatchObject({
      code: 'TOOL_QUARANTINED',
      hint: expect.stringContaining('pml trust changing:greet'),
    })
    await first.close()

    configure('changed')
    const second = await house.stdio()
    expect(errorOf(await greet(second.client)).code).toBe('TOOL_QUARANTINED')
    const asked = await house.pml('trust', 'changing:greet')
    expect(asked.code).not.toBe(0)
    expect(errorOf(await greet(second.client)).code).toBe('TOOL_QUARANTINED')
    const trusted = await house.pml('trust', 'changing:greet', '--yes')
    expect(trusted).toMatchObject({ code: 0, stderr: '' })
    expect(trusted.stdout).toMatch(/^ *-.*Greets a person\./m)
    expect(trusted.stdout).toMatch(/^ *\+.*<IMPORTANT>/m)
    expect(trusted.stdout).toContain('Accepted: changing:greet')
    expect(textOf(await greet(second.client))).toBe('hello Ada')
    process.kill(second.pid, 'SIGKILL')
    await second.close()

    const third = await house.stdio()
    expect(textOf(await greet(third.client))).toBe('hello Ada')
    await third.close()

    configure()
    const fourth = await house.stdio()
    const back = await eventually(
      () => greet(fourth.client),
      (result) => result.isError === true,
      5_000,
    )
    expect(errorOf(back).code).toBe('TOOL_QUARANTINED')
  }, 120_000)

  it('servers are taken up and let go as the configuration is edited, and a broken edit changes nothing', async () => {
    house = openHouse({})
    const file = join(house.home, 'team.yaml')
    const yaml = (...servers: string[]): string =>
      `exposure: proxy\nservers:\n${servers.map((name) => `  ${name}: ${JSON.stringify(fixture('echo', name))}\n`).join('')}`
    writeFileSync(file, yaml('one', 'two'))
    const { client, stderr } = await house.stdio({ args: ['--config', file] })
    const names = async (): Promise<string> => {
      const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' })
      return [...new Set(tools.map((tool) => tool.name.split('__')[0]))].join(' ')
    }
    const echo = async (server: string) =>
      client.callTool({ name: `${server}__echo`, arguments: { text: server } })
    expect(await names()).toBe('one two')
    const kept = processesOf(house.home, 'one')
    const inFlight = client.callTool({ name: 'one__sleep', arguments: { ms: 3_000 } })

    writeFileSync(file, yaml('one', 'three'))
    await eventually(names, (list) => list === 'one three')
    expect(textOf(await echo('three'))).toBe('three')
    expect(errorOf(await echo('two')).code).toBe('TOOL_NOT_FOUND')
    await eventually(
      () => processesOf(house.home, 'two'),
      (left) => left.length === 0,
    )

    for (const broken of [`${yaml('one')}limits: [`, `${yaml('one')}limits: 7\n`, '']) {
      const before = stderr().length
      writeFileSync(file, broken)
      await eventually(
        () => stderr().slice(before),
        (text) => /not used/.test(text),
      )
      expect((await statusOf(house)).servers.map(({ name }) => name)).toEqual(['one', 'three'])
      expect(textOf(await echo('three'))).toBe('three')
    }
    writeFileSync(file, yaml('one', 'two'))
    await eventually(names, (list) => list === 'one two')
    expect(textOf(await inFlight)).toBe('slept 3000 ms')
    expect(processesOf(house.home, 'one')).toEqual(kept)
  }, 60_000)
})

describe('when standard input is closed, everything is gone within 2 s', () => {
  let house: House
  afterEach(async () => {
    await closeRawClients()
    await house.close()
  })
  const goneWithin2s = (): Promise<unknown> =>
    eventually(
      () => processesOf(house.home).map(commandOf),
      (left) => left.length === 0,
      2_000 * patience(),
    )

  it('with calls in flight, and servers that ignore every sign', async () => {
    house = openHouse(
      {
        echo: fixture('echo'),
        silent: fixture('silent-call'),
        stubborn: fixture('stubborn'),
        wrapper: fixture('grandchild'),
        stopped: fixture('counter'),
      },
      proxy,
    )
    const client = await openRawClient(house)
    for (const tool of ['echo__echo', 'stubborn__stay', 'wrapper__echo', 'stopped__pid'])
      await client.call(tool, { text: 'up' })
    client.write(callLine('a', 'echo__sleep', '{"ms":60000}'))
    client.write(callLine('b', 'silent__wait'))
    client.write(
      callLine(
        'c',
        'execute_workflow',
        '{"tasks":[{"id":"t","tool":"wrapper:sleep","arguments":{"ms":60000}}]}',
      ),
    )
    process.kill(processesOf(house.home, 'counter.js')[0]!, 'SIGSTOP')
    await sleep(300)
    expect(processesOf(house.home).length).toBeGreaterThanOrEqual(7)
    client.end()
    await goneWithin2s()
  })

  it.each([0, 200, 500, 1_000])('while servers are starting, %i ms after the gateway', async (ms) => {
    house = openHouse({
      echo: fixture('echo'),
      hanging: fixture('hanging'),
      wrapper: fixture('grandchild', 'hanging'),
    })
    const client = startRawClient(house)
    await sleep(ms)
    client.end()
    await goneWithin2s()
  })

  it('for a bridge, whose calls are cancelled and whose holder serves on', async () => {
    house = openHouse({ silent: fixture('silent-call') }, proxy)
    const holder = await openRawClient(house)
    await holder.call('silent__cancelled')
    const bridge = await openRawClient(house)
    bridge.write(callLine('a', 'silent__wait'))
    await sleep(300)
    const started = Date.now()
    bridge.end()
    await bridge.exited
    expect(Date.now() - started).toBeLessThan(2_000 * patience())
    const cancelled = await eventually(
      async () => JSON.parse((await holder.call('silent__cancelled')).result!.content[0]!.text) as unknown[],
      (ids) => ids.length > 0,
    )
    expect(cancelled).toHaveLength(1)
    expect(alive(holder.pid)).toBe(true)
  })

  it('for a bridge that is just about to take over', async () => {
    house = openHouse({ echo: fixture('echo') }, proxy)
    const holder = await openRawClient(house)
    await holder.call('echo__echo', { text: 'up' })
    const bridge = await openRawClient(house)
    await bridge.call('echo__echo', { text: 'up' })
    process.kill(holder.pid, 'SIGKILL')
    await sleep(150)
    bridge.end()
    await goneWithin2s()
  })

  it('for a process that waits for a holder that does not answer', async () => {
    house = openHouse({ echo: fixture('echo') }, proxy)
    const holder = await openRawClient(house)
    process.kill(holder.pid, 'SIGSTOP')
    const waiting = startRawClient(house)
    await sleep(1_000)
    const started = Date.now()
    waiting.end()
    await Promise.race([waiting.exited, sleep(4_000)])
    expect(Date.now() - started).toBeLessThan(2_000 * patience())
  })
})
