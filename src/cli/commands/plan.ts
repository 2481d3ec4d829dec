import { shellWord, UsageError } from '../../errors.js'
import { missingKey, toRequest } from '../../gateway/to-request.js'
import type { JsonObject } from '../../model/json.js'
import { readCallArguments } from '../call-arguments.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { coloursFor } from '../colour.js'
import { exitCodeOf } from '../describe-run.js'
import { drawPlan, type PlanReply } from '../draw-plan.js'
import { type Io, printJson, printLine } from '../io.js'
import { repeatedOption } from '../parse-command.js'
import { createOwnRun, tellRun } from '../run-workflow.js'

export const planCommand = defineCliCommand({
  name: 'plan',
  summary: 'Plan a workflow from what you want',
  takesMore: true,
  args: {
    intent: { type: 'positional', description: 'What you want, in your words' },
    ...commonArgs,
    arguments: {
      type: 'string',
      valueHint: 'key=value',
      description: 'A value you know, by argument or task.argument; repeat it, or give JSON, @file or -',
    },
    why: { type: 'boolean', description: 'Say where everything comes from' },
    run: { type: 'boolean', description: 'Run it, unless something is missing or it is too unsure' },
    yes: { type: 'boolean', description: 'With --run: approve what it asks' },
  },
  examples: [
    'pml plan "read data/orders.json and store it as an entity"',
    `pml plan "read the report" --arguments '{"path": "report.md"}' --why`,
    'pml plan "list the files in data" --run',
  ],
  notes: `
THE DRAWING

  Tasks from top to bottom; those with the same number run together.
  needs    the tasks it waits for, and how probable it is that it needs them
  given, wired, literal, learned, default
           where an argument comes from: you, an earlier result, your words, past runs, the tool's schema`,
  async run({ args, rawArgs, io, gateway }) {
    const intent = args._.join(' ').trim()
    if (intent === '') throw new UsageError('Expected what you want, in words.')
    const given = await readCallArguments(repeatedOption(rawArgs, 'arguments'), io)
    const own = createOwnRun()
    return gateway.withGateway({ ...gatewayChoice(args), beforeStop: own.abort }, async (api) => {
      const reply = (await api.post('/api/plan', { intent, arguments: given })) as PlanReply
      const canRun = reply.status === 'suggestion' && reply.plan.missing.length === 0
      const refused = args.run === true && !canRun ? 1 : 0
      const runs = args.run === true && canRun
      const run = { api, io, yes: args.yes === true, mayAsk: args.json !== true }
      if (args.json && runs) {
        const ran = await own.run(toWorkflow(reply), run)
        printJson(io, { ...reply, run: ran })
        return exitCodeOf(ran)
      }
      if (args.json) printJson(io, reply)
      else printPlan(reply, args.why === true, io)
      if (runs) {
        // The very tasks that were drawn, on the gateway that planned them.
        const code = tellRun(await own.run(toWorkflow(reply), run), { io, json: false })
        printLine(io, 'Results whole: the same with --json')
        return code
      }
      if (!args.json) printLine(io, nextStep(reply, intent, given))
      return refused
    })
  },
})

function printPlan(reply: PlanReply, why: boolean, io: Io): void {
  const { stdout } = io
  const isTerminal = stdout.isTTY === true
  const width = isTerminal ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY
  printLine(io, `${drawPlan(reply, { width, isTerminal, colours: coloursFor(io, stdout), why })}\n`)
}

/** Never cut: it is there to be copied, with what was given. */
function nextStep({ status, plan }: PlanReply, intent: string, given: JsonObject): string {
  const again = (values: JsonObject): string => {
    const known = Object.keys(values).length === 0 ? '' : ` --arguments ${shellWord(JSON.stringify(values))}`
    return `pml plan ${shellWord(intent)}${known}`
  }
  if (plan.missing.length > 0) {
    const open = Object.fromEntries(plan.missing.map((one) => [missingKey(one), '...']))
    return `Add what is missing: ${again({ ...given, ...open })}`
  }
  if (status === 'suggestion') return `Nothing was run. Run it with: ${again(given)} --run`
  return plan.plan.tasks.length === 0
    ? 'No tool was found for it. Say it in other words (English ones), or look for tools with: pml search WORDS'
    : 'It is too unsure to be run. Say it in other words, or write the tasks: pml run --help'
}

function toWorkflow({ plan }: PlanReply): object {
  return { intent: plan.plan.intent ?? plan.intent, tasks: plan.plan.tasks.map(toRequest) }
}
