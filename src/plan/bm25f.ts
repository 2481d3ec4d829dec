/**
 * BM25F: BM25 over documents of several fields. A term's count in a field is divided by the field's relative length and
 * multiplied by the field's weight, the fields are added up, and the sum saturates once, so that a word in both name and
 * description does not count as two pieces of evidence.
 *
 *     tf(d,t) = sum over fields f of weight(f) * count(d,f,t) / (1 - b + b * length(d,f) / meanLength(f))
 *     score(d,q) = sum over t in q of idf(t) * tf(d,t) / (k1 + tf(d,t))      idf(t) = ln(1 + (N - n(t) + .5) / (n(t) + .5))
 *
 * S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6.
 * The contribution of each (document, term) is fixed when the index is built; a search only adds them up.
 */
export interface Bm25f {
  has(term: string): boolean
  /** Terms the index does not hold weigh as much as one held by no document: what is unknown cannot be covered. */
  idf(term: string): number
  /** Adds every document's share for `term` to `scores`. */
  addScores(term: string, scores: Float64Array): void
}

export interface FieldWeight {
  readonly weight: number
  /** How much a long field is held against a term: 0 not at all, 1 fully. */
  readonly b: number
}

/** Usual values are 1.2 to 2.0 (Robertson & Zaragoza 2009, 3.5); tools repeat few words, so the choice matters little. */
const k1 = 1.2

interface Postings {
  readonly documents: number[]
  readonly frequencies: number[]
}

/** `documents[d][f]` holds the terms of field `f`, in the order of `fields`. */
export function buildBm25f(
  documents: readonly (readonly (readonly string[])[])[],
  fields: readonly FieldWeight[],
): Bm25f {
  const meanLengths = fields.map((_, f) => {
    const total = documents.reduce((sum, document) => sum + document[f]!.length, 0)
    return Math.max(1, total / Math.max(1, documents.length))
  })

  const index = new Map<string, Postings>()
  documents.forEach((document, d) => {
    fields.forEach(({ weight, b }, f) => {
      const terms = document[f]!
      const share = weight / (1 - b + (b * terms.length) / meanLengths[f]!)
      for (const term of terms) addTerm(index, term, d, share)
    })
  })

  const idfOf = (held: number) => Math.log(1 + (documents.length - held + 0.5) / (held + 0.5))
  for (const { documents: held, frequencies } of index.values()) {
    const idf = idfOf(held.length)
    for (let i = 0; i < frequencies.length; i++) {
      const tf = frequencies[i]!
      frequencies[i] = (idf * tf) / (k1 + tf)
    }
  }

  return {
    has: (term) => index.has(term),
    idf: (term) => idfOf(index.get(term)?.documents.length ?? 0),
    addScores(term, scores) {
      const postings = index.get(term)
      if (!postings) return
      const { documents: held, frequencies } = postings
      for (let i = 0; i < held.length; i++) scores[held[i]!]! += frequencies[i]!
    },
  }
}

/** Documents arrive in order, so a document's entry, if there is one, is the last. */
function addTerm(index: Map<string, Postings>, term: string, d: number, share: number): void {
  let postings = index.get(term)
  if (!postings) {
    postings = { documents: [], frequencies: [] }
    index.set(term, postings)
  }
  const last = postings.documents.length - 1
  if (postings.documents[last] === d) postings.frequencies[last]! += share
  else {
    postings.documents.push(d)
    postings.frequencies.push(share)
  }
}
