/** A whole static model of a few kilobytes, in the form that the shipped one has. */
import { writeFileSync } from 'node:fs'

const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789']
const signs = [...'.,:;!?-_/\\()[]{}"\'#$%&*+<=>@^`|~']
const other = [...'αβγδεζηθικλμνξοπρστυφχψωабвгдежзийклмнопрстуфхцчшщыьэюя天気東京']
const words =
  'a an the and of to in all create delete send read list open issue file message branches branch tool number text work play'.split(
    ' ',
  )
const parts = 'git hub pull request server http json ing ed er'.split(' ')

export const tinyPieces: readonly string[] = [
  ...['[PAD]', '[UNK]', '[CLS]', '[SEP]'],
  ...signs,
  ...[...letters, ...other, ...parts].flatMap((part) => [part, `##${part}`]),
  ...words.filter((word) => !letters.includes(word)),
]
export const tinyUnits: readonly string[] = ['pull request', 'git ##hub', 'read file', 'file read']
const rows = tinyPieces.length + tinyUnits.length
export const tinyDimensions = 24

export interface TinyTensor {
  readonly dtype: string
  readonly shape: readonly unknown[]
  readonly bytes: Uint8Array
}

export interface TinyStaticModel {
  readonly metadata: Readonly<Record<string, string>>
  readonly tensors: Readonly<Record<string, TinyTensor>>
  /** Spaces at the end of the header, which move all tensors. */
  readonly padding: number
}

/** Each word on each side counts a little differently, a unit twice as much as a piece. */
export const tinyStaticModel: TinyStaticModel = {
  metadata: { version: '1', pieces: String(tinyPieces.length), max_tokens: '512' },
  tensors: {
    vectors: { dtype: 'I8', shape: [rows, tinyDimensions], bytes: noise(rows * tinyDimensions) },
    query_scales: floats(rowNumbers().map((row) => weightOf(row) * (1 + (row % 5) / 8))),
    tool_scales: floats(rowNumbers().map((row) => weightOf(row) * (1 + (row % 3) / 4))),
    vocabulary: textTensor([...tinyPieces, ...tinyUnits].join('\n')),
    query_places: floats([1, 0.75, 0.5]),
    tool_places: floats([1, 1, 0.875, 0.5, 0.25]),
  },
  padding: 0,
}

export function writeTinyStaticModel(path: string, changes: Partial<TinyStaticModel> = {}): void {
  writeFileSync(path, packSafetensors({ ...tinyStaticModel, ...changes }))
}

export function floats(numbers: readonly number[]): TinyTensor {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [at, number] of numbers.entries()) bytes.writeFloatLE(number, at * 4)
  return { dtype: 'F32', shape: [numbers.length], bytes }
}

export function textTensor(text: string): TinyTensor {
  const bytes = Buffer.from(text)
  return { dtype: 'U8', shape: [bytes.length], bytes }
}

/** https://huggingface.co/docs/safetensors, "Format". */
export function packSafetensors({ metadata, tensors, padding }: TinyStaticModel): Buffer {
  let end = 0
  const entries = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const begin = end
    end += bytes.length
    return [name, { dtype, shape, data_offsets: [begin, end] }]
  })
  const header =
    JSON.stringify({ __metadata__: metadata, ...Object.fromEntries(entries) }) + ' '.repeat(padding)
  return Buffer.concat([
    headerLength(Buffer.byteLength(header)),
    Buffer.from(header),
    ...Object.values(tensors).map(({ bytes }) => bytes),
  ])
}

export function headerLength(bytes: number): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(bytes))
  return length
}

function rowNumbers(): readonly number[] {
  return Array.from({ length: rows }, (_, row) => row)
}

function weightOf(row: number): number {
  return row < tinyPieces.length ? 1 / 64 : 1 / 32
}

/** Whole numbers only, so that the same bytes come out on every machine. Marsaglia's xorshift, 32 bits. */
function noise(count: number): Uint8Array {
  let state = 2463534242
  return Uint8Array.from({ length: count }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state & 0xff
  })
}
