import { PmlError } from '../errors.js'
import type { RunReport } from '../gateway/report-run.js'
import type { HolderApi } from '../holder/holder-api.js'
import type { Decision, Verdict } from '../model/decision.js'
import { coloursFor } from './colour.js'
import { describeDecision } from './describe-decision.js'
import { pendingOf } from './describe-run.js'
import { createAsk } from './init/ask.js'
import type { Io } from './io.js'

export interface SettleOptions {
  readonly api: HolderApi
  readonly io: Io
  /** Who typed the command approves what it asks; a call that was cut off is never repeated by that alone. */
  readonly yes: boolean
  /** Somebody sits at the terminal, and its input is for answers. */
  readonly mayAsk: boolean
  /** The run is this command's: it ends with it. */
  readonly isOurs: boolean
}

/** Has answered what the run asks, as often as it asks, where somebody can; gives it as it stands then. */
export async function settleRun(first: RunReport, options: SettleOptions): Promise<RunReport> {
  const { api, io, isOurs } = options
  const answered = new Set<string>()
  let run = first
  for (;;) {
    const open = pendingOf(run).filter(({ id }) => !answered.has(id))
    const verdicts = await findVerdicts(open, options)
    if (verdicts.length === 0) return run
    for (const [{ id }, verdict] of verdicts) {
      answered.add(id)
      await answer(api, io, id, verdict)
    }
    run = (await api.post(`/api/runs/${run.id}/follow`, { abortIfGone: isOurs })) as RunReport
  }
}

type Answers = readonly (readonly [Decision, Verdict])[]

async function findVerdicts(open: readonly Decision[], { io, yes, mayAsk }: SettleOptions): Promise<Answers> {
  const agreed: Answers = yes ? open.filter(({ kind }) => kind === 'call').map((one) => [one, 'approve']) : []
  if (
    agreed.length > 0 ||
    open.length === 0 ||
    !mayAsk ||
    io.stdin.isTTY !== true ||
    io.stdout.isTTY !== true
  )
    return agreed
  const ask = createAsk(io)
  try {
    const given: [Decision, Verdict][] = []
    for (const decision of open) {
      io.stderr.write(`\n${describeDecision(decision, coloursFor(io, io.stderr), Date.now())}\n`)
      const question = decision.kind === 'call' ? 'Call it?' : 'Call it again?'
      given.push([decision, (await ask.agrees(question)) ? 'approve' : 'reject'])
    }
    return given
  } finally {
    ask.close()
  }
}

/** Somebody else may have been faster, or it took too long: that is told, and the run says what became of it. */
async function answer(api: HolderApi, io: Io, id: string, verdict: Verdict): Promise<void> {
  try {
    await api.post(`/api/decisions/${id}`, { verdict })
  } catch (error) {
    if (!isRefusal(error)) throw error
    io.stderr.write(`${error.message} ${error.hint}\n`)
  }
}

/** An answer that was not taken, because of what became of the decision or its run. */
export function isRefusal(error: unknown): error is PmlError {
  return error instanceof PmlError && (error.code.startsWith('DECISION_') || error.code === 'COMMAND_REFUSED')
}
