import type { Interval } from './bootstrap-interval.js'
import { ratioInterval } from './ratio-interval.js'
import type { Look, RunAhead } from './simulate-ahead.js'

/** Of read calls: whether tool and all arguments were among the first one or three. */
export interface ExactFigures {
  readonly calls: number
  readonly read_calls: number
  readonly 'exact@1': number
  readonly 'exact@3': number
  /** By what was predicted before the first call of the turn. */
  readonly 'turn_exact@1': number
  readonly 'turn_exact@3': number
}

export interface AheadFigures {
  /** Calls that were run ahead, and those of them that were made within the next three calls. */
  readonly run: number
  readonly used: number
  /** Used by run; null where nothing was run. */
  readonly precision: number | null
  readonly waste: number | null
  /** The share of read calls that was served. */
  readonly saved_share: number
}

/** One session: what was predicted, or what was run. */
export type InSession<Thing> = readonly Thing[]

export function exactFigures(sessions: readonly InSession<Look>[]): ExactFigures {
  const looks = sessions.flat()
  const reads = looks.filter(isOfRead)
  const beforeTurn = sessions.flatMap(turnPlaces)
  return {
    calls: looks.length,
    read_calls: reads.length,
    'exact@1': shareOf(reads, (look) => placeOf(look) <= 1),
    'exact@3': shareOf(reads, (look) => placeOf(look) <= 3),
    'turn_exact@1': shareOf(beforeTurn, (place) => place <= 1),
    'turn_exact@3': shareOf(beforeTurn, (place) => place <= 3),
  }
}

export function aheadFigures(runs: readonly RunAhead[], readCalls: number): AheadFigures {
  const used = runs.filter((run) => run.used).length
  return {
    run: runs.length,
    used,
    precision: runs.length === 0 ? null : used / runs.length,
    waste: runs.length === 0 ? null : 1 - used / runs.length,
    saved_share: readCalls === 0 ? 0 : used / readCalls,
  }
}

/** Where the figures would lie in 95 of 100 sets like this one, by sessions. */
export interface ExactIntervals {
  readonly 'exact@1': Interval
  readonly 'exact@3': Interval
}

export function exactIntervals(
  looks: readonly InSession<Look>[],
  { random }: { random(): number },
): ExactIntervals {
  const within = (most: number) =>
    looks.map((session) => {
      const reads = session.filter(isOfRead)
      return { hits: countOf(reads, (look) => placeOf(look) <= most), of: reads.length }
    })
  return { 'exact@1': ratioInterval(within(1), random), 'exact@3': ratioInterval(within(3), random) }
}

export interface AheadIntervals {
  /** Null where nothing was run. */
  readonly precision: Interval | null
  readonly saved_share: Interval
}

export function aheadIntervals(
  looks: readonly InSession<Look>[],
  runs: readonly InSession<RunAhead>[],
  { random }: { random(): number },
): AheadIntervals {
  const used = runs.map((session) => countOf(session, (run) => run.used))
  return {
    precision: runs.every((session) => session.length === 0)
      ? null
      : ratioInterval(
          runs.map((session, at) => ({ hits: used[at]!, of: session.length })),
          random,
        ),
    saved_share: ratioInterval(
      looks.map((session, at) => ({ hits: used[at]!, of: countOf(session, isOfRead) })),
      random,
    ),
  }
}

/** From 1; beyond all where it was not predicted. */
export function placeOf({ moment, predicted }: Look): number {
  return placeIn(predicted, moment.key)
}

function turnPlaces(looks: InSession<Look>): readonly number[] {
  let { predicted } = looks[0] ?? { predicted: [] }
  return looks.flatMap((look) => {
    if (look.moment.startsTurn) predicted = look.predicted
    return look.moment.isRead ? [placeIn(predicted, look.moment.key)] : []
  })
}

function placeIn(predicted: Look['predicted'], key: string): number {
  const at = predicted.findIndex((call) => call.key === key)
  return at < 0 ? Number.POSITIVE_INFINITY : at + 1
}

export function isOfRead({ moment }: Look): boolean {
  return moment.isRead
}

export function shareOf<Thing>(things: readonly Thing[], holds: (thing: Thing) => boolean): number {
  return things.length === 0 ? 0 : countOf(things, holds) / things.length
}

function countOf<Thing>(things: readonly Thing[], holds: (thing: Thing) => boolean): number {
  return things.filter(holds).length
}
