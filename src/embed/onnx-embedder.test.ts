/** Runs where `@huggingface/transformers` is installed: `npm run test:models` installs it for the time of the test. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { EmbedderError } from '../errors.js'
import { builtUrl } from '../model/built-url.js'
import { testEmbedder } from './embedder.contract.js'
import type { Embedder } from './embedder.js'
import { findTransformers } from './find-transformers.js'
import { createOnnxEmbedder } from './onnx-embedder.js'
import { tinyModel, writeTinyModel } from './tiny-onnx-model.contract.js'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pml-onnx-'))
  writeTinyModel(directory)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const { signal } = new AbortController()
const transformers = installed()

describe.skipIf(transformers === undefined)(
  'with the runtime (else skipped: run it with npm run test:models)',
  () => {
    const create = (model = tinyModel): Embedder =>
      createOnnxEmbedder({ model, directory, transformers: transformers! })

    testEmbedder('an ONNX model', { open: async () => create() })

    it('takes the mean of all tokens where the model wants that', async () => {
      const [cls, mean] = [create(), create({ ...tinyModel, pooling: 'mean' })]
      const [one] = await cls.embed(['read a file'], 'tool', signal)
      const [other] = await mean.embed(['read a file'], 'tool', signal)
      expect(one).not.toEqual(other)
      await Promise.all([cls.close(), mean.close()])
    })

    it('puts the prefix of its kind before a text', async () => {
      const [bare, prefixed] = [create(), create({ ...tinyModel, queryPrefix: 'query ' })]
      const [meant] = await bare.embed(['query read'], 'query', signal)
      expect(await prefixed.embed(['read'], 'query', signal)).toEqual([meant])
      expect(await prefixed.embed(['read'], 'tool', signal)).toEqual(
        await bare.embed(['read'], 'tool', signal),
      )
      await Promise.all([bare.close(), prefixed.close()])
    })

    it('a question does not wait for the catalogue', async () => {
      const embedder = create()
      const order: string[] = []
      const catalogue = embedder
        .embed(Array(300).fill('a tool'), 'tool', signal)
        .then(() => order.push('catalogue'))
      await embedder.embed(['a question'], 'query', signal).then(() => order.push('question'))
      await catalogue
      expect(order).toEqual(['question', 'catalogue'])
      await embedder.close()
    })

    it('a process that dies fails what it was asked, and the next request has a new one', async () => {
      const embedder = create()
      const killed = embedder.embed(Array(5000).fill('a tool'), 'tool', signal)
      await embedder.embed(['up'], 'query', signal)
      process.kill(childPid(process.pid), 'SIGKILL')
      const error = await killed.catch((caught) => caught)
      expect(error).toBeInstanceOf(EmbedderError)
      expect(error.message).toContain('its process ended (SIGKILL)')
      expect((await embedder.embed(['a text'], 'tool', signal)).length).toBe(1)
      await embedder.close()
    })

    it('its process ends with ours, however that ends', async () => {
      const program = `
        import { createOnnxEmbedder } from ${JSON.stringify(builtUrl('./onnx-embedder.js', import.meta.url).href)}
        const embedder = createOnnxEmbedder(${JSON.stringify({ model: tinyModel, directory, transformers })})
        await embedder.embed(['a text'], 'tool', new AbortController().signal)
        console.log('up')
        setInterval(() => {}, 1000)`
      const parent = spawn(process.execPath, ['--input-type=module', '-e', program])
      await once(parent.stdout, 'data')
      const pid = childPid(parent.pid!)
      parent.kill('SIGKILL')
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 5000 })
    })

    it.each([
      ['no weights', { ...tinyModel, repo: 'someone/none' }],
      ['another dimension than is known', { ...tinyModel, dimensions: 1024 }],
    ])('says what is wrong: %s', async (_, model) => {
      const embedder = create(model)
      const error = await embedder.embed(['a'], 'tool', signal).catch((caught) => caught)
      expect(error).toBeInstanceOf(EmbedderError)
      expect(error.hint).toContain('pml model use tiny')
      await embedder.close()
    })

    it('weights that are cut off are told, and ask to be fetched again', async () => {
      const broken = mkdtempSync(join(tmpdir(), 'pml-onnx-broken-'))
      writeTinyModel(broken)
      writeFileSync(join(broken, tinyModel.repo, 'onnx/model_quantized.onnx'), 'half of it')
      const embedder = createOnnxEmbedder({
        model: tinyModel,
        directory: broken,
        transformers: transformers!,
      })
      const error = await embedder.embed(['a'], 'tool', signal).catch((caught) => caught)
      expect(error).toBeInstanceOf(EmbedderError)
      expect(error.hint).toContain(`delete ${broken}`)
      await embedder.close()
      rmSync(broken, { recursive: true })
    })
  },
)

it('without the runtime, the command that installs it is the hint', () => {
  if (process.env.PML_TRANSFORMERS === undefined && transformers !== undefined) return
  const error = catchError(() => findTransformers('bge-m3', '/no/such folder'))
  expect(error).toBeInstanceOf(EmbedderError)
  expect((error as EmbedderError).hint).toBe(
    "Run (some 470 MB): npm install --ignore-scripts --prefix '/no/such folder' @huggingface/transformers@4",
  )
})

/** PML_TRANSFORMERS names a folder with the package in its node_modules. */
function installed(): string | undefined {
  try {
    return findTransformers('tiny', process.env.PML_TRANSFORMERS ?? tmpdir())
  } catch {
    return undefined
  }
}

function childPid(parent: number): number {
  const pids = execFileSync('pgrep', ['-P', String(parent), '-f', 'onnx-process'], { encoding: 'utf8' })
  return Number(pids.trim().split('\n')[0])
}

function catchError(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
