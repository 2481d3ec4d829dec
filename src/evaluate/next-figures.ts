import type { Interval } from './bootstrap-interval.js'
import { ratioInterval } from './ratio-interval.js'

/** One step: what was ranked, what had come before, what came. */
export interface JudgedStep {
  readonly ranked: readonly string[]
  readonly before: string
  readonly came: string
}

export interface NextFigures {
  readonly steps: number
  readonly 'hit@1': number
  readonly 'hit@3': number
  readonly 'hit@5': number
  /** Mean of one by the place of what came, 0 below the tenth. */
  readonly mrr: number
  /** Of steps whose tool differs from the one before. */
  readonly 'novel_hit@1': number
  readonly 'novel_hit@3': number
  readonly 'novel_hit@5': number
}

export function nextFigures(judged: readonly JudgedStep[]): NextFigures {
  const places = judged.map(placeOf)
  const novel = judged.filter(isNovel).map(placeOf)
  return {
    steps: judged.length,
    'hit@1': hits(places, 1),
    'hit@3': hits(places, 3),
    'hit@5': hits(places, 5),
    mrr: meanOf(places.map((place) => (place > 10 ? 0 : 1 / place))),
    'novel_hit@1': hits(novel, 1),
    'novel_hit@3': hits(novel, 3),
    'novel_hit@5': hits(novel, 5),
  }
}

export interface NextIntervals {
  readonly 'hit@1': Interval
  readonly 'novel_hit@3': Interval
}

export function nextIntervals(
  sessions: readonly (readonly JudgedStep[])[],
  { random }: { random(): number },
): NextIntervals {
  return {
    'hit@1': ratioInterval(
      sessions.map((steps) => ({
        hits: steps.filter((step) => placeOf(step) <= 1).length,
        of: steps.length,
      })),
      random,
    ),
    'novel_hit@3': ratioInterval(
      sessions
        .map((steps) => steps.filter(isNovel))
        .map((steps) => ({ hits: steps.filter((step) => placeOf(step) <= 3).length, of: steps.length })),
      random,
    ),
  }
}

function placeOf({ ranked, came }: JudgedStep): number {
  const at = ranked.indexOf(came)
  return at < 0 ? Number.POSITIVE_INFINITY : at + 1
}

function isNovel({ before, came }: JudgedStep): boolean {
  return before !== came
}

function hits(places: readonly number[], most: number): number {
  return meanOf(places.map((place) => (place <= most ? 1 : 0)))
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
