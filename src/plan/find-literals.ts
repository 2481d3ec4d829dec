/**
 * Values that stand in a request as they are to be used: quoted texts, numbers, dates, addresses, paths, names. In order, none
 * within another; `start` and `end` are places in the text. Every pattern is linear in the text.
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

const month = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\\.?'
const ordinal = '\\d{1,2}(?:st|nd|rd|th)?'
const patterns: readonly (readonly [LiteralKind, RegExp])[] = [
  ['quoted', /"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|‘([^’\n]{1,2000})’|`([^`\n]{1,2000})`|(?<![\p{L}\p{N}])'([^'\n]{1,2000}(?:'[a-z][^'\n]{0,2000})?)'(?![\p{L}\p{N}])/gu],
  ['url', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`]{1,2000}[^\s<>"'`.,;:!?)\]]|\bwww\.[^\s<>"'`]{1,500}[^\s<>"'`.,;:!?)\]]/giu],
  ['email', /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/gu],
  ['path', /(?<![\w/.])(?:~|\.{1,2})?\/(?:[\w.@+-]{1,200}\/?){1,40}|\b[A-Z]:\\[^\s"'<>|]{1,400}|\b[\w-]{1,100}(?:\/[\w.@+-]{1,200}){1,20}\.[a-z][a-z0-9]{0,9}\b|(?<![\w.])[\w-]{1,100}\.(?:json|txt|md|csv|tsv|ya?ml|toml|xml|html?|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|webp|mp[34]|wav|mov|zip|gz|tar|py|[jt]sx?|rs|go|java|c|h|cpp|sql|log|ini|env|sh)\b/giu],
  ['date', new RegExp(`\\b\\d{4}-\\d{1,2}-\\d{1,2}(?:T[\\d:.]{4,12}Z?)?\\b|\\b\\d{1,2}[/.]\\d{1,2}[/.]\\d{2,4}\\b|\\b${month} ${ordinal}(?:,? \\d{4})?\\b|\\b${ordinal} (?:of )?${month}(?:,? \\d{4})?|\\b${month} \\d{4}\\b|\\b(?:today|tomorrow|tonight|yesterday|(?:this|next|last) (?:week|month|year|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\\b`, 'giu')],
  ['time', /\b\d{1,2}:\d{2}(?::\d{2})? ?(?:[ap]\.?m\b\.?)?|\b\d{1,2} ?(?:a\.m\.|p\.m\.|[ap]m\b|o'clock\b)|\b(?:noon|midnight)\b/giu],
  ['phone', /(?<![\w.$€£])\+\d[\d ().-]{5,18}\d\b|(?<![\w.$€£-])(?:\(\d{3}\) ?|\d{3}[-.])(?:\d{3}[-.])?\d{4}\b/gu],
  ['number', /(?<![\w.,-])[$€£¥]? ?-?\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,12})?(?!\w|,\d)|(?<![\w.,-])[$€£¥]? ?-?\d{1,15}(?:\.\d{1,12})?(?![\w.]*\d)/gu],
  ['id', /\b(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[\w-]{3,80}\b|(?<!\w)[#@][\w-]{1,60}|\b[a-z]+_[\w]{1,60}/gu],
  ['glob', /\b(?:json|txt|text|markdown|md|csv|tsv|ya?ml|toml|xml|html?|pdf|png|jpe?g|gif|svg|log|sql|python|javascript|typescript|rust|go|java)(?= (?:files?|documents?|images?|logs?|scripts?)\b)/giu],
  ['place', /(?<=\b(?:in|inside|under|within|from) (?:the )?)(?!the\b|my\b|your\b|our\b|their\b|its\b|an?\b)[a-z][\w-]{1,60}(?= (?:folder|directory|dir)\b|[.,;]| and\b|$)/gu],
  ['name', /(?<![\p{L}\p{N}'’])\p{Lu}[\p{L}\p{N}&’'.-]{0,40}(?<![.'’-])(?: (?:(?:of|the|de|la|von|van|and|&) )?\p{Lu}[\p{L}\p{N}&’'.-]{0,40}(?<![.'’-])){0,6}/gu],
]

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
  if (kind === 'glob') return { kind, text: `*.${extensions.get(whole.toLowerCase()) ?? whole.toLowerCase()}`, start, end }
  if (kind === 'number') return readNumber(whole, start, text)
  if (kind === 'name') {
    const name = withoutStart(whole, start, text)
    return name === undefined ? undefined : { kind, text: name, start: end - name.length, end }
  }
  return { kind, text: whole.trim(), start, end }
}

/** Kinds that fill the whole of a quoted text. */
function readQuoted(inner: string): Pick<Literal, 'inner' | 'number'> {
  const trimmed = inner.trim()
  if (/^\+?[\d ().-]{7,20}$/.test(trimmed) && !/^\d{4}-\d/.test(trimmed)) return { inner: 'phone' }
  for (const [kind, pattern] of patterns) {
    if (kind === 'quoted' || kind === 'name' || kind === 'glob' || kind === 'place') continue
    const match = new RegExp(pattern.source, pattern.flags.replace('g', '')).exec(trimmed)
    if (match?.[0].trim() !== trimmed) continue
    return kind === 'number' ? { inner: kind, number: Number(trimmed.replace(/[$€£¥, ]/g, '')) } : { inner: kind }
  }
  return {}
}

function readNumber(whole: string, start: number, text: string): Literal | undefined {
  const value = Number(whole.replace(/[$€£¥, ]/g, ''))
  if (!Number.isFinite(value)) return undefined
  const end = start + whole.length
  const after = /^ ?(%|percent\b|[\p{L}]{1,20})/u.exec(text.slice(end, end + 24))?.[1]
  const sign = /[$€£¥]/.exec(whole)?.[0]
  const unit = sign ?? (after === 'percent' ? '%' : after)
  return { kind: 'number', text: whole.trim(), start, end, number: value, ...(unit && { unit: unit.toLowerCase() }) }
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
