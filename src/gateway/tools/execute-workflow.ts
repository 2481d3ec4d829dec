import { BadTasksError, ToolNotFoundError } from '../../errors.js'
import type { Json } from '../../model/json.js'
import type { Plan } from '../../model/plan.js'
import type { ToolDefinition } from '../../model/tool.js'
import type { ToolResult } from '../../model/tool-call.js'
import { planTasks } from '../../plan/plan-tasks.js'
import { isCapabilityName, type ResolveTool } from '../resolve-tool.js'
import { toRequest } from '../to-request.js'
import { answerRun } from './answer-run.js'
import { type ExecuteIntentDeps, executeIntent } from './execute-intent.js'
import { type MetaTool, reply } from './meta-tool.js'
import { optionalChoice, optionalFlag, optionalObject, optionalText } from './read-arguments.js'
import { runForCaller } from './run-for-caller.js'
import { takeRound } from './run-rounds.js'

export const executeWorkflowDefinition: ToolDefinition = {
  name: 'execute_workflow',
  description:
    'Run tools as one workflow: tasks without dependencies run in parallel, results feed later tasks. Write {"$from":"taskId.path"} anywhere in arguments to use a result, e.g. {"$from":"read.items[0].id"}; [*] takes every item. Works for a single tool too. With intent and no tasks a plan is made: it runs at once if sure and read-only, else it is suggested, with what is missing. Returns every task\'s result or error; a long run returns status "running" and workflow_id.',
  inputSchema: {
    type: 'object',
    properties: {
      intent: { type: 'string', description: 'What is wanted' },
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
            requireApproval: { type: 'boolean' },
          },
          required: ['id', 'tool'],
        },
      },
      arguments: {
        type: 'object',
        description: 'For intent: values by argument or task.argument',
      },
      mode: {
        type: 'string',
        enum: ['auto', 'suggest', 'run'],
        description: 'suggest: never runs; run: runs the plan of the intent',
      },
      per_layer_validation: { type: 'boolean', description: 'Stop after every layer' },
    },
  },
  annotations: { title: 'Run a workflow' },
}

const name = 'execute_workflow'

export interface ExecuteWorkflowDeps extends ExecuteIntentDeps {
  readonly resolve: ResolveTool
}

export function createExecuteWorkflow(deps: ExecuteWorkflowDeps): MetaTool {
  return {
    definition: executeWorkflowDefinition,
    async call(args, caller) {
      const request = { name, arguments: args }
      const round = await takeRound(request, caller, deps)
      if (round !== undefined) return answerRun(round, request, caller, deps)
      const intent = optionalText(name, args, 'intent')
      const mode = optionalChoice(name, args, 'mode', ['auto', 'suggest', 'run']) ?? 'auto'
      const given = optionalObject(name, args, 'arguments') ?? {}
      const perLayer = optionalFlag(name, args, 'per_layer_validation') ?? false
      if (args.tasks === undefined || args.tasks === null) {
        if (intent === undefined)
          throw new BadTasksError(
            'Neither tasks nor intent was given.',
            'Give tasks: [{id, tool, arguments}], or an intent: what is wanted, in words.',
          )
        return executeIntent({ intent, given, mode, perLayer }, request, caller, deps)
      }
      const plan = await planWhenKnown(args.tasks, intent, deps)
      if (mode === 'suggest') return suggestion(plan)
      const validateLayers = perLayer ? 'after' : 'never'
      const ran = await runForCaller(plan, { finished: [], validateLayers }, caller, deps)
      return answerRun(ran, request, caller, deps)
    },
  }
}

const noEarlier: ReadonlySet<string> = new Set()

/**
 * `earlier` are tasks of a run that these join.
 * @throws what planTasks throws; a tool that is not known first waits for servers that may be its own.
 */
export async function planWhenKnown(
  tasks: unknown,
  intent: string | undefined,
  deps: Pick<ExecuteWorkflowDeps, 'view' | 'resolve'>,
  earlier = noEarlier,
): Promise<Plan> {
  const plan = (): Plan =>
    planTasks(tasks, { resolve: deps.resolve.now, earlier, ...(intent !== undefined && { intent }) })
  try {
    return plan()
  } catch (error) {
    if (!(error instanceof ToolNotFoundError)) throw error
    if (isCapabilityName(error.toolName)) await deps.resolve.soon(error.toolName)
    else if (error.notReady.length === 0) throw error
    await deps.view.firstSettled()
    await deps.view.serverSettled(error.toolName)
    return plan()
  }
}

function suggestion(plan: Plan): ToolResult {
  const edges = plan.tasks.flatMap((task) => task.dependsOn.map((from) => ({ from, to: task.id })))
  const tasks = plan.tasks.map(toRequest)
  return reply(
    {
      status: 'suggestion',
      plan: { tasks: tasks as unknown as Json, edges, confidence: 1 },
      missing: [],
      why: 'The tasks as given: every tool is known and the dependencies form no circle. Nothing was run.',
    },
    `suggestion: ${tasks.length} tasks, ${edges.length} dependencies, nothing was run. Send it again without mode to run it.`,
  )
}
