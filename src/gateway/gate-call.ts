/**
 * Stands before every tool that a client calls by itself: what the user blocks is not called, what is dangerous waits for a person.
 * Who is there to be asked is asked; for all others the call is answered with what is to be decided and how, and made when it comes
 * again.
 *
 *   2026-07-28 with elicitation   `input_required`, stateless: the decision is in the store, and the next round names it
 *   2025 with elicitation         asked on the way; an answer from elsewhere (command line, page) ends the question
 *   all others                    an error result with status `approval_required`
 *
 * A call that needs nobody passes at the cost of looking up its verdict.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CallAbortedError,
  CallBlockedError,
  DecisionNotFoundError,
  DecisionRefusedError,
  PmlError,
} from '../errors.js'
import type { DirectApprovals, DirectRequest } from '../execute/open-direct-approvals.js'
import type { CallRules } from '../model/call-rules.js'
import { type ClientSide, canAnswer } from '../model/client-side.js'
import type { PmlConfig } from '../model/config.js'
import type { Decision } from '../model/decision.js'
import { hashArguments } from '../model/hash-arguments.js'
import type { JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { Tool } from '../model/tool.js'
import type { ToolResult } from '../model/tool-call.js'
import { isInputRequired } from '../upstream/input-rounds.js'
import type { ArgumentCheck } from '../upstream/validate-arguments.js'
import { approvalQuestion, describeDecision, howToAnswer, readApproval, showDecision } from './ask-person.js'
import { notThisRequest, type RequestStates, statePrefix } from './request-states.js'
import type { Caller } from './tools/meta-tool.js'

/** Makes the call, or says why not. `make` may be told another round than the caller's: ours are not for servers. */
export type GateCall = (
  tool: Tool,
  args: JsonObject,
  caller: Caller,
  make: (caller: Caller) => Promise<ToolResult>,
) => Promise<ToolResult>

export interface GateCallDeps {
  config(): Pick<PmlConfig, 'approvals' | 'replyWithinMs' | 'validateArguments'>
  readonly rules: CallRules
  readonly approvals: DirectApprovals
  /** Nobody is asked about a call that would be refused afterwards. */
  readonly checkArguments: ArgumentCheck
  readonly states: RequestStates
  readonly log: Log
}

/** In `requestState`: an approved call in which its server asks something of its own. */
const passPrefix = 'pml-approved:'
/** How long a person may take to answer what the server of an approved call asks, and how many such calls are kept. */
const passExpiresMs = 60 * 60_000
const mostPasses = 1_000
const mostClosed = 200

export function createGateCall(deps: GateCallDeps): GateCall {
  const { rules, states } = deps
  const passes = createPasses()
  const questions = createQuestions(deps)

  return (tool, args, caller, make) => {
    const { verdict } = rules.judge({ tool: tool.id, arguments: args, requireApproval: false })
    if (verdict === 'run' || (verdict === 'ask' && deps.config().approvals.direct === 'client'))
      return make(caller.round === undefined ? caller : withoutOurRound(caller))
    return gate(tool, args, caller, make)
  }

  async function gate(...[tool, args, caller, make]: Parameters<GateCall>): Promise<ToolResult> {
    const verdict = rules.judge({ tool: tool.id, arguments: args, requireApproval: false })
    if (verdict.verdict === 'block') throw new CallBlockedError(tool.id, verdict.why)
    const call: DirectRequest = {
      tool: tool.id,
      arguments: args,
      caller: caller.clientName,
      verdict,
      decideWithinMs: rules.decideWithinMs,
    }
    const makeApproved = async (who: Caller): Promise<ToolResult> => passes.wrap(await make(who), call)
    const cameAt = performance.now()
    const { round, ...rest } = caller
    const state = round?.requestState
    if (state?.startsWith(passPrefix)) {
      const pass = passes.take(state, call)
      if (pass !== undefined) {
        const inputResponses = round?.inputResponses
        return makeApproved({ ...rest, round: { ...(inputResponses && { inputResponses }), ...pass } })
      }
    }
    const asked = state?.startsWith(statePrefix.decision) ? askedIn(state, caller) : undefined
    if (deps.config().validateArguments) await deps.checkArguments(tool, args)
    if (asked !== undefined) await takeAnswer(call, asked, round?.inputResponses)
    for (;;) {
      if (caller.signal.aborted) throw new CallAbortedError(tool.id)
      const outcome = await deps.approvals.request(call)
      if ('approved' in outcome) return makeApproved(rest)
      if ('rejected' in outcome) throw notApproved(outcome.rejected)
      const { pending } = outcome
      const client = whoCanBeAsked(caller, pending)
      if (client === undefined) return approvalRequired(pending)
      if (client.takesInputRequired) {
        // A client that had its chance and said nothing is not asked the same again and again.
        return asked === pending.id ? approvalRequired(pending) : inputRequired(pending, call)
      }
      const answered = await questions.ask(pending, client, caller.signal, cameAt)
      if (answered === undefined) return approvalRequired(pending)
      if (answered.answer?.verdict !== 'approve') throw notApproved(answered)
    }
  }

  /**
   * The decision that this client was asked. That it was about this call is seen when it is answered: what does not fit is written
   * down there. @throws where no such client was asked.
   */
  function askedIn(state: string, { clientName }: Caller): string {
    const [id] = states.read('decision', state, clientName)?.ids ?? []
    if (id === undefined) throw notThisRequest('')
    return id
  }

  function inputRequired(decision: Decision, call: DirectRequest): ToolResult {
    const asked = { ids: [decision.id], request: requestHash(call) }
    return {
      resultType: 'input_required',
      inputRequests: { [decision.id]: approvalQuestion(decision) },
      requestState: states.write('decision', asked, call.caller),
    } as unknown as ToolResult
  }

  /** What the next round of a client says of the decision it was asked. */
  async function takeAnswer(
    call: DirectRequest,
    id: string,
    responses: JsonObject | undefined,
  ): Promise<void> {
    const verdict = readApproval(responses?.[id])
    if (verdict === 'cancel') return
    try {
      const decision = await deps.approvals.answerFor(call, id, { verdict, by: 'elicitation' })
      if (verdict === 'reject') throw notApproved(decision)
    } catch (error) {
      // It was about another call, which is written down; a person is asked about this one.
      const isOther = error instanceof DecisionRefusedError && error.reason === 'changed'
      if (!isOther && !(error instanceof DecisionNotFoundError)) throw error
    }
  }
}

function whoCanBeAsked({ client }: Caller, decision: Decision): ClientSide | undefined {
  return client !== undefined && canAnswer(client.capabilities, approvalQuestion(decision))
    ? client
    : undefined
}

/** Clients of 2025 revisions are asked while their call waits: each decision once, however many calls wait for it. */
function createQuestions({ config, approvals, log }: GateCallDeps) {
  const open = new Map<string, Promise<Decision | undefined>>()
  /** Those that a person closed without a word, and when: calls that were there before do not ask the same again. */
  const closed = new Map<string, number>()
  const close = (id: string): void => {
    closed.delete(id)
    closed.set(id, performance.now())
    if (closed.size > mostClosed) closed.delete(closed.keys().next().value!)
  }

  const begin = (
    decision: Decision,
    client: ClientSide,
    ended: AbortController,
  ): Promise<Decision | undefined> => {
    const answered = approvals.answered(decision.id, ended.signal).catch((error: unknown) => {
      if (ended.signal.aborted) return undefined
      throw error
    })
    const asked = client
      .ask(approvalQuestion(decision), ended.signal)
      .then(readApproval, () => 'cancel' as const)
      .then(async (verdict) => {
        if (verdict === 'cancel') {
          close(decision.id)
          return undefined
        }
        // Whatever came from elsewhere meanwhile stands, and is what `answered` gives.
        await approvals.answer(decision.id, { verdict, by: 'elicitation' }).catch((error: unknown) => {
          if (!(error instanceof DecisionRefusedError)) throw error
        })
        return answered
      })
    return Promise.race([answered, asked]).finally(() => {
      ended.abort()
      open.delete(decision.id)
      for (const late of [answered, asked]) late.catch(() => {})
    })
  }

  return {
    /** Undefined: nobody has decided, by now. A question that the reply does not wait for stays open; its answer counts. */
    async ask(
      decision: Decision,
      client: ClientSide,
      signal: AbortSignal,
      cameAt: number,
    ): Promise<Decision | undefined> {
      if ((closed.get(decision.id) ?? Number.NEGATIVE_INFINITY) >= cameAt) return undefined
      const ended = new AbortController()
      const cancel = (): void => ended.abort(signal.reason)
      let question = open.get(decision.id)
      if (question === undefined) {
        question = begin(decision, client, ended)
        open.set(decision.id, question)
        question.catch((error: unknown) => {
          if (!signal.aborted) log.warn('a person could not be asked', { error })
        })
        signal.addEventListener('abort', cancel, { once: true })
      }
      const replied = new AbortController()
      try {
        return await Promise.race([
          question,
          sleep(config().replyWithinMs, undefined, { signal: replied.signal }),
        ])
      } catch (error) {
        if (signal.aborted) throw new CallAbortedError(decision.tool)
        throw error
      } finally {
        replied.abort()
        signal.removeEventListener('abort', cancel)
      }
    },
  }
}

interface Pass {
  readonly requestState?: string
}

/**
 * An approved call whose server answers `input_required` goes on in further requests, which must not ask the person again, nor be a
 * way to make the call twice. So its `requestState` is kept here, and the client gets a name for it that is good once, for the same
 * call. It lives in this process: after a restart the person is asked anew.
 */
function createPasses() {
  const kept = new Map<string, { readonly call: string; readonly pass: Pass; readonly until: number }>()
  return {
    wrap(result: ToolResult, call: DirectRequest): ToolResult {
      if (!isInputRequired(result)) return result
      const state = passPrefix + newId()
      if (kept.size >= mostPasses) kept.delete(kept.keys().next().value!)
      const pass = typeof result.requestState === 'string' ? { requestState: result.requestState } : {}
      kept.set(state, { call: nameOf(call), pass, until: Date.now() + passExpiresMs })
      return { ...(result as unknown as ToolResult), requestState: state }
    },
    take(state: string, call: DirectRequest): Pass | undefined {
      const found = kept.get(state)
      if (found?.call !== nameOf(call)) return undefined
      kept.delete(state)
      return found.until > Date.now() ? found.pass : undefined
    },
  }
}

function requestHash({ tool, arguments: args }: DirectRequest): string {
  return hashArguments({ name: tool, arguments: args })
}

function nameOf({ caller, tool, verdict, arguments: args }: DirectRequest): string {
  return JSON.stringify([caller, tool, verdict.policyVersion, hashArguments(args)])
}

/** What stood before a policy changed is not for a server to read. */
function withoutOurRound(caller: Caller): Caller {
  const { round, ...rest } = caller
  const state = round?.requestState
  return state?.startsWith(statePrefix.decision) || state?.startsWith(passPrefix) ? rest : caller
}

/** For a client that cannot ask, and for headless ones: all that is needed to go on from here. */
function approvalRequired(decision: Decision): ToolResult {
  const steps = [
    howToAnswer(decision),
    'Then call it again with the same arguments.',
    `A standing rule does it for good: approvals.tools in the configuration, "${decision.tool}": allow.`,
  ]
  if (decision.answeredBy === 'anyone')
    steps.push('You may approve it yourself as a task of execute_workflow, by control_workflow.')
  const next = steps.join(' ')
  return {
    content: [
      { type: 'text', text: `Not called: it needs approval first.\n${describeDecision(decision)}\n${next}` },
    ],
    structuredContent: { status: 'approval_required', decision: showDecision(decision), next },
    isError: true,
  }
}

function notApproved({ tool, answer }: Decision): PmlError {
  const why = answer?.reason === undefined ? '' : `: ${answer.reason}`
  const how = {
    approve: 'its approval was used already',
    reject: `it was rejected (${answer?.by})${why}`,
    expire: 'nobody approved it in time',
    withdraw: `what was asked has changed${why}`,
  }[answer?.verdict ?? 'expire']
  return new PmlError(
    'NOT_APPROVED',
    `${tool} was not called: ${how}.`,
    'Go another way, or ask the user before calling it again.',
  )
}
