import { BadArgumentsError, NotYetError, RunNotFoundError } from '../../errors.js'
import type { JsonObject } from '../../model/json.js'
import type { ToolDefinition } from '../../model/tool.js'
import type { ToolResult } from '../../model/tool-call.js'
import { bytesPerToken } from '../estimate-tokens.js'
import { type Caller, type MetaTool, reply } from './meta-tool.js'
import {
  optionalChoice,
  optionalCount,
  optionalObject,
  optionalText,
  requiredText,
} from './read-arguments.js'
import { type ReplanWorkflowDeps, replanWorkflow } from './replan-workflow.js'
import { runReply } from './run-reply.js'

/** Actions that the design has and this version does not. */
const later = ['continue', 'pause', 'resume', 'approve', 'reject', 'modify', 'inject', 'skip', 'retry']

export const controlWorkflowDefinition: ToolDefinition = {
  name: 'control_workflow',
  description:
    'Follow up on a workflow by workflow_id: status, abort, or replan for a further requirement (what is done stays done); or read on in a result that was cut, by its handle.',
  inputSchema: {
    type: 'object',
    properties: {
      workflow_id: { type: 'string' },
      action: { type: 'string', enum: ['status', 'abort', 'replan', 'read'] },
      requirement: { type: 'string', description: 'replan: what else is wanted' },
      arguments: { type: 'object' },
      mode: { type: 'string', enum: ['suggest', 'run'], description: 'replan: run starts the new plan' },
      handle: { type: 'string', description: 'read: handle of the cut result' },
      offset: { type: 'integer', minimum: 0, description: 'read: first character' },
      limit: { type: 'integer', description: 'read: characters' },
    },
    required: ['action'],
  },
  annotations: { title: 'Follow up on a workflow' },
}

const name = 'control_workflow'

export type ControlWorkflowDeps = ReplanWorkflowDeps

export function createControlWorkflow(deps: ControlWorkflowDeps): MetaTool {
  return {
    definition: controlWorkflowDefinition,
    async call(args, caller) {
      const action = requiredText(name, args, 'action')
      if (action === 'read') return readOn(args, deps)
      if (action === 'status' || action === 'abort') return followUp(action, args, deps)
      if (action === 'replan') return replan(args, caller, deps)
      if (later.includes(action))
        throw new NotYetError(
          `The action "${action}" of control_workflow`,
          'What works: status, abort, replan, read.',
        )
      throw new BadArgumentsError(name, [{ path: '/action', expected: 'one of status, abort, replan, read' }])
    },
  }
}

async function followUp(
  action: 'status' | 'abort',
  args: JsonObject,
  deps: ControlWorkflowDeps,
): Promise<ToolResult> {
  const id = requiredText(name, args, 'workflow_id')
  const reason = optionalText(name, args, 'reason') ?? 'The agent asked for it.'
  const run = action === 'status' ? await deps.runs.find(id) : await deps.runs.abort(id, reason)
  if (run === undefined) throw new RunNotFoundError(id)
  return runReply(run, {
    maxTokens: deps.config().maxResultTokens,
    results: deps.results,
    redact: deps.redact,
    isStored: deps.runs.isStored(id),
  })
}

function replan(args: JsonObject, caller: Caller, deps: ControlWorkflowDeps): Promise<ToolResult> {
  const request = {
    id: requiredText(name, args, 'workflow_id'),
    requirement: requiredText(name, args, 'requirement'),
    given: optionalObject(name, args, 'arguments') ?? {},
    mode: optionalChoice(name, args, 'mode', ['suggest', 'run']) ?? 'suggest',
  }
  return replanWorkflow(request, caller, deps)
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
