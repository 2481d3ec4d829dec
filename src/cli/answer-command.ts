import { PmlError, toErrorInfo, UsageError } from '../errors.js'
import type { RunReport } from '../gateway/report-run.js'
import type { Status } from '../gateway/status.js'
import type { HolderApi } from '../holder/holder-api.js'
import type { Decision, Verdict } from '../model/decision.js'
import type { ErrorInfo } from '../model/run.js'
import { commonArgs, defineCliCommand, gatewayChoice } from './cli-command.js'
import { coloursFor } from './colour.js'
import { countOf } from './count-of.js'
import { describeDecision } from './describe-decision.js'
import { answerHint } from './describe-run.js'
import { type Io, printJson, printLine } from './io.js'
import { isRefusal } from './settle-run.js'

/** Of a run elsewhere it is told what it does right after; it goes on without us. */
const lookWithinMs = 2_000

const words = {
  approve: { did: 'Approved', summary: 'See what waits for your yes, and say it' },
  reject: { did: 'Rejected', summary: 'Say no to what waits for an answer' },
} as const

/** `pml approve` and `pml reject`: the person who types it is the one who was asked. */
export function defineAnswerCommand(verdict: Verdict) {
  return defineCliCommand({
    name: verdict,
    summary: words[verdict].summary,
    args: {
      id: {
        type: 'positional',
        required: false,
        description:
          'A decision, or a run for all it asks; the beginning of the id will do. None shows what waits',
      },
      ...commonArgs,
      reason: { type: 'string', valueHint: 'text', description: 'Why, for who looks at it later' },
      all: { type: 'boolean', description: 'Everything that waits for an answer' },
    },
    examples: [`pml ${verdict}`, `pml ${verdict} 01981b6e`, `pml ${verdict} 01981b6e --reason "checked"`],
    notes: `
A decision holds for exactly the call that is shown, is answered once, and expires: what nobody answers is rejected.
Where no gateway runs, the run goes on here, until it ends or waits again.`,
    async run({ args, io, gateway }) {
      const { id, reason } = args
      if (id !== undefined && args.all === true)
        throw new UsageError('Either an id or --all.', `See: pml ${verdict} --help`)
      const json = args.json === true
      return gateway.withGateway(gatewayChoice(args), async (api) => {
        const { decisions } = (await api.get('/api/decisions')) as { decisions: readonly Decision[] }
        if (id === undefined && args.all !== true) return tellPending(decisions, json, io)
        const asked = id === undefined ? decisions : await findAsked(id, decisions, api)
        const answers: Answered[] = []
        for (const { id: decision } of asked)
          answers.push(await answer(decision, { verdict, ...(reason !== undefined && { reason }) }, api))
        const runs = await lookAtRuns(answers, api)
        if (json) printJson(io, { answers, runs })
        else printLine(io, describeAnswers(asked, answers, runs, verdict))
        return answers.every(({ error }) => error === undefined) ? 0 : 1
      })
    },
  })
}

interface Answered {
  readonly id: string
  readonly decision?: Decision
  readonly error?: ErrorInfo
}

function tellPending(decisions: readonly Decision[], json: boolean, io: Io): number {
  if (json) printJson(io, { decisions })
  else if (decisions.length === 0) printLine(io, 'Nothing waits for an answer.')
  else {
    const colours = coloursFor(io, io.stdout)
    const shown = decisions.map((one) => `${describeDecision(one, colours, Date.now())}\n${answerHint(one)}`)
    printLine(io, shown.join('\n\n'))
  }
  return 0
}

/** One decision, or all of one run. What is not pending is sent on as it is: the gateway knows what became of it. */
async function findAsked(
  named: string,
  pending: readonly Decision[],
  api: HolderApi,
): Promise<readonly Pick<Decision, 'id'>[]> {
  const byId = pending.filter(({ id }) => id.startsWith(named))
  const ofRuns = pending.filter(({ runId }) => runId?.startsWith(named) === true)
  const runs = new Set(ofRuns.map(({ runId }) => runId))
  const exact = byId.find(({ id }) => id === named)
  if (exact !== undefined) return [exact]
  if (byId.length + runs.size > 1)
    throw new UsageError(
      `"${named}" is the beginning of ${countOf(byId.length, 'decision')} and ${countOf(runs.size, 'run')} that wait.`,
      'Give more of the id.',
    )
  if (byId.length + runs.size === 1) return byId.length === 1 ? byId : ofRuns
  const run = await findRun(named, api)
  if (run === undefined) return [{ id: named }]
  throw new UsageError(
    `Nothing of run ${run.id} waits for an answer: it is ${run.status}.`,
    `See: pml runs show ${run.id}`,
  )
}

async function findRun(named: string, api: HolderApi): Promise<RunReport | undefined> {
  try {
    return (await api.get(`/api/runs/${encodeURIComponent(named)}`)) as RunReport
  } catch (error) {
    if (error instanceof PmlError && error.code === 'RUN_NOT_FOUND') return undefined
    throw error
  }
}

/** One that is refused does not keep the others from being answered. */
async function answer(
  id: string,
  body: { readonly verdict: Verdict; readonly reason?: string },
  api: HolderApi,
): Promise<Answered> {
  try {
    return { id, decision: (await api.post(`/api/decisions/${encodeURIComponent(id)}`, body)) as Decision }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { id, error: toErrorInfo(error) }
  }
}

/** Where this process is the gateway, the runs go on here or nowhere: they are followed until they settle. */
async function lookAtRuns(answers: readonly Answered[], api: HolderApi): Promise<readonly RunReport[]> {
  const ids = new Set(answers.flatMap(({ decision }) => decision?.runId ?? []))
  if (ids.size === 0) return []
  const { pid } = (await api.get('/api/status')) as Status
  const wait = pid === process.pid ? {} : { withinMs: lookWithinMs }
  return Promise.all(
    [...ids].map(async (id) => (await api.post(`/api/runs/${id}/follow`, wait)) as RunReport),
  )
}

function describeAnswers(
  asked: readonly Pick<Decision, 'id'>[],
  answers: readonly Answered[],
  runs: readonly RunReport[],
  verdict: Verdict,
): string {
  if (asked.length === 0) return 'Nothing waits for an answer.'
  return [
    ...answers.map((one) => describeAnswer(one, verdict)),
    ...runs.map(({ id, status }) => `Run ${id}: ${status.replaceAll('_', ' ')}. See: pml runs show ${id}`),
  ].join('\n')
}

function describeAnswer({ id, decision, error }: Answered, verdict: Verdict): string {
  if (error !== undefined) return `Not taken, ${id}: ${error.message} ${error.hint}`
  const { tool, taskId, runId, caller } = decision!
  const what = taskId === undefined ? tool : `${tool} of task ${taskId}`
  const next = runId === undefined && verdict === 'approve' ? ` ${caller} can call it now, once.` : ''
  return `${words[verdict].did} ${what} (${id}).${next}`
}
