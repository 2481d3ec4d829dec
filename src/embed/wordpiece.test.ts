import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import { describe, expect, it } from 'vitest'
import { createWordPiece } from './wordpiece.js'

const letters = [
  ...'abcdefghijklmnopqrstuvwxyz0123456789αβγδεζηθικλμνξοπρστυφχψωςабвгдежзийклмнопрстуфхцчшщъыьэюя',
]
const signs = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~¿«»—。，']
const words =
  'create issue issues file server http un want ##want ##ed ##able run ##ning 天 気 東 京 ㅎ 🚀 ᄒ ##ᅡ ##ᆫ'.split(
    ' ',
  )
const vocabulary = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  ...signs,
  ...letters.flatMap((letter) => [letter, `##${letter}`]),
  ...words,
]
const ours = cutter(vocabulary)

describe('cuts as the tokenizers library in Rust does (0.23.3, whose answers these are)', () => {
  it.each([
    ['', ''],
    [' \t\r\n\u00a0\u3000\u2028', ''],
    ['Create issues', 'create issues'],
    ['unwanted, unRunnable', 'un ##want ##ed , un ##r ##u ##n ##n ##able'],
    ['running', 'run ##ning'],
    ['a漢b天気', 'a [UNK] b 天 気'],
    ['file.name_x=$1+<^`~', 'file . n ##a ##m ##e _ x = $ 1 + < ^ ` ~'],
    ['...', '. . .'],
    ['«un» — ¿a? 。，', '« un » — ¿ a ? 。 ，'],
    ['ÀÉÎõü e\u0301', 'a ##e ##i ##o ##u e'],
    ['Привет Ёж', 'п ##р ##и ##в ##е ##т е ##ж'],
    ['İI', 'i ##i'],
    ['ẞ ß ﬁ', '[UNK] [UNK] [UNK]'],
    ['한', 'ᄒ ##ᅡ ##ᆫ'],
    ['🚀 a🚀', '🚀 [UNK]'],
    ['a\u0000b\u001b[31m\u200b\u202ec\ufffd\ue000\u000bd\u0085e', 'a ##b [ 3 ##1 ##m ##c ##d ##e'],
    ['a\tb\nc\rd', 'a b c d'],
    ['[CLS] [MASK]', '[ c ##l ##s ] [ m ##a ##s ##k ]'],
    ['##ed #', '# # e ##d #'],
    ['file☃', '[UNK]'],
  ])('%j', (text, pieces) => {
    expect(ours(text).join(' ')).toBe(pieces)
  })

  it('a word of 100 characters is spelt, one of 101 is unknown; a pair of halves is one character', () => {
    expect(ours('ab'.repeat(50)).length).toBe(100)
    expect(ours(`${'ab'.repeat(50)}a b`)).toEqual(['[UNK]', 'b'])
    const { encode } = createWordPiece({ pieces: ['[UNK]', '🚀', '##🚀'], unknown: 0 })
    expect(encode('🚀'.repeat(100), 1000)).toEqual([1, ...new Array<number>(99).fill(2)])
    expect(encode('🚀'.repeat(101), 1000)).toEqual([0])
  })

  it('every character there is', () => {
    const { encode } = createWordPiece({ pieces: vocabulary, unknown: 1 })
    const hash = createHash('sha256')
    for (const row of everyCharacter()) {
      const text = row.map((code) => `a${String.fromCodePoint(code)}b`).join(' ')
      hash.update(`${encode(text, Number.MAX_SAFE_INTEGER).join(' ')}\n`)
    }
    expect(hash.digest('hex')).toBe('73137529ab5a672837d6d6fae4eab8468ef1badd8ba584121e67d4ac5a2cb999')
  })
})

describe('@huggingface/tokenizers', () => {
  const theirs = reference(vocabulary)

  it.each(samples())('cuts %j alike', (text) => {
    expect(ours(text)).toEqual(theirs(text))
  })

  it('cuts thousands of mixtures alike', () => {
    for (const text of mixtures(4000)) expect(ours(text), JSON.stringify(text)).toEqual(theirs(text))
  })

  it.each([
    ['a sigma at the end of a word', 'ΟΔΟΣ', 'ο ##δ ##ο ##σ', 'ο ##δ ##ο ##ς'],
    ['Chinese beyond the first plane', 'a𠀀b', 'a [UNK] b', '[UNK]'],
    ['marks that are younger than the tables of Rust', 'a\u1dfab', '[UNK]', 'a ##b'],
  ])('differs from Rust in %s, and Rust is followed', (_, text, rust, javascript) => {
    expect(ours(text).join(' ')).toBe(rust)
    expect(theirs(text).join(' ')).toBe(javascript)
  })
})

const shipped = new URL('../../models/static-1.safetensors', import.meta.url)

it('with the vocabulary of the shipped model, @huggingface/tokenizers cuts alike', () => {
  const pieces = piecesOf(readFileSync(shipped))
  const [mine, theirs] = [cutter(pieces), reference(pieces)]
  for (const text of [...samples(), ...mixtures(4000)])
    expect(mine(text), JSON.stringify(text)).toEqual(theirs(text))
})

it('ten thousand marks take milliseconds', () => {
  const start = performance.now()
  expect(ours(`a${'\u0301\u0323'.repeat(5_000)}b`)).toEqual(ours('ab'))
  expect(performance.now() - start).toBeLessThan(50)
})

it('halves of pairs are dropped, wherever they stand', () => {
  expect(ours('create\ud83d issue\udc00 \udc00\ud83d a\ud83db \ud83d')).toEqual([
    'create',
    'issue',
    'a',
    '##b',
  ])
})

it('stops at as many pieces as are wanted', () => {
  const { encode, idOf } = createWordPiece({ pieces: vocabulary, unknown: 1 })
  expect(encode('unwanted file', 2)).toEqual([idOf('un'), idOf('##want')])
  expect(encode('unwanted file', 0)).toEqual([])
})

it('knows its pieces by name, with the mark of a continuation', () => {
  const { idOf, size } = createWordPiece({ pieces: ['[UNK]', 'ed', '##ed'], unknown: 0 })
  expect([idOf('ed'), idOf('##ed'), idOf('e'), idOf('##e'), idOf('##')]).toEqual([
    1,
    2,
    undefined,
    undefined,
    undefined,
  ])
  expect(size).toBe(3)
})

it('the slowest texts take milliseconds', () => {
  const texts = [
    `${'ab'.repeat(49)}☃ `.repeat(200),
    '\u0301'.repeat(20_000),
    'A'.repeat(20_000),
    '.'.repeat(20_000),
  ]
  for (const text of texts) {
    const start = performance.now()
    ours(text)
    // 10 ms at most where nothing else runs.
    expect(performance.now() - start).toBeLessThan(1000)
  }
})

function cutter(pieces: readonly string[]): (text: string) => readonly string[] {
  const { encode } = createWordPiece({ pieces, unknown: pieces.indexOf('[UNK]') })
  return (text) => encode(text, Number.MAX_SAFE_INTEGER).map((id) => pieces[id]!)
}

function reference(pieces: readonly string[]): (text: string) => readonly string[] {
  const tokenizer = new Tokenizer(
    {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: true,
        lowercase: true,
      },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: null,
      decoder: null,
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      },
    },
    {},
  )
  return (text) => tokenizer.encode(text, { add_special_tokens: false }).tokens
}

function samples(): readonly string[] {
  return [
    'Create an issue in the repository, please!',
    'const x = await fetch(`https://a.example/?q=${query}&n=1`) // why?',
    'SELECT * OUT OF t WHERE a <= 3 AND b != "c"; -- 50% off, $5 + tax^2 ~ {x|y}',
    'crème brûlée, naïve façade, Ångström, señor, İstanbul, ĲSSEL, ǅ',
    'e\u0301a\u0300\u0316 \u0301',
    '東京の天気を調べる 查询天气，好吗？ 豈',
    'Привет, Ёлка! Щука',
    'Ελληνικά και Άλφα',
    '한국어 텍스트',
    'हिन्दी में, ไทย, עברית, العربية؟',
    '🚀 deploy 👩‍👩‍👧‍👦 the 🏳️‍🌈 thing 1️⃣',
    'read\u0000 a\u001b[31m file\u202e \u200b\u00ad\ufeff',
    'half \ud83d a \udc00 pair',
    'x'.repeat(100),
    'x'.repeat(101),
    '!!!???...—–-_-«»“”‘’、。',
    '\t tab\r\nline\u00a0hard\u3000wide\u2028 end \u000b\u000c',
    '½ ² ① ﬁ Ⅷ ℃ № ™',
  ]
}

/** Parts of all kinds, in an order that is always the same; without those in which the two libraries differ. */
function* mixtures(count: number): Generator<string> {
  const parts = samples().flatMap((text) => text.split(/(?<=\s)/))
  const blocks = [
    [0, 0x80],
    [0x80, 0x250],
    [0x250, 0x530],
    [0x2000, 0x2400],
    [0x3000, 0x3100],
  ] as const
  let state = 1
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  for (let made = 0; made < count; made++) {
    let text = ''
    for (let part = below(7); part >= 0; part--) {
      const [from, to] = blocks[below(blocks.length)]!
      text += below(4) === 0 ? String.fromCharCode(from + below(to - from)) : parts[below(parts.length)]!
    }
    yield text.replaceAll('Σ', 'σ')
  }
}

/** All that is assigned, in rows of 256: planes 3 to 13 are empty but for one block, 15 and 16 are private. */
function* everyCharacter(): Generator<readonly number[]> {
  for (let row = 0; row < 0xe02; row++) {
    if (row >= 0x335 && row < 0xe00) continue
    const codes = Array.from({ length: 256 }, (_, at) => row * 256 + at)
    yield codes.filter((code) => code < 0xd800 || code > 0xdfff)
  }
}

function piecesOf(file: Buffer): readonly string[] {
  const dataAt = 8 + Number(file.readBigUInt64LE())
  const header = JSON.parse(file.toString('utf8', 8, dataAt))
  const [start, end] = header.vocabulary.data_offsets
  const entries = file.toString('utf8', dataAt + start, dataAt + end).split('\n')
  return entries.slice(0, Number(header.__metadata__.pieces))
}
