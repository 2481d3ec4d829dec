import { countBits } from '../../model/count-bits.js'
import { editDistance } from '../../model/edit-distance.js'

/**
 * The names nearest to a misspelt one, within one slip from 5 characters on and two from 9: shorter names are too close
 * to one another to guess. Names are kept by length and by which letters they hold, so that a search computes few
 * distances: a slip changes the length by at most one and the set of letters by at most two.
 */
export function createMisspeltFinder(names: Iterable<string>): (name: string) => readonly string[] {
  const byLength = new Map<number, { readonly name: string; readonly letters: number }[]>()
  for (const name of names) {
    const bucket = byLength.get(name.length) ?? []
    byLength.set(name.length, bucket)
    bucket.push({ name, letters: letterSet(name) })
  }

  return (name) => {
    let best = name.length >= 9 ? 2 : name.length >= 5 ? 1 : 0
    if (best === 0) return []
    let nearest: string[] = []
    const letters = letterSet(name)
    for (let length = name.length - best; length <= name.length + best; length++) {
      for (const candidate of byLength.get(length) ?? []) {
        if (countBits(letters ^ candidate.letters) > 2 * best) continue
        const distance = editDistance(name, candidate.name, best)
        if (distance > best) continue
        if (distance < best) nearest = []
        best = distance
        nearest.push(candidate.name)
      }
    }
    return nearest
  }
}

/** One bit per letter or digit, several characters sharing a bit: equal sets give equal bits, and that is all we need. */
function letterSet(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits |= 1 << (text.charCodeAt(i) & 31)
  return bits
}
