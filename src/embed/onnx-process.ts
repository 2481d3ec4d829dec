/**
 * The process behind OnnxEmbedder: loads one model, and turns one text after the other into a vector. It knows nothing of
 * us but what its first message says, reads no file but the model's, and ends with its parent.
 */
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { sep } from 'node:path'

export interface LoadRequest {
  /** The file that `@huggingface/transformers` starts with. */
  readonly transformers: string
  /** Beneath it the models are, by repository. */
  readonly directory: string
  readonly repo: string
  readonly dtype: string
  readonly pooling: 'cls' | 'mean'
  readonly maxTokens: number
}

export type ToProcess = { readonly load: LoadRequest } | { readonly text: string }
export type FromProcess =
  | { readonly vector: Float32Array }
  /** Not loaded: no other text will fare better. */
  | { readonly error: string; readonly isLoaded: boolean }

/** As much of the package as is used. */
interface Transformers {
  readonly env: Record<string, unknown>
  readonly AutoTokenizer: { from_pretrained(repo: string, options: object): Promise<Tokenizer> }
  readonly AutoModel: { from_pretrained(repo: string, options: object): Promise<Model> }
}
type Tokenizer = (
  text: string,
  options: object,
) => { readonly attention_mask: { readonly dims: readonly number[] } }
type Model = (inputs: object) => Promise<{ readonly last_hidden_state?: Tensor }>
interface Tensor {
  readonly dims: readonly number[]
  readonly data: Float32Array
}

let loading: Promise<(text: string) => Promise<Float32Array>>

process.on('disconnect', () => process.exit(0))
process.on('message', (message: ToProcess) => {
  if ('load' in message) {
    loading = load(message.load)
    // Told in the answer to the first text.
    loading.catch(() => {})
  } else void answer(message.text).then((reply) => process.send?.(reply))
})

async function answer(text: string): Promise<FromProcess> {
  let isLoaded = false
  try {
    const embed = await loading
    isLoaded = true
    return { vector: await embed(text) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), isLoaded }
  }
}

async function load(request: LoadRequest): Promise<(text: string) => Promise<Float32Array>> {
  const { env, AutoTokenizer, AutoModel } = createRequire(request.transformers)(
    request.transformers,
  ) as Transformers
  env.allowRemoteModels = false
  env.allowLocalModels = true
  env.useFSCache = false
  env.localModelPath = request.directory + sep
  const local = { local_files_only: true }
  const tokenizer = await AutoTokenizer.from_pretrained(request.repo, local)
  const model = await AutoModel.from_pretrained(request.repo, {
    ...local,
    dtype: request.dtype,
    device: 'cpu',
    // A catalogue is embedded in the background: the other half of the machine is for those who work on it.
    session_options: { intraOpNumThreads: Math.max(1, Math.ceil(availableParallelism() / 2)) },
  })
  // One text at a time: weights of 8 bits are scaled by what else is in the batch, so that beside another text the same
  // one would give another vector.
  return async (text) => {
    const inputs = tokenizer(text, { truncation: true, max_length: request.maxTokens })
    const { last_hidden_state: states } = await model(inputs)
    if (states === undefined || states.dims.length !== 3)
      throw new Error('the model gives no last_hidden_state')
    return pool(states, request.pooling)
  }
}

function pool({ dims, data }: Tensor, pooling: LoadRequest['pooling']): Float32Array {
  const [, tokens, width] = dims as readonly [number, number, number]
  const vector = new Float32Array(width)
  const counted = pooling === 'cls' ? 1 : tokens
  for (let token = 0; token < counted; token++) {
    for (let at = 0; at < width; at++) vector[at]! += data[token * width + at]! / counted
  }
  return vector
}
