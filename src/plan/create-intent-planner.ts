/** The planner of intent-planner.ts: tools that cover the intent, what they need first, what feeds what, every argument. */
import type { Embedder } from '../embed/embedder.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { Experience } from '../model/experience.js'
import type { ArgumentOrigin, IntentPlan, Plan, PlanEdge, TaskRequest, ToolChoice } from '../model/plan.js'
import { collectReferences } from '../model/reference.js'
import type { Tool, ToolId } from '../model/tool.js'
import { chooseTools } from './choose-tools.js'
import type { ToolSearch } from './create-tool-search.js'
import { canBeLookedUp, findPrerequisite } from './find-prerequisites.js'
import type { IntentPlanner, PlanIntentOptions } from './intent-planner.js'
import { layerTasks } from './layer-tasks.js'
import { planTasks } from './plan-tasks.js'
import { rateConfidence } from './rate-confidence.js'
import { type Clause, type Intent, readIntent } from './read-intent.js'
import { type DoneTask, replanRun } from './replan-run.js'
import { type OpenTask, resolveArguments } from './resolve-arguments.js'
import { type Reused, reusePastRun } from './reuse-past-run.js'
import { createWiring, type Wired, type Wiring } from './wire-tools.js'

export interface IntentPlannerDeps {
  readonly search: ToolSearch['search']
  /** A tool that can be called now. */
  tool(id: ToolId): Tool | undefined
  readonly graph: Pick<KnowledgeGraph, 'edge' | 'incoming' | 'outgoing'>
  /** A cheap one: it is asked for every field. */
  readonly embedder: Embedder
  readonly experience: Experience
}

/** One tool may need another, and that a third; further than that nobody meant it. */
const mostPrerequisites = 3

export function createIntentPlanner(deps: IntentPlannerDeps): IntentPlanner {
  const wiring = createWiring(deps)
  const planner: IntentPlanner = {
    async plan(text, options) {
      const intent = readIntent(text)
      const reused = reusePastRun(text, deps.experience)
      const again = reused === undefined ? undefined : planAgain(reused, intent, options, deps)
      return again ?? planAnew(intent, options, { ...deps, wiring, done: [], from: 0 })
    },
    replan: (run, requirement, options) =>
      replanRun(run, requirement, {
        tool: deps.tool,
        grow: (text, done, from) => planAnew(readIntent(text), options, { ...deps, wiring, done, from }),
      }),
  }
  return planner
}

/** What planning anew goes by: the rooms, and what is done already. */
interface Planning extends IntentPlannerDeps {
  readonly wiring: Wiring
  readonly done: readonly DoneTask[]
  /** Where in the text the wishes begin that are still to be served; what is before has been. */
  readonly from: number
}

async function planAnew(intent: Intent, options: PlanIntentOptions, deps: Planning): Promise<IntentPlan> {
  const asked = intent.clauses.findIndex(({ start }) => start >= deps.from)
  const choice = await chooseTools(intent, {
    search: deps.search,
    tokenBudget: options.tokenBudget,
    from: asked < 0 ? intent.clauses.length : asked,
  })
  const done = deps.done.map((task, at): Picked => ({
    tool: task.tool,
    score: 1,
    clause: Math.max(0, Math.min(at, asked - 1)),
    serves: 'done before',
    by: 'given',
    done: task.id,
  }))
  const picks = choice.chosen.map(({ tool, score, clause }): Picked => ({
    tool,
    score,
    clause,
    serves: intent.clauses[clause]!.text.trim(),
    by: 'intent',
  }))
  const notes = [
    ...choice.chosen.flatMap(({ tool, runnersUp }) =>
      runnersUp.length === 0 ? [] : [`Instead of ${tool.id} it could be ${runnersUp.map((hit) => hit.tool.id).join(' or ')}.`],
    ),
    ...intent.clauses
      .filter(({ hasAlternative, isWish }) => hasAlternative && isWish)
      .map((clause) => `"${clause.text.trim()}" offers a choice; the first was planned.`),
    ...choice.contradictions.map(({ id }) => `${id} is asked for and ruled out in one request.`),
  ]
  if (picks.length === 0) return nothing(intent, [...choice.unserved], notes)
  const { picks: all, wired } = await addPrerequisites([...done, ...picks], intent, options, deps)
  const ids = nameTasks(all)
  const isNew = (id: string): boolean => all[ids.indexOf(id)]!.done === undefined
  const edges = wired.edges.map((edge) => nameEdge(edge, ids)).filter(({ to }) => isNew(to))
  const links = all.flatMap((pick, at) => (pick.feeds === undefined ? [] : [{ ...pick.feeds, from: at }]))
  const fed = edges.map((edge) => withLink(edge, links, ids, wired))
  const order = layerTasks(ids, fed).flat()
  const open: OpenTask[] = order.map((id) => {
    const at = ids.indexOf(id)
    return {
      id,
      shape: wired.shapes[at]!,
      clause: clauseOf(all[at]!, intent),
      literals: wired.literals.filter(({ tool }) => tool === at),
      givesEach: all[at]!.feeds?.each ?? false,
      isDone: all[at]!.done !== undefined,
      isList: deps.done.some((task) => task.id === id && task.isList),
    }
  })
  const { tasks, origins, missing, unused } = resolveArguments({
    tasks: open,
    edges: fed,
    given: options.given,
    experience: deps.experience,
  })
  const requests = tasks.map((task): TaskRequest => {
    const referenced = new Set(collectReferences(task.arguments).map((one) => one.task))
    const before = fed.filter(({ to, from }) => to === task.id && !referenced.has(from)).map(({ from }) => from)
    return {
      id: task.id,
      tool: all[ids.indexOf(task.id)]!.tool.id,
      arguments: task.arguments,
      ...(before.length > 0 && { dependsOn: before }),
    }
  })
  const standing = deps.done.map(({ id, tool }): TaskRequest => ({ id, tool: tool.id }))
  const plan = toPlan([...standing, ...requests], intent, deps)
  const tools = all.map(({ tool, score, serves, by }, at): ToolChoice => ({ task: ids[at]!, tool: tool.id, score, serves, by }))
  const chosen = tools.filter(({ task }) => isNew(task))
  return {
    intent: intent.text,
    plan,
    layers: layersOf(plan),
    tools: chosen,
    edges: fed,
    dropped: wired.dropped.map((edge) => nameEdge(edge, ids)),
    arguments: origins,
    missing,
    confidence: rateConfidence({
      tools: chosen,
      edges: fed,
      arguments: origins,
      missing,
      unserved: choice.unserved.length,
      contradictions: choice.contradictions.length,
    }),
    unserved: choice.unserved,
    notes: [...notes, ...unused.map((name) => `Nothing takes the argument ${JSON.stringify(name)}.`)],
    pastRuns: wired.pastRuns,
  }
}

interface Picked {
  readonly tool: Tool
  readonly score: number
  readonly clause: number
  readonly serves: string
  readonly by: ToolChoice['by']
  /** The id of a task that has been done: it is wired to, and not planned. */
  readonly done?: string
  /** Of a prerequisite: whose input it gives, by place; `each`: the one is done for each that the other gives. */
  readonly feeds?: { readonly to: number; readonly input: string; readonly each: boolean }
}

/** Looks for what the chosen tools need and nobody gives, until nothing is missing that could be had. */
async function addPrerequisites(
  chosen: readonly Picked[],
  intent: Intent,
  { given }: PlanIntentOptions,
  deps: Planning,
): Promise<{ readonly picks: readonly Picked[]; readonly wired: Wired }> {
  let picks = chosen
  const tried = new Set<string>()
  for (let added = 0; ; ) {
    const wired = await deps.wiring.wire(
      intent.text,
      picks.map(({ tool }) => tool),
      {
        clauses: picks.map(({ clause }) => clause),
        links: picks.flatMap(({ feeds }, from) => (feeds === undefined ? [] : [{ from, to: feeds.to }])),
      },
    )
    const need = added < mostPrerequisites ? firstNeed(wired, picks, intent, given, deps, tried) : undefined
    if (need === undefined) return { picks, wired }
    tried.add(`${need.to} ${need.input.path}`)
    const clause = clauseOf(picks[need.to]!, intent)
    const found = await findPrerequisite(
      { shape: wired.shapes[need.to]!, input: need.input, clause },
      { ...deps, shapes: deps.wiring.shapes, outputSchema: (tool) => deps.experience.outputSchema(tool.id) },
    )
    if (found === undefined || picks.some(({ tool }) => tool.id === found.tool.id)) continue
    const each = clause.forEach && !need.input.types.has('array')
    picks = [
      ...picks,
      {
        tool: found.tool,
        score: found.score,
        clause: picks[need.to]!.clause,
        serves: found.why,
        by: 'prerequisite',
        feeds: { to: need.to, input: need.input.path, each },
      },
    ]
    added++
  }
}

function firstNeed(
  wired: Wired,
  picks: readonly Picked[],
  intent: Intent,
  given: PlanIntentOptions['given'],
  deps: IntentPlannerDeps,
  tried: ReadonlySet<string>,
) {
  for (const [to, shape] of wired.shapes.entries()) {
    // What was added itself needs nothing more, or it would not have been.
    if (picks[to]!.by === 'prerequisite' || picks[to]!.done !== undefined) continue
    const fed = new Set(wired.edges.filter((edge) => edge.to === String(to)).flatMap(({ fields }) => fields.map(({ input }) => input)))
    const filled = new Set(wired.literals.filter(({ tool }) => tool === to).map(({ field }) => field.path))
    const habits = new Set(deps.experience.habits(picks[to]!.tool.id).map(({ argument }) => argument))
    const feeding = new Set(picks.flatMap(({ feeds }) => (feeds?.to === to ? [feeds.input] : [])))
    for (const input of shape.inputs) {
      if (!input.isRequired || input.isContainer || input.default !== undefined || input.lists > 0) continue
      if (!canBeLookedUp(input)) continue
      if (fed.has(input.path) || filled.has(input.path) || feeding.has(input.path)) continue
      if (Object.hasOwn(given, input.name) || Object.hasOwn(given, input.path)) continue
      if (habits.has(input.path) && !clauseOf(picks[to]!, intent).forEach) continue
      if (!tried.has(`${to} ${input.path}`)) return { to, input }
    }
  }
  return undefined
}

function clauseOf({ clause }: Picked, intent: Intent): Clause {
  return intent.clauses[clause]!
}

/** An edge to what a tool was added for feeds that very input, by the field that fits best, or by the whole result. */
function withLink(
  edge: PlanEdge,
  links: readonly { readonly from: number; readonly to: number; readonly input: string }[],
  ids: readonly string[],
  wired: Wired,
): PlanEdge {
  const link = links.find(({ from, to }) => ids[from] === edge.from && ids[to] === edge.to)
  if (link === undefined || edge.fields.some(({ input }) => input === link.input)) return edge
  const outputs = wired.shapes[link.from]!.outputs.filter(({ isContainer }) => !isContainer)
  const output = outputs.find(({ types }) => types.has('string')) ?? outputs[0]
  return { ...edge, fields: [...edge.fields, { output: output?.path ?? '', input: link.input, score: 0.5 }] }
}

function nameEdge(edge: PlanEdge, ids: readonly string[]): PlanEdge {
  return { ...edge, from: ids[Number(edge.from)]!, to: ids[Number(edge.to)]! }
}

/** After the tool, so that a reader knows them; a second one of a tool is `name_2`. What is done keeps its name. */
function nameTasks(picks: readonly Picked[]): readonly string[] {
  const taken = new Set(picks.flatMap(({ done }) => done ?? []))
  return picks.map(({ tool, done }) => {
    if (done !== undefined) return done
    const plain = tool.name.replace(/[^\p{L}\p{N}_-]+/gu, '_').slice(0, 60) || 'task'
    let id = plain
    for (let count = 2; taken.has(id); count++) id = `${plain}_${count}`
    taken.add(id)
    return id
  })
}

function toPlan(requests: readonly TaskRequest[], intent: Intent, deps: IntentPlannerDeps): Plan {
  return planTasks(requests, { resolve: (id) => deps.tool(id as ToolId)!, intent: intent.text })
}

function layersOf(plan: Plan): readonly (readonly string[])[] {
  return layerTasks(
    plan.tasks.map(({ id }) => id),
    plan.tasks.flatMap(({ id, dependsOn }) => dependsOn.map((from) => ({ from, to: id }))),
  )
}

/** The same procedure as before, where all of its tools are still there. */
function planAgain(
  { run, tasks, similarity, times, rebound }: Reused,
  intent: Intent,
  { given }: PlanIntentOptions,
  deps: IntentPlannerDeps,
): IntentPlan | undefined {
  const tools = tasks.map(({ tool }) => deps.tool(tool))
  if (tasks.length === 0 || tools.some((tool) => tool === undefined || tool.changed !== undefined)) return undefined
  // Values that the caller gives may mean another plan, or another argument than the one that was learned.
  if (Object.keys(given).length > 0) return undefined
  const requests = tasks.map(({ id, tool, arguments: args, dependsOn }) => ({ id, tool, arguments: args, dependsOn }))
  const plan = toPlan(requests, intent, deps)
  const score = Math.min(0.97, (times + 8) / (times + 9)) * similarity
  const origins = plan.tasks.flatMap((task) => originsOf(task.id, task.arguments, '', { rebound, run: run.id, score }))
  return {
    intent: intent.text,
    plan,
    layers: layersOf(plan),
    tools: plan.tasks.map(({ id, tool }) => ({ task: id, tool, score, serves: intent.text, by: 'past run' })),
    edges: plan.tasks.flatMap(({ id, dependsOn }) =>
      dependsOn.map((from): PlanEdge => ({ from, to: id, probability: score, parts: { learned: Math.log(score / (1 - score)) }, fields: [], why: `as in run ${run.id}` })),
    ),
    dropped: [],
    arguments: origins,
    missing: [],
    confidence: score,
    unserved: [],
    notes: [`The same intent went well ${times === 1 ? 'once' : `${times} times`}; this is what was done then.`],
    pastRuns: [run.id],
  }
}

function originsOf(
  task: string,
  value: unknown,
  path: string,
  from: { readonly rebound: Reused['rebound']; readonly run: string; readonly score: number },
): readonly ArgumentOrigin[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => originsOf(task, item, `${path}[${at}]`, from))
  if (value !== null && typeof value === 'object' && !('$from' in value))
    return Object.entries(value).flatMap(([key, item]) => originsOf(task, item, path === '' ? key : `${path}.${key}`, from))
  const fresh = from.rebound.find((one) => one.task === task && one.argument === path)
  if (fresh !== undefined)
    return [{ task, argument: path, source: 'literal', confidence: from.score, why: `${JSON.stringify(fresh.text)} in the request` }]
  const isWired = value !== null && typeof value === 'object'
  return [
    {
      task,
      argument: path,
      source: isWired ? 'wired' : 'learned',
      confidence: from.score,
      why: `as in run ${from.run}`,
    },
  ]
}

function nothing(intent: Intent, unserved: readonly string[], notes: readonly string[]): IntentPlan {
  return {
    intent: intent.text,
    plan: { intent: intent.text, tasks: [] },
    layers: [],
    tools: [],
    edges: [],
    dropped: [],
    arguments: [],
    missing: [],
    confidence: 0,
    unserved: unserved.length > 0 ? unserved : [intent.text.trim()],
    notes,
    pastRuns: [],
  }
}
