/**
 * Text -> ids of pieces of words, as BERT cuts it: lower case without accents, each sign of punctuation and each Chinese
 * character alone, and of each word the longest piece that the vocabulary has, again and again. A word that cannot be
 * spelt with its pieces is unknown as a whole. Y. Wu et al., "Google's Neural Machine Translation System", 2016, section 4.1.
 *
 * Gives what Hugging Face's `tokenizers` gives in Rust (BertNormalizer, BertPreTokenizer, WordPiece), because models are
 * trained with that; `wordpiece.test.ts` holds it to that for every character there is.
 */
export interface WordPiece {
  /** Of pieces that differ. */
  readonly size: number
  /** Continuations are written with their mark: `##ing`. */
  idOf(piece: string): number | undefined
  /** At most `most` ids: what comes after is not looked at. */
  encode(text: string, most: number): number[]
}

interface WordPieceOptions {
  /** The id of a piece is its place. */
  readonly pieces: readonly string[]
  /** The id of a word that cannot be spelt. */
  readonly unknown: number
}

/** BERT's own limit; longer words are data, not language. */
const longestWord = 100
const mark = '##'

export function createWordPiece({ pieces, unknown }: WordPieceOptions): WordPiece {
  const starts = new Map<string, number>()
  const continuations = new Map<string, number>()
  let longestPiece = 0
  // A plain loop over tens of thousands: nothing is compiled yet when a model is loaded, and iterators take twice as long.
  for (let id = 0; id < pieces.length; id++) {
    const piece = pieces[id]!
    if (piece.startsWith(mark)) continuations.set(piece.slice(mark.length), id)
    else starts.set(piece, id)
    if (piece.length > longestPiece) longestPiece = piece.length
  }

  /** Counts in UTF-16 units: half a pair is in no vocabulary, so a piece never ends within one. */
  const addWord = (ids: number[], word: string): void => {
    const whole = starts.get(word)
    if (whole !== undefined) {
      ids.push(whole)
      return
    }
    const before = ids.length
    let start = 0
    while (start < word.length) {
      const known = start === 0 ? starts : continuations
      let end = Math.min(word.length, start + longestPiece)
      let id: number | undefined
      for (; end > start; end--) {
        id = known.get(word.slice(start, end))
        if (id !== undefined) break
      }
      if (id === undefined) {
        ids.length = before
        ids.push(unknown)
        return
      }
      ids.push(id)
      start = end
    }
  }

  return {
    size: starts.size + continuations.size,
    idOf: (piece) =>
      piece.startsWith(mark) ? continuations.get(piece.slice(mark.length)) : starts.get(piece),
    encode(text, most) {
      const ids: number[] = []
      for (const word of wordsOf(text)) {
        if (ids.length >= most) break
        if (isTooLong(word)) ids.push(unknown)
        else addWord(ids, word)
      }
      if (ids.length > most) ids.length = most
      return ids
    },
  }
}

function isTooLong(word: string): boolean {
  return word.length > longestWord && [...word].length > longestWord
}

function wordsOf(text: string): readonly string[] {
  if (isAscii.test(text)) return text.toLowerCase().replace(asciiControls, '').match(asciiWords) ?? []
  // Marks go first: NFD sorts a run of them, and takes the square of its length.
  const bare = text.replace(controls, '').replace(marks, '')
  const folded = bare.normalize('NFD').replace(marks, '')
  // Character by character, as Rust does it: JavaScript alone knows that a sigma at the end of a word is another one.
  return folded.replaceAll('Σ', 'σ').toLowerCase().match(words) ?? []
}

const isAscii = /^[\x00-\x7f]*$/
const asciiControls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+/g
const asciiWords = /[a-z0-9]+|[!-/:-@[-`{-~]/g

/**
 * Rust's tables of categories are those of Unicode 8. These are the stretches in which only later versions know marks,
 * punctuation and format characters: they are letters here.
 */
const younger =
  `61d 7fd 890-8e2 9fd-9fe a76 afa-aff b55 c04-c3c c77 c84 d00 d3b-d3c d81 eba ece 180f-1886 1abf-1aeb 1b4e-1b4f
   1b7d-1b7f 1df6-1dfb 2e43-2e5d a82c a8c5 a8ff a9bd 10d24-10f89 11070-11074 110c2-110cd 111cf 1123e-11241 1133b
   113bb-1145e 11660-1166c 116b9 1182f-11fff 12ff1-1612f 16d6d-16f4f 16fe2-16fe4 1cf00-1cf46 1e000-1e6f5 1e944-1e95f`.replace(
    /\s*([0-9a-f]+)/g,
    '\\u{$1}',
  )

/** What is removed. Tab and line ends are controls too, and separate words. */
const controls = new RegExp(`[[\\p{C}\\u{fffd}]--[\\p{Cn}\\t\\n\\r${younger}]]+`, 'gv')
/** Two of them became spacing marks since, one was punctuation. */
const marks = new RegExp(`[[\\p{Mn}\\u{1734}\\u{1171e}]--[\\u{111c9}${younger}]]+`, 'gv')
const punctuation = `[[\\p{P}!-\\/:-@\\[-\`\\{-~\\u{166d}\\u{111c9}]--[${younger}]]`
/** BERT's ranges, with the slip at 2b920 that Rust's have. */
const chinese =
  '\\u{3400}-\\u{4dbf}\\u{4e00}-\\u{9fff}\\u{f900}-\\u{faff}\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2b81f}\\u{2b920}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}'
const words = new RegExp(`[${punctuation}${chinese}]|[^\\s${punctuation}${chinese}]+`, 'gv')
