import type { JsonObject } from '../../model/json.js'
import type { ToolDefinition } from '../../model/tool.js'
import type { ToolResult } from '../../model/tool-call.js'
import { bytesPerToken } from '../estimate-tokens.js'
import { answerRun } from './answer-run.js'
import { listWorkflows } from './list-workflows.js'
import { type Caller, type MetaTool, reply } from './meta-tool.js'
import {
  optionalChoice,
  optionalCount,
  optionalObject,
  optionalText,
  requiredChoice,
  requiredObject,
  requiredText,
} from './read-arguments.js'
import { replanWorkflow } from './replan-workflow.js'
import { type ToolRequest, takeRound } from './run-rounds.js'
import {
  abortWorkflow,
  answerAsAgent,
  injectTasks,
  lookAtWorkflow,
  pauseWorkflow,
  resumeWorkflow,
  type SteerDeps,
  steerTask,
  steerWorkflow,
} from './steer-workflow.js'

const actions = [
  'status',
  'continue',
  'pause',
  'resume',
  'approve',
  'reject',
  'modify',
  'replan',
  'inject',
  'skip',
  'retry',
  'abort',
  'read',
] as const

type Action = (typeof actions)[number]

export const controlWorkflowDefinition: ToolDefinition = {
  name: 'control_workflow',
  description:
    'Follow up on a workflow: look at it, steer it, answer what it waits for, replan it for a further requirement (what is done stays done); or read on in a result that was cut.',
  inputSchema: {
    type: 'object',
    properties: {
      workflow_id: { type: 'string', description: 'status without it lists the newest' },
      action: { type: 'string', enum: [...actions] },
      task: { type: 'string', description: 'modify, skip, retry: its id' },
      tasks: { type: 'array', items: { type: 'object' }, description: 'inject: as in execute_workflow' },
      arguments: { type: 'object', description: 'modify, replan' },
      decision: { type: 'string', description: 'approve, reject: its id, if several wait' },
      requirement: { type: 'string', description: 'replan: what else is wanted' },
      mode: {
        type: 'string',
        enum: ['suggest', 'run'],
        description: 'replan: run starts the new plan; continue: run goes to the end',
      },
      reason: { type: 'string' },
      handle: { type: 'string', description: 'read: of the cut result' },
      offset: { type: 'integer', minimum: 0, description: 'read: first character' },
      limit: { type: 'integer', description: 'read: characters' },
    },
    required: ['action'],
  },
  annotations: { title: 'Follow up on a workflow' },
}

const name = 'control_workflow'

export type ControlWorkflowDeps = SteerDeps

export function createControlWorkflow(deps: ControlWorkflowDeps): MetaTool {
  return {
    definition: controlWorkflowDefinition,
    async call(args, caller) {
      const action = requiredChoice(name, args, 'action', actions)
      if (action === 'read') return readOn(args, deps)
      const request = { name, arguments: args }
      const round = await takeRound(request, caller, deps)
      if (round !== undefined) return answerRun(round, request, caller, deps)
      if (action === 'status' && optionalText(name, args, 'workflow_id') === undefined)
        return listWorkflows(deps)
      return carryOut(action, request, caller, deps)
    },
  }
}

async function carryOut(
  action: Exclude<Action, 'read'>,
  request: ToolRequest,
  caller: Caller,
  deps: ControlWorkflowDeps,
): Promise<ToolResult> {
  const args = request.arguments
  const id = requiredText(name, args, 'workflow_id')
  if (action === 'replan') return replan(id, request, caller, deps)
  const reason = optionalText(name, args, 'reason')
  const view = await {
    status: () => lookAtWorkflow(id, caller, deps),
    continue: () => {
      const isThrough = optionalChoice(name, args, 'mode', ['suggest', 'run']) === 'run'
      const through = isThrough || deps.desk.shownFirst.has(id)
      return steerWorkflow(id, { type: 'continue', ...(through && { through }) }, caller, deps)
    },
    pause: () => pauseWorkflow(id, deps),
    resume: () => resumeWorkflow(id, caller, deps),
    approve: () => answerAsAgent(id, readAnswer(args, 'approve'), caller, deps),
    reject: () => answerAsAgent(id, readAnswer(args, 'reject'), caller, deps),
    modify: () => {
      const command = {
        type: 'modify',
        task: requiredText(name, args, 'task'),
        arguments: requiredObject(name, args, 'arguments'),
      } as const
      return steerTask(id, command, caller, deps)
    },
    inject: () => injectTasks(id, args.tasks, caller, deps),
    skip: () => {
      const task = requiredText(name, args, 'task')
      return steerTask(id, { type: 'skip', task, ...(reason !== undefined && { reason }) }, caller, deps)
    },
    retry: () => steerTask(id, { type: 'retry', task: requiredText(name, args, 'task') }, caller, deps),
    abort: () => abortWorkflow(id, reason ?? 'The agent asked for it.', deps),
  }[action]()
  return answerRun(view, request, caller, deps)
}

function readAnswer(args: JsonObject, verdict: 'approve' | 'reject') {
  return {
    verdict,
    decision: optionalText(name, args, 'decision'),
    reason: optionalText(name, args, 'reason'),
  }
}

function replan(
  id: string,
  request: ToolRequest,
  caller: Caller,
  deps: ControlWorkflowDeps,
): Promise<ToolResult> {
  const args = request.arguments
  const wanted = {
    id,
    requirement: requiredText(name, args, 'requirement'),
    given: optionalObject(name, args, 'arguments') ?? {},
    mode: optionalChoice(name, args, 'mode', ['suggest', 'run']) ?? 'suggest',
  }
  return replanWorkflow(wanted, request, caller, deps)
}

function readOn(args: JsonObject, deps: ControlWorkflowDeps): ToolResult {
  const handle = requiredText(name, args, 'handle')
  const offset = optionalCount(name, args, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0
  const pageChars = deps.config().maxResultTokens * bytesPerToken
  // Half by default: the page stands in the text and in the structured content, and a client may show both.
  const limit = optionalCount(name, args, 'limit', { min: 1, max: pageChars }) ?? Math.ceil(pageChars / 2)
  const page = deps.results.read(handle, offset, limit)
  if (page.kind === 'blob')
    return reply(
      { status: 'complete', handle, mimeType: page.mimeType, resource: `pml://result/${handle}` },
      `${page.mimeType}: read it as the resource pml://result/${handle}`,
    )
  const { text, ...place } = page
  const rest = page.next === undefined ? 'the end' : `read on at offset ${page.next}`
  return reply(
    {
      status: 'complete',
      handle,
      offset: place.offset,
      total: place.total,
      ...(page.next !== undefined && { next: page.next }),
      text,
    },
    `${text}\n[characters ${page.offset} to ${page.offset + text.length} of ${page.total}; ${rest}]`,
  )
}
