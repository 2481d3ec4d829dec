import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EmbedderError } from '../errors.js'
import { readStaticModel, unitKey } from './read-static-model.js'
import {
  floats,
  headerLength,
  packSafetensors,
  textTensor,
  tinyDimensions,
  tinyPieces,
  tinyStaticModel,
  tinyUnits,
} from './tiny-static-model.contract.js'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pml-static-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const { metadata, tensors } = tinyStaticModel
const whole = packSafetensors(tinyStaticModel)
const rows = tinyPieces.length + tinyUnits.length

it.each([0, 1, 2, 3])('reads what was written, with tensors that begin %d bytes later', async (padding) => {
  const model = await read(packSafetensors({ ...tinyStaticModel, padding }))
  expect(model).toMatchObject({
    dimensions: tinyDimensions,
    maxTokens: 512,
    unknown: tinyPieces.indexOf('[UNK]'),
  })
  expect(Buffer.from(model.vectors)).toEqual(Buffer.from(tensors.vectors!.bytes))
  for (const kind of ['query', 'tool'] as const) {
    expect(floats([...model.sides[kind].scales])).toEqual(tensors[`${kind}_scales`])
    expect(floats([...model.sides[kind].places])).toEqual(tensors[`${kind}_places`])
  }
  const { idOf } = model.wordPiece
  expect(tinyPieces.map(idOf)).toEqual(tinyPieces.map((_, id) => id))
  expect([...model.units.keys()]).toEqual(
    tinyUnits
      .map((unit) => unit.split(' ').map((piece) => idOf(piece)!))
      .map(([left, right]) => unitKey(left!, right!)),
  )
  expect([...model.units.values()]).toEqual(tinyUnits.map((_, at) => tinyPieces.length + at))
})

it('a model without units is one', async () => {
  const bare = {
    vectors: {
      ...tensors.vectors!,
      shape: [tinyPieces.length, tinyDimensions],
      bytes: tensors.vectors!.bytes.slice(0, tinyPieces.length * tinyDimensions),
    },
    query_scales: floats(new Array<number>(tinyPieces.length).fill(1)),
    tool_scales: floats(new Array<number>(tinyPieces.length).fill(1)),
    vocabulary: textTensor(tinyPieces.join('\n')),
  }
  const model = await read(packSafetensors({ ...tinyStaticModel, tensors: { ...tensors, ...bare } }))
  expect(model.units.size).toBe(0)
})

it('tensors that it does not know are left alone', async () => {
  const more = { ...tensors, more: { dtype: 'BF16', shape: [1], bytes: Buffer.alloc(2) } }
  expect((await read(packSafetensors({ ...tinyStaticModel, tensors: more }))).dimensions).toBe(tinyDimensions)
})

it('a file that is missing is named, with what to do', async () => {
  const path = join(directory, 'nothing.safetensors')
  await expect(readStaticModel(path)).rejects.toMatchObject({
    message: `Embedder "static": its model file ${path} is missing.`,
    hint: 'Reinstall casys-pml.',
    cause: { code: 'ENOENT' },
  })
})

it('what cannot be read says why', async () => {
  const path = join(directory, 'folder')
  mkdirSync(path)
  await expect(readStaticModel(path)).rejects.toThrow(/cannot be read \(.*EISDIR/)
})

it.each<readonly [string, Buffer, string]>([
  ['an empty file', Buffer.alloc(0), 'it has 0 bytes'],
  ['a few bytes', whole.subarray(0, 5), 'it has 5 bytes'],
  ['a header that is cut short', whole.subarray(0, 100), 'its header is cut short'],
  [
    'a length beyond all measure',
    Buffer.concat([Buffer.alloc(8, 0xff), whole.subarray(8)]),
    'its header is cut short',
  ],
  ['a page of a website', Buffer.from('<!DOCTYPE html><html></html>'), 'its header is cut short'],
  ['a header that is no JSON', withHeader('{"vectors": '), 'its header is not a JSON object'],
  ['a header that is a list', withHeader('[]'), 'its header is not a JSON object'],
  ['a header that is null', withHeader('null'), 'its header is not a JSON object'],
  ['an empty header', withHeader('{}'), 'it is of version undefined, and version 1 was expected'],
  ['tensors that are cut short', whole.subarray(0, -1), 'its "tool_places" is cut short'],
  ['vectors that are cut short', whole.subarray(0, -6000), 'its "vectors" is cut short'],
])('%s is refused', async (_, bytes, what) => {
  await expectDamage(bytes, what)
})

it.each<readonly [string, Readonly<Record<string, string>>, string]>([
  ['another version', { version: '2' }, 'it is of version 2, and version 1 was expected'],
  ['no pieces', { pieces: '0' }, `its "pieces" is "0", and a number from 1 to ${rows} was expected`],
  [
    'more pieces than rows',
    { pieces: String(rows + 1) },
    `its "pieces" is "${rows + 1}", and a number from 1 to ${rows} was expected`,
  ],
  [
    'pieces that are no number',
    { pieces: '1e2' },
    `its "pieces" is "1e2", and a number from 1 to ${rows} was expected`,
  ],
  ['pieces counted as units', { pieces: '60' }, 'is not made of two pieces'],
  [
    'no limit of tokens',
    { max_tokens: '' },
    'its "max_tokens" is "", and a number from 1 to 100000 was expected',
  ],
])('%s: refused', async (_, changes, what) => {
  await expectDamage(packSafetensors({ ...tinyStaticModel, metadata: { ...metadata, ...changes } }), what)
})

it('without metadata: refused', async () => {
  const header = JSON.stringify({ ...JSON.parse(headerOf(whole)), __metadata__: 5 })
  await expectDamage(withHeader(header), 'it is of version undefined')
})

const { vectors, query_scales, vocabulary } = tensors as Record<string, (typeof tensors)[string]>
const entries = [...tinyPieces, ...tinyUnits]

it.each<readonly [string, string, (typeof tensors)[string] | undefined, string]>([
  ['no vectors', 'vectors', undefined, 'it has no "vectors"'],
  [
    'vectors as floats',
    'vectors',
    { ...vectors!, dtype: 'F32' },
    `its "vectors" is "F32" of shape [${rows},24], and I8 of 2 dimensions was expected`,
  ],
  [
    'vectors in one row',
    'vectors',
    { ...vectors!, shape: [rows * 24] },
    `and I8 of 2 dimensions was expected`,
  ],
  [
    'vectors of no dimension',
    'vectors',
    { ...vectors!, shape: [rows, 0] },
    'and I8 of 2 dimensions was expected',
  ],
  [
    'a shape below zero',
    'vectors',
    { ...vectors!, shape: [-rows, -24] },
    'and I8 of 2 dimensions was expected',
  ],
  [
    'a shape of words',
    'vectors',
    { ...vectors!, shape: ['many', 'more'] },
    'and I8 of 2 dimensions was expected',
  ],
  [
    'a shape that does not fit',
    'vectors',
    { ...vectors!, shape: [rows, 25] },
    'its "vectors" does not have the length of its shape',
  ],
  [
    '[UNK] without a direction',
    'vectors',
    { ...vectors!, bytes: new Uint8Array(rows * 24) },
    'its vector of [UNK] is all zeros',
  ],
  ['too few scales', 'query_scales', floats([1, 2]), `its "query_scales" has 2 entries for ${rows} vectors`],
  [
    'scales as bytes',
    'query_scales',
    { ...query_scales!, dtype: 'U8' },
    'and F32 of 1 dimensions was expected',
  ],
  [
    'a scale that is no number',
    'tool_scales',
    floats([...new Array<number>(rows - 1).fill(1), Number.NaN]),
    'its "tool_scales" has an entry that is no number',
  ],
  [
    'a place without end',
    'query_places',
    floats([Number.POSITIVE_INFINITY]),
    'its "query_places" has an entry that is no number',
  ],
  ['no places', 'tool_places', floats([]), 'and F32 of 1 dimensions was expected'],
  [
    'too few words',
    'vocabulary',
    textTensor(entries.slice(1).join('\n')),
    `its vocabulary has ${rows - 1} entries for ${rows} vectors`,
  ],
  [
    'a line end after the last word',
    'vocabulary',
    textTensor(`${entries.join('\n')}\n`),
    `its vocabulary has ${rows + 1} entries for ${rows} vectors`,
  ],
  [
    'words that are no UTF-8',
    'vocabulary',
    { ...vocabulary!, bytes: new Uint8Array(vocabulary!.bytes.length).fill(0xff) },
    'its vocabulary is not UTF-8',
  ],
  [
    'no [UNK]',
    'vocabulary',
    textTensor(entries.map((entry) => entry.replace('[UNK]', '[OOV]')).join('\n')),
    'its vocabulary has no [UNK]',
  ],
  [
    'a piece twice',
    'vocabulary',
    textTensor(entries.map((entry) => (entry === 'create' ? 'delete' : entry)).join('\n')),
    'its vocabulary has a piece twice',
  ],
  [
    'a unit twice',
    'vocabulary',
    textTensor(entries.map((entry) => (entry === 'file read' ? 'read file' : entry)).join('\n')),
    'its vocabulary has a unit twice',
  ],
  [
    'a unit of one piece',
    'vocabulary',
    textTensor(entries.map((entry) => (entry === 'file read' ? 'file' : entry)).join('\n')),
    'its unit "file" is not made of two pieces',
  ],
  [
    'a unit of a stranger',
    'vocabulary',
    textTensor(entries.map((entry) => (entry === 'file read' ? 'file zebra' : entry)).join('\n')),
    'its unit "file zebra" is not made of two pieces',
  ],
  [
    'a unit of three pieces',
    'vocabulary',
    textTensor(entries.map((entry) => (entry === 'file read' ? 'file read a' : entry)).join('\n')),
    'its unit "file read a" is not made of two pieces',
  ],
])('%s: refused', async (_, name, tensor, what) => {
  const { [name]: dropped, ...others } = tensors
  const changed = tensor === undefined ? others : { ...tensors, [name]: tensor }
  await expectDamage(packSafetensors({ ...tinyStaticModel, tensors: changed }), what)
})

it.each([
  ['"a"', 'does not have the length of its shape'],
  ['[0]', 'does not have the length of its shape'],
  ['[100, 0]', 'does not have the length of its shape'],
  ['[-8, 0]', 'does not have the length of its shape'],
])('offsets %s: refused', async (offsets, what) => {
  const header = JSON.parse(headerOf(whole))
  header.query_places.data_offsets = JSON.parse(offsets)
  await expectDamage(withHeader(JSON.stringify(header)), `its "query_places" ${what}`)
})

let places = 0
async function read(bytes: Buffer) {
  const path = join(directory, `${places++}.safetensors`)
  writeFileSync(path, bytes)
  return await readStaticModel(path)
}

async function expectDamage(bytes: Buffer, what: string): Promise<void> {
  const reading = read(bytes)
  await expect(reading).rejects.toBeInstanceOf(EmbedderError)
  await expect(reading).rejects.toMatchObject({ hint: 'Reinstall casys-pml.' })
  await expect(reading).rejects.toThrow('is damaged: ')
  await expect(reading).rejects.toThrow(what)
}

function headerOf(file: Buffer): string {
  return file.toString('utf8', 8, 8 + Number(file.readBigUInt64LE()))
}

/** Another header before the same tensors. */
function withHeader(header: string): Buffer {
  const bytes = Buffer.from(header)
  return Buffer.concat([headerLength(bytes.length), bytes, whole.subarray(8 + headerOf(whole).length)])
}
