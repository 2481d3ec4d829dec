/**
 * Whether a capability helps: its last 20 uses against the same tools called one by one. One that is .1 less successful or 20 % slower is
 * hidden until it does better.
 *
 * What is hidden is seldom used, so it needs ways back:
 * - Uses by name go on and count. The newest five speak for themselves: as soon as they are no worse, it is shown.
 * - A day after its last use it is shown once more, on trial. A use that leaves it worse hides it for another day.
 * All of it follows from the uses and the clock: nothing is remembered.
 */
import type { CapabilityUse } from '../model/capability.js'

export interface Benefit {
  readonly isHidden: boolean
  /** One line. */
  readonly why: string
  /** When a hidden one is shown again, whatever happens. */
  readonly hiddenUntil?: number
}

export interface BenefitOptions {
  readonly now: number
  /**
   * How likely all of its tools succeed, called one by one, in [0, 1]; undefined: not known, and success is not compared. Asked for only
   * where it failed, as it may take a walk through all that it needs.
   */
  readonly toolsSuccess: () => number | undefined
}

export function judgeBenefit(recent: readonly CapabilityUse[], options: BenefitOptions): Benefit {
  const uses = recent.slice(-mostJudged)
  if (uses.length < fewestJudged)
    return {
      isHidden: false,
      why: `Used ${uses.length === 1 ? 'once' : `${uses.length} times`} lately: too few to judge by.`,
    }
  const fault = faultOf(uses, options.toolsSuccess)
  if (fault === undefined)
    return { isHidden: false, why: `As good as its tools called one by one, over ${uses.length} uses.` }
  if (faultOf(uses.slice(-fewestJudged), options.toolsSuccess) === undefined)
    return { isHidden: false, why: `${fault}; but not over the last ${fewestJudged}.` }
  const hiddenUntil = uses.at(-1)!.at + restMs
  if (options.now >= hiddenUntil)
    return { isHidden: false, why: `${fault}; on trial, as it was not used for a day.` }
  return { isHidden: true, why: `${fault}. Hidden until it does better.`, hiddenUntil }
}

const mostJudged = 20
const fewestJudged = 5
const restMs = 24 * 3_600_000
const lessSuccessful = 0.1
const slower = 1.2
/**
 * The sum of the calls leaves out what an agent waits for between them, and a program has the start of its sandbox on top: differences
 * that small are neither's merit.
 */
const unnoticedMs = 50

function faultOf(
  uses: readonly CapabilityUse[],
  toolsSuccess: BenefitOptions['toolsSuccess'],
): string | undefined {
  const good = uses.filter(({ success }) => success)
  const failures = uses.length - good.length
  const rate = good.length / uses.length
  // Of five uses a single failure is a fifth: no habit yet.
  const expected = failures > 1 && 1 - rate > lessSuccessful + rounding ? toolsSuccess() : undefined
  if (expected !== undefined && expected - rate > lessSuccessful + rounding)
    return `Succeeded in ${percent(rate)} of ${uses.length} uses, its tools one by one in ${percent(expected)}`
  const timed = good.filter(({ callsMs }) => callsMs > 0)
  if (timed.length < Math.min(fewestTimed, uses.length)) return undefined
  const took = median(timed.map(({ ms }) => ms))
  const calls = median(timed.map(({ callsMs }) => callsMs))
  if (took > calls * slower && took - calls > unnoticedMs)
    return `Took ${Math.round(took)} ms, its calls one by one ${Math.round(calls)} ms`
  return undefined
}

const fewestTimed = 3
const rounding = 1e-9

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
