/**
 * BM25F: BM25 over documents of several fields. A term's count in a field is divided by the field's relative length and
 * multiplied by the field's weight, the fields are added up, and the sum saturates once, so that a word in both name and
 * description does not count as two pieces of evidence.
 *
 *     tf(d,t) = sum over fields f of weight(f) * count(d,f,t) / (1 - b + b * length(d,f) / usualLength(f))
 *     score(d,q) = sum over t in q of idf(t) * tf(d,t) / (k1 + tf(d,t))      idf(t) = ln(1 + (N - n(t) + .5) / (n(t) + .5))
 *
 * S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6.
 *
 * The usual length of a field is a constant, not this catalogue's mean: so a document's share of a term never changes, the
 * index grows and shrinks by single tools and equals one built from nothing, and a score means the same on any catalogue.
 */
export interface TextIndex {
  readonly size: number
  /** `document[f]` holds the terms of field `f`; the slot must be empty. */
  add(slot: number, document: FieldTerms): void
  /** The slot counts as empty from now on, but may be taken again only after a `sweep`. */
  remove(slot: number): void
  /** Takes removed slots out of the lists. */
  sweep(): void
  idf(term: number): number
  /** The idf of a term that one document alone holds: the most that a term can give. */
  highestIdf(): number
  /** Adds every document's share for `term` to `scores`; removed slots may get some too. */
  addScores(term: number, scores: Float64Array): void
}

export interface FieldWeight {
  readonly weight: number
  /** How much a long field is held against a term: 0 not at all, 1 fully. */
  readonly b: number
  /** In terms, of which a word has two. */
  readonly usualLength: number
}

export type FieldTerms = readonly (readonly number[])[]

/** Usual values are 1.2 to 2.0 (Robertson & Zaragoza 2009, 3.5); tools repeat few words, so the choice matters little. */
const k1 = 1.2

interface Postings {
  readonly slots: number[]
  readonly shares: number[]
  /** Documents that hold the term and are not removed. */
  live: number
}

export function createTextIndex(fields: readonly FieldWeight[]): TextIndex {
  const postings: (Postings | undefined)[] = []
  const termsOf = new Map<number, Uint32Array>()
  const removed = new Set<number>()
  const sums = new Map<number, number>()

  const idfOf = (live: number): number =>
    live === 0 ? 0 : Math.log(1 + (termsOf.size - live + 0.5) / (live + 0.5))

  return {
    get size() {
      return termsOf.size
    },
    add(slot, document) {
      sums.clear()
      fields.forEach(({ weight, b, usualLength }, f) => {
        const terms = document[f]!
        const share = weight / (1 - b + (b * terms.length) / usualLength)
        for (const term of terms) sums.set(term, (sums.get(term) ?? 0) + share)
      })
      for (const [term, sum] of sums) {
        postings[term] ??= { slots: [], shares: [], live: 0 }
        const list = postings[term]
        list.slots.push(slot)
        list.shares.push(sum / (k1 + sum))
        list.live++
      }
      termsOf.set(slot, Uint32Array.from(sums.keys()))
    },
    remove(slot) {
      for (const term of termsOf.get(slot) ?? []) postings[term]!.live--
      if (termsOf.delete(slot)) removed.add(slot)
    },
    sweep() {
      if (removed.size === 0) return
      for (const list of postings) {
        if (list === undefined || list.live === list.slots.length) continue
        // In place: making new lists of half a million entries would be felt by a request that comes meanwhile.
        const { slots, shares } = list
        let kept = 0
        for (let at = 0; at < slots.length; at++) {
          if (removed.has(slots[at]!)) continue
          slots[kept] = slots[at]!
          shares[kept] = shares[at]!
          kept++
        }
        slots.length = kept
        shares.length = kept
      }
      removed.clear()
    },
    idf: (term) => idfOf(postings[term]?.live ?? 0),
    highestIdf: () => idfOf(Math.min(1, termsOf.size)),
    addScores(term, scores) {
      const list = postings[term]
      if (list === undefined) return
      const { slots, shares } = list
      const weight = idfOf(list.live)
      for (let i = 0; i < slots.length; i++) scores[slots[i]!]! += weight * shares[i]!
    },
  }
}
