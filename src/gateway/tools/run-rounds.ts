/**
 * A client of 2026-07-28 is asked in the answer (see gateway/input-pauses.ts). What a run waits for is stored with it, so these
 * rounds need no memory of ours: `requestState` names the run, what was asked and the request, signed (gateway/request-states.ts),
 * and any process that has the run and the key takes them.
 *
 *   client         gateway                            run
 *     ── call ────────>  starts it ──────────────────>  asks for a decision
 *     <─ input_required {decision id: question}, requestState pml-run:<run>,<decision id>:<request>:<signature>
 *     ── call + responses, requestState ─>  decide ──>  goes on
 *     <─ result ───────
 *
 * The same round sent twice decides the same and waits for the same run: nothing is started by it.
 */
import { CommandRefusedError, DecisionRefusedError, RunNotFoundError } from '../../errors.js'
import { canAnswer } from '../../model/client-side.js'
import { type Decision, isPending } from '../../model/decision.js'
import { hashArguments } from '../../model/hash-arguments.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { ToolResult } from '../../model/tool-call.js'
import { maxQuestions } from '../../upstream/input-rounds.js'
import { approvalQuestion, readApproval } from '../ask-person.js'
import { notThisRequest } from '../request-states.js'
import { withinReply } from './late-command.js'
import type { Caller } from './meta-tool.js'
import { followRun, type RunForCallerDeps } from './run-for-caller.js'
import { type RunView, viewOfStored } from './run-view.js'

/** What a client sends, and sends again with every round. */
export interface ToolRequest {
  readonly name: string
  readonly arguments: JsonObject
}

/** The questions as the answer, where the run waits for a person and the client takes them so; undefined: another answer. */
export function askInAnswer(
  { run, trouble }: Pick<RunView, 'run' | 'trouble'>,
  request: ToolRequest,
  { client, clientName }: Caller,
  { desk, states }: Pick<RunForCallerDeps, 'desk' | 'states'>,
): ToolResult | undefined {
  if (client === undefined || !client.takesInputRequired) return undefined
  // What was just answered may still look open, and no answer can be kept now.
  if (trouble !== undefined) return undefined
  if (run.status !== 'approval_required' && run.status !== 'interrupted') return undefined
  const questions = desk.questions
    .open(run.decisions)
    .slice(0, maxQuestions)
    .map((decision) => [decision.id, approvalQuestion(decision)] as const)
    .filter(([, question]) => canAnswer(client.capabilities, question))
  if (questions.length === 0) return undefined
  const asked = { ids: [run.id, ...questions.map(([id]) => id)], request: hashOf(request) }
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(questions),
    requestState: states.write('run', asked, clientName),
  } as unknown as ToolResult
}

/** The run that this round of a request belongs to, decided and waited for; undefined: it is no round of ours. */
export async function takeRound(
  request: ToolRequest,
  caller: Caller,
  deps: RunForCallerDeps,
): Promise<RunView | undefined> {
  const { requestState, inputResponses = {} } = caller.round ?? {}
  if (requestState === undefined) return undefined
  const state = deps.states.read('run', requestState, caller.clientName)
  const [id, ...asked] = state?.ids ?? []
  if (id === undefined || state?.request !== hashOf(request)) throw notThisRequest(id ?? '')
  const run = await deps.runs.find(id)
  if (run === undefined) throw new RunNotFoundError(id)
  deps.desk.lines.redirect(id, caller.client)
  const answerAll = async (): Promise<void> => {
    for (const decision of run.decisions ?? [])
      if (asked.includes(decision.id)) await answer(decision, inputResponses[decision.id], deps)
  }
  const answered = await withinReply(answerAll(), 'answer', id, deps)
  if ('late' in answered) return answered.late
  const handle = await deps.runs.open(id)
  if (handle === undefined) return viewOfStored((await deps.runs.find(id)) ?? run, deps.runs)
  return followRun(handle, caller, deps)
}

async function answer(
  decision: Decision,
  response: Json | undefined,
  { runs, desk }: RunForCallerDeps,
): Promise<void> {
  if (response === undefined) return
  const verdict = readApproval(response)
  if (verdict === 'cancel') {
    if (isPending(decision)) desk.questions.putOff(decision.id)
    return
  }
  try {
    await runs.decide(decision.id, { verdict, by: 'elicitation' })
  } catch (error) {
    // That it was given and not taken is kept with the decision, and the run may have ended meanwhile: the reply shows it as it is.
    if (!(error instanceof DecisionRefusedError || error instanceof CommandRefusedError)) throw error
  }
}

function hashOf({ name, arguments: args }: ToolRequest): string {
  return hashArguments({ name, arguments: args })
}
