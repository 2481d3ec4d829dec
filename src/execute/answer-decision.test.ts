import { describe, expect, it } from 'vitest'
import { type Decision, mostRefusals } from '../model/decision.js'
import type { ToolId } from '../model/tool.js'
import { answerDecision, expired, isUsable, refuse, used, withdrawn } from './answer-decision.js'

const decision: Decision = {
  id: 'd1',
  kind: 'call',
  caller: 'someone',
  tool: 'files:delete' as ToolId,
  arguments: { path: 'a' },
  argumentsHash: 'hash',
  policyVersion: 'v1',
  risk: 'dangerous',
  why: 'It deletes.',
  soFar: '',
  answeredBy: 'human',
  requestedAt: 0,
  expiresAt: 100,
  refusals: [],
}
const approve = { verdict: 'approve', by: 'page', at: 10 } as const
const reject = { verdict: 'reject', by: 'page', at: 10 } as const
const call = { tool: decision.tool, argumentsHash: 'hash', policyVersion: 'v1', now: 20 }
const approved: Decision = { ...decision, answer: approve }

describe('an answer', () => {
  it.each([approve, reject])('is taken while nobody has answered: %j', (answer) => {
    expect(answerDecision(decision, answer)).toEqual({ taken: { ...decision, answer } })
  })

  it.each(['elicitation', 'command line', 'page'] as const)('of a person approves: %s', (by) => {
    expect(answerDecision(decision, { ...approve, by })).toHaveProperty('taken')
  })

  it('the same one again is fine, whoever gives it, and changes nothing', () => {
    const again = answerDecision(approved, { verdict: 'approve', by: 'agent', at: 500 })
    expect(again).toEqual({ same: approved })
  })

  it('a different one is refused, and kept', () => {
    const outcome = answerDecision(approved, { ...reject, at: 11 })
    expect(outcome).toMatchObject({
      refused: { code: 'DECISION_ANSWERED' },
      decision: {
        ...approved,
        refusals: [{ verdict: 'reject', by: 'page', code: 'DECISION_ANSWERED', at: 11 }],
      },
    })
  })

  it.each([
    approve,
    reject,
  ])('too late is refused, and the decision is rejected by the clock: %j', (answer) => {
    expect(answerDecision(decision, { ...answer, at: 100 })).toMatchObject({
      refused: { code: 'DECISION_EXPIRED' },
      decision: {
        answer: { verdict: 'expire', by: 'clock' },
        refusals: [{ verdict: answer.verdict, code: 'DECISION_EXPIRED', at: 100 }],
      },
    })
  })

  it('an agent cannot approve what a person is asked, but may reject it', () => {
    expect(answerDecision(decision, { ...approve, by: 'agent' })).toMatchObject({
      refused: { code: 'DECISION_HUMAN', hint: expect.stringContaining('pml approve d1') },
      decision: { refusals: [{ by: 'agent', code: 'DECISION_HUMAN' }] },
    })
    expect(answerDecision(decision, { ...reject, by: 'agent' })).toHaveProperty('taken')
    const anyone: Decision = { ...decision, answeredBy: 'anyone' }
    expect(answerDecision(anyone, { ...approve, by: 'agent' })).toHaveProperty('taken')
  })

  it('after a refusal the right one is taken', () => {
    const outcome = answerDecision(decision, { ...approve, by: 'agent' })
    if (!('refused' in outcome)) throw new Error('it was not refused')
    expect(answerDecision(outcome.decision, approve)).toMatchObject({
      taken: { answer: approve, refusals: [{ by: 'agent' }] },
    })
  })

  it('to what was withdrawn is refused as changed, with the reason', () => {
    const gone = withdrawn(approved, 12, 'the arguments were modified')
    expect(answerDecision(gone, approve)).toMatchObject({
      refused: { code: 'DECISION_CHANGED', message: expect.stringContaining('the arguments were modified') },
    })
    expect(answerDecision(expired(decision, 100), approve)).toMatchObject({
      refused: { code: 'DECISION_EXPIRED' },
    })
  })

  it('of the clock or of the run counts only while there is none', () => {
    const expire = { verdict: 'expire', by: 'clock', at: 100 } as const
    expect(answerDecision(decision, expire)).toEqual({ taken: expired(decision, 100) })
    expect(answerDecision(approved, expire)).toEqual({ same: approved })
  })

  it('of refusals only the newest are kept', () => {
    let now = decision
    for (let at = 0; at < mostRefusals + 5; at++) now = refuse(now, { ...approve, at }, 'changed').decision
    expect(now.refusals).toHaveLength(mostRefusals)
    expect(now.refusals.at(-1)?.at).toBe(mostRefusals + 4)
  })
})

describe('an approval', () => {
  it('is good for the very call it was given for', () => {
    expect(isUsable(approved, call)).toBe(true)
  })

  it.each([
    ['it was used', used(approved, 15), call],
    ['nobody gave it', decision, call],
    ['it was withdrawn', withdrawn(approved, 15, 'x'), call],
    ['the tool is another', approved, { ...call, tool: 'files:move' as ToolId }],
    ['the arguments are others', approved, { ...call, argumentsHash: 'other' }],
    ['the policy is another', approved, { ...call, policyVersion: 'v2' }],
    ['its time is over', approved, { ...call, now: 100 }],
  ])('is good for nothing when %s', (_why, given, now) => {
    expect(isUsable(given, now)).toBe(false)
  })
})
