import { describe, expect, it } from 'vitest'
import { createRedact } from '../../model/redact.js'
import type { Run, TaskOutcome } from '../../model/run.js'
import { formatToolId } from '../../model/tool.js'
import { createResultStore } from '../result-store.js'
import { runReply } from './run-reply.js'

const results = createResultStore({ maxBytes: 1_000_000 })
const options = { maxTokens: 10_000, results, redact: createRedact(['s3cret-value']), isStored: true }

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

function replyTo(tasks: readonly TaskOutcome[], fields: Partial<Run> = {}) {
  const run: Run = { id: 'run-1', status: 'complete', tasks, startedAt: 0, endedAt: 5, ...fields }
  const { structuredContent, content, isError } = runReply(run, options)
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
        {"read[0]":"text 0"}"
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
