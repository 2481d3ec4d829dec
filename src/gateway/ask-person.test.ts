import { describe, expect, it } from 'vitest'
import type { Decision } from '../model/decision.js'
import type { ToolId } from '../model/tool.js'
import {
  approvalQuestion,
  decisionFacts,
  describeDecision,
  readApproval,
  showDecision,
} from './ask-person.js'

const decision: Decision = {
  id: 'd1',
  kind: 'call',
  caller: 'claude-code',
  tool: 'files:delete' as ToolId,
  arguments: { path: '/tmp/a' },
  argumentsHash: 'h',
  policyVersion: 'v',
  risk: 'dangerous',
  why: 'Its server says that it may destroy.',
  soFar: '',
  answeredBy: 'human',
  requestedAt: 0,
  expiresAt: 1_000,
  refusals: [],
}

describe('what a person sees', () => {
  it('who wants what, with what, how bad it can be and why', () => {
    expect(describeDecision(decision)).toMatchInlineSnapshot(`
      "claude-code wants to call files:delete.
      Arguments: {
        "path": "/tmp/a"
      }
      Risk: dangerous
      Why: Its server says that it may destroy.
      So far: nothing
      Expires: 1970-01-01 00:00:01 UTC"
    `)
  })

  it('of a call that was cut off, that it may have taken effect, and what ran so far', () => {
    const text = describeDecision({ ...decision, kind: 'repeat', soFar: '2 of 3 tasks are done.' })
    expect(text).toContain('was cut off and may have taken effect')
    expect(text).toContain('So far: 2 of 3 tasks are done.')
  })

  it('all calls of a task done for each, counted, and that the agent tried to approve them itself', () => {
    const tried = { verdict: 'approve', by: 'agent', code: 'DECISION_HUMAN', at: 0 } as const
    const refusals = [tried, { ...tried, verdict: 'reject' }, { ...tried, by: 'page' }] as const
    const each = {
      ...decision,
      runId: 'r1',
      taskId: 'rm',
      arguments: { each: [{ path: 'a' }, { path: 'b' }] },
    }
    expect(decisionFacts({ ...each, refusals }, 2_000)).toEqual([
      ['arguments', '2 calls, one for each:\n{"path":"a"}\n{"path":"b"}'],
      ['risk', 'dangerous'],
      ['why', 'Its server says that it may destroy.'],
      ['so far', 'nothing'],
      ['note', 'the agent tried to approve it itself'],
      ['run', 'r1, task rm'],
      ['expires', '1970-01-01 00:00:01 UTC'],
    ])
    const text = describeDecision({ ...each, refusals: [tried, tried] })
    expect(text).toContain('Arguments: 2 calls, one for each:\n')
    expect(text).toContain('Note: the agent tried to approve it itself, 2 times\n')
  })

  it('characters that hide or turn text around by their number', () => {
    const hidden = { ...decision, caller: 'a\nb', arguments: { path: 'gpj.\u202Eexe\u200B' } }
    const text = describeDecision(hidden)
    expect(text).toContain('gpj.\\u{202e}exe\\u{200b}')
    expect(text.split('\n')[0]).not.toContain('b')
  })

  it('the start and the end of what is too long, and that it is', () => {
    const text = describeDecision({ ...decision, arguments: { text: 'x'.repeat(100_000), last: 'END' } })
    expect(text.length).toBeLessThan(2_500)
    expect(text).toContain('END')
    expect(text).toContain('characters; all of them with: pml approve')
    const shown = showDecision({ ...decision, arguments: { text: 'x'.repeat(100_000) } })
    expect(JSON.stringify(shown).length).toBeLessThan(2_500)
  })
})

it('the question is a form whose default is no', () => {
  expect(approvalQuestion(decision)).toMatchObject({
    method: 'elicitation/create',
    params: {
      requestedSchema: {
        properties: { approve: { type: 'boolean', default: false } },
        required: ['approve'],
      },
    },
  })
})

it.each([
  ['approve', { action: 'accept', content: { approve: true } }],
  ['reject', { action: 'accept', content: { approve: false } }],
  ['reject', { action: 'decline' }],
  ['cancel', { action: 'cancel' }],
  ['cancel', { action: 'accept' }],
  ['cancel', { action: 'accept', content: {} }],
  ['cancel', { action: 'accept', content: { approve: 'true' } }],
  ['cancel', { action: 'accept', content: { approve: 1 } }],
  ['cancel', { action: 'yes', content: { approve: true } }],
  ['cancel', {}],
  ['cancel', null],
  ['cancel', [true]],
])('nothing but a plain yes approves: %s for %j', (verdict, response) => {
  expect(readApproval(response)).toBe(verdict)
})
