import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../model/run-event.js'
import type { ToolCall, ToolResult } from '../model/tool-call.js'
import { expectRun, makePlan, writeEvent } from './expect-run.contract.js'
import { type RunOptions, runPlan } from './run-plan.js'

const answer = (value: unknown): ToolResult => ({ content: [], structuredContent: value as never })

function start(plan: Parameters<typeof makePlan>[0], options: Partial<RunOptions> = {}) {
  return runPlan(makePlan(plan), {
    id: 'run-1',
    session: 's',
    limits: { concurrentCalls: 16 },
    finished: [],
    now: Date.now,
    record: async () => {},
    callTool: async () => answer('ok'),
    ...options,
  })
}

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
    await start(wide, { callTool, limits: { concurrentCalls: 4 } }).result
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
    const run = await start(wide, { callTool, limits: { concurrentCalls: 500 } }).result
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

  it('announces an event only when it is recorded, and builds on no step before that', async () => {
    const story: string[] = []
    const handle = start(plan, {
      record: async (event: RunEvent) => {
        await sleep(2)
        story.push(`recorded ${writeEvent(event).split(' ', 2).join(' ')}`)
      },
      callTool: async ({ tool }) => {
        story.push(`called ${tool}`)
        return answer('ok')
      },
    })
    for await (const event of handle.events) story.push(`heard ${writeEvent(event).split(' ', 2).join(' ')}`)
    expect(story).toMatchInlineSnapshot(`
      [
        "recorded run-start 2",
        "heard run-start 2",
        "recorded task-start a",
        "called fake:x",
        "heard task-start a",
        "recorded task-end a",
        "heard task-end a",
        "recorded task-start b",
        "called fake:x",
        "heard task-start b",
        "recorded task-end b",
        "heard task-end b",
        "recorded run-end complete",
        "heard run-end complete",
      ]
    `)
  })

  it('goes on when the journal fails, and says that it was not stored', async () => {
    const rejecting = start(plan, { record: async () => Promise.reject(new Error('disk full')) })
    const throwing = start(plan, {
      record: () => {
        throw new Error('closed')
      },
    })
    for (const handle of [rejecting, throwing]) {
      expect((await handle.result).status).toBe('complete')
      expect(handle.isStored()).toBe(false)
    }
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
