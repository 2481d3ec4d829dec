import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseConfigText } from '../../config/config-text.js'
import { ConfigError, UsageError } from '../../errors.js'
import { describeCounts, type ElementSum, sumElements } from '../../execute/sum-elements.js'
import { formatDuration } from '../../model/format-duration.js'
import type { Run, TaskOutcome } from '../../model/run.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { formatTable } from '../format-table.js'
import { type Io, printJson, printLine, readAll } from '../io.js'
import { terminalHint } from '../terminal-hint.js'

export const runCommand = defineCliCommand({
  name: 'run',
  summary: 'Run a workflow from a file',
  args: {
    file: { type: 'positional', required: true, description: 'YAML or JSON with tasks; - is standard input' },
    ...commonArgs,
  },
  examples: ['pml run demo/workflow.yaml', 'pml run - < tasks.json', 'pml run demo/workflow.yaml --json'],
  notes: `
THE FILE

  intent: note the config           # optional
  tasks:
    - { id: read, tool: files:read_text_file, arguments: { path: config.json } }
    - { id: note, tool: memory:create_entities, arguments: { entities: { $from: read.content } } }

  A task may also have dependsOn: [ids], onError: fail | skip | { default: value }, timeoutMs.
  [*] takes every item of a list, or every line of a text; where the tool wants one value, the task is done for each.
  { $from: count.total, $as: number } converts: text, number, boolean, list.`,
  async run({ args, io, gateway }) {
    const { tasks, intent } = await readWorkflow(args.file, io)
    const run = (await gateway.withGateway(gatewayChoice(args), (api) =>
      api.post('/api/run', { tasks, ...(intent === undefined ? {} : { intent }) }),
    )) as Run & { readonly stored?: boolean }
    if (args.json) printJson(io, run)
    else printLine(io, describeRun(run, io.stdout.columns))
    return run.status === 'complete' ? 0 : 1
  },
})

async function readWorkflow(file: string, io: Io): Promise<{ tasks: unknown; intent?: unknown }> {
  const text = file === '-' ? await readAll(io.stdin) : await readText(resolve(io.cwd, file))
  let value: unknown
  try {
    value = (await parseConfigText(text, file)).value
  } catch (error) {
    if (error instanceof ConfigError)
      throw new UsageError(error.message, 'The file holds tasks, see: pml run --help')
    throw error
  }
  if (Array.isArray(value)) return { tasks: value }
  if (value !== null && typeof value === 'object' && 'tasks' in value) return value
  throw new UsageError(`Expected tasks in ${file}.`, 'See: pml run --help')
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}.`, 'Check the path.')
  }
}

function describeRun(run: Run & { readonly stored?: boolean }, width?: number): string {
  const sums = sumElements(run.tasks)
  const tasks = run.tasks.filter(({ parent }) => parent === undefined)
  const rows = tasks.flatMap((task) => [
    [
      task.id,
      task.tool,
      task.status,
      task.ms === undefined ? '' : formatDuration(task.ms),
      outcome(task, sums.get(task.id)),
    ],
    ...(sums.get(task.id)?.errors ?? []).map((error) => [
      `  ${error.id}`,
      '',
      '',
      '',
      `${error.message} ${terminalHint(error)}`,
    ]),
  ])
  const table = formatTable(['TASK', 'TOOL', 'STATUS', 'TOOK', 'RESULT'], rows, width ?? 200)
  const unstored = run.stored === false ? '\nNot every step could be stored: see pml status.' : ''
  return `${table}\n\n${run.status}  ${run.id}${unstored}`
}

function outcome(task: TaskOutcome, sum: ElementSum | undefined): string {
  const elements = sum === undefined ? '' : `[${describeCounts(sum.counts)}] `
  if (task.error !== undefined) return `${elements}${task.error.message} ${terminalHint(task.error)}`
  if (task.result === undefined) return elements
  return `${elements}${typeof task.result === 'string' ? task.result : JSON.stringify(task.result)}`
}
