/**
 * Asks the person behind a client of a 2025 revision, by elicitation, what a run wants to know. One question of a run at a time; a
 * question outlives the request in which it was asked, and its answer counts whenever it comes; an answer from elsewhere (command
 * line, page, clock) takes the question back. What a person puts off is not asked again here: it waits for the other ways.
 */

import { toErrorInfo } from '../../errors.js'
import type { RunHandle } from '../../execute/runs.js'
import { type ClientSide, canAnswer } from '../../model/client-side.js'
import { type Decision, isPending } from '../../model/decision.js'
import type { Log } from '../../model/log.js'
import type { Redact } from '../../model/redact.js'
import { redactDecision } from '../../model/redact-run.js'
import { approvalQuestion, readApproval } from '../ask-person.js'
import type { GatewayRuns } from '../runs.js'
import { createBoundedSet } from './bounded-set.js'
import { eventsUntil } from './run-events.js'

export interface RunQuestions {
  /** Asks for every decision as it is wanted, until the signal aborts. */
  follow(handle: RunHandle, client: ClientSide | undefined, signal: AbortSignal): void
  /** Asks the first of what waits, unless a question is open. Resolves when that question has ended; undefined: there is nothing to ask, or nobody. */
  ask(handle: RunHandle, client: ClientSide | undefined): Promise<void> | undefined
  /** What waits for an answer and was not put off, without secrets. */
  open(decisions: readonly Decision[] | undefined): readonly Decision[]
  putOff(decision: string): void
}

export interface RunQuestionsOptions {
  readonly runs: Pick<GatewayRuns, 'decide'>
  readonly redact: Redact
  readonly log: Log
}

/** More than anybody has open. */
const mostPutOff = 10_000

export function createRunQuestions({ runs, redact, log }: RunQuestionsOptions): RunQuestions {
  const asking = new Map<string, Promise<void>>()
  const laterOn = createBoundedSet(mostPutOff)
  const failed = createBoundedSet(mostPutOff)
  const open = (decisions: readonly Decision[] = []): readonly Decision[] =>
    decisions
      .filter((decision) => isPending(decision) && !laterOn.has(decision.id))
      .map((decision) => redactDecision(decision, redact))

  const askOne = async (handle: RunHandle, decision: Decision, client: ClientSide): Promise<void> => {
    const over = new AbortController()
    void untilAnswered(handle, decision.id, over.signal).then(() => over.abort())
    try {
      const verdict = readApproval(await client.ask(approvalQuestion(decision), over.signal))
      if (verdict === 'cancel') laterOn.add(decision.id)
      else await runs.decide(decision.id, { verdict, by: 'elicitation' })
    } catch (error) {
      if (over.signal.aborted) return
      // Once more at most: the connection may just have been recycled, but a client that refuses does so again.
      if (failed.has(decision.id)) laterOn.add(decision.id)
      failed.add(decision.id)
      log.debug('a person could not be asked', { decision: decision.id, error: toErrorInfo(error).message })
    } finally {
      over.abort()
    }
  }

  const ask: RunQuestions['ask'] = (handle, client) => {
    const earlier = asking.get(handle.id)
    if (earlier !== undefined) return earlier
    const next = canBeAsked(client) ? open(handle.current().decisions)[0] : undefined
    if (client === undefined || next === undefined) return undefined
    const asked = askOne(handle, next, client).finally(() => asking.delete(handle.id))
    asking.set(handle.id, asked)
    return asked
  }

  return {
    ask,
    open,
    putOff: (decision) => laterOn.add(decision),
    follow(handle, client, signal) {
      if (!canBeAsked(client)) return
      const follow = async (): Promise<void> => {
        for await (const event of eventsUntil(handle.events, signal)) {
          if (event.type !== 'decision-request') continue
          for (let asked = ask(handle, client); asked !== undefined; asked = ask(handle, client)) {
            await asked
            if (signal.aborted) return
          }
        }
      }
      follow().catch((error: unknown) => log.error('the questions of a run are not asked', { error }))
    },
  }
}

/** In the middle of a request; others are asked in the answer to it (run-rounds.ts), or not at all. */
function canBeAsked(client: ClientSide | undefined): boolean {
  if (client === undefined || client.takesInputRequired) return false
  return canAnswer(client.capabilities, { method: 'elicitation/create', params: {} })
}

async function untilAnswered(handle: RunHandle, id: string, signal: AbortSignal): Promise<void> {
  for await (const event of eventsUntil(handle.events, signal)) {
    if (event.type === 'decision-end' && event.decision.id === id) return
    if (event.type === 'run-end') return
    // What was missed may have been it.
    if (event.type === 'events-lost' && isAnswered(handle, id)) return
  }
}

function isAnswered(handle: RunHandle, id: string): boolean {
  return handle.current().decisions?.some((one) => one.id === id && !isPending(one)) ?? false
}
