import { PmlError } from '../../errors.js'
import { isObject, type Json } from '../../model/json.js'
import { parseToolId, type ToolId } from '../../model/tool.js'
import type { PastSequence } from './next-tools.js'
import { signalNames, signalPriors } from './signals.js'

export interface NextToolsState {
  /** By place. */
  readonly weights: ArrayLike<number> & Iterable<number>
  /** The oldest first. */
  readonly sequences: readonly PastSequence[]
}

const version = 1

export function writeState({ weights, sequences }: NextToolsState): Json {
  return {
    version,
    weights: Object.fromEntries(signalNames.map((name, at) => [name, weights[at]!])),
    sequences: sequences.map(({ session, intent, steps }) => ({
      session,
      ...(intent !== undefined && { intent }),
      steps: steps.map(({ tool, success, at }) => ({ tool, success, at })),
    })),
  }
}

/** A signal that the state does not know keeps its prior, and one that we do not know is left out: versions may add and drop some. */
export function readState(state: Json): NextToolsState & { readonly weights: readonly number[] } {
  if (!isObject(state)) throw bad('an object')
  if (state.version !== version) throw bad(`"version": ${version}`)
  const { weights, sequences } = state
  if (!isObject(weights)) throw bad('"weights", an object of numbers')
  if (!Array.isArray(sequences)) throw bad('"sequences", a list')
  return {
    weights: signalNames.map((name) => {
      const weight = Object.hasOwn(weights, name) ? weights[name] : signalPriors[name]
      if (typeof weight !== 'number' || !Number.isFinite(weight)) throw bad(`"weights.${name}", a number`)
      return weight
    }),
    sequences: sequences.map(readSequence),
  }
}

function readSequence(given: Json, place: number): PastSequence {
  const at = `"sequences[${place}]"`
  if (!isObject(given) || typeof given.session !== 'string' || !Array.isArray(given.steps))
    throw bad(`${at}, an object with a "session" and "steps"`)
  if (given.intent !== undefined && typeof given.intent !== 'string')
    throw bad(`${at} with a text as "intent"`)
  return {
    session: given.session,
    ...(given.intent !== undefined && { intent: given.intent }),
    steps: given.steps.map((step: Json) => {
      if (!isObject(step) || !isToolId(step.tool) || typeof step.success !== 'boolean' || !isTime(step.at))
        throw bad(`${at} with steps of {tool, success, at}`)
      return { tool: step.tool, success: step.success, at: step.at }
    }),
  }
}

function isToolId(value: Json | undefined): value is ToolId {
  return typeof value === 'string' && parseToolId(value) !== undefined
}

function isTime(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function bad(expected: string): PmlError {
  return new PmlError(
    'BAD_STATE',
    `What was learned about next steps cannot be read: expected ${expected}.`,
    'Export it again with this version: pml memory export',
  )
}
