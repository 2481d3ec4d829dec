/**
 * How a person is asked whether a call may be made, and how their answer is read: the same words for tools that clients call by
 * themselves and for tasks of workflows. What is shown is the decision as it is kept: without secrets, and bounded.
 */
import type { Question } from '../model/client-side.js'
import type { Decision, Verdict } from '../model/decision.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { shorten } from '../model/shorten.js'
import { oneLine } from './one-line.js'
import { headAndTail, shrinkJson } from './preview.js'
import { writeOutUnseen } from './write-out-unseen.js'

/** More nobody reads in a dialogue; the command line shows all of it. */
const longestArguments = 2_000
const longestReason = 400

/** What a person needs to know, a line each: who wants what, with what, how bad it can be, and what ran so far. */
export function describeDecision(decision: Decision): string {
  const { kind, tool, risk, why, soFar } = decision
  const caller = oneLine(decision.caller)
  const lines = [
    kind === 'call'
      ? `${caller} wants to call ${writeOutUnseen(tool)}.`
      : `A call of ${writeOutUnseen(tool)}, for ${caller}, was cut off and may have taken effect. Shall it be made again?`,
    `Arguments: ${showArguments(decision)}`,
    `Risk: ${risk}. ${shorten(writeOutUnseen(why), longestReason)}`,
  ]
  if (soFar !== '') lines.push(`So far: ${writeOutUnseen(soFar)}`)
  return lines.join('\n')
}

/** A form with one box. Not ticked is the default, so that a client that fills in defaults by itself approves nothing. */
export function approvalQuestion(decision: Decision): Question {
  const isCall = decision.kind === 'call'
  return {
    method: 'elicitation/create',
    params: {
      message: describeDecision(decision),
      requestedSchema: {
        type: 'object',
        properties: {
          approve: {
            type: 'boolean',
            title: isCall ? 'Make this call' : 'Make this call again',
            description: `Once, with exactly these arguments. Otherwise it is not made${isCall ? '' : ' again'}.`,
            default: false,
          },
        },
        required: ['approve'],
      },
    },
  }
}

/** `cancel`: they did not decide, or what came back says nothing. Nothing but a plain yes approves. */
export function readApproval(response: unknown): Verdict | 'cancel' {
  if (!isObject(response)) return 'cancel'
  if (response.action === 'decline') return 'reject'
  if (response.action !== 'accept' || !isObject(response.content)) return 'cancel'
  const { approve } = response.content
  if (approve === true) return 'approve'
  return approve === false ? 'reject' : 'cancel'
}

/** A decision in a reply of ours. */
export function showDecision(decision: Decision): JsonObject {
  const { id, kind, runId, taskId, tool, risk, why, answeredBy, expiresAt } = decision
  return {
    id,
    ...(kind === 'repeat' && { kind }),
    ...(runId !== undefined && { workflow_id: runId }),
    ...(taskId !== undefined && { task: taskId }),
    tool,
    arguments: shrinkJson(decision.arguments, longestArguments) ?? {},
    risk,
    why,
    answeredBy,
    expiresAt: new Date(expiresAt).toISOString(),
  }
}

/** Who can answer it, and how, for an agent that has to tell its user. */
export function howToAnswer({ id }: Pick<Decision, 'id'>): string {
  return `A person can approve it with: pml approve ${id} (or refuse it with: pml reject ${id}), or on the page of the gateway.`
}

function showArguments({ arguments: args }: Decision): string {
  const text = writeOutUnseen(stringify(args))
  if (text.length <= longestArguments) return text
  return `${headAndTail(text, longestArguments)}\n(${text.length} characters; all of them with: pml approve)`
}

function stringify(value: Json): string {
  try {
    return JSON.stringify(value, undefined, 1)
  } catch {
    return '(nested too deeply to be shown)'
  }
}
