import { PmlError, toErrorInfo, UsageError } from '../errors.js'
import type { RunReport } from '../gateway/report-run.js'
import type { Status } from '../gateway/status.js'
import { writeOutUnseen } from '../gateway/write-out-unseen.js'
import type { HolderApi } from '../holder/holder-api.js'
import type { Decision, Verdict } from '../model/decision.js'
import type { ErrorInfo } from '../model/run.js'
import { commonArgs, defineCliCommand, gatewayChoice } from './cli-command.js'
import { coloursFor } from './colour.js'
import { countOf } from './count-of.js'
import { describeDecision } from './describe-decision.js'
import { answerAllHints, answerHint } from './describe-run.js'
import { createAsk } from './init/ask.js'
import { type Io, printJson, printLine } from './io.js'
import { isRefusal } from './settle-run.js'

/** Of a run elsewhere it is told what it does right after; it goes on without us. */
const lookWithinMs = 2_000

const words = {
  approve: { did: 'Approved', summary: 'See what waits for your yes, and say it' },
  reject: { did: 'Rejected', summary: 'Say no to what waits for an answer' },
} as const

/** As they are copied from what is shown. */
const exampleId = '01981b6e-4d2a-7c31-9f05-6b1e8a90c2d7'

/** `pml approve` and `pml reject`: the person who types it is the one who was asked. */
export function defineAnswerCommand(verdict: Verdict) {
  const isYes = verdict === 'approve'
  return defineCliCommand({
    name: verdict,
    summary: words[verdict].summary,
    args: {
      id: {
        type: 'positional',
        required: false,
        description: `A decision, or a run for all it asks${isYes ? ': the whole id' : '; the beginning of the id will do'}. None shows what waits`,
      },
      ...commonArgs,
      reason: { type: 'string', valueHint: 'text', description: 'Why, for who looks at it later' },
      all: { type: 'boolean', description: 'Everything that waits for an answer' },
      ...((isYes ? yesArg : {}) as typeof yesArg),
    },
    examples: [
      `pml ${verdict}`,
      `pml ${verdict} ${exampleId}`,
      `pml ${verdict} ${exampleId} --reason "checked"`,
      `pml ${verdict} --all`,
    ],
    notes: `
A decision holds for exactly the call that is shown, is answered once, and expires: what nobody answers is rejected.
${isYes ? approveNotes : ''}Where no gateway runs, the run goes on here, until it ends or waits again.`,
    async run({ args, io, gateway }) {
      const { id, reason } = args
      if (id !== undefined && args.all === true)
        throw new UsageError('Either an id or --all.', `See: pml ${verdict} --help`)
      const json = args.json === true
      return gateway.withGateway(gatewayChoice(args), async (api) => {
        const { decisions } = (await api.get('/api/decisions')) as { decisions: readonly Decision[] }
        if (id === undefined && args.all !== true) return tellPending(decisions, json, io)
        const found = id === undefined ? { all: decisions } : await findAsked(id, decisions, verdict, api)
        if ('all' in found && found.all.length === 0)
          return tellNothing('Nothing waits for an answer.', json, io)
        if ('over' in found) return tellNothing(found.over, json, io)
        // Whoever names a decision has seen it. What else waits now, nobody has yet.
        if (isYes && 'all' in found && !(await agrees(found.all, { yes: args.yes === true, json, io })))
          return 1
        const asked = 'all' in found ? found.all.map((one) => one.id) : [found.one]
        const answers: Answered[] = []
        for (const decision of asked)
          answers.push(await answer(decision, { verdict, ...(reason !== undefined && { reason }) }, api))
        const runs = await lookAtRuns(answers, api)
        if (json) printJson(io, { answers, runs })
        else printLine(io, describeAnswers(answers, runs, verdict))
        return answers.every(({ error }) => error === undefined) ? 0 : 1
      })
    },
  })
}

const yesArg = {
  yes: { type: 'boolean', description: 'Approve all of a run, or all there is, without being asked' },
} as const

const approveNotes = `All of a run and --all are shown first, and need a yes at the terminal, or --yes; what is asked meanwhile is not approved.
`

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
    printLine(io, [...shown, ...answerAllHints(decisions)].join('\n\n'))
  }
  return 0
}

function tellNothing(text: string, json: boolean, io: Io): number {
  if (json) printJson(io, { answers: [], runs: [] })
  else printLine(io, text)
  return 0
}

type Found = { readonly one: string } | { readonly all: readonly Decision[] } | { readonly over: string }

/** One decision, or all of one run. What is not pending is sent on as it is: the gateway knows what became of it. */
async function findAsked(
  named: string,
  pending: readonly Decision[],
  verdict: Verdict,
  api: HolderApi,
): Promise<Found> {
  if (pending.some(({ id }) => id === named)) return { one: named }
  const ofRun = pending.filter(({ runId }) => runId === named)
  if (ofRun.length > 0) return { all: ofRun }
  const byId = pending.filter(({ id }) => id.startsWith(named))
  const ofRuns = pending.filter(({ runId }) => runId?.startsWith(named) === true)
  const runs = new Set(ofRuns.map(({ runId }) => runId))
  if (verdict === 'approve' && byId.length + runs.size > 0) throw needsWholeId(named, [...byId, ...ofRuns])
  if (byId.length + runs.size > 1)
    throw new UsageError(
      `"${named}" is the beginning of ${countOf(byId.length, 'decision')} and ${countOf(runs.size, 'run')} that wait.`,
      'Give more of the id.',
    )
  if (byId.length + runs.size === 1) return byId.length === 1 ? { one: byId[0]!.id } : { all: ofRuns }
  const run = await findRun(named, api)
  if (run === undefined) return { one: named }
  return { over: `Nothing waits for an answer of run ${run.id}: it is ${run.status.replaceAll('_', ' ')}.` }
}

/**
 * Ids begin with the time: those of one minute begin with the same 8 characters, and what was asked in place of something that was
 * withdrawn would be approved by who has seen only that.
 */
function needsWholeId(named: string, pending: readonly Decision[]): UsageError {
  const lines = [...new Set(pending)].slice(0, mostNamed).map(({ id, tool, taskId, runId }) => {
    const place =
      runId === undefined ? '' : ` (run ${runId}${taskId === undefined ? '' : `, task ${taskId}`})`
    return `\n    ${id}  ${writeOutUnseen(`${tool}${place}`)}`
  })
  return new UsageError(
    `"${named}" is only the beginning of an id: to approve something, its whole id is needed.`,
    `See all that waits with: pml approve. Such ids have:${lines.join('')}`,
  )
}

/** More would push the error itself off the screen. */
const mostNamed = 10

/** Shows what is about to be approved, all of it, and has it agreed to. @throws UsageError */
async function agrees(
  asked: readonly Decision[],
  { yes, json, io }: { readonly yes: boolean; readonly json: boolean; readonly io: Io },
): Promise<boolean> {
  if (!yes && (json || io.stdin.isTTY !== true || io.stdout.isTTY !== true))
    throw new UsageError(
      `Nothing was approved: ${countOf(asked.length, 'decision')} not named by id, and nobody here to say yes.`,
      'See what waits with: pml approve. Then add --yes, or give the id of one decision.',
    )
  if (!json) {
    const colours = coloursFor(io, io.stderr)
    for (const one of asked) io.stderr.write(`${describeDecision(one, colours, Date.now())}\n\n`)
  }
  if (yes) return true
  const ask = createAsk(io)
  try {
    if (await ask.agrees(asked.length === 1 ? 'Approve it?' : `Approve all ${asked.length}?`)) return true
  } finally {
    ask.close()
  }
  io.stderr.write('Nothing was approved.\n')
  return false
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

function describeAnswers(answers: readonly Answered[], runs: readonly RunReport[], verdict: Verdict): string {
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
