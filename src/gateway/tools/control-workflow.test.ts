/** Every action of control_workflow, on runs in every state. Answers to decisions: decisions.test.ts; replan: replan-workflow.test.ts. */
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../model/json.js'
import type { ToolCall } from '../../model/tool-call.js'
import {
  dataOf,
  eventually,
  makeTool,
  openTestGateway,
  type TestGateway,
  textOf,
} from '../test-gateway.contract.js'
import type { RunStore } from '../test-runs.contract.js'

let house: TestGateway
let client: Client
afterEach(() => house.close())

interface Reply {
  readonly status: string
  readonly workflow_id: string
  readonly tasks: readonly { id: string; status: string; result?: unknown; error?: { code: string } }[]
  readonly layer?: { readonly done: readonly string[]; readonly next: readonly JsonObject[] }
  readonly next?: string
  readonly error?: { code: string; message: string; hint: string }
}

/** `slow` waits until it is let go on, `fail` fails as long as it is given `bad`. */
async function open(config: object = {}, runStore?: RunStore) {
  const slow: (() => void)[] = []
  house = openTestGateway({
    ...(runStore && { runStore }),
    tools: ['echo', 'slow', 'fail'].map((name) => makeTool('s', name)),
    config: { replyWithinMs: 500, ...config },
    async callTool({ tool, arguments: args, signal }: ToolCall) {
      if (tool === 's:slow')
        await new Promise<void>((resolve, reject) => {
          slow.push(resolve)
          signal.addEventListener('abort', () => reject(new Error('cancelled')), { once: true })
        })
      if (tool === 's:fail' && args.text === 'bad') throw new Error('it is bad')
      return { content: [], structuredContent: { text: String(args.text ?? '') } }
    },
  })
  client = await house.stream({ versionNegotiation: { mode: 'auto' } })
  return {
    finish: () => {
      for (const go of slow.splice(0)) go()
    },
    isSlow: () =>
      eventually(
        () => slow.length,
        (count) => count > 0,
      ),
  }
}

const a = { id: 'a', tool: 's:echo', arguments: { text: '1' } }
const b = { id: 'b', tool: 's:echo', arguments: { text: { $from: 'a.text' } } }
const c = { id: 'c', tool: 's:echo', dependsOn: ['b'] }
const slow = { id: 'slow', tool: 's:slow' }
const bad = { id: 'bad', tool: 's:fail', arguments: { text: 'bad' } }
const after = { id: 'after', tool: 's:echo', dependsOn: ['bad'] }

const call = async (name: string, args: object): Promise<Reply> =>
  dataOf<Reply>(await client.callTool({ name, arguments: args as Record<string, unknown> }))
const start = async (tasks: readonly object[], more: object = {}): Promise<Reply> =>
  call('execute_workflow', { tasks, ...more })
const control = (workflow_id: string, action: string, more: object = {}): Promise<Reply> =>
  call('control_workflow', { workflow_id, action, ...more })
const statuses = ({ tasks }: Reply): Readonly<Record<string, string>> =>
  Object.fromEntries(tasks.map(({ id, status }) => [id, status]))
const called = (): readonly string[] => house.calls.map(({ tool }) => tool)

describe('per_layer_validation', () => {
  it('returns after every layer with a preview of the next, and continue goes on', async () => {
    await open()
    const first = await start([a, b, c], { per_layer_validation: true })
    expect(first).toMatchObject({
      status: 'layer_complete',
      tasks: [{ id: 'a', status: 'complete' }, { status: 'pending' }, { status: 'pending' }],
      layer: { done: ['a'], next: [{ id: 'b', tool: 's:echo', arguments: { text: '1' } }] },
    })
    expect(first.next).toContain(
      `control_workflow {"workflow_id":"${first.workflow_id}","action":"continue"}`,
    )
    const second = await control(first.workflow_id, 'continue')
    expect(second).toMatchObject({
      status: 'layer_complete',
      layer: { done: ['a', 'b'], next: [{ id: 'c' }] },
    })
    expect(await control(first.workflow_id, 'continue')).toMatchObject({ status: 'complete' })
    expect(called()).toHaveLength(3)
  })

  it('continue with mode run goes to the end', async () => {
    await open()
    const { workflow_id } = await start([a, b, c], { per_layer_validation: 'true' })
    expect(await control(workflow_id, 'continue', { mode: 'run' })).toMatchObject({ status: 'complete' })
  })

  it('reads well as text', async () => {
    await open()
    const answer = await client.callTool({
      name: 'execute_workflow',
      arguments: { tasks: [a, b], per_layer_validation: true },
    })
    expect(textOf(answer)).toMatch(
      /^layer_complete: 1 of 2 tasks complete, workflow_id \S+\na \(s:echo\) complete: .*\nb \(s:echo\) pending\nNext: b \(s:echo\)\ncontrol_workflow \{.*"continue"\} starts what comes next/,
    )
  })
})

describe('pause and resume', () => {
  it('pause answers at once, lets end what is under way, and starts nothing', async () => {
    const { finish, isSlow } = await open({ replyWithinMs: 50 })
    const { workflow_id } = await start([slow, { ...a, dependsOn: ['slow'] }])
    await isSlow()
    expect(await control(workflow_id, 'pause')).toMatchObject({ status: 'running' })
    finish()
    const paused = await eventually(
      () => control(workflow_id, 'status'),
      ({ status }) => status === 'paused',
    )
    expect(statuses(paused)).toEqual({ slow: 'complete', a: 'pending' })
    expect(paused.next).toContain('"action":"resume"} goes on')
    expect(await control(workflow_id, 'resume')).toMatchObject({ status: 'complete' })
  })
})

describe('modify', () => {
  it('gives a task that waits other arguments', async () => {
    await open()
    const late = { ...b, arguments: { text: 'late' }, dependsOn: ['a'] }
    const { workflow_id } = await start([a, late], { per_layer_validation: true })
    const changed = await control(workflow_id, 'modify', { task: 'b', arguments: { text: 'other' } })
    expect(changed).toMatchObject({
      status: 'layer_complete',
      layer: { next: [{ arguments: { text: 'other' } }] },
    })
    expect(await control(workflow_id, 'continue')).toMatchObject({
      tasks: [{}, { result: { text: 'other' } }],
    })
  })

  it('opens an ended run again, with what the failure kept from running', async () => {
    await open()
    const { workflow_id, status, next } = await start([bad, after])
    expect(status).toBe('failed')
    expect(next).toContain('"action":"retry","task":"bad"')
    const mended = await control(workflow_id, 'modify', { task: 'bad', arguments: { text: 'good' } })
    expect(mended).toMatchObject({ status: 'complete', workflow_id })
    expect(statuses(mended)).toEqual({ bad: 'complete', after: 'complete' })
  })
})

describe('skip and retry', () => {
  it('skip leaves a task out that is under way', async () => {
    const { isSlow } = await open({ replyWithinMs: 200 })
    const { workflow_id } = await start([slow, a])
    await isSlow()
    const reply = await control(workflow_id, 'skip', { task: 'slow', reason: 'too slow' })
    expect(statuses(reply)).toEqual({ slow: 'skipped', a: 'complete' })
  })

  it('retry does a failed task again', async () => {
    await open()
    const { workflow_id } = await start([bad, after])
    const again = await control(workflow_id, 'retry', { task: 'bad' })
    expect(again).toMatchObject({ status: 'failed', workflow_id })
    expect(called()).toEqual(['s:fail', 's:fail'])
  })
})

describe('inject', () => {
  const more = { id: 'more', tool: 'echo', arguments: { text: { $from: 'a.text' } } }

  it('adds tasks that build on those of the run', async () => {
    await open()
    const { workflow_id } = await start([a, b], { per_layer_validation: true })
    const grown = await control(workflow_id, 'inject', { tasks: [more] })
    expect(grown.layer!.next.map(({ id }) => id)).toEqual(['b', 'more'])
    expect(await control(workflow_id, 'continue')).toMatchObject({
      status: 'complete',
      tasks: [{}, {}, { id: 'more', result: { text: '1' } }],
    })
  })

  it('opens an ended run again', async () => {
    await open()
    const { workflow_id } = await start([a])
    expect(await control(workflow_id, 'inject', { tasks: [more] })).toMatchObject({
      status: 'complete',
      workflow_id,
      tasks: [{ id: 'a' }, { id: 'more', result: { text: '1' } }],
    })
    expect(called()).toEqual(['s:echo', 's:echo'])
  })

  it.each<[string, unknown, string, RegExp]>([
    ['no tasks', undefined, 'BAD_TASKS', /expected an array/],
    ['an id that is taken', [{ id: 'a', tool: 'echo' }], 'BAD_TASKS', /id must be new/],
    [
      'a reference to nothing',
      [{ ...more, arguments: { text: { $from: 'x' } } }],
      'BAD_TASKS',
      /names no task .*a/,
    ],
    ['an unknown tool', [{ id: 'x', tool: 'ecko' }], 'TOOL_NOT_FOUND', /ecko/],
  ])('refuses %s, and the run is as it was', async (_what, tasks, code, message) => {
    await open()
    const { workflow_id } = await start([a])
    const { error } = await control(workflow_id, 'inject', { tasks })
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(await control(workflow_id, 'status')).toMatchObject({ status: 'complete', tasks: [{ id: 'a' }] })
  })
})

describe('abort', () => {
  it('ends a run, and leaves one that has ended as it is', async () => {
    const { isSlow } = await open({ replyWithinMs: 50 })
    const { workflow_id } = await start([slow])
    await isSlow()
    expect(await control(workflow_id, 'abort', { reason: 'enough' })).toMatchObject({
      status: 'aborted',
      tasks: [{ error: { message: expect.stringContaining('enough') } }],
    })
    const done = await start([a])
    expect(await control(done.workflow_id, 'abort')).toMatchObject({ status: 'complete' })
  })

  it('a follow-up that is cancelled leaves the run that it waits for going', async () => {
    const { finish, isSlow } = await open({ replyWithinMs: 5_000 })
    const { workflow_id } = await start([a, { ...slow, dependsOn: ['a'] }], { per_layer_validation: true })
    const stop = new AbortController()
    const pending = client.callTool(
      { name: 'control_workflow', arguments: { workflow_id, action: 'continue' } },
      { signal: stop.signal },
    )
    await isSlow()
    stop.abort()
    await expect(pending).rejects.toThrow()
    // The cancellation was taken in before this answer was made.
    expect(await control(workflow_id, 'status')).toMatchObject({ status: 'running' })
    finish()
    await eventually(
      () => control(workflow_id, 'status'),
      ({ status }) => status === 'complete' || status === 'layer_complete',
    )
  })

  it('a request that was answered can no longer end it', async () => {
    const { finish, isSlow } = await open({ replyWithinMs: 50 })
    const other = await house.stream({ versionNegotiation: { mode: 'auto' } })
    const answer = await other.callTool({ name: 'execute_workflow', arguments: { tasks: [slow] } })
    await isSlow()
    await other.close()
    finish()
    await eventually(
      () => control(dataOf<Reply>(answer).workflow_id, 'status'),
      ({ status }) => status === 'complete',
    )
  })
})

describe('a run that another process left', () => {
  /** `slow` may not be repeated unasked, and its call was cut off. */
  const leave = async () => {
    const { isSlow } = await open({ replyWithinMs: 50 })
    const { workflow_id } = await start([slow, { ...a, dependsOn: ['slow'] }])
    await isSlow()
    await house.close()
    return { workflow_id, ...(await open({ replyWithinMs: 500 }, house.runStore)) }
  }
  const takeUp = async () => {
    const left = await leave()
    await house.runs.takeUp()
    return left
  }

  it('is only looked at by status, which says how it goes on', async () => {
    const { workflow_id } = await leave()
    const reply = await control(workflow_id, 'status')
    expect(reply).toMatchObject({
      status: 'running',
      next: expect.stringContaining('nobody works on it now'),
    })
    expect(house.runs.underWay(workflow_id)).toBeUndefined()
    expect(await control(workflow_id, 'resume')).toMatchObject({ status: 'interrupted' })
  })

  it('asks what becomes of a call that was cut off, and says what can be answered', async () => {
    const { workflow_id, finish, isSlow } = await takeUp()
    const reply = await control(workflow_id, 'status')
    expect(reply).toMatchObject({
      status: 'interrupted',
      tasks: [{ id: 'slow', status: 'interrupted' }, { status: 'pending' }],
      decision: { kind: 'repeat', task: 'slow', tool: 's:slow', why: expect.stringContaining('cut off') },
      messages: [{ from: 'gateway', text: 'Taken up again.' }],
    })
    expect(reply.next).toMatch(/"action":"approve","decision":"\S+"\} calls it again, "reject" does not/)
    const pending = control(workflow_id, 'approve')
    await isSlow()
    finish()
    expect(await pending).toMatchObject({ status: 'complete' })
    expect(called()).toEqual(['s:slow', 's:echo'])
  })

  it.each<[string, object, object]>([
    ['reject', {}, { slow: 'failed', a: 'skipped' }],
    ['skip', { task: 'slow' }, { slow: 'skipped', a: 'complete' }],
  ])('%s leaves it as it is', async (action, args, ended) => {
    const { workflow_id } = await takeUp()
    expect(statuses(await control(workflow_id, action, args))).toEqual(ended)
    expect(called()).not.toContain('s:slow')
  })

  it('retry calls it again', async () => {
    const { workflow_id, isSlow, finish } = await takeUp()
    const pending = control(workflow_id, 'retry', { task: 'slow' })
    await isSlow()
    finish()
    expect(await pending).toMatchObject({ status: 'complete' })
  })
})

describe('what makes no sense is refused with what does', () => {
  it.each<[string, object, string, RegExp]>([
    ['skip', { task: 'zzz' }, 'COMMAND_REFUSED', /Its tasks: a \(complete\), b \(pending\)/],
    ['modify', { task: 'zzz', arguments: {} }, 'COMMAND_REFUSED', /Its tasks: a/],
    ['retry', { task: 'b' }, 'COMMAND_REFUSED', /What works now: continue/],
    ['modify', { task: 'a', arguments: {} }, 'COMMAND_REFUSED', /What works now: continue/],
    ['approve', {}, 'COMMAND_REFUSED', /What works now: continue/],
    ['modify', { task: 'b' }, 'BAD_ARGUMENTS', /./],
    ['skip', {}, 'BAD_ARGUMENTS', /./],
    ['dance', {}, 'BAD_ARGUMENTS', /./],
    ['continue', { mode: 'fast' }, 'BAD_ARGUMENTS', /./],
  ])('%s %j', async (action, args, code, hint) => {
    await open()
    const { workflow_id } = await start([a, b], { per_layer_validation: true })
    const { error } = await control(workflow_id, action, args)
    expect(error).toMatchObject({ code, hint: expect.stringMatching(hint) })
    expect(await control(workflow_id, 'status')).toMatchObject({ status: 'layer_complete' })
  })

  it.each(['pause', 'resume', 'continue'])('%s of a run that has ended says that it has', async (action) => {
    await open()
    const { workflow_id } = await start([a])
    const { error } = await control(workflow_id, action)
    expect(error).toMatchObject({
      code: 'COMMAND_REFUSED',
      message: expect.stringMatching(/complete|ended/),
      hint: expect.stringContaining('What works now: inject, replan'),
    })
  })

  it.each([
    'status',
    'continue',
    'pause',
    'resume',
    'approve',
    'modify',
    'inject',
    'skip',
    'retry',
    'abort',
  ])('%s of a workflow that is not there', async (action) => {
    await open()
    const args = { task: 'a', arguments: {}, tasks: [a], decision: 'x' }
    expect((await control('none', action, args)).error).toMatchObject({ code: 'RUN_NOT_FOUND' })
    if (action === 'status') return
    expect((await call('control_workflow', { action, ...args })).error).toMatchObject({
      code: 'BAD_ARGUMENTS',
      message: expect.stringContaining('workflow_id'),
    })
  })
})

describe('while the database is away', () => {
  async function openAway() {
    let isAway = false
    house = openTestGateway({
      tools: [makeTool('s', 'echo')],
      config: { replyWithinMs: 150 },
      record: async () => (isAway ? Promise.reject(new Error('the disk is full')) : undefined),
    })
    client = await house.stream({ versionNegotiation: { mode: 'auto' } })
    return {
      goAway: () => {
        isAway = true
      },
      comeBack: () => {
        isAway = false
      },
    }
  }

  it.each([
    ['continue', {}, 'complete'],
    ['skip', { task: 'b' }, 'partial_failure'],
    ['pause', {}, 'paused'],
    ['abort', {}, 'aborted'],
    ['inject', { tasks: [{ id: 'more', tool: 's:echo' }] }, 'layer_complete'],
  ])('%s is answered in time with what hinders it, and carried out afterwards', async (action, more, then) => {
    const { goAway, comeBack } = await openAway()
    const { workflow_id } = await start([a, b], { per_layer_validation: true })
    goAway()
    const answer = await client.callTool({
      name: 'control_workflow',
      arguments: { workflow_id, action, ...more },
    })
    expect(dataOf(answer)).toMatchObject({
      status: 'layer_complete',
      workflow_id,
      stored: false,
      trouble: expect.stringMatching(
        new RegExp(`^the disk is full\\. "${action}" is not carried out yet: .* database is back`),
      ),
    })
    expect(textOf(answer)).toContain(`"${action}" is not carried out yet`)
    comeBack()
    await eventually(
      () => control(workflow_id, 'status'),
      (reply) => reply.status === then && !('stored' in reply),
    )
  })
})

describe('status without workflow_id', () => {
  interface Listed {
    readonly status: string
    readonly workflows: readonly { workflow_id: string; status: string; intent?: string; tasks: number }[]
  }
  const list = async (args: object = {}) => {
    const answer = await client.callTool({
      name: 'control_workflow',
      arguments: { action: 'status', ...args },
    })
    return { text: textOf(answer), ...dataOf<Listed>(answer) }
  }

  it('lists the newest 20, those first that have not ended, without secrets', async () => {
    await open({ secrets: ['hush-hush'] })
    expect(await list()).toMatchObject({
      status: 'complete',
      workflows: [],
      text: 'There are no workflows yet.',
    })
    for (let i = 0; i < 20; i++) await start([a])
    const waits = await start([a, b], { per_layer_validation: true, intent: 'send hush-hush' })
    const last = await start([a])
    const now = await list({ workflow_id: '' })
    expect(now.workflows).toHaveLength(20)
    expect(now.workflows.slice(0, 2)).toMatchObject([
      {
        workflow_id: waits.workflow_id,
        status: 'layer_complete',
        intent: expect.stringMatching(/^send /),
        tasks: 2,
        startedAt: expect.any(Number),
      },
      { workflow_id: last.workflow_id, status: 'complete', tasks: 1 },
    ])
    expect(now.text.split('\n')).toHaveLength(20)
    expect(now.text).toContain(`${waits.workflow_id} layer_complete, 2 tasks, begun `)
    expect(JSON.stringify(now)).not.toContain('hush-hush')
  })
})
