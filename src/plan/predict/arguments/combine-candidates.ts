import type { Candidate } from './find-candidates.js'

interface Combination<T> {
  readonly chosen: readonly T[]
  readonly score: number
  /** Rows that all of them stand in; undefined before the first. */
  readonly origins: ReadonlySet<string> | undefined
}

/**
 * One of each list, the likeliest together first: a beam over the lists. Those of one row count as if they were likelier by e, so that they stand
 * together where they are near the best.
 */
export function combineCandidates<T extends Candidate>(
  lists: readonly (readonly T[])[],
  most: number,
): readonly (readonly T[])[] {
  let beam: readonly Combination<T>[] = [{ chosen: [], score: 0, origins: undefined }]
  for (const list of lists)
    beam = beam
      .flatMap((before) => list.map((one) => ({ before, one, score: before.score + scoreOf(one, before) })))
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
      .map(({ before: { chosen, origins }, one, score }) => ({
        ...{ chosen: [...chosen, one], score },
        origins: origins === undefined ? one.origins : common(origins, one.origins),
      }))
  return beam.map(({ chosen }) => chosen)
}

function scoreOf(one: Candidate, { origins }: Combination<Candidate>): number {
  return Math.log(one.best + 0.01) + (origins !== undefined && meets(origins, one.origins) ? 1 : 0)
}

function meets(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const one of b) if (a.has(one)) return true
  return false
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...b].filter((one) => a.has(one)))
}
