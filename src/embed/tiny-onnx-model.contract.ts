/** A whole model of a few kilobytes, in the form that a real one is downloaded in: weights, tokenizer, configuration. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KnownModel } from './known-models.js'

export const tinyModel: KnownModel = {
  name: 'tiny',
  summary: 'for tests',
  repo: 'someone/tiny',
  revision: 'main',
  files: ['config.json', 'tokenizer_config.json', 'tokenizer.json', 'onnx/model_quantized.onnx'],
  bytes: 10_000,
  dtype: 'q8',
  pooling: 'cls',
  dimensions: 16,
  maxTokens: 64,
  queryPrefix: '',
  toolPrefix: '',
}

const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]']
const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789.天気東京날씨']
const vocabulary = [...special, ...letters, ...letters.map((letter) => `##${letter}`)]

/** In the place and of the dimension of another model, where that one is to be tried without its half gigabyte. */
export function writeTinyModel(models: string, { repo, dimensions }: KnownModel = tinyModel): void {
  const folder = join(models, repo)
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  const write = (file: string, value: unknown) => writeFileSync(join(folder, file), JSON.stringify(value))
  write('config.json', {
    model_type: 'bert',
    architectures: ['BertModel'],
    hidden_size: dimensions,
  })
  write('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    model_max_length: 512,
    do_lower_case: true,
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    pad_token: '[PAD]',
    unk_token: '[UNK]',
  })
  write('tokenizer.json', tokenizer())
  writeFileSync(join(folder, 'onnx/model_quantized.onnx'), onnxModel(vocabulary.length, dimensions))
}

function tokenizer(): object {
  const id = (token: string) => vocabulary.indexOf(token)
  const single = [
    { SpecialToken: { id: '[CLS]', type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: '[SEP]', type_id: 0 } },
  ]
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content) => ({
      id: id(content),
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single,
      pair: single,
      special_tokens: Object.fromEntries(
        ['[CLS]', '[SEP]'].map((token) => [token, { id: token, ids: [id(token)], tokens: [token] }]),
      ),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((token, index) => [token, index])),
    },
  }
}

/**
 * last_hidden_state = table[input_ids] + mean over the text of table[input_ids]
 *
 * so that the first token, which the vector is taken from, knows of the others as in a real model. Protocol buffers by
 * hand: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */
function onnxModel(rows: number, width: number): Buffer {
  const table = Float32Array.from({ length: rows * width }, (_, at) => Math.sin((at + 1) * 12.9898) * 2)
  const graph = message([
    [1, node('Gather', ['table', 'input_ids'], 'rows', [])],
    [1, node('ReduceMean', ['rows'], 'mean', [ints('axes', [1]), int('keepdims', 1)])],
    [1, node('Add', ['rows', 'mean'], 'last_hidden_state', [])],
    [2, 'tiny'],
    [5, tensor('table', [rows, width], table)],
    [11, value('input_ids', int64, ['batch', 'tokens'])],
    [11, value('attention_mask', int64, ['batch', 'tokens'])],
    [12, value('last_hidden_state', float, ['batch', 'tokens', width])],
  ])
  return message([
    [1, 8],
    [7, graph],
    [8, message([[2, 13]])],
  ])
}

const float = 1
const int64 = 7

function node(
  type: string,
  inputs: readonly string[],
  output: string,
  attributes: readonly Buffer[],
): Buffer {
  return message([
    ...inputs.map((input): Field => [1, input]),
    [2, output],
    [3, output],
    [4, type],
    ...attributes.map((attribute): Field => [5, attribute]),
  ])
}

function int(name: string, number: number): Buffer {
  return message([
    [1, name],
    [3, number],
    [20, 2],
  ])
}

function ints(name: string, numbers: readonly number[]): Buffer {
  return message([[1, name], ...numbers.map((number): Field => [8, number]), [20, 7]])
}

function tensor(name: string, dimensions: readonly number[], data: Float32Array): Buffer {
  return message([
    ...dimensions.map((dimension): Field => [1, dimension]),
    [2, float],
    [8, name],
    [9, Buffer.from(data.buffer)],
  ])
}

function value(name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const dimensions = shape.map(
    (size): Field => [1, message([typeof size === 'number' ? [1, size] : [2, size]])],
  )
  const tensorType = message([
    [1, type],
    [2, message(dimensions)],
  ])
  return message([
    [1, name],
    [2, message([[1, tensorType]])],
  ])
}

type Field = readonly [number: number, value: string | number | Buffer]

function message(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([field, content]) => {
      if (typeof content === 'number') return [varint(field << 3), varint(content)]
      const bytes = Buffer.from(content as string)
      return [varint((field << 3) | 2), varint(bytes.length), bytes]
    }),
  )
}

function varint(number: number): Buffer {
  const bytes: number[] = []
  let rest = number
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}
