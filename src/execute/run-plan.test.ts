import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../errors.js'
import { expectRun } from './expect-run.contract.js'

describe('runPlan, in order', () => {
  it('runs a task and ends complete', async () => {
    const { events } = await expectRun({
      tools: { greet: { takesMs: 5, gives: 'hello' } },
      plan: [{ id: 'a', tool: 'greet', arguments: { name: 'Ada' } }],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 1 tasks",
        "task-start a at 0 {"name":"Ada"}",
        "task-end a complete 5 ms "hello"",
        "run-end complete after 5 ms",
      ]
    `)
  })

  it('starts each task of a diamond when its own inputs are ready, with no layer barrier', async () => {
    const { events } = await expectRun({
      tools: {
        root: { takesMs: 1, gives: { n: 1 } },
        quick: { takesMs: 2, gives: { n: 2 } },
        slow: { takesMs: 50, gives: { n: 3 } },
        join: { takesMs: 1, gives: (args) => args },
      },
      plan: [
        { id: 'a', tool: 'root' },
        { id: 'b', tool: 'quick', dependsOn: ['a'] },
        { id: 'c', tool: 'slow', dependsOn: ['a'] },
        { id: 'after-b', tool: 'quick', dependsOn: ['b'] },
        { id: 'd', tool: 'join', arguments: { left: { $from: 'b.n' }, right: { $from: 'c.n' } } },
      ],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 5 tasks",
        "task-start a at 0 {}",
        "task-end a complete 1 ms {"n":1}",
        "task-start b at 1 {}",
        "task-start c at 1 {}",
        "task-end b complete 2 ms {"n":2}",
        "task-start after-b at 3 {}",
        "task-end after-b complete 2 ms {"n":2}",
        "task-end c complete 50 ms {"n":3}",
        "task-start d at 51 {"left":2,"right":3}",
        "task-end d complete 1 ms {"left":2,"right":3}",
        "run-end complete after 52 ms",
      ]
    `)
  })

  it('fills references from structured content, JSON text, deep paths and [*]', async () => {
    const { run } = await expectRun({
      tools: {
        list: {
          gives: {
            items: [
              { id: 1, tags: ['x'] },
              { id: 2, tags: ['y', 'z'] },
            ],
            'odd key': 'odd',
          },
        },
        json: { gives: '{"rows":[{"deep":{"er":[10,20]}}]}' },
        echo: { gives: (args) => args },
      },
      plan: [
        { id: 'list', tool: 'list' },
        { id: 'json', tool: 'json' },
        {
          id: 'use',
          tool: 'echo',
          arguments: {
            ids: { $from: 'list.items[*].id' },
            tags: { $from: 'list.items[*].tags' },
            second: { $from: 'list.items[1].tags[0]' },
            odd: { $from: 'list["odd key"]' },
            nested: [{ deep: { $from: 'json.rows[0].deep.er[1]' } }],
            data: { $from: 'json', beside: 'is no reference' },
          },
        },
      ],
    })
    expect(run.tasks[2]?.result).toEqual({
      ids: [1, 2],
      tags: [['x'], ['y', 'z']],
      second: 'y',
      odd: 'odd',
      nested: [{ deep: 20 }],
      data: { $from: 'json', beside: 'is no reference' },
    })
  })

  it('holds to the limit of concurrent calls and starts in the plan’s order', async () => {
    const { events } = await expectRun({
      tools: { wait: { takesMs: 10, gives: 'ok' } },
      plan: ['a', 'b', 'c'].map((id) => ({ id, tool: 'wait' })),
      options: { limits: { concurrentCalls: 2, retries: 0 } },
    })
    expect(events.filter((line) => line.startsWith('task-start'))).toMatchInlineSnapshot(`
      [
        "task-start a at 0 {}",
        "task-start b at 0 {}",
        "task-start c at 10 {}",
      ]
    `)
  })

  it('passes timeout, session and signal to the call', async () => {
    const { run } = await expectRun({
      tools: {
        look: {
          gives: (_, { timeoutMs, session, signal }) => ({
            timeoutMs: timeoutMs!,
            session,
            aborted: signal.aborted,
          }),
        },
      },
      plan: [{ id: 'a', tool: 'look', timeoutMs: 250 }],
    })
    expect(run.tasks[0]?.result).toEqual({ timeoutMs: 250, session: 'session-1', aborted: false })
  })
})

describe('runPlan, when a task fails', () => {
  const broken = {
    gives: () => ({ content: [{ type: 'text', text: 'no such file' }], isError: true }),
  }

  it('skips what depends on it and goes on with the rest: partial_failure', async () => {
    const { events } = await expectRun({
      tools: { broken, fine: { gives: 'ok' } },
      plan: [
        { id: 'a', tool: 'broken' },
        { id: 'b', tool: 'fine', arguments: { x: { $from: 'a' } } },
        { id: 'c', tool: 'fine', dependsOn: ['b'] },
        { id: 'd', tool: 'fine' },
      ],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 4 tasks",
        "task-start a at 0 {}",
        "task-start d at 0 {}",
        "task-end a failed 0 ms TOOL_ERROR: no such file",
        "task-end d complete 0 ms "ok"",
        "task-end b skipped TASK_SKIPPED: Not run: it depends on "a", which failed.",
        "task-end c skipped TASK_SKIPPED: Not run: it depends on "b", which was skipped.",
        "run-end partial_failure after 0 ms",
      ]
    `)
  })

  it('is failed when nothing completed', async () => {
    const { run } = await expectRun({
      tools: { broken, fine: { gives: 'ok' } },
      plan: [
        { id: 'a', tool: 'broken' },
        { id: 'b', tool: 'fine', dependsOn: ['a'] },
      ],
    })
    expect(run.status).toBe('failed')
  })

  it('onError skip leaves it out: who needs its result is skipped, who only waits its turn runs', async () => {
    const { events } = await expectRun({
      tools: { broken, fine: { gives: 'ok' } },
      plan: [
        { id: 'a', tool: 'broken', onError: 'skip' },
        { id: 'needs', tool: 'fine', arguments: { x: { $from: 'a' } } },
        { id: 'waits', tool: 'fine', dependsOn: ['a'] },
        { id: 'needs-needs', tool: 'fine', dependsOn: ['needs'] },
      ],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 4 tasks",
        "task-start a at 0 {}",
        "task-end a skipped 0 ms TOOL_ERROR: no such file",
        "task-end needs skipped TASK_SKIPPED: Not run: it depends on "a", which was skipped.",
        "task-start waits at 0 {}",
        "task-end needs-needs skipped TASK_SKIPPED: Not run: it depends on "needs", which was skipped.",
        "task-end waits complete 0 ms "ok"",
        "run-end partial_failure after 0 ms",
      ]
    `)
  })

  it('onError default stands in for the result, the error stays visible, and the run is complete', async () => {
    const { events, run } = await expectRun({
      tools: { broken, echo: { gives: (args) => args } },
      plan: [
        { id: 'a', tool: 'broken', onError: { default: [] } },
        { id: 'b', tool: 'echo', arguments: { rows: { $from: 'a' } } },
      ],
    })
    expect(run.status).toBe('complete')
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 2 tasks",
        "task-start a at 0 {}",
        "task-end a complete 0 ms [] TOOL_ERROR: no such file",
        "task-start b at 0 {"rows":[]}",
        "task-end b complete 0 ms {"rows":[]}",
        "run-end complete after 0 ms",
      ]
    `)
  })

  it('names the path and what is there when a reference leads nowhere, and makes no call', async () => {
    const { events } = await expectRun({
      tools: { list: { gives: { items: [], total: 0 } }, echo: { gives: (args) => args } },
      plan: [
        { id: 'a', tool: 'list' },
        { id: 'b', tool: 'echo', arguments: { x: { $from: 'a.items[0].name' } } },
        { id: 'c', tool: 'echo', arguments: { x: { $from: 'a.rows' } } },
        { id: 'd', tool: 'echo', arguments: { x: { $from: 'a.nowhere' } }, onError: { default: 'd' } },
      ],
    })
    expect(events.filter((line) => /^task-\w+ [bcd]/.test(line))).toMatchInlineSnapshot(`
      [
        "task-end b failed BAD_REFERENCE: "a.items[0].name" leads nowhere: a.items is an array of 0.",
        "task-end c failed BAD_REFERENCE: "a.rows" leads nowhere: a is an object with items, total.",
        "task-end d complete "d" BAD_REFERENCE: "a.nowhere" leads nowhere: a is an object with items, total.",
      ]
    `)
  })

  it('keeps the code of an error of ours: a call that ran out of time', async () => {
    const { events } = await expectRun({
      tools: {
        slow: {
          takesMs: 30,
          gives: () => {
            throw new UpstreamError('fake', 'timeout', 'no answer within 30 ms', 'Try again.')
          },
        },
        fine: { gives: 'ok' },
      },
      plan: [
        { id: 'a', tool: 'slow', timeoutMs: 30 },
        { id: 'b', tool: 'fine' },
      ],
    })
    expect(events.slice(-2)).toMatchInlineSnapshot(`
      [
        "task-end a failed 30 ms UPSTREAM_TIMEOUT: Server "fake": no answer within 30 ms",
        "run-end partial_failure after 30 ms",
      ]
    `)
  })

  it.each([
    ['a string', 'boom', 'boom'],
    ['nothing', undefined, 'undefined'],
    ['an object without text', Object.create(null), 'Something was thrown that cannot be shown as text.'],
  ])('survives a tool call that throws %s', async (_, thrown, message) => {
    const { run } = await expectRun({
      tools: {
        bad: {
          gives: () => {
            throw thrown
          },
        },
      },
      plan: [{ id: 'a', tool: 'bad' }],
    })
    expect(run.tasks[0]?.error).toMatchObject({ code: 'INTERNAL', message })
  })

  it('survives a call that throws at once or answers with no result at all', async () => {
    const throwing = await expectRun({
      tools: {},
      plan: [{ id: 'a', tool: 'x' }],
      options: {
        callTool: () => {
          throw new Error('not even a promise')
        },
      },
    })
    const empty = await expectRun({
      tools: {},
      plan: [{ id: 'a', tool: 'x' }],
      options: { callTool: async () => undefined as never },
    })
    expect(throwing.run.tasks[0]?.error?.message).toBe('not even a promise')
    expect(empty.run.tasks[0]?.status).toBe('failed')
  })
})

describe('runPlan, aborted', () => {
  const chain = [
    { id: 'a', tool: 'quick' },
    { id: 'b', tool: 'slow', dependsOn: ['a'] },
    { id: 'c', tool: 'quick', dependsOn: ['b'] },
  ]
  const tools = { quick: { takesMs: 5, gives: 'ok' }, slow: { takesMs: 100, gives: 'late' }, never: {} }

  it('keeps what is complete, cancels what runs, never starts the rest, ignores late answers', async () => {
    const { events } = await expectRun({
      tools,
      plan: chain,
      commands: [{ atMs: 20, type: 'abort' as const, reason: 'not needed' }],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 3 tasks",
        "task-start a at 0 {}",
        "task-end a complete 5 ms "ok"",
        "task-start b at 5 {}",
        "task-end b aborted 15 ms ABORTED: Aborted: not needed",
        "task-end c aborted ABORTED: Aborted: not needed",
        "run-end aborted after 20 ms",
      ]
    `)
  })

  it('tells the running call through its signal', async () => {
    let signal: AbortSignal | undefined
    const { run } = await expectRun({
      tools,
      plan: [{ id: 'a', tool: 'never' }],
      commands: [{ atMs: 20, type: 'abort' as const, reason: 'stop' }],
      options: {
        callTool: (call) => {
          signal = call.signal
          return new Promise(() => {})
        },
      },
    })
    expect(signal?.aborted).toBe(true)
    expect(run.status).toBe('aborted')
  })

  it('ends though the call never settles', async () => {
    const { run } = await expectRun({
      tools,
      plan: [{ id: 'a', tool: 'never' }],
      commands: [{ atMs: 1, type: 'abort' as const, reason: 'enough' }],
    })
    expect(run).toMatchObject({
      status: 'aborted',
      tasks: [{ error: { code: 'ABORTED', message: 'Aborted: enough' } }],
    })
  })
})
