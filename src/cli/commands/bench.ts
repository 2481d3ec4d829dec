import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { dataDirectory } from '../../config/data-directory.js'
import { loadConfig } from '../../config/load-config.js'
import type { Embedder } from '../../embed/embedder.js'
import { embedderNames, openEmbedder } from '../../embed/open-embedder.js'
import { UsageError } from '../../errors.js'
import { benchRetrieval, type RetrievalReport } from '../../evaluate/bench-retrieval.js'
import { defineCliCommand } from '../cli-command.js'
import { formatTable } from '../format-table.js'
import { type Io, printLine } from '../io.js'

export const benchCommand = defineCliCommand({
  name: 'bench',
  summary: 'Measure PML on a set of requests',
  args: {
    question: { type: 'positional', required: true, description: 'What to measure: retrieval' },
    set: { type: 'string', valueHint: 'folder', description: 'Folder with tools.jsonl and queries.jsonl' },
    embedder: {
      type: 'string',
      default: 'static',
      description: 'none (words alone), static, bge-m3, or an endpoint of the configuration',
    },
    predictions: { type: 'string', valueHint: 'file', description: 'Write one JSON line per request' },
    seed: { type: 'string', default: '42', description: 'For draws and splits; retrieval has none' },
    seeds: { type: 'string', valueHint: '42-46', description: 'Mean of several seeds; retrieval has none' },
    config: { type: 'string', valueHint: 'file', description: 'Configuration file, for its endpoints' },
    json: { type: 'boolean', description: 'One JSON object in the last line' },
  },
  examples: [
    'pml bench retrieval --set sets/mine',
    'pml bench retrieval --set sets/mine --embedder none --json',
  ],
  notes: `
THE SET

  tools.jsonl     {"id": "t1", "server": "files", "name": "read_file", "description": "...", "inputSchema": {...}}
  queries.jsonl   {"id": "q1", "query": "show me notes.txt", "gold": ["t1"]}

  The data directory is not opened.`,
  async run({ args, io }) {
    if (args.question !== 'retrieval')
      throw new UsageError(`No bench "${args.question}".`, 'What can be measured: retrieval')
    if (!args.set) throw new UsageError('--set: expected the folder of a set.', 'See: pml bench --help')
    const predictions = openPredictions(args.predictions, io)
    const embedder = await openChosen(args.embedder, args.config, io)
    const report = await benchRetrieval({
      set: resolve(io.cwd, args.set),
      embedder,
      onPrediction: (prediction) => predictions.write(prediction),
    })
    await predictions.end()
    const named = { bench: 'retrieval', embedder: embedder?.id ?? 'none', ...report }
    printLine(io, args.json ? JSON.stringify(named) : describe(named))
    return 0
  },
})

async function openChosen(choice: string, file: string | undefined, io: Io): Promise<Embedder | undefined> {
  const home = dataDirectory(io.env)
  // Most need no configuration, and one that is broken or absent must not be in the way.
  const isOurs = choice === 'none' || choice === 'static'
  const config = isOurs ? undefined : await loadConfig({ file, env: io.env, cwd: io.cwd, home })
  const endpoints = config?.search.endpoints ?? []
  const names = embedderNames({ endpoints })
  if (!names.includes(choice))
    throw new UsageError(`--embedder: expected one of ${names.join(', ')}, got "${choice}".`)
  return openEmbedder(choice, { dataDirectory: home, endpoints })
}

interface Predictions {
  write(prediction: unknown): void
  end(): Promise<void>
}

function openPredictions(file: string | undefined, io: Io): Predictions {
  if (file === undefined) return { write() {}, async end() {} }
  const stream = createWriteStream(resolve(io.cwd, file))
  const done = finished(stream).catch((error: Error) => {
    throw new UsageError(`--predictions: ${error.message}.`, 'Give a file that can be written.')
  })
  done.catch(() => {})
  return {
    write: (prediction) => void stream.write(`${JSON.stringify(prediction)}\n`),
    end() {
      stream.end()
      return done
    },
  }
}

const columns = ['recall@1', 'recall@5', 'recall@10', 'ndcg@10', 'mrr', 'all_gold@10'] as const

function describe(report: RetrievalReport & { readonly embedder: string }): string {
  const row = (name: string, figures: Pick<RetrievalReport, (typeof columns)[number]>) => [
    name,
    ...columns.map((column) => figures[column].toFixed(3)),
  ]
  return [
    `${report.queries} requests, ${report.tools} tools`,
    '',
    formatTable(
      ['', ...columns],
      [row(`search (${report.embedder})`, report), row('floor: plain BM25', report.floor)],
    ),
    '',
    `a search takes ${report.p50_ms.toFixed(1)} ms (p50), ${report.p95_ms.toFixed(1)} ms (p95); scores are ${report.calibration_error.toFixed(3)} off what they promise`,
  ].join('\n')
}
