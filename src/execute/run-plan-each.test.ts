import { describe, expect, it } from 'vitest'
import type { Json } from '../model/json.js'
import type { TaskOutcome } from '../model/run.js'
import { expectRun, makePlan, startNow } from './expect-run.contract.js'

const failing = (text: string) => ({ content: [{ type: 'text', text }], isError: true })

const tools = {
  list: { takesMs: 1, gives: { files: [{ path: 'a' }, { path: 'b' }, { path: 'c' }], root: '/' } },
  lines: { gives: 'a\n\n  b\r\n' },
  empty: { gives: { files: [] } },
  /** Reads anything but `b`. */
  read: {
    takesMs: 10,
    gives: ({ path }: { readonly path?: Json }) =>
      path === 'b' ? failing('no such file') : { body: `text of ${path}` },
  },
  echo: { gives: (args: { readonly [key: string]: Json }) => args },
}
const list = { id: 'list', tool: 'list' }
const read = {
  id: 'read',
  tool: 'read',
  arguments: { path: { $from: 'list.files[*].path' } },
  each: ['list.files[*].path'],
}
const save = {
  id: 'save',
  tool: 'echo',
  arguments: { text: { $from: 'read[*].body' }, path: { $from: 'list.files[*].path' } },
  each: ['read[*].body', 'list.files[*].path'],
}
const gather = { id: 'gather', tool: 'echo', arguments: { all: { $from: 'read[*].body' } } }

const find = (tasks: readonly TaskOutcome[], id: string) => tasks.find((task) => task.id === id)

describe('a task done for each', () => {
  it('makes one call for each place, side by side, and gives the list of results', async () => {
    const { events, run } = await expectRun({
      tools: { ...tools, read: { takesMs: 10, gives: ({ path }) => `text of ${path}` } },
      plan: [list, read, { id: 'next', tool: 'echo', arguments: { all: { $from: 'read' } } }],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 3 tasks",
        "task-start list at 0 {}",
        "task-end list complete 1 ms {"files":[{"path":"a"},{"path":"b"},{"path":"c"}],"root":"/"}",
        "task-start read at 1 {"path":{"$from":"list.files[*].path"}}",
        "task-start read[0] at 1 {"path":"a"}",
        "task-start read[1] at 1 {"path":"b"}",
        "task-start read[2] at 1 {"path":"c"}",
        "task-end read[0] complete 10 ms "text of a"",
        "task-end read[1] complete 10 ms "text of b"",
        "task-end read[2] complete 10 ms "text of c"",
        "task-end read complete 10 ms ["text of a","text of b","text of c"]",
        "task-start next at 11 {"all":["text of a","text of b","text of c"]}",
        "task-end next complete 0 ms {"all":["text of a","text of b","text of c"]}",
        "run-end complete after 11 ms",
      ]
    `)
    expect(run.tasks.map(({ id, parent }) => [id, parent])).toEqual([
      ['list', undefined],
      ['read', undefined],
      ['read[0]', 'read'],
      ['read[1]', 'read'],
      ['read[2]', 'read'],
      ['next', undefined],
    ])
  })

  it('in turn: one call ends before the next begins, also after one that failed, and other tasks go on meanwhile', async () => {
    const { events, run } = await expectRun({
      tools: { ...tools, slow: { takesMs: 25, gives: 'done' } },
      plan: [list, { ...read, inTurn: true }, { id: 'slow', tool: 'slow' }],
    })
    expect(events.filter((line) => /(?:start|end) (?:read\[|slow)/.test(line))).toEqual([
      'task-start slow at 0 {}',
      'task-start read[0] at 1 {"path":"a"}',
      expect.stringContaining('task-end read[0] complete 10 ms'),
      'task-start read[1] at 11 {"path":"b"}',
      expect.stringContaining('task-end read[1] failed 10 ms'),
      'task-start read[2] at 21 {"path":"c"}',
      expect.stringContaining('task-end slow complete'),
      expect.stringContaining('task-end read[2] complete 10 ms'),
    ])
    expect(run.status).toBe('partial_failure')
  })

  it('in turn: an abort ends the one under way and all that wait', async () => {
    const { run } = await expectRun({
      tools,
      plan: [list, { ...read, inTurn: true }],
      commands: [{ atMs: 5, type: 'abort' as const, reason: 'enough' }],
    })
    expect(run.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'list complete',
      'read aborted',
      'read[0] aborted',
      'read[1] aborted',
      'read[2] aborted',
    ])
  })

  it('holds to the limit of concurrent calls, and lets other tasks have their turn', async () => {
    const { events } = await expectRun({
      tools: { ...tools, wait: { takesMs: 10, gives: 'ok' } },
      plan: [list, { ...read, tool: 'wait' }, { id: 'other', tool: 'wait', dependsOn: ['list'] }],
      options: { limits: { concurrentCalls: 2, retries: 0 } },
    })
    expect(events.filter((line) => line.startsWith('task-start'))).toMatchInlineSnapshot(`
      [
        "task-start list at 0 {}",
        "task-start read at 1 {"path":{"$from":"list.files[*].path"}}",
        "task-start other at 1 {}",
        "task-start read[0] at 1 {"path":"a"}",
        "task-start read[1] at 11 {"path":"b"}",
        "task-start read[2] at 11 {"path":"c"}",
      ]
    `)
  })

  it('takes the lines of a text, and fills in what is the same for all', async () => {
    const { run } = await expectRun({
      tools,
      plan: [
        { id: 'lines', tool: 'lines' },
        list,
        {
          id: 'use',
          tool: 'echo',
          arguments: {
            items: [{ name: { $from: 'lines[*]' } }],
            root: { $from: 'list.root' },
            all: { $from: 'list.files[*].path' },
            names: { $from: 'lines[*]', $as: 'list' },
          },
          each: ['lines[*]'],
        },
      ],
    })
    const same = { root: '/', all: ['a', 'b', 'c'], names: ['a', 'b'] }
    expect(find(run.tasks, 'use')?.result).toEqual([
      { items: [{ name: 'a' }], ...same },
      { items: [{ name: 'b' }], ...same },
    ])
  })

  it('lays lists within lists end to end', async () => {
    const { run } = await expectRun({
      tools: { ...tools, list: { gives: [{ n: [1, 2] }, { n: [] }, { n: [3] }] } },
      plan: [
        list,
        { id: 'a', tool: 'echo', arguments: { n: { $from: 'list[*].n[*]' } }, each: ['list[*].n[*]'] },
      ],
    })
    expect(find(run.tasks, 'a')?.result).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('is complete without a call where the list is empty', async () => {
    const { events } = await expectRun({ tools, plan: [{ ...list, tool: 'empty' }, read] })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 2 tasks",
        "task-start list at 0 {}",
        "task-end list complete 0 ms {"files":[]}",
        "task-start read at 0 {"path":{"$from":"list.files[*].path"}}",
        "task-end read complete 0 ms []",
        "run-end complete after 0 ms",
      ]
    `)
  })

  it('gives each element the time a task may take', async () => {
    const { run } = await expectRun({
      tools: { ...tools, look: { gives: (_, { timeoutMs }) => ({ timeoutMs: timeoutMs! }) } },
      plan: [list, { ...read, tool: 'look', timeoutMs: 250 }],
    })
    expect(find(run.tasks, 'read')?.result).toEqual(Array(3).fill({ timeoutMs: 250 }))
  })

  it('never takes a result for a reference, whatever it looks like', async () => {
    const { run } = await expectRun({
      tools: { ...tools, list: { gives: [{ $from: 'list' }] } },
      plan: [list, { id: 'a', tool: 'echo', arguments: { x: { $from: 'list[*]' } }, each: ['list[*]'] }],
    })
    expect(find(run.tasks, 'a')?.result).toEqual([{ x: { $from: 'list' } }])
  })

  it('is refused where lists are not of one length, are none, or are too long', async () => {
    const { events } = await expectRun({
      tools: { ...tools, many: { gives: Array.from({ length: 1_001 }, (_, i) => i) } },
      plan: [
        list,
        { id: 'lines', tool: 'lines' },
        { id: 'many', tool: 'many' },
        {
          id: 'uneven',
          tool: 'echo',
          arguments: { x: { $from: 'list.files[*].path' }, y: { $from: 'lines[*]' } },
          each: ['list.files[*].path', 'lines[*]'],
        },
        { id: 'none', tool: 'echo', arguments: { x: { $from: 'list.root.x[*]' } }, each: ['list.root.x[*]'] },
        { id: 'long', tool: 'echo', arguments: { x: { $from: 'many[*]' } }, each: ['many[*]'] },
        {
          id: 'shared',
          tool: 'echo',
          arguments: { x: { $from: 'lines[*]' }, y: { $from: 'list.nowhere' } },
          each: ['lines[*]'],
          onError: { default: [] },
        },
        { id: 'stale', tool: 'echo', arguments: { x: { $from: 'lines' } }, each: ['lines[*]'] },
      ],
    })
    expect(
      events.filter((line) => /^task-end (uneven|none|long|shared|stale)/.test(line)),
    ).toMatchInlineSnapshot(`
      [
        "task-end stale failed FAN_OUT: "each" names no reference of the arguments.",
        "task-end long failed FAN_OUT: "many[*]" has 1001 elements, and a task is done for 1000 at most.",
        "task-end uneven failed FAN_OUT: The lists do not go side by side: "list.files[*].path" has 3, "lines[*]" has 2.",
        "task-end none failed BAD_REFERENCE: "list.root.x[*]" leads nowhere: list.root is text.",
        "task-end shared complete [] BAD_REFERENCE: "list.nowhere" leads nowhere: list is an object with files, root.",
      ]
    `)
  })

  it('makes a thousand calls in a moment', async () => {
    const { run } = await expectRun({
      tools: { ...tools, many: { gives: Array.from({ length: 1_000 }, (_, i) => i) } },
      plan: [
        { id: 'many', tool: 'many' },
        { id: 'a', tool: 'echo', arguments: { n: { $from: 'many[*]' } }, each: ['many[*]'] },
        {
          id: 'b',
          tool: 'echo',
          arguments: { n: { $from: 'a[*].n' }, all: { $from: 'many[*]' } },
          each: ['a[*].n'],
        },
      ],
      options: { limits: { concurrentCalls: 100, retries: 0 } },
    })
    expect(run).toMatchObject({ status: 'complete' })
    expect(run.tasks).toHaveLength(2_003)
    expect(find(run.tasks, 'b[999]')?.arguments.n).toBe(999)
  })
})

describe('an element that fails', () => {
  it('leaves its place empty: siblings go on, the task has failed, and who takes one by one goes on with the others', async () => {
    const { events, run } = await expectRun({ tools, plan: [list, read, save, gather] })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 4 tasks",
        "task-start list at 0 {}",
        "task-end list complete 1 ms {"files":[{"path":"a"},{"path":"b"},{"path":"c"}],"root":"/"}",
        "task-start read at 1 {"path":{"$from":"list.files[*].path"}}",
        "task-start read[0] at 1 {"path":"a"}",
        "task-start read[1] at 1 {"path":"b"}",
        "task-start read[2] at 1 {"path":"c"}",
        "task-end read[0] complete 10 ms {"body":"text of a"}",
        "task-end read[1] failed 10 ms TOOL_ERROR: no such file",
        "task-end read[2] complete 10 ms {"body":"text of c"}",
        "task-end read failed 10 ms ELEMENTS_FAILED: 1 of 3 elements failed: first: read[1]: no such file",
        "task-end gather skipped TASK_SKIPPED: Not run: it depends on "read", which failed.",
        "task-start save at 11 {"text":{"$from":"read[*].body"},"path":{"$from":"list.files[*].path"}}",
        "task-end save[1] skipped TASK_SKIPPED: Not run: it depends on "read[1]", which failed.",
        "task-start save[0] at 11 {"text":"text of a","path":"a"}",
        "task-start save[2] at 11 {"text":"text of c","path":"c"}",
        "task-end save[0] complete 0 ms {"text":"text of a","path":"a"}",
        "task-end save[2] complete 0 ms {"text":"text of c","path":"c"}",
        "task-end save failed 0 ms ELEMENTS_FAILED: 1 of 3 elements skipped: first: save[1]: Not run: it depends on "read[1]", which failed.",
        "run-end partial_failure after 11 ms",
      ]
    `)
    expect(run.status).toBe('partial_failure')
  })

  it('with a default gives that in its place', async () => {
    const { run } = await expectRun({
      tools,
      plan: [list, { ...read, onError: { default: { body: '?' } } }, save, gather],
    })
    expect(run.status).toBe('complete')
    expect(find(run.tasks, 'gather')?.result).toEqual({ all: ['text of a', '?', 'text of c'] })
    expect(find(run.tasks, 'save[1]')?.result).toEqual({ text: '?', path: 'b' })
    expect(find(run.tasks, 'read[1]')).toMatchObject({
      status: 'complete',
      error: { message: 'no such file' },
    })
  })

  it('with skip is left out, there and in what is made from it, and places stay aligned', async () => {
    const { events } = await expectRun({
      tools,
      plan: [
        list,
        { ...read, onError: 'skip' },
        save,
        gather,
        { id: 'saved', tool: 'echo', arguments: { all: { $from: 'save[*].path' } } },
      ],
    })
    expect(events.filter((line) => /^task-end/.test(line))).toMatchInlineSnapshot(`
      [
        "task-end list complete 1 ms {"files":[{"path":"a"},{"path":"b"},{"path":"c"}],"root":"/"}",
        "task-end read[0] complete 10 ms {"body":"text of a"}",
        "task-end read[1] skipped 10 ms TOOL_ERROR: no such file",
        "task-end read[2] complete 10 ms {"body":"text of c"}",
        "task-end read complete 10 ms [{"body":"text of a"},{"body":"text of c"}]",
        "task-end save[1] skipped TASK_SKIPPED: Not run: it depends on "read[1]", which was skipped.",
        "task-end gather complete 0 ms {"all":["text of a","text of c"]}",
        "task-end save[0] complete 0 ms {"text":"text of a","path":"a"}",
        "task-end save[2] complete 0 ms {"text":"text of c","path":"c"}",
        "task-end save complete 0 ms [{"text":"text of a","path":"a"},{"text":"text of c","path":"c"}]",
        "task-end saved complete 0 ms {"all":["a","c"]}",
      ]
    `)
  })

  it('is that one alone where the way to its value leads nowhere or it cannot be converted', async () => {
    const { run } = await expectRun({
      tools: { ...tools, list: { gives: [{ n: '1' }, {}, { n: 'x' }, { n: '4' }] } },
      plan: [
        list,
        {
          id: 'a',
          tool: 'echo',
          arguments: { n: { $from: 'list[*].n', $as: 'number' } },
          each: ['list[*].n'],
          onError: 'skip',
        },
      ],
    })
    expect(find(run.tasks, 'a')?.result).toEqual([{ n: 1 }, { n: 4 }])
    expect(find(run.tasks, 'a[1]')?.error?.message).toBe(
      '"list[*].n" leads nowhere: list[1] is an object without fields.',
    )
    expect(find(run.tasks, 'a[2]')?.error?.message).toBe(
      '"list[*].n" cannot be taken as number: it is text "x".',
    )
  })

  it('one place can be taken by its number, whichever are missing; an empty one is an error', async () => {
    const one = (id: string, $from: string) => ({ id, tool: 'echo', arguments: { x: { $from } } })
    for (const onError of ['fail', 'skip'] as const) {
      const { run } = await expectRun({
        tools,
        plan: [
          list,
          { ...read, onError },
          one('first', 'read[0].body'),
          one('hole', 'read[1].body'),
          one('last', 'read.2.body'),
          one('beyond', 'read[3].body'),
        ],
      })
      expect(find(run.tasks, 'first')?.result).toEqual({ x: 'text of a' })
      expect(find(run.tasks, 'last')?.result).toEqual({ x: 'text of c' })
      expect(find(run.tasks, 'hole')?.error?.message).toBe(
        '"read[1].body" leads nowhere: read[1] is without a value.',
      )
      expect(find(run.tasks, 'beyond')?.error?.message).toBe(
        '"read[3].body" leads nowhere: read is an array of 3.',
      )
    }
  })

  it('all of them: nothing goes on from there', async () => {
    const { events } = await expectRun({
      tools: { ...tools, read: { gives: () => failing('down') } },
      plan: [list, read, save, { id: 'after', tool: 'echo', dependsOn: ['read'] }],
    })
    expect(events.slice(-5)).toMatchInlineSnapshot(`
      [
        "task-end read[2] failed 0 ms TOOL_ERROR: down",
        "task-end read failed 0 ms ELEMENTS_FAILED: 3 of 3 elements failed: first: read[0]: down",
        "task-end save skipped TASK_SKIPPED: Not run: it depends on "read", which failed.",
        "task-end after skipped TASK_SKIPPED: Not run: it depends on "read", which failed.",
        "run-end partial_failure after 1 ms",
      ]
    `)
  })

  it('a task that waits for what failed in part is not run', async () => {
    const { run } = await expectRun({
      tools,
      plan: [list, read, { id: 'after', tool: 'echo', dependsOn: ['read'] }],
    })
    expect(find(run.tasks, 'after')?.error?.message).toBe('Not run: it depends on "read", which failed.')
  })

  it('with skip further on: what was not there to be done is left out', async () => {
    const { run } = await expectRun({
      tools,
      plan: [
        list,
        read,
        { ...save, onError: 'skip' },
        { id: 'saved', tool: 'echo', arguments: { all: { $from: 'save[*].path' } } },
      ],
    })
    expect(find(run.tasks, 'saved')?.result).toEqual({ all: ['a', 'c'] })
  })
})

describe('an abort', () => {
  it('ends elements under way and those not started', async () => {
    const { events } = await expectRun({
      tools,
      plan: [list, read, gather],
      options: { limits: { concurrentCalls: 1, retries: 0 } },
      commands: [{ atMs: 15, type: 'abort' as const, reason: 'enough' }],
    })
    expect(events.filter((line) => /^task-end|run-end/.test(line))).toMatchInlineSnapshot(`
      [
        "task-end list complete 1 ms {"files":[{"path":"a"},{"path":"b"},{"path":"c"}],"root":"/"}",
        "task-end read[0] complete 10 ms {"body":"text of a"}",
        "task-end read aborted 14 ms ABORTED: Aborted: enough",
        "task-end read[1] aborted 4 ms ABORTED: Aborted: enough",
        "task-end read[2] aborted ABORTED: Aborted: enough",
        "task-end gather aborted ABORTED: Aborted: enough",
        "run-end aborted after 15 ms",
      ]
    `)
  })
})

describe('a conversion', () => {
  it('is seen in the arguments as they were filled, and a value that does not fit fails the task', async () => {
    const { events } = await expectRun({
      tools: { ...tools, count: { gives: { total: '42', of: [1], flag: 'yes' } } },
      plan: [
        { id: 'count', tool: 'count' },
        {
          id: 'a',
          tool: 'echo',
          arguments: {
            n: { $from: 'count.total', $as: 'number' },
            list: { $from: 'count.total', $as: 'list' },
            text: { $from: 'count.of', $as: 'text' },
          },
        },
        { id: 'b', tool: 'echo', arguments: { flag: { $from: 'count.flag', $as: 'boolean' } } },
      ],
    })
    expect(events.filter((line) => /^task-\w+ [ab] /.test(line))).toMatchInlineSnapshot(`
      [
        "task-start a at 0 {"n":42,"list":["42"],"text":"[1]"}",
        "task-end b failed BAD_REFERENCE: "count.flag" cannot be taken as boolean: it is text "yes".",
        "task-end a complete 0 ms {"n":42,"list":["42"],"text":"[1]"}",
      ]
    `)
  })
})

describe('a run that goes on from an earlier one', () => {
  it('calls nothing again, tells nothing again, and builds on what was there', async () => {
    const first = await expectRun({ tools, plan: [list, { ...read, onError: 'skip' }] })
    const { events, run } = await expectRun({
      tools,
      plan: [list, { ...read, onError: 'skip' }, save, gather],
      options: { finished: first.run.tasks },
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 7 tasks",
        "task-start save at 0 {"text":{"$from":"read[*].body"},"path":{"$from":"list.files[*].path"}}",
        "task-end save[1] skipped TASK_SKIPPED: Not run: it depends on "read[1]", which was skipped.",
        "task-start gather at 0 {"all":["text of a","text of c"]}",
        "task-start save[0] at 0 {"text":"text of a","path":"a"}",
        "task-start save[2] at 0 {"text":"text of c","path":"c"}",
        "task-end gather complete 0 ms {"all":["text of a","text of c"]}",
        "task-end save[0] complete 0 ms {"text":"text of a","path":"a"}",
        "task-end save[2] complete 0 ms {"text":"text of c","path":"c"}",
        "task-end save complete 0 ms [{"text":"text of a","path":"a"},{"text":"text of c","path":"c"}]",
        "run-end partial_failure after 0 ms",
      ]
    `)
    expect(run.tasks.slice(0, 5)).toEqual(first.run.tasks)
    expect(run.tasks.slice(0, 5).every((task, at) => task === first.run.tasks[at])).toBe(true)
  })

  it('leaves aside what failed, in part or whole, and what hangs on it', async () => {
    const first = await expectRun({ tools, plan: [list, read] })
    const { run } = await expectRun({
      tools,
      plan: [list, read, save, gather],
      options: { finished: first.run.tasks },
    })
    expect(run.tasks.map(({ id, status }) => `${id} ${status}`).slice(5)).toEqual([
      'save failed',
      'save[0] complete',
      'save[1] skipped',
      'save[2] complete',
      'gather skipped',
    ])
  })

  it('does the elements that are missing, and what had not ended', async () => {
    const first = await expectRun({ tools, plan: [list, read] })
    const calls: Json[] = []
    const { run } = await expectRun({
      tools: {
        ...tools,
        read: {
          gives: (args) => {
            calls.push(args)
            return { body: 'new' }
          },
        },
      },
      plan: [list, read],
      options: {
        finished: [
          ...first.run.tasks.filter(({ id }) => ['list', 'read[0]', 'read[2]'].includes(id)),
          { ...first.run.tasks[1]!, status: 'running' },
        ],
      },
    })
    expect(calls).toEqual([{ path: 'b' }])
    expect(run.tasks.map(({ id }) => id)).toEqual(['list', 'read', 'read[0]', 'read[1]', 'read[2]'])
    expect(run.tasks[1]?.result).toEqual([{ body: 'text of a' }, { body: 'new' }, { body: 'text of c' }])
  })

  it('ends at once where nothing is left, and keeps what the plan no longer has', async () => {
    const first = await expectRun({ tools, plan: [list, { id: 'x', tool: 'echo' }] })
    const { events, run } = await expectRun({ tools, plan: [list], options: { finished: first.run.tasks } })
    expect(events).toEqual(['run-start 2 tasks', 'run-end complete after 0 ms'])
    expect(run.tasks.map(({ id }) => id)).toEqual(['x', 'list'])
  })
})

it('arguments of what an earlier run did are values, also where they look like references', async () => {
  const kept = { ...makePlan([{ id: 'old', tool: 'echo' }]).tasks[0]!, arguments: { x: { $from: 5 } } }
  const next = makePlan([{ id: 'next', tool: 'echo', arguments: { x: { $from: 'old' } } }]).tasks
  const handle = startNow(
    { tasks: [kept, ...next] },
    {
      finished: [
        { id: 'old', tool: kept.tool, arguments: kept.arguments, status: 'complete', result: 'done' },
      ],
      callTool: async (call) => ({ content: [], structuredContent: call.arguments }),
    },
  )
  expect((await handle.result).tasks.map(({ status, result }) => [status, result])).toEqual([
    ['complete', 'done'],
    ['complete', { x: 'done' }],
  ])
})

describe('the journal', () => {
  it('has every element, and shows the run as it stands', async () => {
    const recorded: string[] = []
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const options: Parameters<typeof startNow>[1] = {
      limits: { concurrentCalls: 1, retries: 0 },
      onEvent: (event) => {
        if ('task' in event) recorded.push(`${event.type} ${event.task.id}`)
      },
      callTool: async ({ tool, arguments: { n } }) => {
        if (n === 1) await held
        return { content: [], structuredContent: tool === 'fake:list' ? [1, 2] : (n ?? null) }
      },
    }
    const plan = makePlan([
      { id: 'list', tool: 'list' },
      { id: 'a', tool: 'echo', arguments: { n: { $from: 'list[*]' } }, each: ['list[*]'] },
    ])
    const handle = startNow(plan, options)
    while (!recorded.includes('task-start a[0]')) await new Promise((resolve) => setImmediate(resolve))
    expect(
      handle
        .current()
        .tasks.map(({ id, status, arguments: { n } }) => [id, status, n])
        .slice(1),
    ).toEqual([
      ['a', 'running', { $from: 'list[*]' }],
      ['a[0]', 'running', 1],
      ['a[1]', 'pending', 2],
    ])
    release()
    await handle.result
    expect(recorded.slice(2)).toEqual([
      'task-start a',
      'task-start a[0]',
      'task-end a[0]',
      'task-start a[1]',
      'task-end a[1]',
      'task-end a',
    ])
  })
})
