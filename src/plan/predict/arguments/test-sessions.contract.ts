/** Small sessions for the tests of this room. */
import type { Json, JsonObject } from '../../../model/json.js'
import type { ArgumentSource } from '../../../model/predicted-call.js'
import type { ToolId } from '../../../model/tool.js'
import { createTemplates, type Templates } from './create-templates.js'
import { argumentsOf, proposeArguments, sourcesOf, weakestSource } from './propose-arguments.js'
import { createSessionCalls, type SessionCalls } from './session-calls.js'

/** Its tool, its arguments, what it gave; nothing where it failed. */
export type TestCall = readonly [tool: string, args: JsonObject, result?: Json]

export interface TestSession {
  readonly request?: string
  readonly calls: readonly TestCall[]
}

export function openTemplates(secret?: string): Templates {
  return createTemplates({
    redact: (text) => (secret === undefined ? text : text.replaceAll(secret, '[redacted]')),
  })
}

/** Each second a call. */
let clock = Date.UTC(2026, 0, 15, 12)

/** The session as it is after these calls, which are counted. */
export function learn(templates: Templates, { request, calls }: TestSession): SessionCalls {
  const session = createSessionCalls()
  if (request !== undefined) session.hear(request)
  for (const [tool, args, result] of calls) {
    clock += 1_000
    templates.count({ tool: tool as ToolId, arguments: args, at: clock }, session)
    session.push({ tool: tool as ToolId, arguments: args, ...(result !== undefined && { result }) })
  }
  return session
}

/** The session as it is after these calls, of which nothing is learned. */
export function follow({ request, calls }: TestSession): SessionCalls {
  const session = createSessionCalls()
  if (request !== undefined) session.hear(request)
  for (const [tool, args, result] of calls)
    session.push({ tool: tool as ToolId, arguments: args, ...(result !== undefined && { result }) })
  return session
}

export interface TestProposal {
  readonly arguments: JsonObject
  readonly sources: Readonly<Record<string, ArgumentSource>>
  readonly weakest: ArgumentSource
  readonly evidence: Float64Array
}

/** What is proposed for a tool, the best ways first. */
export function propose(templates: Templates, tool: string, session: SessionCalls): readonly TestProposal[] {
  return proposeArguments(tool as ToolId, session, templates).map((one) => ({
    arguments: argumentsOf(one),
    sources: sourcesOf(one),
    weakest: weakestSource(one),
    evidence: one.evidence,
  }))
}

export function find(proposed: readonly TestProposal[], args: JsonObject): TestProposal | undefined {
  return proposed.find((one) => JSON.stringify(one.arguments) === JSON.stringify(args))
}
