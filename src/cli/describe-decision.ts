import { writeOutUnseen } from '../gateway/write-out-unseen.js'
import type { Decision } from '../model/decision.js'
import { formatDuration } from '../model/format-duration.js'
import type { Json, JsonObject } from '../model/json.js'
import type { Risk } from '../model/risk.js'
import type { Colours, Paint } from './colour.js'

/** A file to be written is shown in full, a book is not. */
const longestArguments = 20_000

/** All that an answer is about: nobody can answer for what they did not see. */
export function describeDecision(decision: Decision, colours: Colours, now: number): string {
  const { id, kind, tool, caller, runId, taskId, risk, why, soFar, expiresAt } = decision
  const facts = [
    ['decision', id],
    ...(runId === undefined ? [] : [['run', taskId === undefined ? runId : `${runId}, task ${taskId}`]]),
    ['asked by', caller],
    ['why', why],
    ['so far', soFar === '' ? 'nothing' : soFar],
    ['expires', expiresAt <= now ? 'now' : `in ${formatDuration(expiresAt - now)}`],
    ...triedFacts(decision),
    ['arguments', shownArguments(decision)],
  ].map(([name, value]) => `  ${name!.padEnd(10)}${indent(writeOutUnseen(value!))}`)
  const cutOff = kind === 'repeat' ? ' was cut off and may have taken effect; is it to be called again?' : ''
  return [`${colours.bold(tool)}${cutOff}  ${paintRisk(risk, colours)(risk)}`, ...facts].join('\n')
}

/** Who decides should know that somebody else tried to. */
function triedFacts({ refusals }: Decision): readonly (readonly string[])[] {
  const approvals = refusals.filter(({ verdict, by }) => verdict === 'approve' && by === 'agent').length
  if (approvals === 0) return []
  return [['note', `the agent tried to approve it itself${approvals === 1 ? '' : `, ${approvals} times`}`]]
}

function paintRisk(risk: Risk, { green, yellow, red }: Colours): Paint {
  return { safe: green, moderate: yellow, dangerous: red }[risk]
}

function shownArguments({ arguments: args }: Decision): string {
  const text = isForEach(args)
    ? [`${args.each.length} calls, one for each:`, ...args.each.map((one) => JSON.stringify(one))].join('\n')
    : JSON.stringify(args, undefined, 2)
  const more = text.length - longestArguments
  return more <= 0
    ? text
    : `${text.slice(0, longestArguments)}\n... and ${more} characters more: pml approve --json`
}

/** A tool that takes nothing but a list called `each` is shown in the same way, which says as much. */
function isForEach(args: JsonObject): args is { readonly each: readonly Json[] } {
  return Object.keys(args).length === 1 && Array.isArray(args.each)
}

function indent(text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(12)}`)
}
