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

it('a result too deep for any recursion is traced like any other', () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)
  const [, a] = trace([planned('a')], [outcome('a', { result: deep, arguments: { deep } })])
  expect(JSON.stringify(a).length).toBeLessThan(1_000)
})

function withoutStart({ startedAt: _, ms: __, ...task }: TaskOutcome): TaskOutcome {
  return task
}
