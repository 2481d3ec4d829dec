/**
 * What would have been run ahead in a session, and what of it was used. At the start of each turn, the surest first, at most three; a call that still
 * waits to be used, or that was run and not used, is not run again. What was run waits for three calls.
 */
import type { PredictedCall } from '../model/predicted-call.js'
import type { ToolId } from '../model/tool.js'
import { usedWithin } from '../plan/predict/calls/call-predictor.js'
import type { Moment } from './walk-calls.js'

export interface Look {
  readonly moment: Moment
  /** The likeliest to be next first. */
  readonly predicted: readonly KeyedCall[]
}

export interface KeyedCall extends PredictedCall {
  readonly key: string
}

export interface RunAhead {
  readonly call: KeyedCall
  /** The place of the call that it was run before. */
  readonly at: number
  readonly used: boolean
}

export interface AheadRules {
  mayRun(call: KeyedCall): boolean
  /** Whether what is kept of a tool's server may be wrong after this call; what is, is dropped unused. */
  drops(call: Moment, kept: ToolId): boolean
}

/** eval: at most 3 predictions a turn. */
const mostATurn = 3
/** As many as are followed to see what becomes of them. */
export const mostLookedAt = 8

export function simulateAhead(looks: readonly Look[], { mayRun, drops }: AheadRules): readonly RunAhead[] {
  const runs: { readonly call: KeyedCall; readonly at: number; used: boolean }[] = []
  const kept = new Map<string, (typeof runs)[number]>()
  const wasted = new Set<string>()
  for (const { moment, predicted } of looks) {
    for (const [key, { at }] of kept)
      if (moment.at >= at + usedWithin) {
        kept.delete(key)
        wasted.add(key)
      }
    if (moment.startsTurn)
      for (const call of toRun(
        predicted,
        (one) => mayRun(one) && !kept.has(one.key) && !wasted.has(one.key),
      )) {
        const run = { call, at: moment.at, used: false }
        runs.push(run)
        kept.set(call.key, run)
      }
    const taken = kept.get(moment.key)
    if (taken !== undefined) {
      taken.used = true
      kept.delete(moment.key)
    }
    for (const [key, { call }] of kept) if (drops(moment, call.tool)) kept.delete(key)
  }
  return runs
}

function toRun(predicted: readonly KeyedCall[], may: (call: KeyedCall) => boolean): readonly KeyedCall[] {
  return predicted
    .slice(0, mostLookedAt)
    .toSorted((a, b) => b.p - a.p)
    .filter(may)
    .slice(0, mostATurn)
}
