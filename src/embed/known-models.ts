/** The models that `pml model use` can fetch; another is one entry more. */
export interface KnownModel {
  readonly name: string
  /** What it is good at, in one line for `pml model`. */
  readonly summary: string
  /** Of the Hugging Face hub, or of a mirror that is laid out like it. */
  readonly repo: string
  readonly revision: string
  /** Those that count, small ones first: what is wrong with the place is known before the long one begins. */
  readonly files: readonly string[]
  /** All files together, for people; what a server says counts. */
  readonly bytes: number
  /** Which of the weights: `q8` is onnx/model_quantized.onnx. */
  readonly dtype: 'q8' | 'fp32'
  readonly pooling: 'cls' | 'mean'
  readonly dimensions: number
  /** The rest of a text is cut: what a tool is for stands in its first lines, and attention costs the square of the length. */
  readonly maxTokens: number
  readonly queryPrefix: string
  readonly toolPrefix: string
}

export const knownModels: readonly KnownModel[] = [
  {
    name: 'bge-m3',
    // The weights are held in memory as they are on the disk.
    summary: 'more than 100 languages; at least 600 MB of memory',
    repo: 'Xenova/bge-m3',
    revision: 'main',
    files: ['config.json', 'tokenizer_config.json', 'tokenizer.json', 'onnx/model_quantized.onnx'],
    // 17.1 MB of tokenizer and 570 MB of weights.
    bytes: 587_000_000,
    dtype: 'q8',
    pooling: 'cls',
    dimensions: 1024,
    maxTokens: 512,
    queryPrefix: '',
    toolPrefix: '',
  },
]
