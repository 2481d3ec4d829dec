import { checkProgram, type KnownTools } from '../../capabilities/program/check-program.js'
import type { Program } from '../../capabilities/program/program.js'
import { readProgram } from '../../capabilities/program/read-program.js'
import { CapabilityNotFoundError, CodeProblemsError, PmlError, ToolNotFoundError } from '../../errors.js'
import { codeTool } from '../../model/capability.js'
import type { JsonObject } from '../../model/json.js'
import type { Plan } from '../../model/plan.js'
import type { ErrorInfo } from '../../model/run.js'
import type { Tool, ToolDefinition } from '../../model/tool.js'
import type { CatalogueView } from '../catalogue-view.js'
import type { ResolveTool } from '../resolve-tool.js'
import { answerRun } from './answer-run.js'
import type { MetaTool } from './meta-tool.js'
import { optionalObject, optionalText, requiredText } from './read-arguments.js'
import type { ReplyDeps } from './reply-bounds.js'
import { type RunForCallerDeps, runForCaller } from './run-for-caller.js'
import { takeRound } from './run-rounds.js'

export const executeCodeDefinition: ToolDefinition = {
  name: 'execute_code',
  description:
    'Run TypeScript that calls tools, as the body of an async function: const a = await tools.server.tool({...}); return a.length. Promise.all runs in parallel; capabilities.name(args) calls a learned procedure. Only the value and logs come back.',
  inputSchema: {
    type: 'object',
    properties: {
      code: { type: 'string' },
      intent: { type: 'string', description: 'What it is for' },
      arguments: { type: 'object', description: 'args in the code' },
    },
    required: ['code'],
  },
  annotations: { title: 'Run code' },
}

const name = 'execute_code'

export interface ExecuteCodeDeps extends ReplyDeps, RunForCallerDeps {
  readonly view: CatalogueView
  readonly resolve: ResolveTool
  /** A capability by the name that code calls it by. @throws PmlError */
  capability(name: string): Tool
  /** Waits, within bounds, until what was learned before is known. */
  loaded(): Promise<void>
  /** Why no code can be run; undefined: it can. */
  unavailable(): ErrorInfo | undefined
  /** A program is about to come. */
  warm(): void
}

export function createExecuteCode(deps: ExecuteCodeDeps): MetaTool {
  return {
    definition: executeCodeDefinition,
    async call(args, caller) {
      const request = { name, arguments: args }
      const round = await takeRound(request, caller, deps)
      if (round !== undefined) return answerRun(round, request, caller, deps)
      const code = requiredText(name, args, 'code')
      // It starts while the code is read.
      deps.warm()
      const intent = optionalText(name, args, 'intent')
      const given = optionalObject(name, args, 'arguments') ?? {}
      const plan = await planCode({ code, intent, arguments: given }, deps)
      const ran = await runForCaller(plan, { finished: [], validateLayers: 'never' }, caller, deps)
      return answerRun(ran, request, caller, deps)
    },
  }
}

export interface CodeRequest {
  readonly code: string
  readonly intent: string | undefined
  readonly arguments: JsonObject
}

export type PlanCodeDeps = Pick<ExecuteCodeDeps, 'view' | 'resolve' | 'capability' | 'loaded' | 'unavailable'>

/** A plan of one task: the program. @throws PmlError where it cannot be run, or would fail for what can be seen beforehand. */
export async function planCode(
  { code, intent, arguments: args }: CodeRequest,
  deps: PlanCodeDeps,
): Promise<Plan> {
  const missing = deps.unavailable()
  if (missing !== undefined) throw new PmlError(missing.code, missing.message, missing.hint)
  const program = readProgram(code)
  await untilKnown(program, deps)
  const problems = checkProgram(program, toolsAsSeen(deps))
  if (problems.length > 0) throw new CodeProblemsError(problems)
  return {
    ...(intent !== undefined && { intent }),
    tasks: [
      { id: 'code', tool: codeTool, arguments: args, dependsOn: [], onError: 'fail', program: { code } },
    ],
  }
}

/** A tool that is not known may be of a server that has not been heard of yet. */
async function untilKnown({ calls }: Program, { resolve, loaded }: PlanCodeDeps): Promise<void> {
  if (calls.some(({ kind, name: tool }) => kind === 'capability' || tool === undefined)) await loaded()
  for (const { kind, name: tool } of calls) {
    if (kind !== 'tool' || tool === undefined) continue
    try {
      await resolve.soon(tool)
    } catch {
      // It is told with all the others.
    }
  }
}

function toolsAsSeen({ resolve, capability }: PlanCodeDeps): KnownTools {
  const find = (tool: string, kind: 'tool' | 'capability'): Tool =>
    kind === 'tool' ? resolve.now(tool) : capability(tool)
  return {
    inputSchemaOf(tool, kind) {
      try {
        return find(tool, kind).definition.inputSchema
      } catch {
        return undefined
      }
    },
    isKnown: (tool, kind) => notFound(() => find(tool, kind)) === undefined,
    closest: (tool, kind) => notFound(() => find(tool, kind))?.closest ?? [],
  }
}

/** Any other trouble with a tool is told when it is called. */
function notFound(find: () => Tool): ToolNotFoundError | CapabilityNotFoundError | undefined {
  try {
    find()
    return undefined
  } catch (error) {
    const isUnknown = error instanceof ToolNotFoundError || error instanceof CapabilityNotFoundError
    return isUnknown ? error : undefined
  }
}
