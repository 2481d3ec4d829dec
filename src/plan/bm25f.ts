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
  idf(term: number): number
  /** The idf of a term that one document alone holds: the most that a term can give. */
  readonly highestIdf: number
  /** Adds every document's share for `term` to `scores`. */
  addScores(term: number, scores: Float64Array): void
}

export interface FieldWeight {
  readonly weight: number
  /** How much a long field is held against a term: 0 not at all, 1 fully. */
  readonly b: number
}

/** Terms are numbers below a vocabulary's size; `document[f]` holds those of field `f`. */
export type FieldTerms = readonly (readonly number[])[]

/** Usual values are 1.2 to 2.0 (Robertson & Zaragoza 2009, 3.5); tools repeat few words, so the choice matters little. */
const k1 = 1.2

export function buildBm25f(
  documents: readonly FieldTerms[],
  fields: readonly FieldWeight[],
  vocabularySize: number,
): Bm25f {
  const size = documents.length
  const meanLengths = fields.map((_, f) => {
    const total = documents.reduce((sum, document) => sum + document[f]!.length, 0)
    return Math.max(1, total / Math.max(1, size))
  })

  // One pair of arrays for all terms: those of term t lie from starts[t] to ends[t].
  const starts = placesOf(documents, vocabularySize)
  const ends = starts.slice()
  const held = new Uint32Array(starts[vocabularySize]!)
  const values = new Float64Array(held.length)
  documents.forEach((document, d) => {
    fields.forEach(({ weight, b }, f) => {
      const terms = document[f]!
      const share = weight / (1 - b + (b * terms.length) / meanLengths[f]!)
      for (const term of terms) {
        // Documents come in order, so this one's entry, if there is one, is the last.
        const last = ends[term]! - 1
        if (last >= starts[term]! && held[last] === d) values[last]! += share
        else {
          held[last + 1] = d
          values[last + 1] = share
          ends[term] = last + 2
        }
      }
    })
  })

  const idfOf = (count: number) => Math.log(1 + (size - count + 0.5) / (count + 0.5))
  const idf = (term: number) => idfOf(ends[term]! - starts[term]!)
  for (let term = 0; term < vocabularySize; term++) {
    const weight = idf(term)
    for (let i = starts[term]!; i < ends[term]!; i++) values[i] = (weight * values[i]!) / (k1 + values[i]!)
  }

  return {
    highestIdf: idfOf(1),
    idf,
    addScores(term, scores) {
      for (let i = starts[term]!; i < ends[term]!; i++) scores[held[i]!]! += values[i]!
    },
  }
}

/** Room for every occurrence of a term, though a document takes one place only: counting documents would cost more. */
function placesOf(documents: readonly FieldTerms[], vocabularySize: number): Uint32Array {
  const starts = new Uint32Array(vocabularySize + 1)
  for (const document of documents) {
    for (const terms of document) for (const term of terms) starts[term + 1]!++
  }
  for (let term = 0; term < vocabularySize; term++) starts[term + 1]! += starts[term]!
  return starts
}
