import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseConfigText } from '../../config/config-text.js'
import { ConfigError, UsageError } from '../../errors.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { type Io, readAll } from '../io.js'
import { createOwnRun, tellRun } from '../run-workflow.js'

export const runCommand = defineCliCommand({
  name: 'run',
  summary: 'Run a workflow from a file',
  args: {
    file: { type: 'positional', required: true, description: 'YAML or JSON with tasks; - is standard input' },
    ...commonArgs,
    yes: { type: 'boolean', description: 'Approve what it asks: you decide by typing it' },
  },
  examples: ['pml run demo/workflow.yaml', 'pml run - < tasks.json', 'pml run demo/workflow.yaml --json'],
  notes: `
THE FILE

  intent: note the config           # optional
  tasks:
    - { id: read, tool: files:read_text_file, arguments: { path: config.json } }
    - { id: note, tool: memory:create_entities, arguments: { entities: { $from: read.content } } }

  A task may also have dependsOn: [ids], onError: fail | skip | { default: value }, timeoutMs, requireApproval: true.
  [*] takes every item of a list, or every line of a text; where the tool wants one value, the task is done for each.
  { $from: count.total, $as: number } converts: text, number, boolean, list.

WHAT IT ASKS

  Before a dangerous call you are asked. Without a terminal the run waits: it says how to answer, and ends with exit code 3.
  Exit code: 0 complete, 1 ended otherwise, 3 it waits for somebody (pml approve, pml reject, pml resume).`,
  async run({ args, io, gateway }) {
    const json = args.json === true
    const { tasks, intent } = await readWorkflow(args.file, io)
    const workflow = { tasks, ...(intent === undefined ? {} : { intent }) }
    // Where the workflow came in by standard input, no answer can.
    const answers = { yes: args.yes === true, mayAsk: !json && args.file !== '-' }
    const own = createOwnRun()
    const run = await gateway.withGateway({ ...gatewayChoice(args), beforeStop: own.abort }, (api) =>
      own.run(workflow, { api, io, ...answers }),
    )
    return tellRun(run, { io, json })
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
  if (value !== null && typeof value === 'object' && 'tasks' in value) {
    // What would not be done must not pass in silence.
    const unknown = Object.keys(value).find((key) => key !== 'tasks' && key !== 'intent')
    if (unknown !== undefined)
      throw new UsageError(
        `Unknown key "${unknown}" in ${file}.`,
        'A file has tasks and intent: pml run --help',
      )
    return value
  }
  throw new UsageError(`Expected tasks in ${file}.`, 'See: pml run --help')
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}.`, 'Check the path.')
  }
}
