import { expect, it } from 'vitest'
import type { IntentPlan } from '../model/plan.js'
import { defaultPolicy } from '../model/policy.js'
import { type IntentMode, judgePlan } from './judge-plan.js'
import { makeIntentPlan } from './test-plan.contract.js'

const tasks = [
  { id: 'a', tool: 'files:read' },
  { id: 'b', tool: 'files:write' },
]
const missing = [{ task: 'a', argument: 'path', description: '' }]

function judge(mode: IntentMode, rest: Partial<IntentPlan>, unsafe: readonly string[] = [], given = tasks) {
  const isSafe = (tool: string): boolean => !unsafe.includes(tool)
  const options = { mode, policy: defaultPolicy, wasSuggested: true, isSafe }
  return judgePlan(makeIntentPlan(given, rest), options)
}

it.each([
  ['auto', { confidence: 0.699 }, 'explicit_required'],
  ['auto', { confidence: 0.7 }, 'suggestion'],
  ['auto', { confidence: 0.919 }, 'suggestion'],
  ['auto', { confidence: 0.92 }, 'run'],
  ['auto', { confidence: 1, missing }, 'suggestion'],
  ['auto', { confidence: 1, unserved: ['and fly'] }, 'suggestion'],
  ['suggest', { confidence: 0.5 }, 'explicit_required'],
  ['suggest', { confidence: 1 }, 'suggestion'],
  ['run', { confidence: 0.69 }, 'explicit_required'],
  ['run', { confidence: 0.7 }, 'run'],
  ['run', { confidence: 0.8, unserved: ['and fly'] }, 'run'],
  ['run', { confidence: 1, missing }, 'suggestion'],
] as const)('mode %s makes of %j: %s', (mode, rest, verdict) => {
  const judgement = judge(mode, rest)
  expect(judgement.verdict).toBe(verdict)
  expect(judgement.why).toMatch(/\.$/)
})

it('one tool that is not known to be safe keeps a sure plan from running unasked, and is named', () => {
  const { verdict, why } = judge('auto', { confidence: 1 }, ['files:write'])
  expect(verdict).toBe('suggestion')
  expect(why).toContain('files:write')
  expect(why).not.toContain('files:read')
  expect(judge('run', { confidence: 1 }, ['files:write']).verdict).toBe('run')
})

it.each(['auto', 'suggest', 'run'] as const)('a plan without tasks is none in mode %s', (mode) => {
  expect(judge(mode, { confidence: 1 }, [], []).verdict).toBe('explicit_required')
})

it('what is just below a threshold reads as below it', () => {
  expect(judge('auto', { confidence: 0.9199 }).why).toContain('.91 is below .92')
  expect(judge('auto', { confidence: 0.6999 }).why).toContain('.69 is below .70')
})

it('the thresholds are those of the policy', () => {
  const policy = { suggestThreshold: 0.4, executeThreshold: 0.85 }
  const options = { mode: 'auto', policy, wasSuggested: false, isSafe: () => true } as const
  expect(judgePlan(makeIntentPlan(tasks, { confidence: 0.5 }), options).verdict).toBe('suggestion')
  expect(judgePlan(makeIntentPlan(tasks, { confidence: 0.86 }), options).verdict).toBe('run')
})

it('what is confirmed unseen and not sure is shown before it starts', () => {
  const unseen = { mode: 'run', policy: defaultPolicy, wasSuggested: false, isSafe: () => true } as const
  const { verdict, why } = judgePlan(makeIntentPlan(tasks, { confidence: 0.8 }), unseen)
  expect(verdict).toBe('check')
  expect(why).toBe('Confidence .80 is below .92, and this plan was not shown before.')
  expect(judgePlan(makeIntentPlan(tasks, { confidence: 0.92 }), unseen).verdict).toBe('run')
  expect(judgePlan(makeIntentPlan(tasks, { confidence: 0.5 }), unseen).verdict).toBe('explicit_required')
})
