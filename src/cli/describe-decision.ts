import { decisionFacts } from '../gateway/ask-person.js'
import { oneLine } from '../gateway/one-line.js'
import type { Decision } from '../model/decision.js'
import { formatDuration } from '../model/format-duration.js'
import type { Risk } from '../model/risk.js'
import type { Colours, Paint } from './colour.js'

/** A file to be written is shown in full, a book is not. */
const longestArguments = 20_000

/** All that an answer is about: nobody can answer for what they did not see. What is longest comes last. */
export function describeDecision(decision: Decision, colours: Colours, now: number): string {
  const { id, kind, tool, caller, risk, expiresAt } = decision
  const facts = decisionFacts(decision, longestArguments)
  const left = expiresAt <= now ? 'now' : `in ${formatDuration(expiresAt - now)}`
  const lines = [
    ['decision', id],
    ['asked by', oneLine(caller)],
    ...facts.filter(([name]) => name !== 'risk' && name !== 'arguments'),
    ...facts.filter(([name]) => name === 'arguments'),
  ].map(([name, text]) => `  ${name!.padEnd(10)}${indent(name === 'expires' ? `${left}, ${text}` : text!)}`)
  const cutOff = kind === 'repeat' ? ' was cut off and may have taken effect; is it to be called again?' : ''
  return [`${colours.bold(tool)}${cutOff}  ${paintRisk(risk, colours)(risk)}`, ...lines].join('\n')
}

function paintRisk(risk: Risk, { green, yellow, red }: Colours): Paint {
  return { safe: green, moderate: yellow, dangerous: red }[risk]
}

function indent(text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(12)}`)
}
