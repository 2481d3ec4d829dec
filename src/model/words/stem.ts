/**
 * Porter's stemmer: takes the endings off English words, so that `listing`, `lists` and `listed` meet in `list`.
 * Steps of suffix rules, each allowed only when enough of the word (its "measure", the count of vowel-consonant
 * changes) is left. M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980; with the rule for `y` of
 * his later Snowball stemmer (after a consonant only), so that `deploy` and `deployment` meet.
 *
 * Words with anything but a-z are left alone: they are identifiers, numbers or another language.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word
  const known = memo.get(word)
  if (known !== undefined) return known
  const stemmed = takeEndings(word)
  if (memo.size < mostRemembered) memo.set(word, stemmed)
  return stemmed
}

/** A catalogue of 5,000 tools has some 20,000 different words; queries must not make this grow without end. */
const mostRemembered = 50_000
const memo = new Map<string, string>()

function takeEndings(word: string): string {
  let stemmed = pluralAndPast(word)
  if (/.[^aeiou]y$/.test(stemmed)) stemmed = `${stemmed.slice(0, -1)}i`
  stemmed = replaceSuffix(stemmed, step2)
  stemmed = replaceSuffix(stemmed, step3)
  return tidyEnd(dropSuffix(stemmed))
}

type Rules = readonly (readonly [suffix: string, replacement: string])[]

const step2: Rules = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['eli', 'e'],
]

const step3: Rules = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]

const step4 = [
  ...['ement', 'ance', 'ence', 'able', 'ible', 'ment', 'ant', 'ent', 'ion', 'ism', 'ate', 'iti', 'ous'],
  ...['ive', 'ize', 'al', 'er', 'ic', 'ou'],
]

function pluralAndPast(word: string): string {
  let w = word
  if (/(ss|i)es$/.test(w)) w = w.slice(0, -2)
  else if (/[^s]s$/.test(w)) w = w.slice(0, -1)

  if (w.endsWith('eed')) return measure(w.slice(0, -3)) > 0 ? w.slice(0, -1) : w
  const bare = w.replace(/(ed|ing)$/, '')
  if (bare === w || !hasVowel(bare)) return w
  if (/(at|bl|iz)$/.test(bare)) return `${bare}e`
  if (endsInDouble(bare) && !/[lsz]$/.test(bare)) return bare.slice(0, -1)
  return measure(bare) === 1 && endsShort(bare) ? `${bare}e` : bare
}

function replaceSuffix(word: string, rules: Rules): string {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue
    const rest = word.slice(0, -suffix.length)
    return measure(rest) > 0 ? rest + replacement : word
  }
  return word
}

function dropSuffix(word: string): string {
  for (const suffix of step4) {
    if (!word.endsWith(suffix)) continue
    const rest = word.slice(0, -suffix.length)
    const allowed = measure(rest) > 1 && (suffix !== 'ion' || /[st]$/.test(rest))
    return allowed ? rest : word
  }
  return word
}

function tidyEnd(word: string): string {
  let w = word
  if (w.endsWith('e')) {
    const rest = w.slice(0, -1)
    const m = measure(rest)
    if (m > 1 || (m === 1 && !endsShort(rest))) w = rest
  }
  return w.endsWith('ll') && measure(w) > 1 ? w.slice(0, -1) : w
}

/** Vowels as `v`, consonants as `c`; `y` is a vowel after a consonant. */
function shape(word: string): string {
  let out = ''
  for (const letter of word) {
    const vowel = 'aeiou'.includes(letter) || (letter === 'y' && out.endsWith('c'))
    out += vowel ? 'v' : 'c'
  }
  return out
}

function measure(word: string): number {
  return shape(word).match(/vc/g)?.length ?? 0
}

function hasVowel(word: string): boolean {
  return shape(word).includes('v')
}

function endsInDouble(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && shape(word).endsWith('c')
}

/** consonant-vowel-consonant, the last not w, x or y: the `hop` of `hoping`, which wants its `e` back. */
function endsShort(word: string): boolean {
  return shape(word).endsWith('cvc') && !/[wxy]$/.test(word)
}
