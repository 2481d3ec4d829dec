/**
 * What is foretold by after some sessions, weights and cut-offs included. Counts are of all sessions. Weights and cut-offs are learned from sessions
 * that were held out of the counts, a fifth of the tasks at a time: fitted to sessions that are in the counts they would believe these too much.
 *
 *     folds ── how calls stand among those proposed ── weights of arguments
 *           └─ what was proposed, with them ────────── weights of the rating, and its cells
 *                └─ what would have been run ──────── cut-offs
 */
import { type CallGate, createCallGate, usefulShares } from '../learn/thresholds/create-call-gate.js'
import type { SpeculationPreset } from '../model/speculation.js'
import type { RatedOutcome } from '../plan/predict/calls/call-predictor.js'
import { shuffle } from './draw.js'
import { lookAhead } from './look-ahead.js'
import type { CallSession, CallSet } from './read-calls.js'
import { mostLookedAt, type RunAhead, simulateAhead } from './simulate-ahead.js'
import { groupsOf } from './split-by-group.js'
import { type Foreteller, learnCalls, toSessionCall, walkCalls } from './walk-calls.js'

export interface FittedCalls extends Foreteller {
  readonly gates: Readonly<Record<SpeculationPreset, CallGate>>
}

export interface FitOptions {
  readonly isRead: CallSet['isRead']
  readonly seed: number
}

const mostFolds = 5
/** What is less likely is not followed by anybody. */
const leastFollowed = 0.1

interface Fold extends Foreteller {
  readonly held: readonly CallSession[]
}

/** The sessions are of two tasks at least. */
export function fitCalls(sessions: readonly CallSession[], options: FitOptions): FittedCalls {
  const { isRead, seed } = options
  const folds = foldsOf(sessions, options)
  const all = learnCalls(sessions, options)
  const fitting = all.predictor.fitting
  fitting.fitArguments(
    folds.flatMap((fold) => {
      const sampleOf = fold.predictor.fitting.argumentSample
      const samples = walkCalls(fold.held, fold, {
        isRead,
        ask: ({ session, call }) => (isRead(call.tool) ? sampleOf(toSessionCall(session, call)) : undefined),
      })
      return samples.flat().filter((sample) => sample !== undefined)
    }),
  )
  const outcomes = new Map(folds.flatMap((fold) => [...outcomesOf(fold, fitting, isRead)]))
  const order = shuffle(sessions, seed, 'order')
  fitting.fitRating(order.flatMap((session) => outcomes.get(session)!))
  const runs = new Map(
    folds.flatMap((fold) => {
      fold.predictor.load(all.predictor.state())
      return [...runsOf(fold, isRead)]
    }),
  )
  return { ...all, gates: fillGates(order.flatMap((session) => runs.get(session)!)) }
}

function foldsOf(sessions: readonly CallSession[], options: FitOptions): readonly Fold[] {
  const groups = groupsOf(sessions)
  const count = Math.min(mostFolds, groups.length)
  const foldOf = new Map(groups.map((group, at) => [group, at % count]))
  return Array.from({ length: count }, (_, fold) => ({
    held: sessions.filter(({ group }) => foldOf.get(group) === fold),
    ...learnCalls(
      sessions.filter(({ group }) => foldOf.get(group) !== fold),
      options,
    ),
  }))
}

type BySession<Value> = ReadonlyMap<CallSession, readonly Value[]>

function outcomesOf(
  fold: Fold,
  fitted: Foreteller['predictor']['fitting'],
  isRead: CallSet['isRead'],
): BySession<RatedOutcome> {
  const { fitting } = fold.predictor
  fitting.takeWeights(fitted)
  const walked = walkCalls(fold.held, fold, {
    isRead,
    ask: ({ session, isNear }) =>
      fitting
        .rated(session)
        .slice(0, mostLookedAt)
        .map((call) => ({ call, used: isNear(call.key) })),
  })
  return new Map(fold.held.map((session, at) => [session, walked[at]!.flat()]))
}

function runsOf(fold: Fold, isRead: CallSet['isRead']): BySession<RunAhead> {
  const walked = lookAhead(fold.held, fold, isRead)
  const runs = walked.map((looks) =>
    simulateAhead(looks, { mayRun: ({ p }) => p >= leastFollowed, drops: () => false }),
  )
  return new Map(fold.held.map((session, at) => [session, runs[at]!]))
}

function fillGates(runs: readonly RunAhead[]): FittedCalls['gates'] {
  const gates = {
    careful: createCallGate({ useful: usefulShares.careful }),
    eager: createCallGate({ useful: usefulShares.eager }),
  }
  for (const { call, used } of runs)
    for (const gate of Object.values(gates))
      gate.take({ tool: call.tool, source: call.weakest, p: call.p }, used)
  return gates
}
