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
const longestFact = 400

/** A name and what is to be said, with what cannot be seen written out. */
export type DecisionFact = readonly [
  name: 'arguments' | 'risk' | 'why' | 'so far' | 'note' | 'run' | 'expires',
  text: string,
]

/**
 * What a person needs to know to answer, wherever they are asked; the dialogue, the page and the command line only lay it out. Of
 * arguments longer than `longest` the start and the end are told, and that there is more.
 */
export function decisionFacts(decision: Decision, longest: number): readonly DecisionFact[] {
  const { risk, why, soFar, runId, taskId, expiresAt } = decision
  const tried = agentApprovals(decision)
  const facts: readonly DecisionFact[] = [
    ['arguments', showArguments(decision, longest)],
    ['risk', risk],
    ['why', why],
    ['so far', soFar === '' ? 'nothing' : soFar],
    ...(tried === 0 ? [] : [['note', noteOf(tried)] as const]),
    ...(runId === undefined
      ? []
      : [['run', taskId === undefined ? runId : `${runId}, task ${taskId}`] as const]),
    ['expires', `${new Date(expiresAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`],
  ]
  return facts.map(([name, text]) => [name, writeOutUnseen(text)])
}

/** For a client's dialogue, and for agents. */
export function describeDecision(decision: Decision): string {
  const lines = decisionFacts(decision, longestArguments).map(([name, text]) => {
    const shown = name === 'arguments' ? text : shorten(text, longestFact)
    return `${name[0]!.toUpperCase()}${name.slice(1)}: ${shown}`
  })
  return [decisionQuestion(decision), ...lines].join('\n')
}

function decisionQuestion({ kind, tool, caller }: Decision): string {
  const [who, what] = [oneLine(caller), writeOutUnseen(tool)]
  return kind === 'call'
    ? `${who} wants to call ${what}.`
    : `A call of ${what}, for ${who}, was cut off and may have taken effect. Shall it be made again?`
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
  return `A person can approve it with: pml approve ${id} (or refuse it with: pml reject ${id}), or on the page of pml up.`
}

/** Who decides should know that somebody else tried to. */
function agentApprovals({ refusals }: Decision): number {
  return refusals.filter(({ verdict, by }) => verdict === 'approve' && by === 'agent').length
}

function noteOf(tried: number): string {
  return `the agent tried to approve it itself${tried === 1 ? '' : `, ${tried} times`}`
}

function showArguments({ arguments: args }: Decision, longest: number): string {
  const text = isForEach(args)
    ? [`${args.each.length} calls, one for each:`, ...args.each.map((one) => stringify(one))].join('\n')
    : stringify(args, 2)
  // What cannot be seen is longer once it is written out.
  const shown = writeOutUnseen(text)
  if (shown.length <= longest) return shown
  return `${headAndTail(shown, longest)}\n(${shown.length} characters; all of them with: pml approve --json)`
}

/** A tool that takes nothing but a list called `each` is shown in the same way, which says as much. */
function isForEach(args: JsonObject): args is { readonly each: readonly Json[] } {
  return Object.keys(args).length === 1 && Array.isArray(args.each)
}

function stringify(value: Json, space?: number): string {
  try {
    return JSON.stringify(value, undefined, space)
  } catch {
    return '(nested too deeply to be shown)'
  }
}
