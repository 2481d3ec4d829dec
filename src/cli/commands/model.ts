import { existsSync } from 'node:fs'
import { dataDirectory } from '../../config/data-directory.js'
import type { FileProgress } from '../../embed/download-file.js'
import type { Embedder } from '../../embed/embedder.js'
import type { KnownModel } from '../../embed/known-models.js'
import { EmbedderError, shellWord, UsageError } from '../../errors.js'
import type { PmlConfig } from '../../model/config.js'
import { createRedact } from '../../model/redact.js'
import { commonArgs, defineCliCommand } from '../cli-command.js'
import { coloursFor } from '../colour.js'
import { configFileToEdit } from '../config-file-to-edit.js'
import { formatTable } from '../format-table.js'
import { type Io, printJson, printLine } from '../io.js'

/** A large model on a slow disk takes half a minute to load. */
const firstTextMs = 180_000
/** What is embedded to see whether it works. */
const trial = 'list the files of a folder'

export const modelCommand = defineCliCommand({
  name: 'model',
  summary: 'Choose what finds tools by meaning',
  args: {
    action: { type: 'positional', required: false, description: 'use, or nothing to list them' },
    name: { type: 'positional', required: false, description: 'Model or endpoint to use' },
    ...commonArgs,
  },
  examples: ['pml model', 'pml model use bge-m3', 'HF_ENDPOINT=https://mirror.example pml model use bge-m3'],
  notes: `A model is downloaded once, into the data directory; a download that breaks off goes on where it ended. Endpoints
(Ollama, LM Studio, vLLM, a provider) are written under search.endpoints in the configuration.`,
  async run({ args, io }) {
    const config = await readConfig(io, args.config, args.action === 'use')
    if (args.action === undefined) return await list(config, io, args.json === true)
    if (args.action !== 'use') throw await noSuchAction(args.action, config)
    if (args.name === undefined)
      throw new UsageError('Expected a name after use.', 'List them with: pml model')
    return await use(args.name, config, io, args)
  },
})

/** As much of the configuration as counts here. */
type SearchConfig = Pick<PmlConfig, 'source' | 'search' | 'secrets'>

/** Without a file the defaults count. To look into one that was named and is not there is a mistake; to begin it is not. */
async function readConfig(io: Io, file: string | undefined, mayBeNew: boolean): Promise<SearchConfig> {
  const named = file ?? io.env.PML_CONFIG
  if (!existsSync(configFileToEdit(io, file)) && (mayBeNew || !named)) {
    return { source: 'demo', search: { embedder: 'static', endpoints: [] }, secrets: [] }
  }
  const { loadConfig } = await import('../../config/load-config.js')
  return await loadConfig({
    file,
    env: io.env,
    cwd: io.cwd,
    home: dataDirectory(io.env),
    onWarning: (warning) => io.stderr.write(`warning: ${warning.message}\n`),
  })
}

async function noSuchAction(word: string, { search }: SearchConfig): Promise<UsageError> {
  const { embedderNames } = await import('../../embed/open-embedder.js')
  const isName = embedderNames(search).includes(word)
  return new UsageError(`Unexpected: ${word}.`, `Did you mean: pml model use ${isName ? word : 'NAME'}`)
}

interface Row {
  readonly name: string
  readonly kind: 'built-in' | 'model' | 'endpoint'
  readonly inUse: boolean
  readonly state: string
  readonly summary: string
  /** Of a model: whether all of it is here, and how much of how much. */
  readonly downloaded?: boolean
  readonly bytes?: number
  readonly bytesOnDisk?: number
}

async function list(config: SearchConfig, io: Io, json: boolean): Promise<number> {
  const models = await rows(config, dataDirectory(io.env))
  const { embedder } = config.search
  if (json) {
    printJson(io, { inUse: embedder, config: config.source, models })
    return 0
  }
  const { bold } = coloursFor(io, io.stdout)
  const table = models.map(({ name, inUse, state, summary }) => [
    inUse ? bold(`* ${name}`) : `  ${name}`,
    state,
    summary,
  ])
  printLine(io, formatTable(['  NAME', 'STATE', 'WHAT'], table, io.stdout.columns))
  if (!models.some(({ inUse }) => inUse)) {
    printLine(
      io,
      `\nThe configuration names "${embedder}", which there is not: search goes on with the static one.`,
    )
  }
  printLine(io, '\nChoose with: pml model use NAME')
  return 0
}

async function rows({ search, secrets }: SearchConfig, home: string): Promise<readonly Row[]> {
  const { knownModels } = await import('../../embed/known-models.js')
  const { bytesOnDisk, isDownloaded } = await import('../../embed/model-files.js')
  const redact = createRedact(secrets)
  const inUse = (name: string): boolean => name === search.embedder
  const endpoints = search.endpoints.map(({ name, url, model }): Row => {
    const summary = redact(`${model} at ${url}`)
    return { name, kind: 'endpoint', inUse: inUse(name), state: 'endpoint', summary }
  })
  const named = new Set(endpoints.map(({ name }) => name))
  const models = knownModels.flatMap((model): Row[] => {
    // An endpoint of the same name is the one that is meant.
    if (named.has(model.name)) return []
    const { name, summary, bytes } = model
    const facts = { downloaded: isDownloaded(model, home), bytes, bytesOnDisk: bytesOnDisk(model, home) }
    return [{ name, kind: 'model', inUse: inUse(name), state: stateOf(facts), summary, ...facts }]
  })
  return [
    {
      name: 'static',
      kind: 'built-in',
      inUse: inUse('static'),
      state: 'built in',
      summary: 'nothing to download, a few microseconds per text',
    },
    { name: 'none', kind: 'built-in', inUse: inUse('none'), state: 'built in', summary: 'words alone' },
    ...models,
    ...endpoints,
  ]
}

function stateOf(facts: { downloaded: boolean; bytes: number; bytesOnDisk: number }): string {
  if (facts.downloaded) return `downloaded, ${megabytes(facts.bytesOnDisk)}`
  if (facts.bytesOnDisk > 0) return `${megabytes(facts.bytesOnDisk)} of ${megabytes(facts.bytes)}`
  return `not downloaded, ${megabytes(facts.bytes)}`
}

/** The file is written last: what does not work is never chosen. */
async function use(
  name: string,
  config: SearchConfig,
  io: Io,
  args: { readonly config?: string | undefined; readonly json?: boolean | undefined },
): Promise<number> {
  const home = dataDirectory(io.env)
  const { embedderNames, openEmbedder, unknownEmbedder } = await import('../../embed/open-embedder.js')
  const { knownModels } = await import('../../embed/known-models.js')
  const { endpoints } = config.search
  if (!embedderNames(config.search).includes(name)) throw unknownEmbedder(name, embedderNames(config.search))
  const isEndpoint = endpoints.some((endpoint) => endpoint.name === name)
  const model = isEndpoint ? undefined : knownModels.find((known) => known.name === name)
  if (model !== undefined) await fetchModel(model, home, io)
  const embedder = openEmbedder(name, { dataDirectory: home, endpoints })
  const facts = embedder && (await tryOut(embedder, io))
  const file = configFileToEdit(io, args.config)
  const isNew = !existsSync(file)
  const { setInFile } = await import('../../config/edit-config-file.js')
  await setInFile(file, 'search', 'embedder', name)
  if (args.json) {
    printJson(io, { embedder: name, file, ...facts })
    return 0
  }
  if (facts !== undefined)
    printLine(io, `${name} works: ${facts.dimensions} dimensions, ${facts.ms} ms for one text.`)
  printLine(io, `Wrote search.embedder: ${name} to ${file}`)
  if (isNew && args.config !== undefined)
    printLine(io, `It is a new file; use it with: --config ${shellWord(file)}`)
  else if (isNew) printLine(io, 'It is a new file; it names no servers, so the demo servers stay.')
  printLine(io, 'A gateway that runs takes it up by itself, and embeds its tools anew in the background.')
  return 0
}

async function fetchModel(model: KnownModel, home: string, io: Io): Promise<void> {
  const { findTransformers } = await import('../../embed/find-transformers.js')
  const { defaultHub, downloadModel } = await import('../../embed/download-model.js')
  // Half a gigabyte that cannot be run is of no use.
  findTransformers(model.name, home)
  const progress = showProgress(io)
  await downloadModel(model, {
    dataDirectory: home,
    hub: io.env.HF_ENDPOINT || defaultHub,
    signal: new AbortController().signal,
    onProgress: progress.show,
  }).finally(progress.end)
}

interface Trial {
  readonly id: string
  readonly dimensions: number
  readonly ms: number
}

async function tryOut(embedder: Embedder, io: Io): Promise<Trial> {
  io.stderr.write(`Trying it out: ${embedder.id} ...\n`)
  const controller = new AbortController()
  const late = new EmbedderError(
    embedder.id,
    `one text took longer than ${firstTextMs / 1000} s.`,
    'It is too large for this machine: choose another one.',
  )
  const timer = setTimeout(() => controller.abort(late), firstTextMs)
  try {
    // The first text loads the model, the second tells how fast it is.
    await embedder.embed([trial], 'query', controller.signal)
    const start = performance.now()
    const [vector] = await embedder.embed([trial], 'query', controller.signal)
    const ms = Number((performance.now() - start).toPrecision(2))
    return { id: embedder.id, dimensions: vector!.length, ms }
  } finally {
    clearTimeout(timer)
    await embedder.close()
  }
}

/** On a terminal one line that is written over; elsewhere a line for every tenth. */
function showProgress({ stderr }: Io): { show(progress: FileProgress): void; end(): void } {
  let shownAt = Number.NEGATIVE_INFINITY
  let shown = ''
  let hasLine = false
  return {
    show({ file, bytes, total }) {
      const share = total === undefined || total === 0 ? undefined : Math.floor((bytes / total) * 100)
      const line = `${file}  ${megabytes(bytes)}${share === undefined ? '' : ` of ${megabytes(total!)}, ${share} %`}`
      if (stderr.isTTY) {
        if (performance.now() - shownAt < 100 && bytes !== total) return
        shownAt = performance.now()
        stderr.write(`\r\u001b[K${line}`)
        hasLine = true
        return
      }
      const step = `${file} ${share === undefined ? '' : Math.floor(share / 10)}`
      if (step === shown) return
      shown = step
      stderr.write(`${line}\n`)
    },
    end() {
      if (hasLine) stderr.write('\n')
    },
  }
}

function megabytes(bytes: number): string {
  return bytes >= 1e7 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e6).toFixed(1)} MB`
}
