/** Approvals of calls outside runs, on a real database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DecisionRefusedError, StoreError } from '../errors.js'
import type { CallVerdict } from '../model/call-rules.js'
import type { Decision } from '../model/decision.js'
import { hashArguments } from '../model/hash-arguments.js'
import { silentLog } from '../model/log.js'
import { newId } from '../model/new-id.js'
import { createRedact } from '../model/redact.js'
import type { ToolId } from '../model/tool.js'
import { openStore } from '../store/open-store.js'
import type { Store } from '../store/store.js'
import { type DirectApprovals, type DirectRequest, openDirectApprovals } from './open-direct-approvals.js'

const folder = mkdtempSync(join(tmpdir(), 'pml-direct-'))
let store: Store
let now = 1_000_000
let approvals: DirectApprovals
let runs = 0

const open = (from: () => Promise<Store> = async () => store): DirectApprovals =>
  openDirectApprovals({
    store: from,
    now: () => now,
    newId,
    onDecision() {},
    redact: createRedact(['sk-secret-1']),
    log: silentLog,
  })

beforeAll(async () => {
  const signal = new AbortController().signal
  store = await openStore({ dataDirectory: folder, signal, onProgress() {}, log: silentLog })
}, 60_000)
afterAll(async () => {
  await store?.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  approvals = open()
  runs += 1
})

const verdict: CallVerdict = {
  verdict: 'ask',
  risk: 'dangerous',
  why: 'It deletes.',
  answeredBy: 'human',
  policyVersion: 'v1',
}
/** Each test has a tool of its own: they share the database. */
const aCall = (extra: Partial<DirectRequest> = {}): DirectRequest => ({
  tool: `files:delete-${runs}` as ToolId,
  arguments: { path: 'a' },
  caller: 'someone',
  verdict,
  decideWithinMs: 1_000,
  ...extra,
})
const pendingOf = async (call = aCall()): Promise<Decision> => {
  const outcome = await approvals.request(call)
  if (!('pending' in outcome)) throw new Error(JSON.stringify(outcome))
  return outcome.pending
}
const approve = { verdict: 'approve', by: 'page' } as const
const reject = { verdict: 'reject', by: 'command line', reason: 'no' } as const

describe('a call that needs approval', () => {
  it('is asked about once, however often it is made, and is stored', async () => {
    const first = await pendingOf()
    expect(first).toMatchObject({ caller: 'someone', answeredBy: 'human', expiresAt: now + 1_000, soFar: '' })
    expect(await pendingOf()).toEqual(first)
    expect(await store.findDecision(first.id)).toEqual(first)
    expect(await approvals.pending()).toContainEqual(first)
  })

  it('is approved once: the approval is used up before the call is made', async () => {
    const { id } = await pendingOf()
    await approvals.answer(id, approve)
    expect(await approvals.request(aCall())).toMatchObject({ approved: { id, usedAt: now } })
    expect(await store.findDecision(id)).toMatchObject({ usedAt: now })
    expect((await pendingOf()).id).not.toBe(id)
  })

  it('of 50 at once one gets the approval, and the others share the next question', async () => {
    const { id } = await pendingOf()
    await approvals.answer(id, approve)
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => approvals.request(aCall())))
    expect(outcomes.filter((outcome) => 'approved' in outcome)).toHaveLength(1)
    const asked = outcomes.flatMap((outcome) => ('pending' in outcome ? [outcome.pending.id] : []))
    expect(asked).toHaveLength(49)
    expect(new Set(asked).size).toBe(1)
  })

  it('50 that approve at once are one approval', async () => {
    const { id } = await pendingOf()
    const answers = await Promise.all(Array.from({ length: 50 }, () => approvals.answer(id, approve)))
    expect(new Set(answers.map(({ answer }) => answer?.at))).toEqual(new Set([now]))
    expect(await approvals.request(aCall())).toHaveProperty('approved')
    expect(await approvals.request(aCall())).toHaveProperty('pending')
  })

  it('is rejected once, with the reason; who calls again is asked about anew', async () => {
    const { id } = await pendingOf()
    await approvals.answer(id, reject)
    expect(await approvals.request(aCall())).toMatchObject({ rejected: { id, answer: { reason: 'no' } } })
    await approvals.answer(id, reject)
    expect((await pendingOf()).id).not.toBe(id)
  })

  it.each<[string, Partial<DirectRequest>]>([
    ['of another caller', { caller: 'another' }],
    ['with other arguments', { arguments: { path: 'b' } }],
    ['of another tool', { tool: 'files:wipe' as ToolId }],
    ['under another policy', { verdict: { ...verdict, policyVersion: 'v2' } }],
  ])('%s is not approved by it', async (_what, other) => {
    const { id } = await pendingOf()
    await approvals.answer(id, approve)
    expect(await approvals.request(aCall(other))).toMatchObject({
      pending: { id: expect.not.stringMatching(id) },
    })
  })

  it('the order of its arguments does not matter', async () => {
    const { id } = await pendingOf(aCall({ arguments: { a: 1, b: { c: 2, d: 3 } } }))
    expect((await pendingOf(aCall({ arguments: { b: { d: 3, c: 2 }, a: 1 } }))).id).toBe(id)
  })

  it('leaves no secret in the store, and is bound to the real arguments', async () => {
    const args = { token: 'sk-secret-1' }
    const decision = await pendingOf(aCall({ arguments: args }))
    expect(JSON.stringify(await store.findDecision(decision.id))).not.toContain('sk-secret-1')
    expect(decision.argumentsHash).toBe(hashArguments(args))
    const other = await pendingOf(aCall({ arguments: { token: '[redacted]' } }))
    expect(other.id).not.toBe(decision.id)
  })
})

describe('what survives a restart', () => {
  it('a question, an approval that was not used, and that one was', async () => {
    const { id } = await pendingOf()
    approvals = open()
    expect((await pendingOf()).id).toBe(id)
    await approvals.answer(id, approve)
    approvals = open()
    expect(await approvals.request(aCall())).toMatchObject({ approved: { id } })
    approvals = open()
    expect((await pendingOf()).id).not.toBe(id)
  })

  it('nothing is asked, and nothing approved, while the store is away', async () => {
    const away = open(() => Promise.reject(new StoreError('away', 'wait')))
    await expect(away.request(aCall())).rejects.toThrow(StoreError)
    await expect(away.answer('x', approve)).rejects.toThrow(StoreError)
    const failing = { ...store, saveDecision: () => Promise.reject(new StoreError('full', 'wait')) }
    const { id } = await pendingOf()
    await approvals.answer(id, approve)
    const broken = open(async () => Object.assign(Object.create(store), failing) as Store)
    await expect(broken.request(aCall())).rejects.toThrow(StoreError)
    expect(await approvals.request(aCall())).toMatchObject({ approved: { id } })
  })
})

describe('an answer that is refused is kept', () => {
  const refusalsOf = async (id: string) => (await store.findDecision(id))?.refusals

  it('after its time', async () => {
    const { id } = await pendingOf()
    now += 1_000
    await expect(approvals.answer(id, approve)).rejects.toMatchObject({ code: 'DECISION_EXPIRED' })
    expect(await refusalsOf(id)).toMatchObject([{ code: 'DECISION_EXPIRED', by: 'page', verdict: 'approve' }])
    expect(await store.findDecision(id)).toMatchObject({ answer: { verdict: 'expire', by: 'clock' } })
    expect((await pendingOf()).id).not.toBe(id)
  })

  it('of an agent where a person is asked', async () => {
    const { id } = await pendingOf()
    await expect(approvals.answer(id, { verdict: 'approve', by: 'agent' })).rejects.toMatchObject({
      code: 'DECISION_HUMAN',
    })
    expect(await refusalsOf(id)).toMatchObject([{ code: 'DECISION_HUMAN', by: 'agent' }])
    expect((await pendingOf()).id).toBe(id)
  })

  it('for changed arguments', async () => {
    const { id } = await pendingOf()
    const changed = aCall({ arguments: { path: '/' } })
    const answer = { verdict: 'approve', by: 'elicitation' } as const
    await expect(approvals.answerFor(changed, id, answer)).rejects.toThrow(DecisionRefusedError)
    expect(await refusalsOf(id)).toMatchObject([{ code: 'DECISION_CHANGED', by: 'elicitation' }])
    expect(await approvals.request(changed)).toHaveProperty('pending')
    expect(await approvals.answerFor(aCall(), id, answer)).toMatchObject({ answer })
  })

  it('given under another policy, when it would be used', async () => {
    const { id } = await pendingOf()
    await approvals.answer(id, approve)
    const stricter = aCall({ verdict: { ...verdict, policyVersion: 'v2' } })
    expect(await approvals.request(stricter)).toHaveProperty('pending')
    expect(await refusalsOf(id)).toMatchObject([{ code: 'DECISION_CHANGED', by: 'page' }])
    // Not even when the policy is as it was.
    expect(await approvals.request(aCall())).toHaveProperty('pending')
  })

  it('to a question that was asked under another policy', async () => {
    const { id } = await pendingOf()
    await approvals.request(aCall({ verdict: { ...verdict, policyVersion: 'v2' } }))
    await expect(approvals.answer(id, approve)).rejects.toMatchObject({ code: 'DECISION_CHANGED' })
    expect(await refusalsOf(id)).toMatchObject([{ code: 'DECISION_CHANGED' }])
  })

  it('where it says something else than before; the same again is fine', async () => {
    const { id } = await pendingOf()
    const taken = await approvals.answer(id, approve)
    expect(await approvals.answer(id, { ...approve, by: 'command line' })).toEqual(taken)
    await expect(approvals.answer(id, reject)).rejects.toMatchObject({ code: 'DECISION_ANSWERED' })
    expect(await refusalsOf(id)).toMatchObject([{ code: 'DECISION_ANSWERED', verdict: 'reject' }])
    expect(await approvals.request(aCall())).toMatchObject({ approved: { id } })
  })

  it('to nothing there is not found', async () => {
    await expect(approvals.answer(newId(), approve)).rejects.toMatchObject({ code: 'DECISION_NOT_FOUND' })
  })
})

describe('who waits for an answer', () => {
  const never = new AbortController().signal

  it('is told it, also where it came before, and a rejection is not told twice', async () => {
    const { id } = await pendingOf()
    const waiting = [approvals.answered(id, never), approvals.answered(id, never)]
    await approvals.answered(id, AbortSignal.timeout(5)).catch(() => {})
    await approvals.answer(id, reject)
    for (const decision of [...(await Promise.all(waiting)), await approvals.answered(id, never)])
      expect(decision).toMatchObject({ id, answer: { verdict: 'reject' } })
    expect(await approvals.request(aCall())).toHaveProperty('pending')
  })

  it('is told when its time is over', async () => {
    const { id } = await pendingOf(aCall({ decideWithinMs: 30 }))
    expect(await approvals.answered(id, never)).toMatchObject({ answer: { verdict: 'expire' } })
    expect(await store.findDecision(id)).toMatchObject({ answer: { verdict: 'expire' } })
  })

  it('need not wait', async () => {
    const { id } = await pendingOf()
    const stop = new AbortController()
    const waiting = approvals.answered(id, stop.signal)
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(approvals.answered(newId(), never)).rejects.toMatchObject({ code: 'DECISION_NOT_FOUND' })
  })
})

it('what has expired does not wait any more', async () => {
  const { id } = await pendingOf()
  now += 1_000
  expect((await approvals.pending()).map((one) => one.id)).not.toContain(id)
  expect(await store.findDecision(id)).toMatchObject({ answer: { verdict: 'expire' } })
})

it('a client that tries one variant after the other is stopped before it buries the rest', async () => {
  now += 10_000
  for (let i = 0; i < 200; i++) await pendingOf(aCall({ arguments: { i } }))
  await expect(approvals.request(aCall({ arguments: { i: 200 } }))).rejects.toMatchObject({
    code: 'TOO_MANY_DECISIONS',
  })
  expect(await approvals.request(aCall({ arguments: { i: 7 } }))).toHaveProperty('pending')
  now += 10_000
  expect(await approvals.request(aCall({ arguments: { i: 200 } }))).toHaveProperty('pending')
}, 30_000)
