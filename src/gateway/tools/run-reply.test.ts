import { describe, expect, it } from 'vitest'
import type { Decision } from '../../model/decision.js'
import { createRedact } from '../../model/redact.js'
import type { Run, RunStatus, TaskOutcome } from '../../model/run.js'
import { formatToolId } from '../../model/tool.js'
import { createResultStore } from '../result-store.js'
import { runReply } from './run-reply.js'
import type { RunView } from './run-view.js'

const stored = (run: Run): RunView => ({
  ...{ run, isUnderWay: false, upcoming: [], messages: [], trouble: undefined },
})

const results = createResultStore({ maxBytes: 1_000_000 })
const options = { maxTokens: 10_000, results, redact: createRedact(['s3cret-value']) }

function outcome(id: string, fields: Partial<TaskOutcome> = {}): TaskOutcome {
  return { id, tool: formatToolId('files', 'read'), arguments: {}, status: 'complete', ...fields }
}

function element(place: number, fields: Partial<TaskOutcome> = {}): TaskOutcome {
  return outcome(`read[${place}]`, { parent: 'read', result: `text ${place}`, ...fields })
}

function without(place: number, status: TaskOutcome['status'], message: string): TaskOutcome {
  const { result: _, ...task } = element(place, {
    status,
    error: { code: 'TOOL_ERROR', message, hint: 'Look.' },
  })
  return task
}

function decide(fields: Partial<Decision> = {}): Decision {
  return {
    id: 'd1',
    kind: 'call',
    runId: 'run-1',
    taskId: 'read',
    caller: 'a client',
    tool: formatToolId('files', 'read'),
    arguments: { path: 's3cret-value' },
    argumentsHash: 'hash',
    policyVersion: 'v',
    risk: 'dangerous',
    why: 'It deletes s3cret-value.',
    soFar: 'Nothing ran yet.',
    answeredBy: 'human',
    requestedAt: 0,
    expiresAt: 86_400_000,
    refusals: [],
    ...fields,
  }
}

function waitingReply(status: RunStatus, fields: Partial<Run> = {}, view: Partial<RunView> = {}) {
  const tasks = [outcome('list', { result: 'ok' }), outcome('read', { status: 'pending' })]
  const run: Run = { id: 'run-1', status, tasks, startedAt: 0, ...fields }
  const { structuredContent, content, isError } = runReply(
    { ...stored(run), isUnderWay: true, ...view },
    options,
  )
  return { data: structuredContent as Record<string, unknown>, text: content[0]!.text!, isError }
}

function replyTo(tasks: readonly TaskOutcome[], fields: Partial<Run> = {}) {
  const run: Run = { id: 'run-1', status: 'complete', tasks, startedAt: 0, endedAt: 5, ...fields }
  const { structuredContent, content, isError } = runReply(stored(run), options)
  return { structured: structuredContent as { tasks: unknown[] }, text: content[0]?.text, isError }
}

describe('the reply of a run with a task done for each', () => {
  it('shows the list of results and counts the elements', () => {
    const { structured, text } = replyTo([
      outcome('read', { result: ['text 0', 'text 1'], ms: 3 }),
      element(0),
      element(1),
      outcome('after', { result: 'ok' }),
    ])
    expect(structured.tasks).toEqual([
      {
        id: 'read',
        tool: 'files:read',
        status: 'complete',
        result: ['text 0', 'text 1'],
        elements: { total: 2, complete: 2, failed: 0, skipped: 0 },
        ms: 3,
      },
      { id: 'after', tool: 'files:read', status: 'complete', result: 'ok' },
    ])
    expect(text).toBe(
      [
        'complete: 2 of 2 tasks complete, workflow_id run-1',
        'read (files:read) complete (elements: 2 of 2 complete): ["text 0","text 1"]',
        'after (files:read) complete: ok',
      ].join('\n'),
    )
  })

  it('shows the first three errors, without secrets, and loses nothing that was done', () => {
    const error = { code: 'ELEMENTS_FAILED', message: '4 of 6 elements failed: first: x', hint: 'Look.' }
    const { structured, text } = replyTo(
      [
        outcome('read', { status: 'failed', error }),
        element(0),
        ...[1, 2, 3, 4].map((place) => without(place, 'failed', `no s3cret-value ${place}`)),
        without(5, 'skipped', 'not run'),
      ],
      { status: 'partial_failure' },
    )
    expect(structured.tasks).toEqual([
      {
        id: 'read',
        tool: 'files:read',
        status: 'failed',
        results: { 'read[0]': 'text 0' },
        error,
        elements: { total: 6, complete: 1, failed: 4, skipped: 1 },
        errors: [1, 2, 3].map((place) => ({
          id: `read[${place}]`,
          code: 'TOOL_ERROR',
          message: `no [redacted] ${place}`,
          hint: 'Look.',
        })),
      },
    ])
    expect(text).toMatchInlineSnapshot(`
      "partial_failure: 0 of 1 tasks complete, workflow_id run-1
      read (files:read) failed (elements: 1 of 6 complete, 4 failed, 1 skipped): ELEMENTS_FAILED 4 of 6 elements failed: first: x Look.
        read[1]: TOOL_ERROR no [redacted] 1
        read[2]: TOOL_ERROR no [redacted] 2
        read[3]: TOOL_ERROR no [redacted] 3
        {"read[0]":"text 0"}
      control_workflow {"workflow_id":"run-1","action":"retry","task":"read"} does it again, and what it kept from running; "modify" with task and arguments does so with others."
    `)
  })

  it('long errors of elements are cut: each of them has its own', () => {
    const { structured, text } = replyTo(
      [
        outcome('read', { status: 'failed' }),
        ...[0, 1, 2].map((at) => without(at, 'failed', 'y'.repeat(4_000))),
      ],
      { status: 'failed' },
    )
    expect(JSON.stringify(structured).length).toBeLessThan(2_000)
    expect(text!.length).toBeLessThan(2_000)
  })

  it('counts what is under way', () => {
    const { structured, text } = replyTo(
      [
        outcome('read', { status: 'running' }),
        element(0),
        without(1, 'running', ''),
        without(2, 'pending', ''),
      ].map(({ error: _, ...task }) => task),
      { status: 'running' },
    )
    expect(structured.tasks[0]).toMatchObject({
      results: { 'read[0]': 'text 0' },
      elements: { total: 3, complete: 1, running: 1, pending: 1 },
    })
    expect(text).toContain('read (files:read) running (elements: 1 of 3 complete, 1 running, 1 pending)')
  })

  it('of a thousand elements stays within its bounds', () => {
    const many = Array.from({ length: 1_000 }, (_, place) => element(place, { result: 'x'.repeat(200) }))
    const { structured, text } = replyTo([
      outcome('read', { result: many.map(({ result }) => result!) }),
      ...many,
    ])
    expect(JSON.stringify(structured).length).toBeLessThan(40_000)
    expect(structured.tasks[0]).toMatchObject({ result: { cut: true } })
    expect(text!.length).toBeLessThan(8_000)
  })
})

describe('the reply of a run that has not ended', () => {
  const call = (action: string) => `control_workflow {"workflow_id":"run-1","action":"${action}"}`

  it('running: ask again', () => {
    const { data, text } = waitingReply('running')
    expect(data.next).toBe(`Ask again with ${call('status')}`)
    expect(text.split('\n').at(-1)).toBe(data.next)
  })

  it('running, and left by the process that ran it: nobody does', () => {
    expect(waitingReply('running', {}, { isUnderWay: false }).data.next).toContain(
      `${call('resume')} takes it up`,
    )
  })

  it('paused: resume', () => {
    expect(waitingReply('paused').data.next).toContain(`${call('resume')} goes on.`)
  })

  it('layer_complete: what is done, what comes next with its arguments, and continue', () => {
    const upcoming = [outcome('read', { status: 'pending', arguments: { path: 's3cret-value' } })]
    const { data, text } = waitingReply('layer_complete', {}, { upcoming })
    expect(data.layer).toEqual({
      done: ['list'],
      next: [{ id: 'read', tool: 'files:read', arguments: { path: '[redacted]' } }],
    })
    expect(data.next).toContain(`${call('continue')} starts what comes next`)
    expect(text).toContain('Next: read (files:read)')
  })

  it('approval_required: each decision without secrets, and who answers it', () => {
    const other = decide({ id: 'd2', answeredBy: 'anyone' })
    const answered = decide({ id: 'd0', answer: { verdict: 'reject', by: 'page', at: 1 } })
    const { data, text } = waitingReply('approval_required', { decisions: [answered, decide(), other] })
    expect(data.decision).toMatchObject({
      id: 'd1',
      task: 'read',
      tool: 'files:read',
      arguments: { path: '[redacted]' },
      risk: 'dangerous',
      why: 'It deletes [redacted].',
      answeredBy: 'human',
      expiresAt: '1970-01-02T00:00:00.000Z',
    })
    expect((data.decisions as Decision[]).map(({ id }) => id)).toEqual(['d1', 'd2'])
    expect(data.soFar).toBe('Nothing ran yet.')
    expect(data.next).toMatch(
      /pml approve d1 .* You cannot approve it, only refuse it: .*"action":"reject","decision":"d1"/,
    )
    expect(text).not.toContain('s3cret-value')
  })

  it('interrupted: call again or not', () => {
    const repeat = decide({ kind: 'repeat', answeredBy: 'anyone' })
    const { data, text } = waitingReply('interrupted', { decisions: [repeat] })
    expect(data.decision).toMatchObject({ kind: 'repeat' })
    expect(data.next).toContain('"action":"approve","decision":"d1"} calls it again, "reject" does not.')
    expect(text).toContain('was cut off and may have taken effect')
  })

  it('running with something to be decided says that, too', () => {
    const { data } = waitingReply('running', { decisions: [decide()] })
    expect(data).toMatchObject({ decision: { id: 'd1' }, next: expect.stringContaining('pml approve d1') })
  })

  it('what cannot be stored is said with why, without secrets', () => {
    const { data, text } = waitingReply('running', {}, { trouble: 'no s3cret-value there.' })
    expect(data).toMatchObject({ stored: false, trouble: 'no [redacted] there.' })
    expect(text).toContain('Not stored since: no [redacted] there. What is shown here is what was')
  })

  it('the last few messages stand in it, cut and without secrets', () => {
    const messages = Array.from({ length: 9 }, (_, at) => ({
      at,
      from: 'agent' as const,
      text: `${at} s3cret-value ${'x'.repeat(1_000)}`,
    }))
    const { data } = waitingReply('paused', {}, { messages })
    const shown = data.messages as { text: string }[]
    expect(shown.map(({ text }) => text.slice(0, 12))).toEqual(
      [4, 5, 6, 7, 8].map((at) => `${at} [redacted]`),
    )
    expect(shown[0]!.text.length).toBeLessThan(320)
  })

  it('of a hundred decisions and large arguments stays within its bounds', () => {
    const decisions = Array.from({ length: 100 }, (_, at) =>
      decide({ id: `d${at}`, arguments: { path: 'y'.repeat(50_000) } }),
    )
    const { data, text } = waitingReply('approval_required', { decisions })
    expect(data).toMatchObject({ decision: { id: 'd0' }, moreDecisions: expect.any(Number) })
    expect(JSON.stringify(data).length).toBeLessThan(30_000)
    expect(text.length).toBeLessThan(6_000)
  })
})
