import { BadTasksError, ToolNotFoundError } from '../../errors.js'
import type { PmlConfig } from '../../model/config.js'
import type { JsonObject } from '../../model/json.js'
import type { Plan } from '../../model/plan.js'
import type { Redact } from '../../model/redact.js'
import type { ToolDefinition } from '../../model/tool.js'
import type { ToolResult } from '../../model/tool-call.js'
import { withinMs } from '../../model/within-ms.js'
import { planTasks } from '../../plan/plan-tasks.js'
import type { CatalogueView } from '../catalogue-view.js'
import type { FindTools } from '../find-tools.js'
import type { ResolveTool } from '../resolve-tool.js'
import type { ResultStore } from '../result-store.js'
import type { GatewayRuns } from '../runs.js'
import { describeHit } from './discover.js'
import { type Caller, type MetaTool, reply } from './meta-tool.js'
import { optionalChoice, optionalObject, optionalText } from './read-arguments.js'
import { runReply } from './run-reply.js'

export const executeWorkflowDefinition: ToolDefinition = {
  name: 'execute_workflow',
  description:
    'Run tools as one workflow: tasks without dependencies run in parallel, results feed later tasks. Write {"$from":"taskId.path"} anywhere in arguments to use a result, e.g. {"$from":"read.items[0].id"}. Works for a single tool too. Returns every task\'s result or error; a long run returns status "running" and workflow_id.',
  inputSchema: {
    type: 'object',
    properties: {
      intent: { type: 'string', description: 'What it is for; alone, it returns candidate tools' },
      tasks: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            tool: { type: 'string', description: 'Name or id from discover' },
            arguments: { type: 'object' },
            dependsOn: { type: 'array', items: { type: 'string' } },
            onError: { description: '"fail" (default), "skip", or {"default": value}' },
            timeoutMs: { type: 'integer' },
          },
          required: ['id', 'tool'],
        },
      },
      arguments: { type: 'object', description: 'Known values, with intent' },
      mode: { type: 'string', enum: ['auto', 'suggest', 'run'], description: 'suggest: check, do not run' },
    },
  },
  annotations: { title: 'Run a workflow' },
}

const name = 'execute_workflow'
const candidateCount = 5

export interface ExecuteWorkflowDeps {
  config(): PmlConfig
  readonly view: CatalogueView
  readonly findTools: FindTools
  readonly resolve: ResolveTool
  readonly runs: GatewayRuns
  readonly results: ResultStore
  readonly redact: Redact
}

export function createExecuteWorkflow(deps: ExecuteWorkflowDeps): MetaTool {
  return {
    definition: executeWorkflowDefinition,
    async call(args, caller) {
      const intent = optionalText(name, args, 'intent')
      const mode = optionalChoice(name, args, 'mode', ['auto', 'suggest', 'run']) ?? 'auto'
      const given = optionalObject(name, args, 'arguments') ?? {}
      if (args.tasks === undefined || args.tasks === null) {
        if (intent === undefined)
          throw new BadTasksError(
            'Neither tasks nor intent was given.',
            'Give tasks: [{id, tool, arguments}].',
          )
        return explicitRequired(intent, given, deps)
      }
      const plan = await planWhenKnown(args.tasks, intent, deps)
      return mode === 'suggest' ? suggestion(plan) : runToReply(plan, caller, deps)
    },
  }
}

/** @throws what planTasks throws; a tool that is not known first waits for servers that may be its own. */
export async function planWhenKnown(
  tasks: unknown,
  intent: string | undefined,
  deps: Pick<ExecuteWorkflowDeps, 'view' | 'resolve'>,
): Promise<Plan> {
  const plan = (): Plan =>
    planTasks(tasks, { resolve: deps.resolve.now, ...(intent !== undefined && { intent }) })
  try {
    return plan()
  } catch (error) {
    if (!(error instanceof ToolNotFoundError) || error.notReady.length === 0) throw error
    await deps.view.firstSettled()
    await deps.view.serverSettled(error.toolName)
    return plan()
  }
}

/** Runs the plan; answers at its end, or `running` after replyWithinMs. A cancelled request aborts the run. */
async function runToReply(plan: Plan, caller: Caller, deps: ExecuteWorkflowDeps): Promise<ToolResult> {
  const { replyWithinMs, maxResultTokens } = deps.config()
  // A task's question is answered within the run: `input_required` would be the answer to another request.
  const client = caller.client && { ...caller.client, takesInputRequired: false }
  const handle = deps.runs.start(plan, caller.session, client)
  const abort = (): void => handle.abort('The client cancelled the request.')
  if (caller.signal.aborted) abort()
  caller.signal.addEventListener('abort', abort, { once: true })
  const over = new AbortController()
  if (caller.onProgress !== undefined) tellProgress(handle, caller.onProgress, over.signal).catch(() => {})
  try {
    const run = (await withinMs(handle.result, replyWithinMs, undefined)) ?? handle.current()
    return runReply(run, {
      maxTokens: maxResultTokens,
      results: deps.results,
      redact: deps.redact,
      isStored: handle.isStored(),
    })
  } finally {
    over.abort()
    caller.signal.removeEventListener('abort', abort)
  }
}

async function tellProgress(
  handle: ReturnType<GatewayRuns['start']>,
  onProgress: NonNullable<Caller['onProgress']>,
  over: AbortSignal,
): Promise<void> {
  const total = handle.current().tasks.length
  let ended = 0
  for await (const event of handle.events) {
    if (over.aborted) return
    if (event.type !== 'task-end') continue
    ended += 1
    onProgress({ progress: ended, total, message: `${event.task.id} ${event.task.status}` })
  }
}

function suggestion(plan: Plan): ToolResult {
  const edges = plan.tasks.flatMap((task) => task.dependsOn.map((from) => ({ from, to: task.id })))
  const tasks = plan.tasks.map(({ id, tool, arguments: args, dependsOn }) => ({
    id,
    tool,
    arguments: args,
    dependsOn,
  }))
  return reply(
    {
      status: 'suggestion',
      plan: { tasks, edges, confidence: 1 },
      missing: [],
      why: 'The tasks as given: every tool is known and the dependencies form no circle. Nothing was run.',
    },
    `suggestion: ${tasks.length} tasks, ${edges.length} dependencies, nothing was run. Send it again without mode to run it.`,
  )
}

async function explicitRequired(
  intent: string,
  given: JsonObject,
  deps: ExecuteWorkflowDeps,
): Promise<ToolResult> {
  const { hits, view } = await deps.findTools(intent, { limit: candidateCount, context: [] })
  const candidates = hits.map((hit) => describeHit(hit, view))
  const best = hits.find((hit) => hit.tool.changed === undefined)
  const example =
    best === undefined
      ? undefined
      : [{ id: 'a', tool: best.tool.id, arguments: argumentsFor(best.tool.definition, given) }]
  const hint =
    example === undefined
      ? 'No tool was found for this; try discover with other words.'
      : `Plans are not made from an intent yet: write the tasks, for instance ${JSON.stringify({ tasks: example })}`
  const lines = candidates.map((one) => `${one.signature} - ${one.description}`)
  return reply(
    { status: 'explicit_required', candidates, ...(example && { example: { tasks: example } }), hint },
    [`explicit_required: ${hint}`, ...lines].join('\n'),
  )
}

/** What the caller knows goes in by name; required parameters without a value say what they want. */
function argumentsFor(definition: ToolDefinition, given: JsonObject): JsonObject {
  const { properties, required } = definition.inputSchema
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  const needed = Array.isArray(required) ? required.filter((one) => typeof one === 'string') : []
  const filled = known.filter((key) => key in given).map((key) => [key, given[key]!] as const)
  const open = needed.filter((key) => !(key in given)).map((key) => [key, `<${key}>`] as const)
  return Object.fromEntries([...filled, ...open])
}
