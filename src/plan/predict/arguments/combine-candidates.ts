import type { Candidate } from './find-candidates.js'

interface Combination<T> {
  readonly chosen: readonly T[]
  readonly score: number
  /** Rows that all of them stand in; undefined before the first. */
  readonly origins: ReadonlySet<string> | undefined
}

/** Those of one row are taken for likelier by so much: they stand together where they are near the best. */
const inOneRow = 1

/** One of each list, the likeliest together first: a beam over the lists. */
export function combineCandidates<T extends { readonly candidate: Candidate }>(
  lists: readonly (readonly T[])[],
  most: number,
): readonly (readonly T[])[] {
  let beam: readonly Combination<T>[] = [{ chosen: [], score: 0, origins: undefined }]
  for (const list of lists) {
    const scores = list.map(({ candidate }) => Math.log(candidate.best + 0.01))
    beam = beam
      .flatMap((before) =>
        list.map((one, at) => {
          const bonus = meets(before.origins, one.candidate.origins) ? inOneRow : 0
          return { before, one, score: before.score + scores[at]! + bonus }
        }),
      )
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
      .map(({ before: { chosen, origins }, one, score }) => ({
        chosen: [...chosen, one],
        score,
        origins: common(origins, one.candidate.origins),
      }))
  }
  return beam.map(({ chosen }) => chosen)
}

function meets(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): boolean {
  if (a === undefined || a.size === 0) return false
  for (const one of b) if (a.has(one)) return true
  return false
}

function common(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): ReadonlySet<string> {
  if (a === undefined || a.size === 0) return a ?? b
  return new Set([...b].filter((one) => a.has(one)))
}
