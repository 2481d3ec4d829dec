/**
 * How well tools are linked into plans: the gold tools of each plan of a set are given, in an order that says nothing, and the
 * links found are compared with the plan's; or, from the intent, the tools are chosen among the set's whole catalogue too. Through
 * the very code the gateway plans with, after replaying plans as past runs where some are to be learned from. Never opens a data
 * directory.
 */
import { realpath } from 'node:fs/promises'
import type { Embedder } from '../embed/embedder.js'
import { UsageError } from '../errors.js'
import type { IntentPlan, PlanEdge } from '../model/plan.js'
import { seededRandom } from '../model/seeded-random.js'
import { formatToolId, type Tool } from '../model/tool.js'
import { shuffle } from './draw.js'
import { inputName, plainPath } from './field-names.js'
import { percentile } from './percentile.js'
import {
  type JudgedPlan,
  type LinkFigures,
  linkFigures,
  type PlanAnswer,
  type PlanFigures,
  planFigures,
} from './plan-figures.js'
import { type PlanFloor, planFloors } from './plan-floors.js'
import type { Planner, PlannerOptions } from './planner.js'
import { type Dag, distinctLinks, type FieldPair, type Pair, readDags } from './read-dags.js'
import { readToolSet, type ToolSet } from './read-set.js'
import { replayPlans } from './replay-plans.js'
import { type Split, splitDags } from './split-dags.js'
import { stagesOf } from './stages-of.js'

export interface PlanReport extends Omit<PlanFigures, 'node_f1'> {
  /** How well the tools were chosen; absent where they were given. */
  readonly node_f1?: number
  readonly p50_ms: number
  readonly p95_ms: number
  /** Plans that were replayed as runs before. */
  readonly learned_plans: number
  /** Samples that want no link: right where none is given, else wrong. */
  readonly without_links: number
  /** Tools of plans that the set's tools.jsonl does not hold; their samples are answered, and do not count. */
  readonly unknown_tools: readonly string[]
  readonly left_out: number
  /** With the gold tools given, on the same samples. */
  readonly floors: Readonly<Record<PlanFloor['name'], LinkFigures>>
}

export interface PlanPrediction {
  readonly id: string
  readonly edges: readonly Pair[]
  readonly fields: readonly FieldPair[]
  readonly stages: readonly (readonly string[])[]
}

export interface BenchPlanOptions {
  readonly set: string
  /** Plans to learn from first: the folder of a set, or of this very one, which is split then. Undefined: nothing is learned. */
  readonly train: string | undefined
  /** Gold tools are hidden as well. */
  readonly fromIntent: boolean
  readonly seed: number
  /** Undefined: words alone. */
  readonly embedder: Embedder | undefined
  openPlanner(options: PlannerOptions): Promise<Planner>
  onPrediction(prediction: PlanPrediction): void
}

export async function benchPlan(options: BenchPlanOptions): Promise<PlanReport> {
  const { set: directory, seed, embedder, openPlanner } = options
  const set = await readToolSet(directory)
  const { learned, asked } = await readPlans(options, set)
  const samples = asked.filter(({ tools }) => tools.length > 1)
  const isKnown = ({ tools }: Dag) => tools.every((id) => set.toolOf(id) !== undefined)
  if (!samples.some(isKnown))
    throw new UsageError(
      `No plan in ${directory} can be asked for.`,
      'dags.jsonl needs rows with two different tools of tools.jsonl, some of them not learned from.',
    )
  const toolOf = createLookup(set)
  // A model that does not answer is told at once.
  await embedder?.embed(['a tool'], 'tool', new AbortController().signal)
  const planner = await openPlanner({ tools: set.tools, embedder })
  try {
    for (const traces of learned) planner.learn(traces)
    const judged: JudgedPlan[] = []
    const times: number[] = []
    for (const sample of samples) {
      const ids = shuffle(sample.tools, seed, sample.id)
      const from = performance.now()
      const answer = options.fromIntent
        ? answerOfPlan(await planner.plan(sample.query), set)
        : answerOfWiring(await planner.wire(sample.query, ids.map(toolOf)), ids)
      const ms = performance.now() - from
      options.onPrediction(predictionOf(sample.id, answer))
      if (!isKnown(sample)) continue
      times.push(ms)
      judged.push({ wanted: sample, given: answer })
    }
    const { node_f1, ...figures } = planFigures(judged, { random: seededRandom(seed) })
    const counted = samples.filter(isKnown)
    return {
      ...figures,
      ...(options.fromIntent && { node_f1 }),
      p50_ms: percentile(times, 0.5),
      p95_ms: percentile(times, 0.95),
      learned_plans: learned.length,
      without_links: counted.filter(({ edges }) => edges.length === 0).length,
      unknown_tools: unknownTools(samples, set),
      left_out: samples.length - counted.length,
      floors: floorsOf(counted, toolOf),
    }
  } finally {
    await planner.close()
  }
}

async function readPlans({ set: directory, train, seed }: BenchPlanOptions, set: ToolSet) {
  const dags = await readDags(directory)
  const replay = (learned: Split['learned'], { toolOf }: ToolSet) =>
    replayPlans(learned, { toolOf, now: Date.now() })
  if (train === undefined) return { asked: dags, learned: [] }
  if (await isSameFolder(train, directory)) {
    const { asked, learned } = splitDags(dags, seed)
    return { asked, learned: replay(learned, set) }
  }
  return { asked: dags, learned: replay(await readDags(train), await readToolSet(train)) }
}

async function isSameFolder(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([a, b].map((path) => realpath(path).catch(() => path)))
  return first === second
}

/** A tool that the set does not hold has a name and nothing else. */
function createLookup(set: ToolSet): (id: string) => Tool {
  const byId = new Map(set.tools.map((tool) => [set.idOf(tool.id), tool]))
  return (id) =>
    byId.get(id) ?? {
      id: formatToolId('unknown', id),
      server: 'unknown',
      name: id,
      definition: { name: id, description: '', inputSchema: { type: 'object' } },
      hash: '',
      listed: true,
      flags: [],
    }
}

function answerOfWiring(
  { edges }: { readonly edges: readonly PlanEdge[] },
  ids: readonly string[],
): PlanAnswer {
  return toAnswer(ids, edges, (place) => ids[Number(place)])
}

function answerOfPlan({ plan, edges }: IntentPlan, set: ToolSet): PlanAnswer {
  const toolOfTask = new Map(plan.tasks.map(({ id, tool }) => [id, set.idOf(tool)]))
  return toAnswer([...new Set(toolOfTask.values())], edges, (task) => toolOfTask.get(task))
}

function toAnswer(
  tools: readonly string[],
  edges: readonly PlanEdge[],
  toolOf: (end: string) => string | undefined,
): PlanAnswer {
  const named = edges.map(({ from, to, fields }) => {
    const [first, then] = [toolOf(from), toolOf(to)]
    if (first === undefined || then === undefined)
      throw new Error(`The planner linked ${from} to ${to}, and one of them is not in its plan.`)
    return { link: [first, then] as const, fields }
  })
  const links = distinctLinks(named.map(({ link }) => link))
  return {
    tools,
    edges: links,
    fields: distinctLinks(
      named.flatMap(({ link: [from, to], fields }) =>
        fields.map(({ output, input }): FieldPair => [from, to, plainPath(output), inputName(input)]),
      ),
    ),
    stages: stagesOf(tools, links),
  }
}

function predictionOf(id: string, { edges, fields, stages }: PlanAnswer): PlanPrediction {
  return { id, edges, fields, stages }
}

function unknownTools(samples: readonly Dag[], set: ToolSet): readonly string[] {
  const named = new Set(samples.flatMap(({ tools }) => tools))
  return [...named].filter((id) => set.toolOf(id) === undefined).sort()
}

function floorsOf(samples: readonly Dag[], toolOf: (id: string) => Tool): PlanReport['floors'] {
  const figures = planFloors.map(({ name, links }) => {
    const judged = samples.map((wanted) => {
      const edges = links(wanted.query, wanted.tools.map(toolOf)).map(
        ([from, to]): Pair => [wanted.tools[from]!, wanted.tools[to]!],
      )
      return { wanted, given: { tools: wanted.tools, edges } }
    })
    return [name, linkFigures(judged)] as const
  })
  return Object.fromEntries(figures) as unknown as PlanReport['floors']
}
