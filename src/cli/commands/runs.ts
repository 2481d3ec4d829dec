import { UsageError } from '../../errors.js'
import type { RunReport } from '../../gateway/report-run.js'
import type { ListedRun } from '../../gateway/runs-api.js'
import type { Status } from '../../gateway/status.js'
import { writeOutUnseen } from '../../gateway/write-out-unseen.js'
import type { HolderApi } from '../../holder/holder-api.js'
import { type Decision, isPending } from '../../model/decision.js'
import { formatDuration } from '../../model/format-duration.js'
import { isRunEnded } from '../../model/run.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { coloursFor } from '../colour.js'
import { describeDecision } from '../describe-decision.js'
import { answerAllHints, answerHint, describeRun } from '../describe-run.js'
import { formatTable } from '../format-table.js'
import { type Io, printJson, printLine } from '../io.js'

export const runsCommand = defineCliCommand({
  name: 'runs',
  summary: 'Runs and what they wait for; show ID tells all of one',
  takesMore: true,
  args: {
    show: { type: 'positional', required: false, description: 'show, and the id of a run or its beginning' },
    ...commonArgs,
    limit: { type: 'string', valueHint: 'number', default: '20', description: 'How many at most' },
  },
  usageTail: '[ID]',
  examples: ['pml runs', 'pml runs --limit 100 --json', 'pml runs show 01981b6e'],
  notes: `
Those that wait for somebody come first, with what they ask and how to answer.
left: it was going on when its gateway ended; a gateway that is started within the hour goes on with it by itself.`,
  async run({ args, io, gateway }) {
    const [action, named, ...more] = args._
    if (more.length > 0) throw new UsageError(`Unexpected: ${more.join(' ')}.`, 'See: pml runs --help')
    if (action !== undefined && (action !== 'show' || named === undefined))
      throw new UsageError(
        action === 'show' ? 'Expected the id of a run.' : `Expected show, got "${action}".`,
        `Write: pml runs show ${action === 'show' ? 'ID' : action}`,
      )
    return gateway.withGateway(gatewayChoice(args), (api) =>
      named === undefined
        ? tellRuns(readLimit(args.limit), args.json === true, api, io)
        : tellRun(named, args.json === true, api, io),
    )
  },
})

function readLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError(`--limit: expected a whole number above 0, got "${text}".`)
  return limit
}

async function tellRuns(limit: number, json: boolean, api: HolderApi, io: Io): Promise<number> {
  const { runs } = (await api.get(`/api/runs?limit=${limit}`)) as { runs: readonly ListedRun[] }
  const { decisions } = (await api.get('/api/decisions')) as { decisions: readonly Decision[] }
  if (json) printJson(io, { runs, decisions })
  else {
    // A gateway that was opened for this command alone takes nothing up by itself.
    const isTakenUp = runs.some(isLeft) && ((await api.get('/api/status')) as Status).pid !== process.pid
    printLine(io, describeRuns({ runs, decisions, isTakenUp }, io))
  }
  return 0
}

interface ToldRuns {
  readonly runs: readonly ListedRun[]
  readonly decisions: readonly Decision[]
  /** The gateway goes on by itself with what was left within the hour. */
  readonly isTakenUp: boolean
}

function describeRuns({ runs, decisions, isTakenUp }: ToldRuns, io: Io): string {
  const colours = coloursFor(io, io.stdout)
  const asked = decisions.map((decision) =>
    [describeDecision(decision, colours, Date.now()), answerHint(decision)].join('\n'),
  )
  const list = runs.length === 0 ? 'No runs yet.' : runTable(runs, io.stdout.columns)
  const asking = new Set(decisions.map(({ runId }) => runId))
  const goOn = runs.flatMap((run) =>
    isWaiting(run) && !asking.has(run.id)
      ? [
          `${stateOf(run)}: ${isLeft(run) && isTakenUp ? 'is taken up again, or' : 'go on with'}: pml resume ${run.id}`,
        ]
      : [],
  )
  return [list, ...(goOn.length > 0 ? [goOn.join('\n')] : []), ...asked, ...answerAllHints(decisions)].join(
    '\n\n',
  )
}

/** Those that wait for somebody first, the others as they came: newest first. */
function runTable(runs: readonly ListedRun[], width?: number): string {
  const now = Date.now()
  const waiting = runs.filter(isWaiting)
  const others = runs.filter((run) => !isWaiting(run))
  const rows = [...waiting, ...others].map((run) => [
    run.id,
    stateOf(run),
    String(run.tasks),
    formatDuration(Math.max(0, now - run.startedAt)),
    writeOutUnseen(run.intent ?? ''),
  ])
  return formatTable(['RUN', 'STATUS', 'TASKS', 'AGE', 'INTENT'], rows, width)
}

function isWaiting(run: ListedRun): boolean {
  return isLeft(run) || (run.status !== 'running' && !isRunEnded(run.status))
}

function stateOf(run: ListedRun): string {
  return isLeft(run) ? 'left' : run.status
}

function isLeft({ isElsewhere }: ListedRun): boolean {
  return isElsewhere === true
}

async function tellRun(named: string, json: boolean, api: HolderApi, io: Io): Promise<number> {
  const run = (await api.get(`/api/runs/${encodeURIComponent(named)}`)) as RunReport
  if (json) printJson(io, run)
  else printLine(io, [...facts(run), describeRun(run, io), ...answered(run), ...said(run)].join('\n'))
  return 0
}

function facts({ intent, startedAt, endedAt }: RunReport): readonly string[] {
  const took = endedAt === undefined ? '' : `, took ${formatDuration(endedAt - startedAt)}`
  return [
    ...(intent === undefined ? [] : [writeOutUnseen(intent)]),
    `started ${utc(startedAt)} UTC${took}`,
    '',
  ]
}

function answered({ decisions = [] }: RunReport): readonly string[] {
  const done = decisions.filter((decision) => !isPending(decision))
  if (done.length === 0) return []
  const rows = done.map(({ id, taskId, tool, answer, refusals }) => [
    id,
    taskId ?? '',
    tool,
    answer?.verdict ?? '',
    answer?.by ?? '',
    answer === undefined ? '' : utc(answer.at),
    String(refusals.length),
    writeOutUnseen(answer?.reason ?? ''),
  ])
  return [
    '',
    formatTable(['DECISION', 'TASK', 'TOOL', 'ANSWER', 'BY', 'AT (UTC)', 'REFUSED', 'REASON'], rows),
  ]
}

function said({ messages = [] }: RunReport): readonly string[] {
  if (messages.length === 0) return []
  const rows = messages.map(({ at, from, text }) => [utc(at), from, writeOutUnseen(text)])
  return ['', formatTable(['AT (UTC)', 'FROM', 'SAID'], rows)]
}

function utc(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}
