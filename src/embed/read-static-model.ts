import { readFile } from 'node:fs/promises'
import { endianness } from 'node:os'
import { EmbedderError } from '../errors.js'
import { isObject } from '../model/json.js'
import type { TextKind } from './embedder.js'
import { errorCode } from './error-code.js'
import { createWordPiece, type WordPiece } from './wordpiece.js'

/** A vector for each piece of a word, and for each unit: two pieces that mean something else together, `pull request`. */
export interface StaticModel {
  readonly dimensions: number
  /** Tokens of a text that count. */
  readonly maxTokens: number
  readonly wordPiece: WordPiece
  /** The row of what cannot be spelt. */
  readonly unknown: number
  /** The row of a unit, by `unitKey` of its two pieces. */
  readonly units: ReadonlyMap<number, number>
  /** One row of `dimensions` after the other: first those of pieces, by id, then those of units. */
  readonly vectors: Int8Array
  readonly sides: Readonly<Record<TextKind, Side>>
}

/** How much things count on one side: in what a person asks, or in what a tool says. */
interface Side {
  /** Factor of each row: undoes the quantisation and weighs, in one. */
  readonly scales: Float32Array
  /** Entry i is for positions p with floor(log2(p + 1)) = i, the last one for all that come later. */
  readonly places: Float32Array
}

/** Vectors of different versions are never compared. */
export const staticVersion = '1'

/** With ids of 15 bits, as BERT's are, it is a small integer, which maps find fastest. */
export function unitKey(first: number, second: number): number {
  return first * mostPieces + second
}

const mostPieces = 2 ** 16

/**
 * A model in one safetensors file: 8 bytes of length, a header in JSON, the tensors.
 * https://huggingface.co/docs/safetensors, "Format". Everything is checked here, so that embedding need not look.
 */
export async function readStaticModel(path: string): Promise<StaticModel> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (cause) {
    throw broken(
      path,
      errorCode(cause) === 'ENOENT' ? 'is missing' : `cannot be read (${String(cause)})`,
      cause,
    )
  }
  try {
    return parseModel(bytes)
  } catch (cause) {
    if (cause instanceof Damage) throw broken(path, `is damaged: ${cause.message}`, cause)
    throw cause
  }
}

function parseModel(bytes: Buffer): StaticModel {
  const file = openSafetensors(bytes)
  const { version } = file.metadata
  if (version !== staticVersion)
    throw new Damage(`it is of version ${version}, and version ${staticVersion} was expected`)
  const vectors = file.tensor('vectors', 'I8', 2)
  const [rows, dimensions] = vectors.shape as [number, number]
  const entries = readText(file.tensor('vocabulary', 'U8', 1).bytes).split('\n')
  if (entries.length !== rows)
    throw new Damage(`its vocabulary has ${entries.length} entries for ${rows} vectors`)
  const count = readCount(file.metadata, 'pieces', Math.min(rows, mostPieces))
  const pieces = entries.slice(0, count)
  const unknown = pieces.indexOf('[UNK]')
  if (unknown === -1) throw new Damage('its vocabulary has no [UNK]')
  const wordPiece = createWordPiece({ pieces, unknown })
  if (wordPiece.size !== count) throw new Damage('its vocabulary has a piece twice')
  const model = {
    dimensions,
    maxTokens: readCount(file.metadata, 'max_tokens', mostTokens),
    wordPiece,
    unknown,
    units: readUnits(entries, count, wordPiece),
    vectors: new Int8Array(vectors.bytes.buffer, vectors.bytes.byteOffset, vectors.bytes.length),
    sides: { query: readSide(file, 'query', rows), tool: readSide(file, 'tool', rows) },
  }
  // It stands in for sums that come to nothing, so that every text that says something has a vector.
  if (model.vectors.subarray(unknown * dimensions, (unknown + 1) * dimensions).every((value) => value === 0))
    throw new Damage('its vector of [UNK] is all zeros')
  return model
}

/** More than any text has that is read at all. */
const mostTokens = 100_000

function readCount(metadata: Metadata, name: string, most: number): number {
  const written = metadata[name]
  const count = typeof written === 'string' && /^\d{1,9}$/.test(written) ? Number(written) : 0
  if (count < 1 || count > most)
    throw new Damage(
      `its "${name}" is ${JSON.stringify(written)}, and a number from 1 to ${most} was expected`,
    )
  return count
}

function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Damage('its vocabulary is not UTF-8')
  }
}

function readUnits(
  entries: readonly string[],
  first: number,
  { idOf }: WordPiece,
): ReadonlyMap<number, number> {
  const units = new Map<number, number>()
  for (let row = first; row < entries.length; row++) {
    const unit = entries[row]!
    const space = unit.indexOf(' ')
    const left = space === -1 ? undefined : idOf(unit.slice(0, space))
    const right = space === -1 ? undefined : idOf(unit.slice(space + 1))
    if (left === undefined || right === undefined)
      throw new Damage(`its unit ${JSON.stringify(unit)} is not made of two pieces`)
    units.set(unitKey(left, right), row)
  }
  if (units.size !== entries.length - first) throw new Damage('its vocabulary has a unit twice')
  return units
}

function readSide(file: Safetensors, kind: TextKind, rows: number): Side {
  const scales = readFloats(file, `${kind}_scales`)
  if (scales.length !== rows)
    throw new Damage(`its "${kind}_scales" has ${scales.length} entries for ${rows} vectors`)
  return { scales, places: readFloats(file, `${kind}_places`) }
}

/** Copied, because a tensor may begin at any byte; it is little-endian, whatever the machine is. */
function readFloats(file: Safetensors, name: string): Float32Array {
  const { bytes } = file.tensor(name, 'F32', 1)
  const copy = new Uint8Array(bytes)
  if (endianness() === 'BE') Buffer.from(copy.buffer).swap32()
  const floats = new Float32Array(copy.buffer)
  if (!floats.every(Number.isFinite)) throw new Damage(`its "${name}" has an entry that is no number`)
  return floats
}

type Metadata = Readonly<Record<string, unknown>>

interface Safetensors {
  readonly metadata: Metadata
  tensor(name: string, dtype: keyof typeof bytesOf, dimensions: number): Tensor
}

interface Tensor {
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

const bytesOf = { I8: 1, U8: 1, F32: 4 }
const lengthBytes = 8

function openSafetensors(file: Buffer): Safetensors {
  if (file.length < lengthBytes) throw new Damage(`it has ${file.length} bytes`)
  const headerBytes = file.readBigUInt64LE()
  if (headerBytes > file.length - lengthBytes) throw new Damage('its header is cut short')
  const dataAt = lengthBytes + Number(headerBytes)
  const header = parseHeader(file.toString('utf8', lengthBytes, dataAt))
  const data = file.subarray(dataAt)
  return {
    metadata: isObject(header.__metadata__) ? header.__metadata__ : {},
    tensor(name, dtype, dimensions) {
      const entry = header[name]
      if (!isObject(entry)) throw new Damage(`it has no "${name}"`)
      const { shape, data_offsets: offsets } = entry
      const fits = entry.dtype === dtype && isCounts(shape) && shape.length === dimensions
      if (!fits || shape.includes(0))
        throw new Damage(
          `its "${name}" is ${describe(entry)}, and ${dtype} of ${dimensions} dimensions was expected`,
        )
      const size = shape.reduce((product, count) => product * count, bytesOf[dtype])
      const whole = isCounts(offsets) && offsets.length === 2 && offsets[1]! - offsets[0]! === size
      if (!whole) throw new Damage(`its "${name}" does not have the length of its shape`)
      if (offsets[1]! > data.length) throw new Damage(`its "${name}" is cut short`)
      return { shape, bytes: data.subarray(offsets[0], offsets[1]) }
    },
  }
}

function parseHeader(text: string): Metadata {
  let header: unknown
  try {
    header = JSON.parse(text)
  } catch {
    // Reported below, like JSON that is no object.
  }
  if (!isObject(header)) throw new Damage('its header is not a JSON object')
  return header
}

function describe({ dtype, shape }: Metadata): string {
  return `${JSON.stringify(dtype)} of shape ${JSON.stringify(shape)}`
}

function isCounts(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0)
}

/** What is wrong with the file, said of `it`; becomes an EmbedderError where the path is known. */
class Damage extends Error {}

function broken(path: string, what: string, cause: unknown): EmbedderError {
  return new EmbedderError('static', `its model file ${path} ${what}.`, 'Reinstall casys-pml.', { cause })
}
