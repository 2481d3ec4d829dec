import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { dataDirectory } from '../../config/data-directory.js'
import { loadConfig } from '../../config/load-config.js'
import type { Embedder } from '../../embed/embedder.js'
import { embedderNames, openEmbedder } from '../../embed/open-embedder.js'
import { UsageError } from '../../errors.js'
import { benchRetrieval, type Prediction, type RetrievalReport } from '../../evaluate/bench-retrieval.js'
import { defineCliCommand } from '../cli-command.js'
import { countOf } from '../count-of.js'
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
    for (const [option, value] of Object.entries({ seed: args.seed, seeds: args.seeds }))
      if (value && !/^\d+(-\d+)?$/.test(value))
        throw new UsageError(`--${option}: expected a whole number, got "${value}".`)
    const embedder = await openChosen(args.embedder, args.config, io)
    const predictions: Prediction[] = []
    const report = await benchRetrieval({
      set: resolve(io.cwd, args.set),
      embedder,
      onPrediction: (prediction) => void predictions.push(prediction),
    })
    if (args.predictions) await writePredictions(args.predictions, predictions, io)
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

async function writePredictions(file: string, predictions: readonly Prediction[], io: Io): Promise<void> {
  const lines = predictions.map((prediction) => `${JSON.stringify(prediction)}\n`)
  try {
    await writeFile(resolve(io.cwd, file), lines.join(''))
  } catch (error) {
    throw new UsageError(`--predictions: ${(error as Error).message}.`, 'Give a file that can be written.')
  }
}

const columns = ['recall@1', 'recall@5', 'recall@10', 'ndcg@10', 'mrr', 'all_gold@10'] as const

function describe(report: RetrievalReport & { readonly embedder: string }): string {
  const row = (name: string, figures: Pick<RetrievalReport, (typeof columns)[number]>) => [
    name,
    ...columns.map((column) => figures[column].toFixed(3)),
  ]
  return [
    `${countOf(report.queries, 'request')}, ${countOf(report.tools, 'tool')}`,
    ...(report.unknown_gold > 0 ? [`${report.unknown_gold} wanted tools are not in tools.jsonl`] : []),
    '',
    formatTable(
      ['', ...columns],
      [row(`search (${report.embedder})`, report), row('floor: plain BM25', report.floor)],
    ),
    '',
    `a search takes ${report.p50_ms.toFixed(1)} ms (p50), ${report.p95_ms.toFixed(1)} ms (p95); calibration error of the scores ${report.calibration_error.toFixed(3)}`,
  ].join('\n')
}
