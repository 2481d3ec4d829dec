/**
 * A model of the ONNX format, run by `@huggingface/transformers` in a process of its own. Not in ours, because
 * onnxruntime-node runs a model synchronously (its promise resolves after the thread was blocked for all of it), and not
 * in a worker thread, because native code that fails, and the system when memory runs out, end a whole process: that
 * must not be the gateway.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { EmbedderError } from '../errors.js'
import { builtUrl } from '../model/built-url.js'
import { unlessAborted } from '../model/unless-aborted.js'
import type { Embedder, TextKind } from './embedder.js'
import type { KnownModel } from './known-models.js'
import { normalise } from './normalise.js'
import type { FromProcess, LoadRequest, ToProcess } from './onnx-process.js'

export interface OnnxOptions {
  readonly model: KnownModel
  /** Beneath it the models are, by repository. */
  readonly directory: string
  /** The file that `@huggingface/transformers` starts with, see findTransformers. */
  readonly transformers: string
}

/** A token has 4 to 5 characters of English; what is beyond this would be cut anyway, after minutes of cutting it up. */
const charactersPerToken = 16
const lastWords = 2_000

interface Job {
  readonly texts: readonly string[]
  readonly kind: TextKind
  readonly vectors: Float32Array[]
  resolve(vectors: readonly Float32Array[]): void
  reject(reason: unknown): void
}

/** The process starts with the first text, and anew where it died. */
export function createOnnxEmbedder({ model, directory, transformers }: OnnxOptions): Embedder {
  const { name, repo, dtype, pooling, maxTokens } = model
  const load: LoadRequest = { transformers, directory, repo, dtype, pooling, maxTokens }
  const prefixes = { query: model.queryPrefix, tool: model.toolPrefix }
  const jobs = new Set<Job>()
  let child: ChildProcess | undefined
  /** Whose text the process is at; it may have left by now. */
  let current: Job | undefined
  let isBusy = false
  let isClosed = false

  return {
    id: `${name}-${dtype}@${model.revision}`,
    isCheap: false,
    async embed(texts, kind, signal) {
      signal.throwIfAborted()
      if (isClosed) throw new EmbedderError(name, 'it is closed.', 'Open it again.')
      const { promise, resolve, reject } = newPromise<readonly Float32Array[]>()
      const job: Job = { texts, kind, vectors: [], resolve, reject }
      jobs.add(job)
      pump()
      return await unlessAborted(promise, signal).finally(() => jobs.delete(job))
    },
    async close() {
      isClosed = true
      failAll(new EmbedderError(name, 'it was closed meanwhile.', 'Open it again.'))
      const dying = child
      child = undefined
      if (dying !== undefined) await ended(dying)
    },
  }

  /** One text at a time, and who asks goes before the catalogue: a question must not wait for a thousand tools. */
  function pump(): void {
    while (!isBusy && jobs.size > 0) {
      const job = [...jobs].find(({ kind }) => kind === 'query') ?? [...jobs][0]!
      const text = job.texts[job.vectors.length]
      if (text === undefined) {
        jobs.delete(job)
        job.resolve(job.vectors)
      } else if (text.trim() === '') job.vectors.push(new Float32Array(model.dimensions))
      else {
        isBusy = true
        current = job
        const longest = maxTokens * charactersPerToken
        send({ text: (prefixes[job.kind] + text).slice(0, longest).toWellFormed() })
      }
    }
  }

  function send(message: ToProcess): void {
    child ??= start()
    child.send(message)
  }

  function start(): ChildProcess {
    const started = fork(fileURLToPath(builtUrl('./onnx-process.js', import.meta.url)), [], {
      // Standard output is the client's line to us; nobody else may write there.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      execArgv: [],
    })
    let said = ''
    started.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-lastWords)
    })
    started.on('message', (reply: FromProcess) => {
      if (started === child) take(reply)
    })
    started.on('error', (cause) => died(started, `it could not be started: ${cause.message}`, cause))
    started.on('exit', (code, signal) => {
      const words = said.trim().split('\n').at(-1) ?? ''
      died(started, `its process ended (${signal ?? `exit ${code}`})${words === '' ? '' : `: ${words}`}`)
    })
    started.send({ load } satisfies ToProcess)
    return started
  }

  function take(reply: FromProcess): void {
    const job = current
    isBusy = false
    current = undefined
    if ('error' in reply) {
      if (!reply.isLoaded) giveUp(reply.error)
      else if (job !== undefined && jobs.delete(job)) job.reject(explain(reply.error))
    } else if (reply.vector.length !== model.dimensions) {
      giveUp(`expected ${model.dimensions} numbers, got ${reply.vector.length}`)
    } else if (job !== undefined && jobs.has(job)) job.vectors.push(normalise(reply.vector))
    pump()
  }

  /** A model that is not what it should be cannot do anything: everybody is told, and the next request tries anew. */
  function giveUp(message: string): void {
    const dying = child
    child = undefined
    dying?.kill('SIGKILL')
    failAll(explain(message))
  }

  function died(who: ChildProcess, message: string, cause?: Error): void {
    if (who !== child) return
    child = undefined
    failAll(explain(message, cause))
  }

  function failAll(error: EmbedderError): void {
    isBusy = false
    current = undefined
    const failed = [...jobs]
    jobs.clear()
    for (const job of failed) job.reject(error)
  }

  function explain(message: string, cause?: Error): EmbedderError {
    const hint = /SIGKILL|out of memory|bad_alloc/i.test(message)
      ? 'Memory has run out, most likely: choose a smaller embedder with: pml model use static'
      : `If its files are damaged, delete ${directory}/${repo} and run: pml model use ${name}`
    return new EmbedderError(name, `${message.replace(/\.$/, '')}.`, hint, cause && { cause })
  }
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function newPromise<Value>() {
  let resolve!: (value: Value) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<Value>((onValue, onReason) => {
    resolve = onValue
    reject = onReason
  })
  return { promise, resolve, reject }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}
