/**
 * Decisions about tools that clients call by themselves, outside any run. They live in the store alone, so that they survive this
 * process; here is only who waits for one.
 *
 * An approval is for one caller, tool, set of arguments and policy, and is used up, in the store, before the call is made: of any
 * number of identical calls at once one gets it. Promises hold within one gateway; two on one database could both take an approval.
 */
import { DecisionNotFoundError, PmlError } from '../errors.js'
import type { CallVerdict } from '../model/call-rules.js'
import { type Decision, type DecisionAnswer, isPending } from '../model/decision.js'
import { hashArguments } from '../model/hash-arguments.js'
import type { JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import { type Redact, redactData } from '../model/redact.js'
import type { ToolId } from '../model/tool.js'
import { createMutex } from '../store/create-mutex.js'
import type { Store } from '../store/store.js'
import { answerDecision, expired, isExpired, isUsable, refuse, used, withdrawn } from './answer-decision.js'

export interface DirectApprovals {
  /** May this call be made now. Approved: it is used up, and the call is to be made. @throws StoreError: then it is not. */
  request(call: DirectRequest): Promise<DirectOutcome>
  /** The same answer again gives the decision as it is. @throws DecisionNotFoundError, DecisionRefusedError */
  answer(id: string, answer: Omit<DecisionAnswer, 'at'>): Promise<Decision>
  /** The same for an answer that came with a call: where the decision is about another one, it does not count. */
  answerFor(call: DirectRequest, id: string, answer: PersonsAnswer): Promise<Decision>
  /** Oldest first. */
  pending(): Promise<readonly Decision[]>
  /** When it is answered, or nobody has in time. Rejects when it is waited for no more. */
  answered(id: string, signal: AbortSignal): Promise<Decision>
}

export interface DirectRequest {
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** The client's name. */
  readonly caller: string
  readonly verdict: CallVerdict
  readonly decideWithinMs: number
}

export type DirectOutcome =
  | { readonly approved: Decision }
  | { readonly pending: Decision }
  /** Told once: who calls again is asked about anew. */
  | { readonly rejected: Decision }

export type PersonsAnswer = Pick<DecisionAnswer, 'by' | 'reason'> & { readonly verdict: 'approve' | 'reject' }

export type DecisionStore = Pick<
  Store,
  'saveDecision' | 'findDecision' | 'listPendingDecisions' | 'listUnusedApprovals'
>

export interface DirectApprovalsOptions {
  store(): Promise<DecisionStore>
  now(): number
  newId(): string
  /** A decision has its answer, and that is stored. */
  onDecision(decision: Decision): void
  readonly redact: Redact
  readonly log: Log
}

/** A client that tries one variant after the other must not bury what a person has to look at. */
const mostPending = 200
/** Rejections that nobody has been told of. */
const mostUntold = 200
/** Timers in Node hold 31 bits. */
const longestTimerMs = 2_147_483_647

export function openDirectApprovals(options: DirectApprovalsOptions): DirectApprovals {
  const { now, newId, redact, log } = options
  /** What is read is written before the next one reads. */
  const inTurn = createMutex()
  const waiting = new Map<string, Set<(decision: Decision) => void>>()
  const untold = new Map<string, Decision>()

  const tell = (decision: Decision): void => {
    for (const resolve of waiting.get(decision.id) ?? []) resolve(decision)
  }
  /** Stored first: what is told of a decision is never ahead of it. */
  const keep = async (store: DecisionStore, decision: Decision): Promise<Decision> => {
    await store.saveDecision(decision)
    if (!isPending(decision)) tell(decision)
    return decision
  }
  const find = async (store: DecisionStore, id: string): Promise<Decision> => {
    const decision = await store.findDecision(id)
    if (decision === undefined || decision.runId !== undefined) throw new DecisionNotFoundError(id)
    return decision
  }
  const take = async (
    store: DecisionStore,
    decision: Decision,
    answer: DecisionAnswer,
  ): Promise<Decision> => {
    const outcome = answerDecision(decision, answer)
    if ('same' in outcome) return outcome.same
    if ('taken' in outcome) {
      await keep(store, outcome.taken)
      options.onDecision(outcome.taken)
      return outcome.taken
    }
    await keep(store, outcome.decision)
    throw outcome.refused
  }
  const takeBackOthers = async (
    store: DecisionStore,
    policyVersion: string,
    approvals: readonly Decision[],
  ): Promise<void> => {
    for (const approval of approvals) {
      if (approval.policyVersion === policyVersion) continue
      const by = approval.answer?.by ?? 'run'
      const { decision } = refuse(approval, { verdict: 'approve', by, at: now() }, 'changed')
      await keep(store, withdrawn(decision, now(), policyChanged))
    }
  }
  /** The pending one of exactly this call; what has run out, or was asked under another policy, ends here. */
  const findPending = async (
    store: DecisionStore,
    policyVersion: string,
    pending: readonly Decision[],
  ): Promise<Decision | undefined> => {
    let found: Decision | undefined
    for (const decision of pending) {
      if (isExpired(decision, now())) await keep(store, expired(decision, now()))
      else if (decision.policyVersion !== policyVersion)
        await keep(store, withdrawn(decision, now(), policyChanged))
      else found ??= decision
    }
    return found
  }
  const ask = async (store: DecisionStore, call: DirectRequest, argumentsHash: string): Promise<Decision> => {
    const requestedAt = now()
    const { verdict } = call
    return keep(store, {
      id: newId(),
      kind: 'call',
      caller: call.caller,
      tool: call.tool,
      arguments: redactData(call.arguments, redact),
      argumentsHash,
      policyVersion: verdict.policyVersion,
      risk: verdict.risk,
      why: verdict.why,
      soFar: '',
      answeredBy: verdict.answeredBy,
      requestedAt,
      expiresAt: requestedAt + call.decideWithinMs,
      refusals: [],
    })
  }

  return {
    request: (call) =>
      inTurn(async () => {
        const store = await options.store()
        const { policyVersion } = call.verdict
        const argumentsHash = hashArguments(call.arguments)
        const isOfCall = (decision: Decision): boolean => isAbout(decision, call, argumentsHash)
        const approvals = (await store.listUnusedApprovals(now())).filter(isOfCall)
        const { tool } = call
        const approval = approvals.find((one) =>
          isUsable(one, { tool, argumentsHash, policyVersion, now: now() }),
        )
        if (approval !== undefined) {
          const approved = used(approval, now())
          await store.saveDecision(approved)
          return { approved }
        }
        await takeBackOthers(store, policyVersion, approvals)
        const key = keyOf(call, argumentsHash)
        const rejected = untold.get(key)
        untold.delete(key)
        if (rejected !== undefined && !isExpired(rejected, now())) return { rejected }
        const all = (await store.listPendingDecisions()).filter(({ runId }) => runId === undefined)
        const known = await findPending(store, policyVersion, all.filter(isOfCall))
        if (known !== undefined) return { pending: known }
        if (all.filter((one) => !isExpired(one, now())).length >= mostPending) throw tooMany()
        return { pending: await ask(store, call, argumentsHash) }
      }),
    answer: (id, answer) =>
      inTurn(async () => {
        const store = await options.store()
        const isAwaited = waiting.has(id)
        const before = await find(store, id)
        const decision = await take(store, before, { ...answer, at: now() })
        // Who waits is told; otherwise whoever makes the call again.
        if (isPending(before) && decision.answer?.verdict === 'reject' && !isAwaited)
          remember(untold, keyOf(decision, decision.argumentsHash), decision)
        return decision
      }),
    answerFor: (call, id, answer) =>
      inTurn(async () => {
        const store = await options.store()
        const decision = await find(store, id)
        const isSame =
          isAbout(decision, call, hashArguments(call.arguments)) &&
          decision.policyVersion === call.verdict.policyVersion
        if (isSame) return take(store, decision, { ...answer, at: now() })
        const refusal = refuse(decision, { ...answer, at: now() }, 'changed')
        await keep(store, refusal.decision)
        throw refusal.refused
      }),
    pending: () =>
      inTurn(async () => {
        const store = await options.store()
        const all = (await store.listPendingDecisions()).filter(({ runId }) => runId === undefined)
        const late = all.filter((decision) => isExpired(decision, now()))
        for (const decision of late) await keep(store, expired(decision, now()))
        return all.filter((decision) => !late.includes(decision))
      }),
    async answered(id, signal) {
      signal.throwIfAborted()
      let timer: NodeJS.Timeout | undefined
      let stop = (): void => {}
      let resolveIt: (decision: Decision) => void = () => {}
      const answer = new Promise<Decision>((resolve, reject) => {
        resolveIt = resolve
        stop = () => reject(signal.reason)
      })
      // Whoever waits sees it; the store may fail first.
      answer.catch(() => {})
      const others = waiting.get(id) ?? new Set()
      waiting.set(id, others.add(resolveIt))
      signal.addEventListener('abort', stop, { once: true })
      try {
        // In turn, so that an answer comes either before this or to who waits.
        const looked = inTurn(async () => find(await options.store(), id))
        looked.catch(() => {})
        const decision = await Promise.race([looked, answer])
        if (!isPending(decision)) return decision
        timer = setTimeout(
          expire,
          Math.min(longestTimerMs, Math.max(0, decision.expiresAt - now())),
          decision,
        )
        timer.unref()
        return await answer
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        others.delete(resolveIt)
        if (others.size === 0) waiting.delete(id)
      }
    },
  }

  function expire(decision: Decision): void {
    inTurn(async () => {
      const store = await options.store()
      const current = await find(store, decision.id)
      if (isPending(current)) await keep(store, expired(current, now()))
    }).catch((error: unknown) => {
      // Its time is over, whether that can be written down or not.
      log.warn('that a decision expired could not be stored', { error })
      tell(expired(decision, now()))
    })
  }
}

const policyChanged = 'the policy for its tool, or the tool itself, is another now'

function isAbout(decision: Decision, { tool, caller }: DirectRequest, argumentsHash: string): boolean {
  return (
    decision.runId === undefined &&
    decision.tool === tool &&
    decision.caller === caller &&
    decision.argumentsHash === argumentsHash
  )
}

function keyOf({ tool, caller }: Pick<Decision, 'tool' | 'caller'>, argumentsHash: string): string {
  return JSON.stringify([caller, tool, argumentsHash])
}

function remember(untold: Map<string, Decision>, key: string, decision: Decision): void {
  untold.delete(key)
  untold.set(key, decision)
  if (untold.size > mostUntold) untold.delete(untold.keys().next().value!)
}

function tooMany(): PmlError {
  return new PmlError(
    'TOO_MANY_DECISIONS',
    `${mostPending} calls wait for an answer of a person already, so no further one is asked about.`,
    'A person sees and answers them with: pml approve',
  )
}
