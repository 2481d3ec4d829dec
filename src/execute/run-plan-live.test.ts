import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { ToolCall, ToolResult } from '../model/tool-call.js'
import { expectRun, fakeRules, makePlan, startNow, writeEvent } from './expect-run.contract.js'

const answer = (value: unknown): ToolResult => ({ content: [], structuredContent: value as never })

const start = (plan: Parameters<typeof makePlan>[0], options: Parameters<typeof startNow>[1] = {}) =>
  startNow(makePlan(plan), options)

describe('runPlan in real time', () => {
  it('really overlaps independent tasks', async () => {
    let running = 0
    let most = 0
    const callTool = async () => {
      most = Math.max(most, ++running)
      await sleep(50)
      running--
      return answer('ok')
    }
    const before = performance.now()
    await start(
      Array.from({ length: 8 }, (_, i) => ({ id: `t${i}`, tool: 'wait' })),
      { callTool },
    ).result
    expect(most).toBe(8)
    // One after another they would take 400 ms.
    expect(performance.now() - before).toBeLessThan(300)
  })

  it('never has more calls under way than the limit', async () => {
    let running = 0
    let most = 0
    const callTool = async () => {
      most = Math.max(most, ++running)
      await sleep(2)
      running--
      return answer('ok')
    }
    const wide = Array.from({ length: 40 }, (_, i) => ({ id: `t${i}`, tool: 'wait' }))
    await start(wide, { callTool, limits: { concurrentCalls: 4, retries: 0 } }).result
    expect(most).toBe(4)
  })
})

describe('runPlan at its bounds', () => {
  it('hands a value down a chain of 200 tasks', async () => {
    const chain = Array.from({ length: 200 }, (_, i) => ({
      id: `t${i}`,
      tool: 'add',
      arguments: i === 0 ? { n: 0 } : { n: { $from: `t${i - 1}.n` } },
    }))
    const { run } = await expectRun({
      tools: { add: { gives: (args) => ({ n: Number(args.n) + 1 }) } },
      plan: chain,
    })
    expect(run.tasks.at(-1)?.result).toEqual({ n: 200 })
  })

  it('skips a chain of 500 tasks behind a failure without a deep stack', async () => {
    const chain = Array.from({ length: 500 }, (_, i) => ({
      id: `t${i}`,
      tool: 'x',
      ...(i > 0 && { dependsOn: [`t${i - 1}`] }),
    }))
    const run = await start(chain, { callTool: async () => Promise.reject(new Error('down')) }).result
    expect(run.tasks.filter((task) => task.status === 'skipped')).toHaveLength(499)
  })

  it('runs 500 tasks side by side and warns of no listeners', async () => {
    const warnings: string[] = []
    const onWarning = (warning: Error) => warnings.push(warning.message)
    process.on('warning', onWarning)
    const callTool = async (call: ToolCall) => {
      call.signal.addEventListener('abort', () => {})
      await sleep(1)
      return answer('ok')
    }
    const wide = Array.from({ length: 500 }, (_, i) => ({ id: `t${i}`, tool: 'x' }))
    const run = await start(wide, { callTool, limits: { concurrentCalls: 500, retries: 0 } }).result
    await sleep(5)
    process.off('warning', onWarning)
    expect(run.status).toBe('complete')
    expect(warnings).toEqual([])
  })
})

describe('the event stream', () => {
  const plan = [
    { id: 'a', tool: 'x' },
    { id: 'b', tool: 'x', dependsOn: ['a'] },
  ]

  it('shows every event to every reader, early or late', async () => {
    const handle = start(plan)
    const read = async () => {
      const types: string[] = []
      for await (const event of handle.events) types.push(event.type)
      return types
    }
    const early = [read(), read()]
    await handle.result
    const all = await Promise.all([...early, read()])
    expect(all[0]).toEqual(['run-start', 'task-start', 'task-end', 'task-start', 'task-end', 'run-end'])
    expect(all[1]).toEqual(all[0])
    expect(all[2]).toEqual(all[0])
  })

  it('lets a reader leave early without holding up the run', async () => {
    const handle = start(plan)
    for await (const event of handle.events) if (event.type === 'task-start') break
    expect((await handle.result).status).toBe('complete')
  })

  it('announces an event only when it is stored, and builds on no step before that', async () => {
    const story: string[] = []
    const handle = start(plan, {
      rules: fakeRules({ x: { repeatable: false } }),
      record: async ({ tasks, status }) => {
        await sleep(2)
        story.push(`stored ${tasks.map((task) => `${task.id} ${task.status}`).join(', ')} (${status})`)
      },
      callTool: async ({ tool }) => {
        story.push(`called ${tool}`)
        return answer('ok')
      },
    })
    for await (const event of handle.events) story.push(`heard ${writeEvent(event).split(' ', 2).join(' ')}`)
    expect(story).toMatchInlineSnapshot(`
      [
        "stored a pending, b pending (running)",
        "heard run-start 2",
        "stored a running (running)",
        "called fake:x",
        "heard task-start a",
        "stored a complete (running)",
        "heard task-end a",
        "stored b running (running)",
        "called fake:x",
        "heard task-start b",
        "stored b complete (complete)",
        "heard task-end b",
        "heard run-end complete",
      ]
    `)
  })

  it('begins a call that may be repeated before it is stored that it does, and tells so afterwards', async () => {
    const story: string[] = []
    let isOpen = false
    const handle = start(plan.slice(0, 1), {
      record: async ({ tasks }) => {
        await sleep(2)
        if (isOpen) story.push(`stored ${tasks[0]?.status}`)
        isOpen = true
      },
      callTool: async () => {
        story.push('called')
        return answer('ok')
      },
    })
    await handle.result
    expect(story[0]).toBe('called')
    expect(story.slice(1)).toEqual(['stored running', 'stored complete'])
  })

  it('tells nothing while nothing can be stored, says why, and goes on when it can', async () => {
    let isAway = false
    let calls = 0
    const handle = start(plan, {
      rules: fakeRules({ x: { repeatable: false } }),
      record: async () => {
        if (isAway) throw new Error('the database is away')
      },
      callTool: async () => {
        calls++
        isAway = calls === 1
        return answer('ok')
      },
    })
    await sleep(120)
    expect(handle.current().tasks[0]?.status).toBe('running')
    expect(handle.trouble()).toBe('the database is away')
    expect(calls).toBe(1)
    isAway = false
    expect((await handle.result).status).toBe('complete')
    expect(handle.trouble()).toBeUndefined()
  })

  it('takes an abort after the end for what it is: too late', async () => {
    const handle = start(plan)
    const run = await handle.result
    handle.abort('too late')
    expect(handle.current()).toEqual(run)
    expect(run.status).toBe('complete')
  })

  it('shows the run as it stands at any moment', async () => {
    const handle = start(plan, { callTool: () => sleep(20, answer('ok')) })
    expect(handle.current()).toMatchObject({
      status: 'running',
      tasks: [{ status: 'pending' }, { status: 'pending' }],
    })
    await sleep(10)
    expect(handle.current()).toMatchObject({
      status: 'running',
      tasks: [{ status: 'running' }, { status: 'pending' }],
    })
    const run = await handle.result
    expect(handle.current()).toEqual(run)
  })
})

describe('keys named like prototypes', () => {
  const poisoned = JSON.parse('{"__proto__": {"polluted": "own"}, "constructor": {"name": "own"}}')

  it('are fields when they are there, in results and in arguments', async () => {
    const { run } = await expectRun({
      tools: { give: { gives: poisoned }, echo: { gives: (args) => args } },
      plan: [
        { id: 'a', tool: 'give' },
        {
          id: 'b',
          tool: 'echo',
          arguments: JSON.parse(
            '{"__proto__": {"x": {"$from": "a.__proto__.polluted"}}, "n": {"$from": "a.constructor.name"}}',
          ),
        },
      ],
    })
    expect(JSON.stringify(run.tasks[1]?.result)).toBe('{"__proto__":{"x":"own"},"n":"own"}')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it.each([
    'a.__proto__',
    'a.constructor',
    'a.toString',
    'a.constructor.prototype',
    'a["__proto__"]',
    'a.items.length',
  ])('lead nowhere when they are not: %s', async ($from) => {
    const { run } = await expectRun({
      tools: { give: { gives: { items: [1] } }, echo: { gives: (args) => args } },
      plan: [
        { id: 'a', tool: 'give' },
        { id: 'b', tool: 'echo', arguments: { x: { $from } } },
      ],
    })
    expect(run.tasks[1]?.error?.code).toBe('BAD_REFERENCE')
  })

  it('are task ids like any other', async () => {
    const { run } = await expectRun({
      tools: { give: { gives: 'ok' }, echo: { gives: (args) => args } },
      plan: [
        { id: '__proto__', tool: 'give' },
        { id: 'constructor', tool: 'echo', arguments: { x: { $from: '__proto__' } } },
      ],
    })
    expect(run.tasks[1]?.result).toEqual({ x: 'ok' })
  })
})
