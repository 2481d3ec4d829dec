/** What every Store promises of decisions: they outlive the process that asked, and nothing of them is forgotten too early. */
import { expect, it } from 'vitest'
import type { Decision, DecisionAnswer } from '../model/decision.js'
import { newId } from '../model/new-id.js'
import { formatToolId } from '../model/tool.js'
import type { LearnedContract } from './learned.contract.js'

export function testDecisions({ store, reopen, asPerson, strings }: LearnedContract): void {
  it('gives back decisions as they were saved, answered, refused and used, also after a reopen', async () => {
    const asked = aDecision({})
    const used = aDecision({
      ...{ kind: 'repeat', taskId: 't', risk: 'dangerous', answeredBy: 'anyone' },
      ...{ requestedAt: 1_700_000_000_000.25, usedAt: 1_700_000_000_009 },
      answer: { verdict: 'approve', by: 'command line', reason: 'I looked', at: 1_700_000_000_005 },
      refusals: [{ verdict: 'reject', by: 'agent', code: 'DECISION_ANSWERED', at: 1_700_000_000_006 }],
    })
    for (const decision of [asked, used]) await store().saveDecision(decision)
    for (const _ of ['before', 'after']) {
      for (const decision of [asked, used])
        expect(await store().findDecision(decision.id)).toStrictEqual(decision)
      await reopen()
    }
    const rejected = { ...asked, answer: answered('reject') }
    await store().saveDecision(rejected)
    expect(await store().findDecision(asked.id)).toStrictEqual(rejected)
    expect(await store().findDecision('\u0000')).toBeUndefined()
  })

  it('keeps every string of a decision, and its columns stay readable as jsonb', async () => {
    const decisions = strings.map((text, at) =>
      aDecision({
        ...{
          id: `${at}${text}`,
          taskId: text,
          caller: text,
          tool: formatToolId('fs', text),
          why: text,
          soFar: text,
        },
        ...{ arguments: { [text]: text }, argumentsHash: text, policyVersion: text },
        answer: { ...answered('reject'), reason: text },
        refusals: [{ verdict: 'approve', by: 'agent', code: text, at: 1 }],
      }),
    )
    await Promise.all(decisions.map((decision) => store().saveDecision(decision)))
    for (const decision of decisions.slice(0, 40))
      expect(await store().findDecision(decision.id)).toStrictEqual(decision)
    expect(
      await asPerson('select count(arguments::jsonb || refusals::jsonb)::integer as many from decision'),
    ).toEqual([{ many: strings.length }])
  })

  it('lists those without an answer, oldest first, and those asked at once in their order', async () => {
    const early = aDecision({ requestedAt: 1 })
    const together = Array.from({ length: 5 }, () => aDecision({ requestedAt: 9 }))
    for (const decision of [...together, early]) await store().saveDecision(decision)
    await store().saveDecision(aDecision({ answer: answered('withdraw') }))
    await store().saveDecision({ ...together[0]!, refusals: [] })
    expect(await store().listPendingDecisions()).toStrictEqual([early, ...together])
    await store().saveDecision({ ...early, answer: answered('expire') })
    expect(await store().listPendingDecisions()).toStrictEqual(together)
  })

  it('lists approvals of no run that can still be used', async () => {
    const run = { id: newId(), status: 'running', startedAt: 1 } as const
    const approve = (fields: Partial<Decision>) => aDecision({ answer: answered('approve'), ...fields })
    const usable = approve({ expiresAt: 101 })
    const others = [
      approve({ expiresAt: 100 }),
      approve({ expiresAt: 101, usedAt: 50 }),
      aDecision({ expiresAt: 101, answer: answered('reject') }),
      aDecision({ expiresAt: 101 }),
    ]
    for (const decision of [...others, usable]) await store().saveDecision(decision)
    await store().saveCheckpoint({
      ...{ run, owner: 'me', tasks: [], removedTasks: [] },
      decisions: [approve({ expiresAt: 101, runId: run.id })],
      progress: { messages: [], context: {}, commands: [], isPaused: false },
    })
    expect(await store().listUnusedApprovals(100)).toStrictEqual([usable])
    expect(await store().listUnusedApprovals(101)).toEqual([])
  })

  it('forgets those of no run once nothing can come of them', async () => {
    const long = { requestedAt: 1, expiresAt: 1_000 }
    const kept = [
      aDecision(long),
      aDecision({ ...long, answer: { ...answered('approve'), at: 2 } }),
      aDecision({ ...long, answer: { ...answered('reject'), at: 600 } }),
    ]
    const gone = [
      aDecision({ requestedAt: 1, expiresAt: 400 }),
      aDecision({ ...long, answer: { ...answered('reject'), at: 2 } }),
      aDecision({ ...long, answer: { ...answered('approve'), at: 2 }, usedAt: 3 }),
    ]
    for (const decision of [...kept, ...gone]) await store().saveDecision(decision)
    expect(await store().pruneRuns({ newest: 0, since: 500 })).toBe(0)
    for (const decision of kept) expect(await store().findDecision(decision.id)).toStrictEqual(decision)
    for (const decision of gone) expect(await store().findDecision(decision.id)).toBeUndefined()
  })
}

export function aDecision(fields: Partial<Decision>): Decision {
  return {
    id: newId(),
    kind: 'call',
    caller: 'an editor',
    tool: formatToolId('fs', 'delete'),
    arguments: { path: '/', z: 1, a: 2 },
    argumentsHash: 'hash',
    policyVersion: '1',
    risk: 'moderate',
    why: 'it deletes',
    soFar: '1 of 2 tasks done',
    answeredBy: 'human',
    requestedAt: 1_700_000_000_000,
    expiresAt: 1_700_000_600_000,
    refusals: [],
    ...fields,
  }
}

function answered(verdict: DecisionAnswer['verdict']): DecisionAnswer {
  return { verdict, by: 'page', at: 1_700_000_000_001 }
}
