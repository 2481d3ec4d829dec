import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../errors.js'
import type { Run } from '../model/run.js'
import { decideWithinMs, expectRun, fakeRules, makePlan, makeTask, startNow } from './expect-run.contract.js'

const broken = { gives: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }) }
const tools = {
  quick: { takesMs: 5, gives: 'ok' },
  slow: { takesMs: 100, gives: 'late' },
  danger: { takesMs: 5, gives: 'done', verdict: 'ask', repeatable: false },
  list: { takesMs: 1, gives: [{ v: 1 }, { v: 2 }, { v: 3 }] },
  broken,
} as const
const chain = [
  { id: 'a', tool: 'quick' },
  { id: 'b', tool: 'quick', dependsOn: ['a'] },
]
const statusOf = ({ tasks }: Run): readonly string[] => tasks.map(({ id, status }) => `${id} ${status}`)

describe('pause and resume', () => {
  it('starts nothing new while paused, lets end what is under way, and goes on', async () => {
    const { events } = await expectRun({
      tools,
      plan: chain,
      commands: [
        { atMs: 2, type: 'pause' },
        { atMs: 50, type: 'resume' },
      ],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 2 tasks",
        "task-start a at 0 {}",
        "command-accept pause",
        "command-end pause",
        "task-end a complete 5 ms "ok"",
        "run-pause paused",
        "command-accept resume",
        "run-resume",
        "command-end resume",
        "task-start b at 50 {}",
        "task-end b complete 5 ms "ok"",
        "run-end complete after 55 ms",
      ]
    `)
  })

  it('resume of a run that is not paused changes nothing while it runs, and is refused while it waits for a person', async () => {
    const running = await expectRun({ tools, plan: chain, commands: [{ atMs: 2, type: 'resume' }] })
    expect(running.refused).toEqual([])
    const waiting = await expectRun({
      tools,
      plan: [{ id: 'a', tool: 'danger' }],
      commands: [{ atMs: 2, type: 'resume' }],
      untilMs: 10,
    })
    expect(waiting.refused).toEqual(['Nothing waits to go on: the workflow is approval_required.'])
  })

  it('a decision can be answered while the run is paused, and counts when it goes on', async () => {
    const { events } = await expectRun({
      tools,
      plan: [{ id: 'a', tool: 'danger' }],
      commands: [
        { atMs: 1, type: 'pause' },
        { atMs: 2, type: 'approve', task: 'a' },
        { atMs: 9, type: 'resume' },
      ],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 1 tasks",
        "decision-request call a {}: By the rules: ask.",
        "run-pause approval_required",
        "command-accept pause",
        "command-end pause",
        "run-pause paused",
        "command-accept decide",
        "decision-end a approve by command line",
        "command-end decide",
        "command-accept resume",
        "run-resume",
        "command-end resume",
        "task-start a at 9 {}",
        "task-end a complete 5 ms "done"",
        "run-end complete after 14 ms",
      ]
    `)
  })
})

describe('layers', () => {
  const layers = [...chain, { id: 'c', tool: 'quick', dependsOn: ['b'] }, { id: 'x', tool: 'quick' }]

  it('stops after each until it is told to continue; before the first where that is asked', async () => {
    const { events } = await expectRun({
      tools,
      plan: layers,
      options: { validateLayers: 'before' },
      commands: [10, 20, 30].map((atMs) => ({ atMs, type: 'continue' as const })),
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 4 tasks",
        "run-pause layer_complete",
        "command-accept continue",
        "run-resume",
        "command-end continue",
        "task-start a at 10 {}",
        "task-start x at 10 {}",
        "task-end a complete 5 ms "ok"",
        "task-end x complete 5 ms "ok"",
        "run-pause layer_complete",
        "command-accept continue",
        "run-resume",
        "command-end continue",
        "task-start b at 20 {}",
        "task-end b complete 5 ms "ok"",
        "run-pause layer_complete",
        "command-accept continue",
        "run-resume",
        "command-end continue",
        "task-start c at 30 {}",
        "task-end c complete 5 ms "ok"",
        "run-end complete after 35 ms",
      ]
    `)
  })

  it('continue through goes to the end without stopping again', async () => {
    const { events, run } = await expectRun({
      tools,
      plan: layers,
      options: { validateLayers: 'after' },
      commands: [{ atMs: 10, type: 'continue', through: true }],
    })
    expect(run.status).toBe('complete')
    expect(events.filter((line) => line.startsWith('run-'))).toMatchInlineSnapshot(`
      [
        "run-start 4 tasks",
        "run-pause layer_complete",
        "run-resume",
        "run-end complete after 20 ms",
      ]
    `)
  })

  it('a layer in which nothing could be called is told like any other', async () => {
    const { events } = await expectRun({
      tools,
      plan: [
        { id: 'a', tool: 'list' },
        { id: 'b', tool: 'quick', arguments: { x: { $from: 'a.none' } }, onError: { default: 1 } },
        { id: 'c', tool: 'quick', arguments: { x: { $from: 'b' } } },
      ],
      options: { validateLayers: 'after' },
      commands: [10, 20].map((atMs) => ({ atMs, type: 'continue' as const })),
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 3 tasks",
        "task-start a at 0 {}",
        "task-end a complete 1 ms [{"v":1},{"v":2},{"v":3}]",
        "run-pause layer_complete",
        "command-accept continue",
        "run-resume",
        "command-end continue",
        "task-end b complete 1 BAD_REFERENCE: "a.none" leads nowhere: a is an array of 3.",
        "run-pause layer_complete",
        "command-accept continue",
        "run-resume",
        "command-end continue",
        "task-start c at 20 {"x":1}",
        "task-end c complete 5 ms "ok"",
        "run-end complete after 25 ms",
      ]
    `)
  })

  it('shows what comes next with arguments filled in', async () => {
    const { handle } = await expectRun({
      tools,
      plan: [
        { id: 'a', tool: 'list' },
        { id: 'b', tool: 'quick', arguments: { x: { $from: 'a[1].v' } } },
      ],
      options: { validateLayers: 'after' },
      untilMs: 10,
    })
    expect(handle.upcoming()).toMatchObject([{ id: 'b', status: 'pending', arguments: { x: 2 } }])
  })
})

describe('inject and replan', () => {
  it('add tasks that build on what is there; what is done stays done', async () => {
    const { events, handle } = await expectRun({
      tools,
      plan: chain,
      commands: [
        {
          atMs: 7,
          type: 'replan',
          requirement: 'and greet',
          tasks: [makeTask({ id: 'c', tool: 'quick', arguments: { x: { $from: 'a' } } })],
        },
        { atMs: 8, type: 'inject', tasks: [makeTask({ id: 'd', tool: 'quick', dependsOn: ['b', 'c'] })] },
      ],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 2 tasks",
        "task-start a at 0 {}",
        "task-end a complete 5 ms "ok"",
        "task-start b at 5 {}",
        "command-accept replan",
        "plan-change c",
        "command-end replan",
        "task-start c at 7 {"x":"ok"}",
        "command-accept inject",
        "plan-change d",
        "command-end inject",
        "task-end b complete 5 ms "ok"",
        "task-end c complete 5 ms "ok"",
        "task-start d at 12 {}",
        "task-end d complete 5 ms "ok"",
        "run-end complete after 17 ms",
      ]
    `)
    expect(handle.messages().map(({ from, text }) => `${from}: ${text}`)).toEqual(['agent: and greet'])
  })

  it('are refused where an id is taken or a dependency unknown, and then add nothing', async () => {
    const { refused, run } = await expectRun({
      tools,
      plan: chain,
      commands: [
        {
          atMs: 1,
          type: 'inject',
          tasks: [makeTask({ id: 'c', tool: 'quick' }), makeTask({ id: 'a', tool: 'quick' })],
        },
        {
          atMs: 2,
          type: 'replan',
          requirement: 'x',
          tasks: [makeTask({ id: 'c', tool: 'quick', dependsOn: ['nobody'] })],
        },
      ],
    })
    expect(refused).toMatchInlineSnapshot(`
      [
        "There is a task "a" already.",
        "The workflow has no task "nobody".",
      ]
    `)
    expect(statusOf(run)).toEqual(['a complete', 'b complete'])
  })

  it('what builds on a failure is blocked at once', async () => {
    const { run } = await expectRun({
      tools,
      plan: [
        { id: 'a', tool: 'broken' },
        { id: 'b', tool: 'slow' },
      ],
      commands: [
        { atMs: 20, type: 'inject', tasks: [makeTask({ id: 'c', tool: 'quick', dependsOn: ['a'] })] },
      ],
    })
    expect(statusOf(run)).toEqual(['a failed', 'b complete', 'c skipped'])
  })
})

describe('skip', () => {
  it.each([
    [
      'pending',
      [
        { id: 'first', tool: 'slow' },
        { id: 'a', tool: 'quick', dependsOn: ['first'] },
      ],
    ],
    ['running', [{ id: 'a', tool: 'slow' }]],
    ['waiting', [{ id: 'a', tool: 'danger' }]],
  ])('a %s task is left out: who only waits its turn goes on, who needs it does not', async (_, before) => {
    const { run } = await expectRun({
      tools,
      plan: [
        ...before,
        { id: 'needs', tool: 'quick', arguments: { x: { $from: 'a' } } },
        { id: 'waits', tool: 'quick', dependsOn: ['a'] },
      ],
      commands: [{ atMs: 10, type: 'skip', task: 'a', reason: 'not needed' }],
    })
    expect(statusOf(run).slice(-3)).toEqual(['a skipped', 'needs skipped', 'waits complete'])
    expect(run.tasks.find(({ id }) => id === 'a')?.error).toMatchObject({
      code: 'SKIPPED',
      message: 'Skipped: not needed',
    })
    expect(run.decisions?.map(({ answer }) => answer?.verdict) ?? ['withdraw']).toEqual(['withdraw'])
  })

  it('a task done for each is skipped with what is left of it; one place alone leaves the list whole', async () => {
    const plan = [
      { id: 'list', tool: 'list' },
      {
        id: 'each',
        tool: 'slow',
        arguments: { v: { $from: 'list[*].v' } },
        each: ['list[*].v'],
        inTurn: true,
      },
      { id: 'after', tool: 'quick', dependsOn: ['each'] },
    ]
    const whole = await expectRun({ tools, plan, commands: [{ atMs: 150, type: 'skip', task: 'each' }] })
    expect(statusOf(whole.run)).toMatchInlineSnapshot(`
      [
        "list complete",
        "each skipped",
        "each[0] complete",
        "each[1] skipped",
        "each[2] skipped",
        "after complete",
      ]
    `)
    const place = await expectRun({ tools, plan, commands: [{ atMs: 150, type: 'skip', task: 'each[1]' }] })
    expect(statusOf(place.run)).toMatchInlineSnapshot(`
      [
        "list complete",
        "each complete",
        "each[0] complete",
        "each[1] skipped",
        "each[2] complete",
        "after complete",
      ]
    `)
    expect(place.run.tasks[1]?.result).toEqual(['late', 'late'])
  })

  it('is refused for a task that has ended or that nobody knows', async () => {
    const { refused } = await expectRun({
      tools,
      plan: chain,
      commands: [
        { atMs: 7, type: 'skip', task: 'a' },
        { atMs: 8, type: 'skip', task: 'nobody' },
      ],
    })
    expect(refused).toMatchInlineSnapshot(`
      [
        "Task "a" has ended: it is complete.",
        "The workflow has no task "nobody".",
      ]
    `)
  })
})

describe('retry', () => {
  const flaky = () => {
    let calls = 0
    return { gives: () => (++calls === 1 ? broken.gives() : 'better') }
  }

  it('does a failed task again, and what it kept from running', async () => {
    const { events } = await expectRun({
      tools: { ...tools, flaky: flaky() },
      plan: [
        { id: 'a', tool: 'flaky' },
        { id: 'b', tool: 'quick', dependsOn: ['a'] },
        { id: 'c', tool: 'quick', dependsOn: ['b'] },
        { id: 'other', tool: 'slow' },
      ],
      commands: [{ atMs: 10, type: 'retry', task: 'a' }],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 4 tasks",
        "task-start a at 0 {}",
        "task-start other at 0 {}",
        "task-end a failed 0 ms TOOL_ERROR: no",
        "task-end b skipped TASK_SKIPPED: Not run: it depends on "a", which failed.",
        "task-end c skipped TASK_SKIPPED: Not run: it depends on "b", which was skipped.",
        "command-accept retry",
        "plan-change a, b, c",
        "command-end retry",
        "task-start a at 10 {} for the 2. time",
        "task-end a complete 0 ms "better"",
        "task-start b at 10 {}",
        "task-end b complete 5 ms "ok"",
        "task-start c at 15 {}",
        "task-end c complete 5 ms "ok"",
        "task-end other complete 100 ms "late"",
        "run-end complete after 100 ms",
      ]
    `)
  })

  it('of a task done for each makes only the calls that did not go well, and goes on place by place', async () => {
    let isUp = false
    const called: unknown[] = []
    const { run } = await expectRun({
      tools: {
        ...tools,
        half: {
          gives: ({ v }) => {
            called.push(v)
            return v === 2 && !isUp ? broken.gives() : { got: v as number }
          },
        },
        up: {
          takesMs: 10,
          gives: () => {
            isUp = true
            return 'up'
          },
        },
      },
      plan: [
        { id: 'list', tool: 'list' },
        { id: 'each', tool: 'half', arguments: { v: { $from: 'list[*].v' } }, each: ['list[*].v'] },
        { id: 'use', tool: 'quick', arguments: { v: { $from: 'each[*].got' } }, each: ['each[*].got'] },
        { id: 'up', tool: 'up' },
        { id: 'slow', tool: 'slow' },
      ],
      commands: [{ atMs: 30, type: 'retry', task: 'each' }],
    })
    expect(called).toEqual([1, 2, 3, 2])
    expect(run.tasks.find(({ id }) => id === 'each')?.result).toEqual([{ got: 1 }, { got: 2 }, { got: 3 }])
    expect(run.status).toBe('complete')
  })

  it('is refused for what is under way, went well, is one place of a task, or is not there', async () => {
    const { refused } = await expectRun({
      tools,
      plan: [
        { id: 'list', tool: 'list' },
        { id: 'each', tool: 'broken', arguments: { v: { $from: 'list[*].v' } }, each: ['list[*].v'] },
        { id: 'slow', tool: 'slow' },
      ],
      commands: ['slow', 'list', 'each[1]', 'nobody'].map((task, at) => ({
        atMs: 20 + at,
        type: 'retry',
        task,
      })),
    })
    expect(refused).toMatchInlineSnapshot(`
      [
        "Task "slow" cannot be done again: it is running.",
        "Task "list" cannot be done again: it is complete.",
        ""each[1]" is one place of "each".",
        "The workflow has no task "nobody".",
      ]
    `)
  })

  it('of a task whose end is not stored yet is not undone by that end', async () => {
    let calls = 0
    const handle = startNow(
      makePlan([
        { id: 'a', tool: 'x' },
        { id: 'b', tool: 'x', dependsOn: ['a'] },
        { id: 'c', tool: 'hang' },
      ]),
      {
        record: () => new Promise((resolve) => setTimeout(resolve, 40)),
        callTool: async ({ tool }) => {
          if (tool === 'fake:hang')
            return new Promise((resolve) => setTimeout(() => resolve({ content: [] }), 300))
          if (++calls > 1) return { content: [], structuredContent: 'ok' }
          // It is told to be done again while it runs, and fails before that is stored.
          void handle.send({ type: 'retry', task: 'a' }).catch(() => {})
          await new Promise((resolve) => setTimeout(resolve, 5))
          throw new Error('down')
        },
      },
    )
    expect(statusOf(await handle.result)).toEqual(['a complete', 'b complete', 'c complete'])
  })
})

describe('modify', () => {
  it.each([
    ['pending', 'quick', 2, [{ id: 'first', tool: 'quick' }]],
    ['waiting', 'danger', 10, []],
    ['failed', 'picky', 10, []],
  ])('gives a %s task other arguments', async (_, tool, atMs, before) => {
    const picky = { gives: ({ x }: Record<string, unknown>) => (x === 'new' ? 'ok' : broken.gives()) }
    const { run } = await expectRun({
      tools: { ...tools, picky },
      plan: [
        ...before,
        { id: 'a', tool, arguments: { x: 'old' }, dependsOn: before.map(({ id }) => id) },
        { id: 'b', tool: 'quick', arguments: { y: { $from: 'a' } } },
        { id: 'slow', tool: 'slow' },
      ],
      commands: [
        { atMs, type: 'modify', task: 'a', arguments: { x: 'new' } },
        { atMs: 20, type: 'approve', task: 'a' },
      ],
    })
    expect(run.tasks.find(({ id }) => id === 'a')).toMatchObject({
      status: 'complete',
      arguments: { x: 'new' },
    })
    expect(run.status).toBe('complete')
  })

  it('is refused for what runs or went well, for references to later or unknown tasks, and then changes nothing', async () => {
    const { refused, run } = await expectRun({
      tools,
      plan: [
        { id: 'a', tool: 'slow' },
        { id: 'b', tool: 'quick', dependsOn: ['a'] },
        { id: 'c', tool: 'quick' },
      ],
      commands: [
        { atMs: 10, type: 'modify', task: 'a', arguments: {} },
        { atMs: 11, type: 'modify', task: 'c', arguments: {} },
        { atMs: 12, type: 'modify', task: 'b', arguments: { x: { $from: 'b' } } },
        { atMs: 13, type: 'modify', task: 'b', arguments: { x: { $from: 'nobody.x' } } },
        { atMs: 14, type: 'modify', task: 'b', arguments: { x: { $from: 'a..x' } } },
        { atMs: 15, type: 'modify', task: 'nobody', arguments: {} },
      ],
    })
    expect(refused).toMatchInlineSnapshot(`
      [
        "The arguments of "a" cannot be changed: it is running.",
        "The arguments of "c" cannot be changed: it is complete.",
        "The reference "b" names a task that does not come before "b".",
        "The reference "nobody.x" names no task of this workflow.",
        ""a..x" is not a reference.",
        "The workflow has no task "nobody".",
      ]
    `)
    expect(run.status).toBe('complete')
  })

  it('of a task done for each keeps what was done with the same arguments, and nothing else', async () => {
    const called: unknown[] = []
    const send = {
      gives: ({ to }: Record<string, unknown>) => {
        called.push(to)
        return to === 'typo' ? broken.gives() : `sent ${to}`
      },
    }
    const { run } = await expectRun({
      tools: { ...tools, send, names: { gives: ['ada', 'typo', 'eve'] }, right: { gives: ['ada', 'bob'] } },
      plan: [
        { id: 'names', tool: 'names' },
        { id: 'right', tool: 'right' },
        {
          id: 'send',
          tool: 'send',
          arguments: { to: { $from: 'names[*]' } },
          each: ['names[*]', 'right[*]'],
        },
        { id: 'slow', tool: 'slow' },
      ],
      commands: [{ atMs: 20, type: 'modify', task: 'send', arguments: { to: { $from: 'right[*]' } } }],
    })
    expect(called).toEqual(['ada', 'typo', 'eve', 'bob'])
    expect(statusOf(run)).toMatchInlineSnapshot(`
      [
        "names complete",
        "right complete",
        "send complete",
        "send[0] complete",
        "send[1] complete",
        "slow complete",
      ]
    `)
    expect(run.tasks.find(({ id }) => id === 'send')?.result).toEqual(['sent ada', 'sent bob'])
  })

  it('of a task done for each into a single call leaves nothing of its elements', async () => {
    const { run } = await expectRun({
      tools: { ...tools, half: { gives: ({ v }) => (v === 2 ? broken.gives() : ['x', 'y']) } },
      plan: [
        { id: 'list', tool: 'list' },
        { id: 'each', tool: 'half', arguments: { v: { $from: 'list[*].v' } }, each: ['list[*].v'] },
        { id: 'use', tool: 'quick', arguments: { v: { $from: 'each[1]' } } },
        { id: 'slow', tool: 'slow' },
      ],
      commands: [
        { atMs: 20, type: 'modify', task: 'each', arguments: { v: 7 } },
        { atMs: 30, type: 'retry', task: 'use' },
      ],
    })
    expect(statusOf(run)).toEqual(['list complete', 'each complete', 'use complete', 'slow complete'])
    expect(run.tasks[2]?.arguments).toEqual({ v: 'y' })
  })
})

describe('approvals', () => {
  it('siblings go on while one waits; approved it runs, and the event list says who', async () => {
    const { events } = await expectRun({
      tools,
      plan: [
        { id: 'a', tool: 'danger', arguments: { path: '/x' } },
        { id: 'b', tool: 'quick' },
        { id: 'c', tool: 'quick', dependsOn: ['b'] },
        { id: 'd', tool: 'quick', dependsOn: ['a'] },
      ],
      commands: [{ atMs: 30, type: 'approve', task: 'a' }],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 4 tasks",
        "decision-request call a {"path":"/x"}: By the rules: ask.",
        "task-start b at 0 {}",
        "task-end b complete 5 ms "ok"",
        "task-start c at 5 {}",
        "task-end c complete 5 ms "ok"",
        "run-pause approval_required",
        "command-accept decide",
        "decision-end a approve by command line",
        "command-end decide",
        "run-resume",
        "task-start a at 30 {"path":"/x"}",
        "task-end a complete 5 ms "done"",
        "task-start d at 35 {}",
        "task-end d complete 5 ms "ok"",
        "run-end complete after 40 ms",
      ]
    `)
  })

  it.each([
    ['fail', 'failed', 'skipped'],
    ['skip', 'skipped', 'skipped'],
    [{ default: 'instead' }, 'complete', 'complete'],
  ] as const)('rejected, with onError %j it is %s', async (onError, status, next) => {
    const { run } = await expectRun({
      tools,
      plan: [
        { id: 'a', tool: 'danger', onError },
        { id: 'b', tool: 'quick', arguments: { x: { $from: 'a' } } },
      ],
      commands: [{ atMs: 5, type: 'reject', task: 'a', reason: 'not today', by: 'agent' }],
    })
    expect(run.tasks.map((task) => task.status)).toEqual([status, next])
    expect(run.tasks[0]?.error).toMatchObject({
      code: 'NOT_APPROVED',
      message: 'fake:danger was not called: rejected (agent). not today',
    })
  })

  it('what nobody answers in time is not called', async () => {
    const { events } = await expectRun({ tools, plan: [{ id: 'a', tool: 'danger' }] })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 1 tasks",
        "decision-request call a {}: By the rules: ask.",
        "run-pause approval_required",
        "decision-end a expire by clock",
        "task-end a failed NOT_APPROVED: fake:danger was not called: nobody answered in time.",
        "run-end failed after 60000 ms",
      ]
    `)
  })

  it('a task can ask for it by itself, and a blocked call is not asked about', async () => {
    const { events } = await expectRun({
      tools: { ...tools, forbidden: { gives: 'never', verdict: 'block' } },
      plan: [
        { id: 'a', tool: 'quick', requireApproval: true },
        { id: 'b', tool: 'forbidden', onError: { default: 'b' } },
        { id: 'c', tool: 'forbidden' },
      ],
      commands: [{ atMs: 5, type: 'approve', task: 'a' }],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 3 tasks",
        "decision-request call a {}: The task asks for it.",
        "task-end b complete "b" CALL_BLOCKED: fake:forbidden is not called: By the rules: block.",
        "task-end c failed CALL_BLOCKED: fake:forbidden is not called: By the rules: block.",
        "run-pause approval_required",
        "command-accept decide",
        "decision-end a approve by command line",
        "command-end decide",
        "run-resume",
        "task-start a at 5 {}",
        "task-end a complete 5 ms "ok"",
        "run-end partial_failure after 10 ms",
      ]
    `)
  })

  it('one decision stands for all calls of a task done for each', async () => {
    const { events } = await expectRun({
      tools,
      plan: [
        { id: 'list', tool: 'list' },
        {
          id: 'each',
          tool: 'danger',
          arguments: { v: { $from: 'list[*].v' } },
          each: ['list[*].v'],
          inTurn: true,
        },
      ],
      commands: [{ atMs: 20, type: 'approve', task: 'each' }],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 2 tasks",
        "task-start list at 0 {}",
        "task-end list complete 1 ms [{"v":1},{"v":2},{"v":3}]",
        "decision-request call each {"each":[{"v":1},{"v":2},{"v":3}]}: By the rules: ask.",
        "run-pause approval_required",
        "command-accept decide",
        "decision-end each approve by command line",
        "command-end decide",
        "run-resume",
        "task-start each at 20 {"v":{"$from":"list[*].v"}}",
        "task-start each[0] at 20 {"v":1}",
        "task-end each[0] complete 5 ms "done"",
        "task-start each[1] at 25 {"v":2}",
        "task-end each[1] complete 5 ms "done"",
        "task-start each[2] at 30 {"v":3}",
        "task-end each[2] complete 5 ms "done"",
        "task-end each complete 15 ms ["done","done","done"]",
        "run-end complete after 35 ms",
      ]
    `)
  })
})

it('where one of the calls of a task done for each needs a person, all of them do', async () => {
  const rules = fakeRules(tools)
  const { run } = await expectRun({
    tools,
    plan: [
      { id: 'list', tool: 'list' },
      { id: 'each', tool: 'danger', arguments: { v: { $from: 'list[*].v' } }, each: ['list[*].v'] },
    ],
    options: {
      rules: {
        ...rules,
        judge: (call) => ({ ...rules.judge(call), answeredBy: call.arguments.v === 2 ? 'human' : 'anyone' }),
      },
    },
    untilMs: 10,
  })
  expect(run.decisions?.[0]?.answeredBy).toBe('human')
})

describe('decisions', () => {
  const one = [
    { id: 'a', tool: 'danger' },
    { id: 'slow', tool: 'slow' },
  ]
  const refusalsIn = (run: Run) =>
    run.decisions?.map(({ refusals }) =>
      refusals.map(({ verdict, by, code }) => `${verdict} by ${by}: ${code}`),
    )

  it('fifty who approve at once make one call', async () => {
    let calls = 0
    const { run, refused } = await expectRun({
      tools: { ...tools, danger: { verdict: 'ask', repeatable: false, gives: () => ++calls } },
      plan: [
        { id: 'a', tool: 'danger' },
        { id: 'slow', tool: 'slow' },
      ],
      commands: Array.from({ length: 50 }, () => ({ atMs: 10, type: 'approve' as const, task: 'a' })),
    })
    expect([calls, refused]).toEqual([1, []])
    expect(run.decisions).toHaveLength(1)
    expect(run.decisions![0]).toMatchObject({ answer: { verdict: 'approve' }, usedAt: 10, refusals: [] })
  })

  it('another answer than the first is refused and kept with it; the same again is fine', async () => {
    const { run, refused } = await expectRun({
      tools,
      plan: one,
      commands: [
        { atMs: 10, type: 'reject', task: 'a' },
        { atMs: 11, type: 'reject', task: 'a' },
        { atMs: 12, type: 'approve', task: 'a' },
      ],
    })
    expect(refused).toHaveLength(1)
    expect(refused[0]).toMatch(/was answered already: reject \(command line\)/)
    expect(refusalsIn(run)).toEqual([['approve by command line: DECISION_ANSWERED']])
    expect(statusOf(run)).toEqual(['a failed', 'slow complete'])
  })

  it('an answer after its time is refused and kept, and the task has failed', async () => {
    const { run, refused } = await expectRun({
      tools: { ...tools, slow: { takesMs: decideWithinMs + 50, gives: 'late' } },
      plan: one,
      commands: [{ atMs: decideWithinMs + 1, type: 'approve', task: 'a' }],
    })
    expect(refused).toHaveLength(1)
    expect(refusalsIn(run)).toEqual([['approve by command line: DECISION_EXPIRED']])
    expect(run.tasks[0]?.error?.code).toBe('NOT_APPROVED')
  })

  it('an answer after its time is refused also where the clock was slower than the answer', async () => {
    const { run, refused, events } = await expectRun({
      tools,
      plan: one,
      options: { after: () => () => {} },
      commands: [{ atMs: decideWithinMs + 1, type: 'approve', task: 'a' }],
    })
    expect(refused).toHaveLength(1)
    expect(refusalsIn(run)).toEqual([['approve by command line: DECISION_EXPIRED']])
    expect(run.tasks[0]?.error?.code).toBe('NOT_APPROVED')
    expect(events.slice(-5).map((line) => line.replace(/[0-9a-f-]{36}/, 'ID'))).toMatchInlineSnapshot(`
      [
        "command-accept decide",
        "decision-end a expire by clock",
        "task-end a failed NOT_APPROVED: fake:danger was not called: nobody answered in time.",
        "command-end decide refused: Decision ID expired at 1970-01-01T00:01:00.000Z: nobody answered in time, which rejects.",
        "run-end partial_failure after 60001 ms",
      ]
    `)
  })

  it('the agent cannot approve what is for a person; the refusal is kept, and a person still can', async () => {
    const { run, refused } = await expectRun({
      tools,
      plan: one,
      commands: [
        { atMs: 10, type: 'approve', task: 'a', by: 'agent' },
        { atMs: 20, type: 'approve', task: 'a' },
      ],
    })
    expect(refused[0]).toMatch(/is for a person: an agent cannot approve a call of fake:danger/)
    expect(refusalsIn(run)).toEqual([['approve by agent: DECISION_HUMAN']])
    expect(statusOf(run)).toEqual(['a complete', 'slow complete'])
  })

  it('where anyone may answer, the agent may', async () => {
    const { run } = await expectRun({
      tools: { ...tools, danger: { ...tools.danger, answeredBy: 'anyone' } },
      plan: one,
      commands: [{ atMs: 10, type: 'approve', task: 'a', by: 'agent' }],
    })
    expect(run.status).toBe('complete')
  })

  it('changed arguments withdraw the question, and an answer to the old one is refused and kept', async () => {
    let old = ''
    const handle = startNow(makePlan([{ id: 'a', tool: 'danger', arguments: { x: 1 } }]), {
      rules: fakeRules(tools),
    })
    await handle.settled()
    old = handle.current().decisions![0]!.id
    await handle.send({ type: 'modify', task: 'a', arguments: { x: 2 } })
    await handle.settled()
    const answer = { verdict: 'approve', by: 'page', at: Date.now() } as const
    await expect(handle.send({ type: 'decide', decision: old, answer })).rejects.toMatchObject({
      code: 'DECISION_CHANGED',
      reason: 'changed',
    })
    const [first, second] = handle.current().decisions!
    expect(first).toMatchObject({ answer: { verdict: 'withdraw' }, refusals: [{ verdict: 'approve' }] })
    expect(second).toMatchObject({ arguments: { x: 2 } })
    await handle.send({ type: 'decide', decision: second!.id, answer })
    expect((await handle.result).tasks[0]).toMatchObject({ status: 'complete', arguments: { x: 2 } })
  })

  it('an approval under rules that have changed since is asked for anew', async () => {
    let policyVersion = '1'
    const rules = fakeRules(tools)
    const { events } = await expectRun({
      tools: { ...tools, change: { takesMs: 20, gives: () => (policyVersion = '2') } },
      plan: [
        { id: 'a', tool: 'danger' },
        { id: 'change', tool: 'change' },
      ],
      options: { rules: { ...rules, judge: (call) => ({ ...rules.judge(call), policyVersion }) } },
      commands: [
        { atMs: 5, type: 'pause' },
        { atMs: 6, type: 'approve', task: 'a' },
        { atMs: 30, type: 'resume' },
        { atMs: 40, type: 'approve', task: 'a' },
      ],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 2 tasks",
        "decision-request call a {}: By the rules: ask.",
        "task-start change at 0 {}",
        "command-accept pause",
        "command-end pause",
        "command-accept decide",
        "decision-end a approve by command line",
        "command-end decide",
        "task-end change complete 20 ms "2"",
        "run-pause paused",
        "command-accept resume",
        "run-resume",
        "command-end resume",
        "decision-request call a {}: By the rules: ask.",
        "run-pause approval_required",
        "command-accept decide",
        "decision-end a approve by command line",
        "command-end decide",
        "run-resume",
        "task-start a at 40 {}",
        "task-end a complete 5 ms "done"",
        "run-end complete after 45 ms",
      ]
    `)
  })

  it('a decision that nobody knows is no decision', async () => {
    const { refused } = await expectRun({
      tools,
      plan: [{ id: 'slow', tool: 'slow' }],
      commands: [{ atMs: 10, type: 'approve', task: 'slow' }],
    })
    expect(refused).toMatchInlineSnapshot(`
      [
        "No decision "none".",
      ]
    `)
  })
})

describe('calls that are lost on their way', () => {
  const lost = (times: number, kind: 'offline' | 'timeout' = 'offline') => {
    let calls = 0
    return () => {
      if (++calls > times) return 'ok'
      throw new UpstreamError('fake', kind, 'went away', 'Wait.')
    }
  }

  it('are made again where the tool allows it, and that may help', async () => {
    const { events } = await expectRun({
      tools: { x: { takesMs: 5, gives: lost(2) } },
      plan: [{ id: 'a', tool: 'x' }],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 1 tasks",
        "task-start a at 0 {}",
        "task-retry a in 250 ms: UPSTREAM_OFFLINE",
        "task-retry a in 500 ms: UPSTREAM_OFFLINE",
        "task-end a complete 765 ms "ok"",
        "run-end complete after 765 ms",
      ]
    `)
  })

  it('fail when that did not help, at once where the tool must not be called twice, and after a timeout', async () => {
    const { events } = await expectRun({
      tools: {
        x: { gives: lost(9) },
        once: { gives: lost(1), repeatable: false },
        late: { gives: lost(1, 'timeout') },
        keyed: { gives: lost(1), repeatable: false, keyArgument: 'key' },
      },
      plan: ['x', 'once', 'late', 'keyed'].map((tool) => ({ id: tool, tool })),
    })
    expect(events.filter((line) => !line.startsWith('task-start'))).toMatchInlineSnapshot(`
      [
        "run-start 4 tasks",
        "task-retry x in 250 ms: UPSTREAM_OFFLINE",
        "task-retry keyed in 250 ms: UPSTREAM_OFFLINE",
        "task-end late failed 0 ms UPSTREAM_TIMEOUT: Server "fake": went away",
        "task-end once failed 0 ms UPSTREAM_OFFLINE: Server "fake": went away",
        "task-retry x in 500 ms: UPSTREAM_OFFLINE",
        "task-end keyed complete 250 ms "ok"",
        "task-end x failed 750 ms UPSTREAM_OFFLINE: Server "fake": went away",
        "run-end partial_failure after 750 ms",
      ]
    `)
  })
})

describe('commands in general', () => {
  it('abort says why in every task that had not ended, and withdraws what was asked', async () => {
    const { events } = await expectRun({
      tools,
      plan: [...chain, { id: 'c', tool: 'danger' }],
      commands: [{ atMs: 7, type: 'abort', reason: 'enough' }],
    })
    expect(events).toMatchInlineSnapshot(`
      [
        "run-start 3 tasks",
        "task-start a at 0 {}",
        "decision-request call c {}: By the rules: ask.",
        "task-end a complete 5 ms "ok"",
        "task-start b at 5 {}",
        "task-end b aborted 2 ms ABORTED: Aborted: enough",
        "decision-end c withdraw by run",
        "task-end c aborted ABORTED: Aborted: enough",
        "run-end aborted after 7 ms",
      ]
    `)
  })

  it('come too late for a run that has ended, and an abort then changes nothing', async () => {
    const { handle } = await expectRun({ tools, plan: chain })
    const before = handle.current()
    for (const type of ['pause', 'resume', 'continue'] as const)
      await expect(handle.send({ type })).rejects.toMatchObject({ code: 'COMMAND_REFUSED' })
    await handle.send({ type: 'abort', reason: 'late' })
    expect(handle.current()).toEqual(before)
  })

  it('are carried out in their order when they come while something is being stored', async () => {
    const { events } = await expectRun({
      tools,
      plan: [{ id: 'a', tool: 'quick' }],
      options: { record: () => new Promise((resolve) => setTimeout(resolve, 2)) },
      commands: [
        { atMs: 0, type: 'pause' },
        { atMs: 0, type: 'inject', tasks: [makeTask({ id: 'b', tool: 'quick' })] },
        { atMs: 0, type: 'skip', task: 'b' },
        { atMs: 0, type: 'skip', task: 'b' },
        { atMs: 0, type: 'resume' },
      ],
    })
    expect(
      events.filter((line) => line.startsWith('command') || line.startsWith('plan')),
    ).toMatchInlineSnapshot(`
      [
        "command-accept pause",
        "command-accept inject",
        "command-accept skip",
        "command-accept skip",
        "command-accept resume",
        "command-end pause",
        "plan-change b",
        "command-end inject",
        "command-end skip",
        "command-end skip refused: Task "b" has ended: it is skipped.",
        "command-end resume",
      ]
    `)
  })
})
