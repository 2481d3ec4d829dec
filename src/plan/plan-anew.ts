/** Tools that cover an intent, what they need first, what feeds what, and every argument: one plan with where all of it comes from. */
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { Experience } from '../model/experience.js'
import type { IntentPlan, Plan, PlanEdge, TaskRequest, ToolChoice } from '../model/plan.js'
import { collectReferences } from '../model/reference.js'
import type { Tool, ToolId } from '../model/tool.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { addPrerequisites } from './add-prerequisites.js'
import { type Choice, chooseTools } from './choose-tools.js'
import { edgesOfReferences } from './edges-of-references.js'
import { type OpenTask, type ResolvedTask, resolveArguments } from './fill/resolve-arguments.js'
import type { ToolSearch } from './find/create-tool-search.js'
import type { PlanIntentOptions } from './intent-planner.js'
import { layerPlan } from './layer-plan.js'
import { layerTasks } from './layer-tasks.js'
import { nameTasks } from './name-tasks.js'
import { orderWrites } from './order-writes.js'
import type { PickedTool } from './picked-tool.js'
import { planTasks } from './plan-tasks.js'
import { rateConfidence } from './rate-confidence.js'
import type { LiteralKind } from './read/find-literals.js'
import type { Intent } from './read/read-intent.js'
import { pointers } from './wire/fit-fields.js'
import type { Wired, Wiring } from './wire/wire-tools.js'

export interface PlanAnewDeps extends Done {
  readonly search: ToolSearch['search']
  tool(id: ToolId): Tool | undefined
  readonly graph: Pick<KnowledgeGraph, 'incoming'>
  readonly experience: Experience
  readonly wiring: Wiring
}

/** What has been done already. */
export interface Done {
  readonly done: readonly DoneTask[]
  /** Ids that no new task may have. */
  readonly taken: ReadonlySet<string>
  /** So many of the clauses, from the first on, have been served. */
  readonly served: number
}

/** A task of the run that others may be wired to. */
export interface DoneTask {
  readonly id: string
  readonly tool: Tool
  /** It was done for each of something: its result is a list. */
  readonly isList: boolean
  /** Ids of tasks that took its result: what comes now is rather about what they made of it. */
  readonly usedBy: readonly string[]
}

export async function planAnew(
  intent: Intent,
  options: PlanIntentOptions,
  deps: PlanAnewDeps,
): Promise<IntentPlan> {
  const choice = await chooseTools(intent, {
    search: deps.search,
    tool: deps.tool,
    tokenBudget: options.tokenBudget,
    from: deps.served,
    done: new Set(deps.done.map((task) => task.tool.id)),
  })
  const notes = noteChoice(choice, intent)
  if (choice.chosen.length === 0) return planNothing(intent, choice.unserved, notes)
  const picks = [...deps.done.map((task, at) => pickDone(task, at, deps)), ...pickChosen(choice, intent)]
  const { picks: all, wired } = await addPrerequisites(picks, intent, {
    ...deps,
    given: options.given,
    ruledOut: choice.ruledOut,
    tokensLeft: options.tokenBudget - choice.tokens,
  })
  const ids = nameTasks(all, deps.taken)
  const needed = wired.edges.map((edge) => withLink(edge, all, wired)).map((edge) => nameEdge(edge, ids))
  const edges = [...needed, ...orderWrites(all, ids, needed)]
  const { tasks, origins, missing, unused } = resolveArguments({
    tasks: openTasks(all, ids, edges, { wired, intent, done: deps.done }),
    edges,
    given: options.given,
    experience: deps.experience,
  })
  const plan = toPlan(tasks, edges, all, ids, intent)
  const allEdges = [...edges, ...edgesOfReferences(plan, edges, origins)]
  const tools = all.flatMap(({ tool, score, serves, by, done }, at): readonly ToolChoice[] =>
    done === undefined ? [{ task: ids[at]!, tool: tool.id, score, serves, by }] : [],
  )
  const { contradictions } = choice
  const unserved = [...choice.unserved, ...(intent.isCut ? [beyond] : [])]
  const idle = idleValues(intent, wired, deps.served)
  const repeated = repeatedWrites(plan, all, ids)
  return {
    intent: intent.text,
    plan,
    layers: layerPlan(plan),
    tools,
    edges: allEdges,
    dropped: wired.dropped.map((edge) => nameEdge(edge, ids)),
    arguments: origins,
    missing,
    confidence: rateConfidence({
      tools,
      edges,
      arguments: origins,
      missing,
      unserved: unserved.length + idle.length / 2,
      contradictions: contradictions.length + repeated.length,
    }),
    unserved,
    notes: [
      ...notes,
      ...unused.map((name) => `Nothing takes the argument ${JSON.stringify(name)}.`),
      ...idle.map((text) => `Nothing takes ${JSON.stringify(text)} of the request.`),
      ...repeated.map((id) => `${id} would be called for each with the same ${repeatedNames(plan, id)}.`),
    ],
    pastRuns: wired.pastRuns,
  }
}

const beyond = 'what comes after the part of the request that was read: say it in a request of its own'

/** Values that are meant for somebody: a path, an address, a quoted text. A date or a number may only tell something. */
const addressed: ReadonlySet<LiteralKind> = new Set(['path', 'url', 'email', 'quoted'])
const mostIdle = 5

function idleValues({ clauses }: Intent, { literals }: Wired, served: number): readonly string[] {
  const taken = new Set(literals.flatMap((one) => one.literals.map(({ start }) => start)))
  return clauses
    .slice(served)
    .flatMap((clause) =>
      clause.literals.filter(({ kind, start }) => addressed.has(kind) && !taken.has(start)),
    )
    .map(({ text }) => text)
    .slice(0, mostIdle)
}

/** Tasks done for each that may write, and always at the same place: what is written last would be all that stays. */
function repeatedWrites(plan: Plan, picks: readonly PickedTool[], ids: readonly string[]): readonly string[] {
  return plan.tasks
    .filter(
      ({ id, each }) =>
        each !== undefined && repeatedNames(plan, id) !== '' && isWriting(picks[ids.indexOf(id)]),
    )
    .map(({ id }) => id)
}

function isWriting(pick: PickedTool | undefined): boolean {
  return pick?.tool.definition.annotations?.readOnlyHint === false
}

function repeatedNames({ tasks }: Plan, id: string): string {
  const args = Object.entries(tasks.find((task) => task.id === id)?.arguments ?? {})
  return args
    .flatMap(([name, value]) => (typeof value === 'string' && pointsAtOne(name) ? [name] : []))
    .join(' and ')
}

function pointsAtOne(name: string): boolean {
  return splitWords(name).some((word) => pointers.has(stem(word)))
}

function noteChoice({ chosen, contradictions, cut }: Choice, intent: Intent): readonly string[] {
  return [
    ...(intent.text.trim() === '' ? ['The request is empty.'] : []),
    ...chosen.flatMap(({ tool, runnersUp }) =>
      runnersUp.length === 0
        ? []
        : [`Instead of ${tool.id} it could be ${runnersUp.map((hit) => hit.tool.id).join(' or ')}.`],
    ),
    ...intent.clauses
      .filter(({ hasAlternative, isWish }) => hasAlternative && isWish)
      .map((clause) => `"${clause.text.trim()}" offers a choice; the first was planned.`),
    ...contradictions.map(({ id }) => `${id} is asked for and ruled out in one request.`),
    ...cut.map(
      ({ id }) =>
        `${id} was left out: with it the tools of this plan would be too many, or take too many tokens.`,
    ),
  ]
}

/** The tasks of a run are spoken of in its intent, which comes first, about in their order. */
function pickDone({ id, tool, usedBy }: DoneTask, at: number, { done, served }: Done): PickedTool {
  const to = done.findIndex((other) => usedBy.includes(other.id))
  return {
    tool,
    score: 1,
    clause: Math.max(0, Math.min(at, served - 1)),
    serves: 'done before',
    by: 'given',
    done: id,
    ...(to >= 0 && { feeds: { to, input: '', each: false } }),
  }
}

function pickChosen({ chosen }: Choice, intent: Intent): readonly PickedTool[] {
  return chosen.map(({ tool, score, clause }) => ({
    tool,
    score,
    clause,
    serves: intent.clauses[clause]!.text.trim(),
    by: 'intent',
  }))
}

/** An edge to what a tool was added for feeds that very input, by the field that fits best, or by the whole result. */
function withLink(edge: PlanEdge, picks: readonly PickedTool[], { shapes }: Wired): PlanEdge {
  const from = Number(edge.from)
  const feeds = picks[from]!.feeds
  if (feeds?.to !== Number(edge.to) || edge.fields.some(({ input }) => input === feeds.input)) return edge
  const outputs = shapes[from]!.outputs.filter(({ isContainer }) => !isContainer)
  const output = outputs.find(({ types }) => types.has('string')) ?? outputs[0]
  return { ...edge, fields: [...edge.fields, { output: output?.path ?? '', input: feeds.input, score: 0.5 }] }
}

function nameEdge(edge: PlanEdge, ids: readonly string[]): PlanEdge {
  return { ...edge, from: ids[Number(edge.from)]!, to: ids[Number(edge.to)]! }
}

function openTasks(
  picks: readonly PickedTool[],
  ids: readonly string[],
  edges: readonly PlanEdge[],
  {
    wired,
    intent,
    done,
  }: { readonly wired: Wired; readonly intent: Intent; readonly done: readonly DoneTask[] },
): readonly OpenTask[] {
  return layerTasks(ids, edges)
    .flat()
    .map((id) => {
      const at = ids.indexOf(id)
      const pick = picks[at]!
      return {
        id,
        shape: wired.shapes[at]!,
        clause: intent.clauses[pick.clause]!,
        literals: wired.literals.filter(({ tool }) => tool === at),
        givesEach: pick.feeds?.each ?? false,
        isDone: pick.done !== undefined,
        isList: done.some((task) => task.id === pick.done && task.isList),
      }
    })
}

/** The tasks, and what is done as far as they refer to it: whether its tool may still be called is no matter. */
function toPlan(
  tasks: readonly ResolvedTask[],
  edges: readonly PlanEdge[],
  picks: readonly PickedTool[],
  ids: readonly string[],
  intent: Intent,
): Plan {
  const tools = new Map<string, Tool>(picks.map(({ tool: { changed: _, ...tool } }) => [tool.id, tool]))
  const standing = picks.flatMap(({ tool, done }): readonly TaskRequest[] =>
    done === undefined ? [] : [{ id: done, tool: tool.id }],
  )
  const requests = tasks.map(({ id, arguments: args }): TaskRequest => {
    const referenced = new Set(collectReferences(args).map(({ task }) => task))
    const before = edges.filter(({ to, from }) => to === id && !referenced.has(from)).map(({ from }) => from)
    const tool = picks[ids.indexOf(id)]!.tool.id
    return { id, tool, arguments: args, ...(before.length > 0 && { dependsOn: before }) }
  })
  return planTasks([...standing, ...requests], { resolve: (id) => tools.get(id)!, intent: intent.text })
}

function planNothing(intent: Intent, unserved: readonly string[], notes: readonly string[]): IntentPlan {
  const text = intent.text.trim()
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
    unserved: unserved.length > 0 || text === '' ? unserved : [text],
    notes,
    pastRuns: [],
  }
}
