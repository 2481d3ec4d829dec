import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { EventLog } from '../execute/event-log.js'
import { createRedact } from '../model/redact.js'
import type { RunEvent } from '../model/run-event.js'
import { formatToolId } from '../model/tool.js'
import { type SendEventsOptions, sendRunEvents } from './run-events-sse.js'
import { eventually, makeTool, openTestGateway } from './test-gateway.contract.js'

let server: Server | undefined
let sent: Promise<void>
afterEach(async () => {
  const closing = server
  server = undefined
  closing?.closeAllConnections()
  await new Promise((resolve) => (closing === undefined ? resolve(undefined) : closing.close(resolve)))
})

async function serve(
  events: AsyncIterable<RunEvent>,
  options: Partial<SendEventsOptions> = {},
): Promise<string> {
  const listening = createServer((request, response) => {
    sent = sendRunEvents(request, response, events, {
      redact: (text) => text,
      heartbeatMs: 60_000,
      isReplayed: true,
      ...options,
    })
  })
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`
}

function taskEnd(id: string, result: string): RunEvent {
  return {
    type: 'task-end',
    runId: 'r',
    task: { id, tool: formatToolId('files', 'read'), arguments: {}, status: 'complete', result },
  }
}

/** May be read several times. */
function listed(...events: readonly RunEvent[]): AsyncIterable<RunEvent> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* events
    },
  }
}

function listen(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { headers }, resolve).on('error', reject).end()
  })
}

it('an event is its number, its type and its JSON; the stream ends with the run', async () => {
  const end: RunEvent = { type: 'run-end', run: { id: 'r', status: 'complete', tasks: [], startedAt: 0 } }
  const answer = await fetch(await serve(listed(taskEnd('a', 'one\ntwo'), end)))
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  expect(await answer.text()).toBe(
    `id: 1\nevent: task-end\ndata: ${JSON.stringify(taskEnd('a', 'one\ntwo'))}\n\nid: 2\nevent: run-end\ndata: ${JSON.stringify(end)}\n\n`,
  )
})

it('no secret leaves, whatever kind of event it stands in', async () => {
  const secret = 'sk-12345678'
  const error = { code: 'X', message: secret, hint: secret }
  const task = {
    id: 'a',
    tool: formatToolId('a', 'b'),
    arguments: { a: secret },
    status: 'failed' as const,
    error,
  }
  const decision = {
    ...{
      id: 'd',
      kind: 'call' as const,
      caller: secret,
      tool: formatToolId('a', 'b'),
      arguments: { a: secret },
    },
    ...{ argumentsHash: '', policyVersion: '', risk: 'dangerous' as const, why: secret, soFar: secret },
    ...{ answeredBy: 'human' as const, requestedAt: 0, expiresAt: 0, refusals: [] },
  }
  const run = {
    id: 'r',
    intent: secret,
    status: 'failed' as const,
    tasks: [task],
    startedAt: 0,
    decisions: [decision],
  }
  const events: readonly RunEvent[] = [
    { type: 'run-start', run },
    { type: 'task-start', runId: 'r', task },
    { type: 'task-retry', runId: 'r', task, error, inMs: 1 },
    { type: 'decision-request', runId: 'r', decision },
    {
      type: 'decision-end',
      runId: 'r',
      decision: { ...decision, answer: { verdict: 'reject', by: 'page', reason: secret, at: 0 } },
    },
    {
      type: 'command-accept',
      runId: 'r',
      command: { type: 'modify', task: 'a', arguments: { [secret]: secret } },
    },
    { type: 'command-end', runId: 'r', command: { type: 'abort', reason: secret }, refused: error },
    { type: 'command-accept', runId: 'r', command: { type: 'replan', requirement: secret, tasks: [] } },
    { type: 'plan-change', runId: 'r', tasks: [task] },
    { type: 'run-end', run },
  ]
  const text = await (await fetch(await serve(listed(...events), { redact: createRedact([secret]) }))).text()
  expect(text.match(/^event: /gm)?.length).toBe(events.length)
  expect(text).not.toContain(secret)
})

it('a reader that comes back is given what follows the last event it saw; lost ones are counted', async () => {
  const lost: RunEvent = { type: 'events-lost', runId: 'r', count: 3 }
  const url = await serve(listed(taskEnd('a', ''), lost, taskEnd('b', ''), taskEnd('c', '')))
  const text = await (await fetch(url, { headers: { 'last-event-id': '4' } })).text()
  expect(text.match(/^id: .*/gm)).toEqual(['id: 5', 'id: 6'])
  for (const odd of ['x', '-1', '1e99'])
    expect(
      (await (await fetch(url, { headers: { 'last-event-id': odd } })).text()).match(/^id: .*/gm)?.[0],
    ).toBe('id: 1')
})

it('says now and then that it is there', async () => {
  const answer = await listen(
    await serve(
      new EventLog<RunEvent>({ capacity: 10, lost: (count) => ({ type: 'events-lost', runId: '', count }) }),
      { heartbeatMs: 20 },
    ),
  )
  let text = ''
  answer.on('data', (chunk) => {
    text += chunk
  })
  await eventually(
    () => text,
    (seen) => seen.startsWith(':\n\n:\n\n'),
  )
  answer.destroy()
  await sent
})

it('stops when the client is gone, also while it waits for an event', async () => {
  let isReading = true
  const events: AsyncIterable<RunEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      async return() {
        isReading = false
        return { done: true, value: undefined }
      },
    }),
  }
  const answer = await listen(await serve(events))
  answer.destroy()
  await sent
  expect(isReading).toBe(false)
})

describe('a slow reader', () => {
  const big = 'x'.repeat(100_000)

  it('is read for no faster than it reads, and gets every event that is still there', async () => {
    let taken = 0
    async function* events(): AsyncGenerator<RunEvent, void> {
      for (; taken < 400; taken++) yield taskEnd(String(taken), big)
    }
    const answer = await listen(await serve(events()))
    answer.pause()
    await new Promise((resolve) => setTimeout(resolve, 300))
    const held = taken
    // What the kernel and the two ends hold: some megabytes, not forty.
    expect(held).toBeLessThan(150)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(taken).toBe(held)
    let text = ''
    for await (const chunk of answer) text += chunk
    expect(text.match(/^id: /gm)?.length).toBe(400)
  })

  it('is told how many it missed of a log that goes on without it', async () => {
    const log = new EventLog<RunEvent>({
      capacity: 20,
      lost: (count) => ({ type: 'events-lost', runId: 'r', count }),
    })
    const answer = await listen(await serve(log))
    answer.pause()
    for (let i = 0; i < 400; i++) {
      log.push(taskEnd(String(i), big))
      if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    log.end()
    let text = ''
    for await (const chunk of answer) text += chunk
    const lost = [...text.matchAll(/"type":"events-lost","runId":"r","count":(\d+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
    const seen = text.match(/^event: task-end/gm)!.length
    expect(lost).toBeGreaterThan(0)
    expect(seen + lost).toBe(400)
    expect(text.match(/^id: .*/gm)!.at(-1)).toBe('id: 400')
  })

  it('that goes away in the middle costs nothing more', async () => {
    let taken = 0
    async function* events(): AsyncGenerator<RunEvent, void> {
      for (; ; taken++) yield taskEnd(String(taken), big)
    }
    const answer = await listen(await serve(events()))
    answer.pause()
    await new Promise((resolve) => setTimeout(resolve, 100))
    answer.destroy()
    await sent
    const then = taken
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(taken).toBe(then)
  })
})

it('the events of a run are told from its first one on, and those of all runs from now on', async () => {
  const house = openTestGateway({ tools: [makeTool('files', 'delete')] })
  try {
    const url = await house.listen('local')
    const all = await listen(`${url}/api/events`)
    let told = ''
    all.on('data', (chunk) => {
      told += chunk
    })
    const post = async (path: string, body: unknown) =>
      (await fetch(url + path, { method: 'POST', body: JSON.stringify(body) })).json() as Promise<{
        id: string
        decisions: { id: string }[]
      }>
    const { id, decisions } = await post('/api/run', { tasks: [{ id: 'rm', tool: 'files:delete' }] })
    const events = fetch(`${url}/api/runs/${id}/events`).then((answer) => answer.text())
    await new Promise((resolve) => setTimeout(resolve, 50))
    await post(`/api/decisions/${decisions[0]!.id}`, { verdict: 'approve' })
    const types = (text: string) => [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
    const seen = types(await events)
    expect(seen[0]).toBe('run-start')
    expect(seen).toContain('decision-request')
    expect(seen).toContain('decision-end')
    expect(seen.at(-1)).toBe('run-end')
    await eventually(
      () => types(told),
      (list) => list.includes('run-end'),
    )
    expect(types(told)).toEqual(seen)
    const after = await (await fetch(`${url}/api/runs/${id}/events`)).text()
    expect(types(after)).toEqual(['run-end'])
    expect((await fetch(`${url}/api/runs/none/events`)).status).toBe(404)
    all.destroy()
  } finally {
    await house.close()
  }
})
