import { expect, it } from 'vitest'
import type { Plan, PlannedTask } from '../model/plan.js'
import { createRedact } from '../model/redact.js'
import type { Run, TaskOutcome } from '../model/run.js'
import { formatToolId } from '../model/tool.js'
import { traceRun } from './trace-run.js'

const redact = createRedact(['s3cret-token-value'])
const error = { code: 'TOOL_ANSWERED', message: 'no', hint: '' }

function planned(id: string, fields: Partial<PlannedTask> = {}): PlannedTask {
  return { id, tool: formatToolId('t', id), arguments: {}, dependsOn: [], onError: 'fail', ...fields }
}

function outcome(id: string, fields: Partial<TaskOutcome> = {}): TaskOutcome {
  return {
    id,
    tool: formatToolId('t', id),
    arguments: {},
    status: 'complete',
    startedAt: 10,
    ms: 5,
    ...fields,
  }
}

function trace(tasks: readonly PlannedTask[], outcomes: readonly TaskOutcome[], fields: Partial<Run> = {}) {
  const plan: Plan = { tasks }
  const run: Run = { id: 'run-1', status: 'complete', tasks: outcomes, startedAt: 5, endedAt: 100, ...fields }
  return traceRun(plan, run, { redact })
}

it('the run comes first, then every call that was started, with dependencies as ids of traces', () => {
  const traces = trace(
    [planned('a'), planned('b', { dependsOn: ['a', 'c'] }), planned('c'), planned('d', { dependsOn: ['c'] })],
    [
      outcome('a', { result: { n: 1 } }),
      outcome('b', { startedAt: 20.4, ms: 1.2 }),
      outcome('c', { status: 'skipped', startedAt: undefined, ms: undefined, error } as never),
      outcome('d', { status: 'failed', error }),
    ].map((task) => (task.id === 'c' ? withoutStart(task) : task)),
    { intent: 'do it', status: 'partial_failure' },
  )
  const [run, a, b, d] = traces
  expect(traces).toHaveLength(4)
  expect(run).toEqual({
    ...{ id: 'run-1', runId: 'run-1', intent: 'do it', success: false },
    ...{ startedAt: 5, endedAt: 100, dependsOn: [], links: [] },
  })
  expect(a).toMatchObject({
    parentId: 'run-1',
    runId: 'run-1',
    taskId: 'a',
    tool: 't:a',
    result: { n: 1 },
    success: true,
  })
  expect(b).toMatchObject({ dependsOn: [a!.id], startedAt: 20, endedAt: 22 })
  expect(d).toMatchObject({ success: false, errorCode: 'TOOL_ANSWERED', dependsOn: [] })
})

it('links are found in the values as they were, and the traces keep none of the secrets', () => {
  const secret = 's3cret-token-value'
  const [, login, fetch] = trace(
    [planned('login'), planned('fetch')],
    [
      outcome('login', { result: { token: secret, [secret]: 'odd-value-1' } }),
      outcome('fetch', { startedAt: 20, arguments: { auth: secret, x: 'odd-value-1' }, result: secret }),
    ],
    { intent: `with ${secret}` },
  )
  expect(fetch!.links).toEqual([
    { from: login!.id, resultPath: 'token', argumentPath: 'auth' },
    { from: login!.id, resultPath: '[redacted]', argumentPath: 'x' },
  ])
  expect(fetch).toMatchObject({ arguments: { auth: '[redacted]' }, result: '[redacted]' })
})

it('a reference of the plan is a link, whatever its value, and wins over a guess', () => {
  const [, a, , c] = trace(
    [
      planned('a'),
      planned('b'),
      planned('c', { arguments: { on: { $from: 'a.ok' }, list: [{ $from: 'a["odd key"][*].id' }] } }),
    ],
    [
      outcome('a', { result: { ok: true, 'odd key': [{ id: 'r-17' }] } }),
      outcome('b', { result: 'r-17', startedAt: 16 }),
      outcome('c', { startedAt: 30, arguments: { on: true, list: [['r-17']] } }),
    ],
  )
  expect(c!.links).toEqual([
    { from: a!.id, resultPath: 'ok', argumentPath: 'on' },
    { from: a!.id, resultPath: '["odd key"][*].id', argumentPath: 'list[0]' },
  ])
})

it('a default that stood in for a failed call is neither a result nor a source', () => {
  const [, a, b] = trace(
    [planned('a'), planned('b', { arguments: { id: { $from: 'a.id' } } })],
    [
      outcome('a', { result: { id: 'fallback-1' }, error }),
      outcome('b', { startedAt: 30, arguments: { id: 'fallback-1' } }),
    ],
  )
  expect(a).not.toHaveProperty('result')
  expect(a!.success).toBe(false)
  expect(b!.links).toEqual([])
})

it('of a task done for each every element has a trace, the task none, and places go with one another', () => {
  const each = ['list.files[*].name']
  const element = (id: string, place: number, fields: Partial<TaskOutcome> = {}) => {
    const element = outcome(`${id}[${place}]`, { parent: id, tool: formatToolId('t', id) })
    return { ...element, startedAt: id === 'read' ? 20 : 30, result: { body: `b-${place}` }, ...fields }
  }
  const fromList = { path: { $from: 'list.files[*].name' } }
  const traces = trace(
    [
      planned('list'),
      planned('read', { arguments: fromList, dependsOn: ['list'], each }),
      planned('sum', {
        arguments: { text: { $from: 'read[*].body' } },
        dependsOn: ['read'],
        each: ['read[*].body'],
      }),
      planned('note', { arguments: fromList, dependsOn: ['list', 'read'], each }),
      planned('all', {
        arguments: { texts: { $from: 'read[*].body' }, one: { $from: 'read[1].body' } },
        dependsOn: ['read'],
      }),
      planned('empty', { each }),
    ],
    [
      outcome('list', { result: { files: [{ name: 'a.txt' }, { name: 'b.txt' }] } }),
      outcome('read', { startedAt: 20, result: [{ body: 'b-0' }, { body: 'b-1' }] }),
      ...[element('read', 0), element('read', 1)],
      outcome('sum', { startedAt: 30 }),
      ...[element('sum', 0), element('sum', 1)],
      outcome('note', { startedAt: 30 }),
      ...[element('note', 0), element('note', 1, { status: 'failed', error })],
      outcome('all', { startedAt: 40, arguments: { texts: ['b-0', 'b-1'], one: 'b-1' } }),
      outcome('empty', { result: [] }),
    ],
  )
  const at = (taskId: string) => traces.find((one) => one.taskId === taskId)!
  expect(traces.slice(1).map(({ taskId }) => taskId)).toEqual([
    ...['list', 'read[0]', 'read[1]', 'sum[0]', 'sum[1]', 'note[0]', 'note[1]', 'all'],
  ])
  expect(at('read[1]')).toMatchObject({
    tool: 't:read',
    parentId: 'run-1',
    dependsOn: [at('list').id],
    links: [{ from: at('list').id, resultPath: 'files[*].name', argumentPath: 'path' }],
  })
  expect(at('sum[1]')).toMatchObject({
    dependsOn: [at('read[1]').id],
    links: [{ from: at('read[1]').id, resultPath: '[*].body', argumentPath: 'text' }],
  })
  expect(at('note[1]')).toMatchObject({ dependsOn: [at('list').id, at('read[1]').id], success: false })
  expect(at('all')).toMatchObject({
    dependsOn: [at('read[0]').id, at('read[1]').id],
    links: [
      { from: at('read[0]').id, resultPath: '[*].body', argumentPath: 'texts' },
      { from: at('read[1]').id, resultPath: '[*].body', argumentPath: 'texts' },
      { from: at('read[1]').id, resultPath: '[1].body', argumentPath: 'one' },
    ],
  })
})

it('a thousand elements that wait for a thousand others stay cheap', () => {
  const many = (id: string, startedAt: number) => [
    outcome(id, { startedAt }),
    ...Array.from({ length: 1_000 }, (_, place) =>
      outcome(`${id}[${place}]`, {
        parent: id,
        tool: formatToolId('t', id),
        startedAt,
        result: `${id}-${place}`,
      }),
    ),
  ]
  const before = performance.now()
  const traces = trace(
    [
      planned('list'),
      planned('a', { arguments: { x: { $from: 'list[*]' } }, dependsOn: ['list'], each: ['list[*]'] }),
      planned('b', {
        arguments: { x: { $from: 'list.y[*]' } },
        dependsOn: ['list', 'a'],
        each: ['list.y[*]'],
      }),
    ],
    [outcome('list', { result: [] }), ...many('a', 20), ...many('b', 30)],
  )
  expect(performance.now() - before).toBeLessThan(2_000)
  expect(traces).toHaveLength(2_002)
  expect(traces.at(-1)!.dependsOn).toHaveLength(11)
})

it('a result too deep for any recursion is traced like any other', () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)
  const [, a] = trace([planned('a')], [outcome('a', { result: deep, arguments: { deep } })])
  expect(JSON.stringify(a).length).toBeLessThan(1_000)
})

function withoutStart({ startedAt: _, ms: __, ...task }: TaskOutcome): TaskOutcome {
  return task
}

it('what an earlier run did is not read: its arguments are values, also where they look like references', () => {
  const traces = trace(
    [planned('old', { arguments: { x: { $from: 5 } } }), planned('new', { dependsOn: ['old'] })],
    [outcome('new')],
  )
  expect(traces.map(({ taskId }) => taskId)).toEqual([undefined, 'new'])
})
