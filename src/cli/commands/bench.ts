import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { dataDirectory } from '../../config/data-directory.js'
import { loadConfig } from '../../config/load-config.js'
import type { Embedder } from '../../embed/embedder.js'
import { embedderNames, openEmbedder } from '../../embed/open-embedder.js'
import { UsageError } from '../../errors.js'
import { benchPlan, type PlanPrediction, type PlanReport } from '../../evaluate/bench-plan.js'
import { benchRetrieval, type Prediction, type RetrievalReport } from '../../evaluate/bench-retrieval.js'
import { meanOfSeeds } from '../../evaluate/mean-of-seeds.js'
import { openPlanner } from '../../evaluate/open-planner.js'
import type { SpeculationPreset } from '../../model/speculation.js'
import { describePlan } from '../bench/describe-plan.js'
import { measureNext } from '../bench/measure-next.js'
import { measureRisk } from '../bench/measure-risk.js'
import { measureSpeculate, readPreset } from '../bench/measure-speculate.js'
import { readSeeds } from '../bench/read-seeds.js'
import { defineCliCommand } from '../cli-command.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'
import { type Io, printLine } from '../io.js'

export const benchCommand = defineCliCommand({
  name: 'bench',
  summary: 'Measure PML on a set of requests or plans',
  args: {
    question: {
      type: 'positional',
      required: true,
      description: 'What to measure: retrieval, plan, next, speculate, risk',
    },
    set: {
      type: 'string',
      valueHint: 'folder',
      description: 'Folder with tools.jsonl and queries.jsonl or dags.jsonl',
    },
    embedder: {
      type: 'string',
      default: 'static',
      description: 'none (words alone), static, bge-m3, or an endpoint of the configuration',
    },
    train: {
      type: 'string',
      valueHint: 'folder',
      description: 'plan: learn from the plans of this set first; of the set itself, four fifths',
    },
    'from-intent': { type: 'boolean', description: 'plan: choose the tools too, from the whole catalogue' },
    preset: {
      type: 'string',
      valueHint: 'careful|eager',
      description: 'speculate: how sure a call has to be (default: careful)',
    },
    'hide-request': {
      type: 'boolean',
      description: 'speculate: as where a client calls tools by itself and says nothing',
    },
    predictions: {
      type: 'string',
      valueHint: 'file',
      description: 'Write one JSON line per sample, of the first seed',
    },
    seed: { type: 'string', default: '42', description: 'For draws and splits; retrieval has none' },
    seeds: { type: 'string', valueHint: '42-46', description: 'Mean of several seeds; retrieval has none' },
    config: { type: 'string', valueHint: 'file', description: 'Configuration file, for its endpoints' },
    json: { type: 'boolean', description: 'One JSON object in the last line' },
  },
  examples: [
    'pml bench retrieval --set sets/mine',
    'pml bench retrieval --set sets/mine --embedder none --json',
    'pml bench plan --set sets/mine --train sets/mine --seeds 42-46',
    'pml bench next --set sets/mine --seeds 42-46',
    'pml bench speculate --set sets/mine --preset eager',
    'pml bench risk --set sets/mine',
  ],
  notes: `
THE SET

  tools.jsonl     {"id": "t1", "server": "files", "name": "read_file", "description": "...", "inputSchema": {...}}
  queries.jsonl   {"id": "q1", "query": "show me notes.txt", "gold": ["t1"]}
  dags.jsonl      {"id": "d1", "query": "...", "nodes": [{"nid": "a", "tool": "t1"}, {"nid": "b", "tool": "t2"}],
                   "edges": [["a", "b"]], "edge_fields": [["a", "b", "path", "file"]]}
                  "edges_by_tool": [["t1", "t2"]] or "levels": [["a"], ["b"]] instead of edges; "split": "test"
  seqs.jsonl      {"id": "s1", "query": "...", "steps": ["t1", "t2"], "group": "task 1"}
  calls.jsonl     {"id": "s1", "query": "...", "group": "task 1",
                   "calls": [{"turn": 0, "tool": "t1", "arguments": {"path": "a"}, "result": "..."}]}
  risk.jsonl      {"name": "delete_file", "description": "...", "readOnly": false, "destructive": true}

  plan gives the tools of each row in an order that says nothing, and compares the links that are found with the row's.
  The data directory is not opened.`,
  async run({ args, io }) {
    const measure = questions.get(args.question)
    if (measure === undefined)
      throw new UsageError(
        `No bench "${args.question}".`,
        `What can be measured: ${[...questions.keys()].join(', ')}`,
      )
    if (!args.set) throw new UsageError('--set: expected the folder of a set.', 'See: pml bench --help')
    const planOnly = args.train ? '--train' : args['from-intent'] ? '--from-intent' : undefined
    if (planOnly !== undefined && args.question !== 'plan')
      throw new UsageError(`${planOnly}: only plan takes it.`)
    const speculateOnly = args.preset ? '--preset' : args['hide-request'] ? '--hide-request' : undefined
    if (speculateOnly !== undefined && args.question !== 'speculate')
      throw new UsageError(`${speculateOnly}: only speculate takes it.`)
    const { report, text, predictions } = await measure({
      set: resolve(io.cwd, args.set),
      train: args.train ? resolve(io.cwd, args.train) : undefined,
      fromIntent: args['from-intent'] === true,
      preset: readPreset(args.preset ?? 'careful'),
      hideRequest: args['hide-request'] === true,
      seeds: readSeeds(args),
      openEmbedder: () => openChosen(args.embedder, args.config, io),
    })
    if (args.predictions) await writePredictions(args.predictions, predictions, io)
    printLine(io, args.json ? JSON.stringify(report) : text)
    return 0
  },
})

interface Choices {
  readonly set: string
  readonly train: string | undefined
  readonly fromIntent: boolean
  readonly preset: SpeculationPreset
  readonly hideRequest: boolean
  readonly seeds: readonly number[]
  /** A bench closes the one it was given. */
  openEmbedder(): Promise<Embedder | undefined>
}

interface Measured {
  readonly report: object
  readonly text: string
  readonly predictions: readonly object[]
}

const questions: ReadonlyMap<string, (choices: Choices) => Promise<Measured>> = new Map([
  ['retrieval', measureRetrieval],
  ['plan', measurePlan],
  ['next', measureNext],
  ['speculate', measureSpeculate],
  ['risk', measureRisk],
])

async function measureRetrieval({ set, openEmbedder }: Choices): Promise<Measured> {
  const embedder = await openEmbedder()
  const predictions: Prediction[] = []
  const figures = await benchRetrieval({
    set,
    embedder,
    onPrediction: (prediction) => void predictions.push(prediction),
  })
  const report = { bench: 'retrieval', embedder: embedder?.id ?? 'none', ...figures }
  return { report, text: describe(report), predictions }
}

async function measurePlan({ set, train, fromIntent, seeds, openEmbedder }: Choices): Promise<Measured> {
  const reports: PlanReport[] = []
  const predictions: PlanPrediction[] = []
  let name = 'none'
  for (const [at, seed] of seeds.entries()) {
    const embedder = await openEmbedder()
    name = embedder?.id ?? name
    const onPrediction = (prediction: PlanPrediction) => {
      if (at === 0) predictions.push(prediction)
    }
    reports.push(await benchPlan({ set, train, fromIntent, seed, embedder, openPlanner, onPrediction }))
  }
  const figures = reports.length === 1 ? reports[0]! : meanOfSeeds(reports)
  const report = { bench: 'plan', embedder: name, seeds, from_intent: fromIntent, ...figures }
  return { report, text: describePlan(report), predictions }
}

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

async function writePredictions(file: string, predictions: readonly object[], io: Io): Promise<void> {
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
