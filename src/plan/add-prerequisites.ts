import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { Experience } from '../model/experience.js'
import type { JsonObject } from '../model/json.js'
import type { Tool, ToolId } from '../model/tool.js'
import { tokensOf } from './choose-tools.js'
import { givenName } from './fill/given-name.js'
import type { ToolSearch } from './find/create-tool-search.js'
import { canBeLookedUp, findPrerequisite, type Prerequisite } from './find-prerequisites.js'
import { nameTasks } from './name-tasks.js'
import type { PickedTool } from './picked-tool.js'
import type { Intent } from './read/read-intent.js'
import { repeatForValues } from './repeat-for-values.js'
import type { ShapedField } from './wire/describe-tool.js'
import type { Wired, Wiring } from './wire/wire-tools.js'

export interface AddPrerequisitesDeps {
  readonly search: ToolSearch['search']
  tool(id: ToolId): Tool | undefined
  readonly graph: Pick<KnowledgeGraph, 'incoming'>
  readonly experience: Experience
  readonly wiring: Wiring
  readonly given: JsonObject
  readonly taken: ReadonlySet<string>
  /** Tools that the request does not want. */
  readonly ruledOut: ReadonlySet<ToolId>
  /** What the definitions of those that are added may take. */
  readonly tokensLeft: number
}

export interface WiredPicks {
  readonly picks: readonly PickedTool[]
  readonly wired: Wired
}

/** One tool may need another, and that a third; further than that nobody meant it. */
const mostPrerequisites = 3

/** Looks for what the chosen tools need and nobody gives, until nothing is missing that could be had. */
export async function addPrerequisites(
  chosen: readonly PickedTool[],
  intent: Intent,
  deps: AddPrerequisitesDeps,
): Promise<WiredPicks> {
  let picks = chosen
  let { tokensLeft } = deps
  const tried = new Set<string>()
  for (let added = 0; ; ) {
    const wired = await wirePicks(picks, intent, deps)
    const repeated = repeatForValues(picks, intent, wired)
    if (repeated !== undefined) {
      picks = repeated
      continue
    }
    const need = added < mostPrerequisites ? firstNeed(wired, picks, intent, deps, tried) : undefined
    if (need === undefined) return { picks, wired }
    tried.add(keyOf(need))
    const clause = intent.clauses[picks[need.to]!.clause]!
    const found = await findPrerequisite(
      { shape: wired.shapes[need.to]!, input: need.input, clause },
      { ...deps, shapes: deps.wiring.shapes, outputSchema: (tool) => deps.experience.outputSchema(tool.id) },
    )
    if (found === undefined || picks.some(({ tool }) => tool.id === found.tool.id)) continue
    tokensLeft -= tokensOf(found.tool)
    if (tokensLeft < 0) return { picks, wired }
    picks = [...picks, pickFor(need, found, picks[need.to]!, clause.forEach)]
    added++
  }
}

function wirePicks(
  picks: readonly PickedTool[],
  intent: Intent,
  { wiring, given, taken }: AddPrerequisitesDeps,
): Promise<Wired> {
  const ids = nameTasks(picks, taken)
  return wiring.wire(
    intent.text,
    picks.map(({ tool }) => tool),
    {
      intent,
      clauses: picks.map(({ clause }) => clause),
      links: picks.flatMap(({ feeds }, from) => (feeds === undefined ? [] : [{ from, to: feeds.to }])),
      done: new Set(picks.flatMap(({ done }, at) => (done === undefined ? [] : [at]))),
      isGiven: (place, field) => givenName(given, ids[place]!, field) !== undefined,
    },
  )
}

interface Need {
  /** Place of the tool. */
  readonly to: number
  readonly input: ShapedField
}

function firstNeed(
  wired: Wired,
  picks: readonly PickedTool[],
  intent: Intent,
  { experience, given, taken }: AddPrerequisitesDeps,
  tried: ReadonlySet<string>,
): Need | undefined {
  const ids = nameTasks(picks, taken)
  for (const [to, shape] of wired.shapes.entries()) {
    const { by, done, tool, clause } = picks[to]!
    // What was added itself needs nothing more, or it would not have been.
    if (by === 'prerequisite' || done !== undefined) continue
    const has = new Set([
      ...wired.edges
        .filter((edge) => edge.to === String(to))
        .flatMap(({ fields }) => fields.map(({ input }) => input)),
      ...wired.literals.filter((one) => one.tool === to).map(({ field }) => field.path),
      ...picks.flatMap(({ feeds }) => (feeds?.to === to ? [feeds.input] : [])),
      // What is done for each of something cannot be the same as ever.
      ...(intent.clauses[clause]!.forEach ? [] : experience.habits(tool.id).map(({ argument }) => argument)),
    ])
    const input = shape.inputs.find(
      (one) =>
        isOpen(one) &&
        !has.has(one.path) &&
        givenName(given, ids[to]!, one) === undefined &&
        !tried.has(keyOf({ to, input: one })),
    )
    if (input !== undefined) return { to, input }
  }
  return undefined
}

function isOpen(input: ShapedField): boolean {
  if (!input.isRequired || input.isContainer || input.default !== undefined || input.lists > 0) return false
  return canBeLookedUp(input)
}

function keyOf({ to, input }: Need): string {
  return `${to} ${input.path}`
}

function pickFor(
  { to, input }: Need,
  found: Prerequisite,
  { clause }: PickedTool,
  forEach: boolean,
): PickedTool {
  return {
    tool: found.tool,
    score: found.score,
    clause,
    serves: found.why,
    by: 'prerequisite',
    feeds: { to, input: input.path, each: forEach && !input.types.has('array') },
  }
}
