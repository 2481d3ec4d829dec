/**
 * An intent as its clauses: one wish each, with the values and the pointing words that stand in it.
 *
 *     get a random joke, translate it to Spanish and send it to 555-1234
 *     └─────────────┘    └──────────────────┘        └─────────────────┘
 *                        points back: it             points back: it
 */
import { splitWords } from '../../model/words/split-words.js'
import { stem } from '../../model/words/stem.js'
import { findLiterals, type Literal } from './find-literals.js'

export interface Intent {
  readonly text: string
  readonly clauses: readonly Clause[]
  /** There is more than was read: a longer text, or more wishes than anybody plans at once. */
  readonly isCut: boolean
}

export interface Clause {
  readonly text: string
  readonly start: number
  /** It asks for something to be done; else it only tells something. */
  readonly isWish: boolean
  readonly words: readonly ClauseWord[]
  readonly literals: readonly Literal[]
  /** It speaks of something said before: it, them, the result. */
  readonly pointsBack: boolean
  /** It speaks of `the total`, `both values`, without saying which. */
  readonly isVague: boolean
  /** It says that it follows from what was before: then, after that, based on, using. */
  readonly follows: boolean
  /** each, every, all: what it does is done for more than one. */
  readonly forEach: boolean
  /** It says what is not to be done. */
  readonly isRuledOut: boolean
  /** It offers a choice: or, either, if not. */
  readonly hasAlternative: boolean
}

export interface ClauseWord {
  readonly stem: string
  /** Place in the whole text. */
  readonly at: number
  /** Within a quoted text, an address or the like: a value, which speaks of no tool. */
  readonly isValue: boolean
}

const longestIntent = 10_000
const mostClauses = 40

/** What people ask tools to do; a comma or an `and` before one of these begins a new wish. */
const verbs =
  `add adjust alert allocate analy[sz]e answer apply append approve arrange archive ask assign attach authenticate backup book build buy calculate call
  cancel change chart check choose clarify classify clean clear clone close collect combine comment commit compare compile compress compute configure confirm connect consult contact
  convert copy count create cut debug decode decrypt define delete deliver deploy describe detect determine diff disable display download draft
  draw edit email embed enable encode encrypt enhance enqueue ensure estimate evaluate execute explain export extend extract fetch figure fill filter find fix follow
  format forward generate get give grab grant group help identify import increase index inform inquire insert inspect install invite join label launch list
  load locate lock log look lookup make mail map mark measure merge message modify monitor move name navigate notify obtain open optimi[sz]e order organi[sz]e
  paste pay pick plan play plot post prepare preview print process produce provide publish pull purchase push query rank rate read recommend record reconfirm redact
  refund register remind remove rename renew repair repay render rent reply report request reschedule reserve reset resize resolve restart restore retrieve return
  review rewrite run save scan schedule scrape search select send set share ship show sign sort split stage start stop store submit subscribe
  suggest sum summari[sz]e sync synthesi[sz]e tag take tell test track train transcribe transfer transform translate trim turn tweet update upgrade
  upload use validate verify view visit watch withdraw write zip`
    .split(/\s+/)
    .join('|')
const lead =
  '(?:(?:also|then|next|please|and|to|help me|let me|i (?:also )?(?:want|need|would like|plan|hope|wish) (?:you )?to|(?:you|we) (?:should|can|could|must)|so that i can|[a-z]{2,12}ly|once more|again) ){0,4}'
/** A value of the request, as mask() leaves it. */
const value = '\\u0001'
/** The marks of a list: `- `, `2. `, `3) `. */
const bullet = `(?:(?:[-*•]|${value}{1,2}[.)]) +)`
/** After these a dot ends no sentence: `No.` before its number; `J.` and `U.S.`, unless a wish begins after them. */
const abbreviated = [
  '(?<!\\b(?:mr|mrs|ms|dr|prof|vs|st|inc|ltd|co|jr|sr|approx|fig|vol|dept|e\\.g|i\\.e)\\.)',
  `(?<!\\bnos?\\.(?= *${value}))`,
  `(?<!\\b[a-z]\\.(?! +${lead}(?:${verbs})\\b))`,
].join('')
const boundary = new RegExp(
  [
    `^\\s*${bullet}`,
    `\\n\\s*${bullet}?`,
    `(?<=[.?!;])${abbreviated}["'”’)]? +`,
    ",? (?:and|but) (?=(?:do not|don['’]t|never|not)\\b)|,? (?=without [a-z]+ing\\b)",
    ',? (?:and|but)? ?(?:then|afterwards?|subsequently|finally|lastly),? ',
    ',? (?:and )?(?:after that|after this|once done|next),? ',
    `,? (?:and|&) (?=${lead}(?:${verbs})\\b)`,
    `, (?=${lead}(?:${verbs})\\b)`,
  ].join('|'),
  'giu',
)
const wish = new RegExp(
  `^[\\s,]*${lead}(?:${verbs})\\b|\\b(?:want|need|like|wish|hope|can you|could you|please)\\b`,
  'iu',
)
const pointing =
  /\b(?:it|its|them|their|they|those|these|this|such|that(?! (?:ha[sd]|have|can|could|will|would|should|may|must|are|was|were|goes|go|does|do|(?!is\b)[a-z]+s) )|(?:the|each|this|that|its) (?:result|results|output|outputs|outcome|response|answer|same|value|content|contents|obtained|found|returned|resulting))\b/iu
const vague =
  /\b(?:both|the) (?:two |total |final |whole |entire |full |new |resulting |first |top )*(?:amounts?|totals?|values?|sums?|figures?|numbers?|prices?|answers?|lists?|details|texts?|information|data|names?|findings|items?)\b(?! *(?:of|is|as|for)? *\u0001)/iu
/** Said as a whole, it only joins. */
const connective =
  /^[\s,]*(?:(?:and|but|then|next|also|finally|lastly|afterwards?|subsequently|after (?:that|this)|once done)[\s,]*)+$/iu
const following =
  /\b(?:then|next|after|afterwards?|finally|lastly|subsequently|based on|using|use|from the|once|according to|resulting|obtained|with the result)\b/iu
const each = /\b(?:each|every|all|for any|one by one)\b/iu
const ruledOut =
  /^[\s,]*(?:please )?(?:but )?(?:do not|don['’]t|never|without|not|avoid|instead of|rather than)\b/iu
const choice = /\b(?:or|either|otherwise|if not|alternatively|instead)\b/iu

export function readIntent(text: string): Intent {
  const bounded = text.slice(0, longestIntent)
  const literals = findLiterals(bounded)
  const masked = mask(bounded, literals)
  const spans = cut(masked)
  const clauses = spans.map(({ start, end, follows }) => {
    const inside = literals.filter((one) => one.start >= start && one.start < end)
    const plain = masked.slice(start, end)
    return {
      text: bounded.slice(start, end),
      start,
      isWish: wish.test(plain),
      words: wordsOf(bounded, start, end, inside),
      literals: inside,
      pointsBack: pointing.test(plain),
      isVague: vague.test(plain),
      follows: follows || following.test(plain),
      forEach: each.test(plain),
      isRuledOut: ruledOut.test(plain),
      hasAlternative: choice.test(plain),
    }
  })
  return { text: bounded, clauses, isCut: text.length > longestIntent || clauses.length >= mostClauses }
}

/** Values are no boundaries and no pointing words, whatever they say. Names stay: they are words, too. */
function mask(text: string, literals: readonly Literal[]): string {
  let masked = text.replaceAll('\u0001', ' ')
  for (const { kind, start, end } of literals)
    if (kind !== 'name') masked = masked.slice(0, start) + '\u0001'.repeat(end - start) + masked.slice(end)
  return masked
}

interface Span {
  readonly start: number
  readonly end: number
  readonly follows: boolean
}

/** Fewer words are no wish of their own, and belong to what is before them. */
const leastWords = 2

function cut(masked: string): readonly Span[] {
  const spans: Span[] = []
  let start = 0
  let follows = false
  const close = (end: number): void => {
    const text = masked.slice(start, end)
    if (connective.test(text)) return
    if (spans.length > 0 && countWords(text) < leastWords) spans[spans.length - 1] = { ...spans.at(-1)!, end }
    else if (end > start && masked.slice(start, end).trim() !== '') spans.push({ start, end, follows })
  }
  for (const match of masked.matchAll(boundary)) {
    if (spans.length >= mostClauses - 1) break
    close(match.index)
    // A bare `Then,` belongs to what comes after it.
    const said = connective.test(masked.slice(start, match.index)) ? masked.slice(start, match.index) : ''
    start = match.index + match[0].length
    follows = following.test(said + match[0])
  }
  close(masked.length)
  return spans
}

function countWords(text: string): number {
  return text.match(/[^\s,.]+/g)?.length ?? 0
}

function wordsOf(
  text: string,
  start: number,
  end: number,
  literals: readonly Literal[],
): readonly ClauseWord[] {
  const words: ClauseWord[] = []
  const values = literals.filter(({ kind }) => kind !== 'name')
  let next = 0
  for (const match of text.slice(start, end).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const at = start + match.index
    while (next < values.length && values[next]!.end <= at) next++
    const isValue = next < values.length && at >= values[next]!.start
    for (const word of splitWords(match[0])) words.push({ stem: stem(word), at, isValue })
  }
  return words
}
