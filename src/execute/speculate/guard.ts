/**
 * Whether a call may be run before it is asked for: the one place where that is decided. What is learned and predicted comes in by `judge`
 * alone, which may refuse and can allow nothing that another rule forbids.
 */

import { findByTool } from '../../model/find-by-tool.js'
import type { PredictedCall } from '../../model/predicted-call.js'
import { serverOf } from '../../model/server-of.js'
import type { Refusal, SpeculationConfig } from '../../model/speculation.js'
import { modeOf } from './mode-of.js'
import type { ServerEpochs } from './server-epochs.js'
import type { ServerRests } from './server-rest.js'
import { mostAtOnce, type SpeculationRoomOptions } from './speculation-room.js'
import type { WasteBudget } from './waste-budget.js'

export interface GuardDeps
  extends Pick<SpeculationRoomOptions, 'judge' | 'isSafe' | 'isNeverAhead' | 'mayWrite' | 'isWell'> {
  readonly config: SpeculationConfig
  readonly epochs: Pick<ServerEpochs, 'isWritten'>
  readonly rests: Pick<ServerRests, 'isRateLimited' | 'isFailing'>
  readonly budget: Pick<WasteBudget, 'hasRoom'>
  /** It was run for this session already, in vain. */
  readonly wasUnused: boolean
  /** How many are under way. */
  readonly atOnce: number
}

/** The first reason that holds, in the order of model/speculation.ts. */
export function refusalOf(call: PredictedCall, deps: GuardDeps): Refusal | undefined {
  const { config, rests } = deps
  const server = serverOf(call.tool)
  if (modeOf(config, call.tool) === 'off') return 'off'
  if (!deps.isSafe(call.tool)) return 'not safe'
  if (deps.isNeverAhead(call.tool)) return 'never ahead'
  // What counts as a write when it is asked for would never be given from here.
  if (deps.mayWrite(call)) return 'not safe'
  const judged = deps.judge(call)
  if (judged !== undefined) return judged
  if (deps.wasUnused) return 'unused before'
  if (!deps.isWell(server) || rests.isFailing(server)) return 'server not well'
  if (rests.isRateLimited(server)) return 'rate limited'
  if (deps.epochs.isWritten(server)) return 'write under way'
  if (deps.atOnce >= mostAtOnce) return 'too many at once'
  const cost = costOf(config, call)
  // Said in this way, a number that is none refuses.
  if (!(cost >= 0 && cost <= config.maxCost)) return 'cost'
  return deps.budget.hasRoom(server, config) ? undefined : 'waste budget'
}

/** In dollars; what nothing is said of is free. */
export function costOf({ costPerCall }: SpeculationConfig, { tool }: Pick<PredictedCall, 'tool'>): number {
  return findByTool(costPerCall, tool)?.value ?? 0
}
