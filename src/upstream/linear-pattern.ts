/**
 * JSON Schema patterns come from servers we do not trust, and a backtracking engine can be made to run for years on a
 * short text. RE2 runs in linear time; what it cannot express (lookaround, back-references) is not checked at all.
 */
import { RE2JS } from 're2js'

export interface Pattern {
  test(text: string): boolean
  /** ajv keeps one compiled pattern per text of this. */
  toString(): string
}

const checkNothing = (source: string): Pattern => ({ test: () => true, toString: () => source })

export function linearPattern(source: string): Pattern {
  try {
    const compiled = RE2JS.compile(toRe2(source))
    return { test: (text) => compiled.test(text), toString: () => source }
  } catch {
    return checkNothing(source)
  }
}

/** What ECMAScript with the `u` flag calls white space (RE2 knows the ASCII ones alone). */
const space = String.raw`\t\n\x0b\x0c\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

/** General categories: ECMAScript knows them by long names too. */
const categories: Readonly<Record<string, string>> = {
  letter: 'L',
  lowercase_letter: 'Ll',
  uppercase_letter: 'Lu',
  mark: 'M',
  number: 'N',
  decimal_number: 'Nd',
  digit: 'Nd',
  punctuation: 'P',
  punct: 'P',
  symbol: 'S',
  separator: 'Z',
}

/** ECMAScript syntax that RE2 writes differently. Refused where the two would silently disagree. */
function toRe2(source: string): string {
  let inClass = false
  let out = ''
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at]!
    if (char === '[' && !inClass) inClass = true
    else if (char === ']') inClass = false
    if (char !== '\\') {
      out += char
      continue
    }
    const [length, written] = readEscape(source.slice(at, at + 40), inClass)
    out += written
    at += length - 1
  }
  return out
}

function readEscape(text: string, inClass: boolean): readonly [length: number, written: string] {
  const code = /^\\u\{([0-9a-fA-F]{1,6})\}|^\\u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?/.exec(
    text,
  )
  if (code !== null) return unicode(code)
  const letter = text[1]
  const property = /^\\([pP])\{([A-Za-z_]+)\}/.exec(text)
  if (property !== null) {
    const [whole, sign, name] = property
    return [whole.length, `\\${sign}{${categories[name!.toLowerCase()] ?? name}}`]
  }
  if (letter === 's') return [2, inClass ? space : `[${space}]`]
  if (letter === 'S' && !inClass) return [2, `[^${space}]`]
  if (letter === 'c' && /[A-Za-z]/.test(text[2] ?? '')) {
    return [3, `\\x{${(text.charCodeAt(2) % 32).toString(16)}}`]
  }
  // Identity escapes of ours, commands of RE2 (text anchors, literal quoting, POSIX leftovers): never meant here.
  if (letter === undefined || /[AaCEGQSXzZ]/.test(letter)) throw new Error(`No RE2 for \\${letter}`)
  if (letter === '/' || letter === '-') return [2, letter === '/' ? '/' : '\\-']
  return [2, text.slice(0, 2)]
}

function unicode(code: RegExpExecArray): readonly [number, string] {
  const [whole, braced, high, low] = code
  if (braced !== undefined) return [whole.length, `\\x{${braced}}`]
  const first = Number.parseInt(high!, 16)
  // A pair of surrogates is one character.
  const isPair = low !== undefined && first >= 0xd800 && first < 0xdc00
  if (!isPair) return [6, `\\x{${high}}`]
  const point = (first - 0xd800) * 0x400 + (Number.parseInt(low, 16) - 0xdc00) + 0x10000
  return [12, `\\x{${point.toString(16)}}`]
}
