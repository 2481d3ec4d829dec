/**
 * Values that stand in a request as they are to be used: quoted texts, numbers, dates, addresses, paths, names. In order, none
 * within another; `start` and `end` are places in the text. Every pattern takes time linear in the text: each starts where the one
 * before cannot have passed, and repeats nothing that can be cut in two ways.
 */
export interface Literal {
  readonly kind: LiteralKind
  readonly text: string
  readonly start: number
  readonly end: number
  /** What a quoted text is, seen without its quotes: a date, a number; absent where it is just text. */
  readonly inner?: LiteralKind
  /** Of a number, quoted or not: its value without unit. */
  readonly number?: number
  /** `%`, `$`, or the word after a number: `miles`. */
  readonly unit?: string
}

export type LiteralKind =
  | 'quoted'
  | 'url'
  | 'email'
  | 'path'
  | 'date'
  | 'time'
  | 'phone'
  | 'number'
  | 'id'
  /** `every JSON file`: a pattern of file names, `*.json`. */
  | 'glob'
  /** `in data`: a word that says where. */
  | 'place'
  /** A name, by its capital letters. */
  | 'name'

const raw = String.raw

const quotes = [
  // After a letter or a digit it closes, or means inches: 6" pipes.
  raw`(?<![\p{L}\p{N}])"([^"\n]{1,2000})"`,
  raw`“([^“”\n]{1,2000})”`,
  raw`„([^„“”\n]{1,2000})[“”]`,
  raw`«([^«»\n]{1,2000})»`,
  raw`「([^「」\n]{1,2000})」`,
  raw`\x60([^\x60\n]{1,2000})\x60`,
  // John's opens nothing, and between two letters it closes nothing.
  raw`‘((?:[^‘’\n]|(?<=\p{L})’(?=\p{L})){1,2000})’`,
  raw`(?<![\p{L}\p{N}])'((?:[^'\n]|(?<=\p{L})'(?=\p{L})){1,2000})'(?![\p{L}\p{N}])`,
]

/** A sentence goes on after an address. */
const endOfAddress = raw`[^\s<>"'\x60.,;:!?)\]]`
const urls = [
  raw`\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'\x60]{0,2000}${endOfAddress}`,
  raw`\bwww\.[^\s<>"'\x60]{1,500}${endOfAddress}`,
]

const word = raw`[\p{L}\p{M}\p{N}_]`
const beforeEmail = raw`[\p{L}\p{M}\p{N}_.+-]`
const emails = [
  raw`(?<!${beforeEmail})${beforeEmail}{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}`,
]

const folder = raw`[\p{L}\p{M}\p{N}_-]{1,100}`
const inFolder = raw`[\p{L}\p{M}\p{N}_.@+-]{1,200}`
const fileEnding =
  raw`json|txt|md|csv|tsv|ya?ml|toml|xml|html?|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|webp|mp[34]|wav|mov|zip|gz|tar|py` +
  raw`|[jt]sx?|rs|go|java|c|h|cpp|sql|log|ini|env|sh`
const paths = [
  // /etc/hosts, ~/notes.md, ../data
  raw`(?<!${word}|[/.])(?:~|\.{1,2})?\/${inFolder}(?:\/${inFolder}){0,40}\/?(?<!\.)`,
  // C:\temp\a.txt, \\server\share
  raw`(?:\b[A-Z]:|(?<![^\s"'(])\\\\[\w.-]{1,100})\\[^\s"'<>|]{1,400}(?<![.,;:!?)])`,
  // src/index.ts; without an ending only from two slashes on, because and/or is no path
  raw`(?<!${word}|[/.]|${word}-)${folder}(?:\/${inFolder}){1,20}\.[a-z][a-z0-9]{0,9}\b`,
  raw`(?<!${word}|[/.-])(?=\p{L})${folder}(?:\/${inFolder}){2,20}\/?(?<!\.)`,
  // notes.md; Node.js ends like a file and is none
  raw`(?<!${word}|\.|${word}-)(?!(?:node|vue|next|nuxt|react|express|three|d3|chart)\.js\b)` +
    raw`${folder}(?:\.[\p{L}\p{N}_-]{1,50}){0,4}\.(?:${fileEnding})\b`,
]

const month =
  raw`(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?` +
  raw`|nov(?:ember)?|dec(?:ember)?)\b\.?`
const ordinal = raw`\d{1,2}(?:st|nd|rd|th)?`
const period = 'week|month|year|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday'
const dates = [
  raw`\b\d{4}-\d{1,2}-\d{1,2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w-])`,
  raw`(?<![\d./])\d{4}[/.]\d{1,2}[/.]\d{1,2}(?![./]?\d)`,
  raw`(?<![\d./])\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d{2})(?![./]?\d)`,
  raw`\b${month} ${ordinal}(?:,? \d{4})?\b`,
  raw`\b${ordinal} (?:of )?${month}(?:,? \d{4}\b)?`,
  raw`\b${month} \d{4}\b`,
  raw`\b(?:today|tomorrow|tonight|yesterday|(?:this|next|last) (?:${period}))\b`,
]

/** The last dot of `p.m.` belongs to it, unless a sentence begins after it. */
const halfDay = raw`[apAP](?:\.[mM](?:\.(?! +\p{Lu}))?|[mM]\b)`
const times = [
  raw`(?<![\d:])(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?![\d:])(?: ?${halfDay})?`,
  raw`\b\d{1,2} ?(?:${halfDay}|o['’]clock\b)`,
  raw`\b(?:[Nn]oon|[Mm]idnight)\b`,
]

const phones = [
  raw`(?<![\w.$€£])\+\d[\d ().-]{5,18}\d\b`,
  // With dots all of them: 139.6917 is a number.
  raw`(?<![\w.$€£-])(?:1[-. ])?(?:\(\d{3}\) ?(?:\d{3}[-. ]?)?\d{4}|\d{3}-(?:\d{3}-)?\d{4}|\d{3}\.\d{3}\.\d{4}|\d{3} \d{3} \d{4})(?![\w-])`,
]

/** Not within something longer; of 5-10 both ends are numbers. */
const beforeNumber = raw`(?<![\w.]|(?<!(?<![\w-])\d{1,3})-)`
const money = raw`(?:-?[$€£¥] ?)?`
const numbers = [
  raw`${beforeNumber}(?<!\d,)${money}-?\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,12})?(?!,?\d|\w*\d)`,
  // 1,2,3 are three; the 000 of 1,000 is none.
  raw`${beforeNumber}(?<!\d,(?=\d{3}(?!\d)))${money}-?(?:\d{1,15}(?:\.\d{1,12})?|\.\d{1,12})(?![\w.]*\d|,\d{3}(?!\d))`,
]

/** Some begin with digits, so they are looked for before numbers are. */
const uuids = [raw`\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b`]
const ids = [
  // More digits than a number keeps: cards, snowflakes.
  raw`(?<![\w.,-])\d{16,40}(?![\w-]|\.\d)`,
  // v1.2.3, 10.0.0.1
  raw`(?<![\w.])v?\d{1,5}(?:\.\d{1,5}){2,4}(?:-[\w.]{1,30})?(?<!\.)(?!\w|\.\d)`,
  raw`\b(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[\w-]{3,80}\b`,
  raw`(?<!\w)[#@][\w-]{1,60}`,
  raw`(?<!\w)[a-z]{1,60}_\w{1,60}`,
]

/** `src/*.ts`, as it would be given to a tool. */
const globs = [raw`(?<!\S)(?=\S{0,200}(?:\*\.\w|\/\*|\*\/))[^\s"'<>|]{3,200}(?<![.,;:!?)])`]
const fileKinds = [
  raw`\b(?:json|txt|text|markdown|md|csv|tsv|ya?ml|toml|xml|html?|pdf|png|jpe?g|gif|svg|log|sql|python|javascript|typescript` +
    raw`|rust|go|java)(?= (?:files?|documents?|images?|logs?|scripts?)\b)`,
]

const places = [
  raw`(?<=\b(?:in|inside|under|within|from) (?:the )?)(?!(?:the|my|your|our|their|its|an?)\b)[a-z][\w-]{1,60}` +
    raw`(?= (?:folder|directory|dir)\b|[.,;?!]| and\b|$)`,
]

const capital = raw`\p{Lu}[\p{L}\p{M}\p{N}&’'.-]{0,40}(?<![.'’-])`
const names = [
  raw`(?<![\p{L}\p{N}'’])(?:(?:\p{Lu}\. ?){2,3})?${capital}(?: (?:(?:of|the|de|la|von|van|&) )?${capital}){0,6}`,
]

/** In order of precedence: what one has taken, the next does not see. */
const patterns: readonly (readonly [LiteralKind, RegExp])[] = [
  ['quoted', anyOf(quotes, 'gu')],
  ['url', anyOf(urls, 'giu')],
  ['email', anyOf(emails, 'gu')],
  ['glob', anyOf(globs, 'gu')],
  ['path', anyOf(paths, 'giu')],
  ['id', anyOf(uuids, 'gu')],
  ['date', anyOf(dates, 'giu')],
  ['time', anyOf(times, 'gu')],
  ['phone', anyOf(phones, 'gu')],
  ['number', anyOf(numbers, 'gu')],
  ['id', anyOf(ids, 'gu')],
  ['glob', anyOf(fileKinds, 'giu')],
  ['place', anyOf(places, 'gu')],
  ['name', anyOf(names, 'gu')],
]

/** Kinds that a quoted text can be as a whole. */
const wholePatterns = patterns
  .filter(([kind]) => kind !== 'quoted' && kind !== 'name' && kind !== 'place')
  .filter(([, pattern]) => pattern.source !== fileKinds.join('|'))
  .map(([kind, pattern]) => [kind, new RegExp(pattern.source, pattern.flags.replace('g', ''))] as const)

function anyOf(sources: readonly string[], flags: string): RegExp {
  return new RegExp(sources.join('|'), flags)
}

const extensions: ReadonlyMap<string, string> = new Map([
  ['text', 'txt'],
  ['markdown', 'md'],
  ['python', 'py'],
  ['javascript', 'js'],
  ['typescript', 'ts'],
  ['rust', 'rs'],
])

/** What follows says nothing that could be an argument: a request of so many characters is a document. */
const longestText = 10_000
const mostLiterals = 200

export function findLiterals(text: string): readonly Literal[] {
  const bounded = text.slice(0, longestText)
  const found: Literal[] = []
  let free = bounded
  for (const [kind, pattern] of patterns) {
    free = free.replace(pattern, (whole: string, ...rest: unknown[]) => {
      const start = rest.find((one): one is number => typeof one === 'number')!
      const literal = read(kind, whole, start, bounded, rest)
      if (literal === undefined || found.length >= mostLiterals) return whole
      found.push(literal)
      return '\u0000'.repeat(whole.length)
    })
  }
  return found.toSorted((a, b) => a.start - b.start)
}

function read(
  kind: LiteralKind,
  whole: string,
  start: number,
  text: string,
  groups: readonly unknown[],
): Literal | undefined {
  const end = start + whole.length
  if (kind === 'quoted') {
    const inner = groups.find((one): one is string => typeof one === 'string' && one !== text)
    // A request that is quoted as a whole is a request.
    if (inner === undefined || whole.length > text.length * 0.9) return undefined
    return { kind, text: inner, start, end, ...readQuoted(inner) }
  }
  if (kind === 'glob') return { kind, text: toGlob(whole), start, end }
  if (kind === 'number') return readNumber(whole, start, text)
  if (kind === 'name') {
    const owner = withoutPossessive(whole, text.slice(end, end + 16))
    const name = withoutStart(owner, start, text)
    const ends = start + owner.length
    return name === undefined ? undefined : { kind, text: name, start: ends - name.length, end: ends }
  }
  return { kind, text: whole.trim(), start, end }
}

/** `JSON` of `every JSON file` -> `*.json`; one that is written out stays. */
function toGlob(whole: string): string {
  if (whole.includes('*')) return whole
  const kind = whole.toLowerCase()
  return `*.${extensions.get(kind) ?? kind}`
}

function readQuoted(inner: string): Pick<Literal, 'inner' | 'number'> {
  const trimmed = inner.trim()
  if (looksLikePhone(trimmed)) return { inner: 'phone' }
  for (const [kind, pattern] of wholePatterns) {
    if (pattern.exec(trimmed)?.[0].trim() !== trimmed) continue
    return kind === 'number' ? { inner: kind, number: toNumber(trimmed) } : { inner: kind }
  }
  return {}
}

/** Within quotes nothing else stands beside it, so it may be written as people like. */
function looksLikePhone(text: string): boolean {
  if (!/^\+?[\d ().-]{7,20}$/.test(text) || /^\d{4}-\d/.test(text)) return false
  return /^\d{10,15}$/.test(text) || !/^-?\d*(?:\.\d+)*$/.test(text) || /^\d{3}\.\d{3}\.\d{4}$/.test(text)
}

function readNumber(whole: string, start: number, text: string): Literal | undefined {
  const value = toNumber(whole)
  if (!Number.isFinite(value)) return undefined
  const end = start + whole.length
  const after = /^ ?([%$€£¥]|\p{L}{1,20})/u.exec(text.slice(end, end + 24))?.[1]?.toLowerCase()
  const sign = /[$€£¥]/.exec(whole)?.[0]
  const unit = sign ?? (after === 'percent' ? '%' : after)
  return { kind: 'number', text: whole, start, end, number: value, ...(unit && { unit }) }
}

function toNumber(text: string): number {
  return Number(text.replace(/[$€£¥, ]/g, ''))
}

/** `John's notes` speaks of John; `McDonald's in Berlin` is called so. */
function withoutPossessive(whole: string, after: string): string {
  const isOwner = /^ (?!(?:in|at|on|of|for|near|by|to|from|with|and|or|is|was)\b)\p{Ll}/u.test(after)
  return isOwner ? whole.replace(/['’]s$/, '') : whole
}

/** The first word of a sentence has its capital for that reason, unless the next has one too. */
function withoutStart(whole: string, start: number, text: string): string | undefined {
  const isFirst = /(?:^|[.!?:;\n]["'”’)]? ?)\s*$/.test(text.slice(Math.max(0, start - 4), start))
  if (/^(?:I|I'm|I'd|I’d|I'll|I've|A|An|The|If|And|Then|Please|Can|Could)$/.test(whole)) return undefined
  if (!isFirst) return whole
  const [, ...rest] = whole.split(' ')
  const kept = rest.join(' ').replace(/^(?:of|the|de|la|von|van|and|&) /, '')
  return kept === '' || /^I$/.test(kept) ? undefined : kept
}
