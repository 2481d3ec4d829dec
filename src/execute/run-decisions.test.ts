import { describe, expect, it } from 'vitest'
import type { Decision } from '../model/decision.js'
import type { JsonObject } from '../model/json.js'
import type { TaskOutcome } from '../model/run.js'
import type { ToolId } from '../model/tool.js'
import { type ApprovedCall, createRunDecisions, type RunDecisions } from './run-decisions.js'

const task = { id: 'a', tool: 'fake:x', arguments: {}, status: 'pending' } as unknown as TaskOutcome
const verdict = {
  verdict: 'ask',
  risk: 'dangerous',
  why: 'It deletes.',
  answeredBy: 'human',
  policyVersion: '1',
} as const
const args = { path: '/x' }

function open(known: readonly Decision[] = []) {
  const state = { now: 1_000 }
  const timers: { ms: number; action: () => void; isOn: boolean }[] = []
  const expired: string[] = []
  const decisions = createRunDecisions({
    runId: 'run-1',
    caller: 'tester',
    known,
    decideWithinMs: 500,
    now: () => state.now,
    after(ms, action) {
      const timer = { ms, action, isOn: true }
      timers.push(timer)
      return () => {
        timer.isOn = false
      }
    },
    onExpire: ({ id }) => void expired.push(id),
  })
  return { decisions, state, timers, expired }
}
const ask = (decisions: RunDecisions): Decision =>
  decisions.request({ kind: 'call', task, arguments: args, verdict, soFar: 'nothing' })
const approved = (decision: Decision): Decision => ({
  ...decision,
  answer: { verdict: 'approve', by: 'page', at: 1_100 },
})

const call = (given: JsonObject, policyVersion: string): ApprovedCall => ({
  ...{ tool: task.tool, arguments: given, policyVersion },
})

describe('createRunDecisions', () => {
  it('binds a question to caller, run, task, tool, arguments and rules, and says until when', () => {
    const { decisions } = open()
    expect(ask(decisions)).toMatchObject({
      runId: 'run-1',
      taskId: 'a',
      caller: 'tester',
      tool: 'fake:x',
      arguments: args,
      argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      policyVersion: '1',
      why: 'It deletes.',
      requestedAt: 1_000,
      expiresAt: 1_500,
      refusals: [],
    })
    expect(decisions.pendingOf('a')).toBeDefined()
    expect(decisions.pendingOf('b')).toBeUndefined()
  })

  it('an approval is for this very call: task, arguments, rules, time, and once', () => {
    const { decisions, state } = open()
    const approval = approved(ask(decisions))
    decisions.keep(approval)
    expect(decisions.pendingOf('a')).toBeUndefined()
    expect(decisions.approvalOf('a', call({ path: '/x' }, '1'))).toEqual(approval)
    expect(decisions.approvalOf('b', call(args, '1'))).toBeUndefined()
    const other = { ...call(args, '1'), tool: 'other:tool' as ToolId }
    expect(decisions.approvalOf('a', other)).toBeUndefined()
    expect(decisions.approvalOf('a', call({ path: '/y' }, '1'))).toBeUndefined()
    expect(decisions.approvalOf('a', call(args, '2'))).toBeUndefined()
    state.now = 1_500
    expect(decisions.approvalOf('a', call(args, '1'))).toBeUndefined()
    state.now = 1_400
    expect(decisions.use(approval)).toMatchObject({ usedAt: 1_400 })
    expect(decisions.approvalOf('a', call(args, '1'))).toBeUndefined()
  })

  it('a call that was cut off may use its approval again, until the task is to be done anew', () => {
    const { decisions } = open()
    decisions.use(approved(ask(decisions)))
    decisions.allowAgain('a')
    const again = decisions.approvalOf('a', call(args, '1'))!
    expect(decisions.use(again).usedAt).toBe(1_000)
    decisions.forgetUse('a')
    expect(decisions.approvalOf('a', call(args, '1'))).toBeUndefined()
  })

  it('tells when the time is over, of those that another process asked too, and not of those that are answered', () => {
    const before = open()
    const [left, answered] = [ask(before.decisions), approved(ask(before.decisions))]
    const { decisions, timers, expired } = open([left, answered])
    expect(timers.map(({ ms }) => ms)).toEqual([500])
    const own = ask(decisions)
    decisions.keep(approved(own))
    expect(timers.map(({ isOn }) => isOn)).toEqual([true, false])
    timers[0]!.action()
    expect(expired).toEqual([left.id])
    decisions.close()
    expect(timers.map(({ isOn }) => isOn)).toEqual([false, false])
  })

  it('what ran out while nobody was there is told at once', () => {
    const { decisions } = open()
    const left = { ...ask(decisions), expiresAt: 10 }
    expect(open([left]).timers.map(({ ms }) => ms)).toEqual([0])
  })
})
