import type { Json, JsonObject } from '../../model/json.js'
import { jsonLength } from '../../model/json-length.js'
import type { IntentPlan, TaskRequest } from '../../model/plan.js'
import { redactJson } from '../../model/redact.js'
import type { ToolDefinition } from '../../model/tool.js'
import type { ToolResult } from '../../model/tool-call.js'
import { setAt } from '../../plan/fill/set-at.js'
import type { CatalogueView } from '../catalogue-view.js'
import type { FindTools } from '../find-tools.js'
import { toRequest } from '../to-request.js'
import { describePlan } from './describe-plan.js'
import { describeHit } from './discover.js'
import { reply } from './meta-tool.js'
import { boundText, planBounds } from './reply-bounds.js'
import { describeNotes, serverNotes } from './server-notes.js'
import { openPoints, type SuggestionDeps } from './suggestion-reply.js'

export interface ExplicitDeps extends SuggestionDeps {
  readonly view: Pick<CatalogueView, 'servers'>
  readonly findTools: FindTools
}

const candidateCount = 5
/** An example is taken at its word: what hardly fits is none. */
const leastExample = 0.2
/** The draft with all about it, the example in the hint, and the tools that were found share the reply with its text. */
const shareOfDraft = 0.35
const shareOfExample = 0.1
const shareOfCandidates = 0.25

/** What was found, and an example that can be sent as it is, but for what only the caller knows. */
export async function explicitReply(
  plan: IntentPlan,
  given: JsonObject,
  why: string,
  deps: ExplicitDeps,
): Promise<ToolResult> {
  const { hits, view } = await deps.findTools(plan.intent, { limit: candidateCount, context: [] })
  const candidates = fitIn(
    hits.map((hit) => describeHit(hit, view)),
    planBounds(deps, shareOfCandidates).maxChars,
  )
  const best = hits.find((hit) => hit.tool.changed === undefined && hit.score >= leastExample)
  const isDrafted = plan.plan.tasks.length > 0
  const tasks = isDrafted
    ? exampleOf(plan)
    : best && [{ id: 'a', tool: best.tool.id, arguments: argumentsFor(best.tool.definition, given) }]
  const example = tasks && { tasks: tasks as unknown as Json }
  const servers = serverNotes(deps.view.servers()).map((note) => redactJson(note, deps.redact))
  const isShort = JSON.stringify(example ?? '').length <= planBounds(deps, shareOfExample).maxChars
  const hint = howToWrite(example, isShort)
  const explained = [why, deps.explain(plan).text].filter(Boolean).join('\n')
  const described = describePlan(plan, explained, planBounds(deps, shareOfDraft))
  return reply(
    {
      status: 'explicit_required',
      candidates,
      ...(isDrafted && { plan: described.plan! }),
      ...(example && isShort && { example }),
      missing: described.missing!,
      unserved: described.unserved!,
      ...(plan.notes.length > 0 && { notes: described.notes! }),
      why: described.why!,
      hint: deps.redact(hint),
      ...(servers.length > 0 && { servers }),
    },
    boundText(
      [
        `explicit_required: ${why} ${hint}`,
        ...openPoints(plan, deps.redact),
        ...(servers.length > 0 ? [`Not all servers are ready: ${describeNotes(servers)}.`] : []),
        ...candidates.map((one) => `${one.signature} - ${one.description}`),
      ],
      deps,
    ),
  )
}

function howToWrite(example: JsonObject | undefined, isShort: boolean): string {
  if (example === undefined) return 'No tool was found for this; try discover with other words, English ones.'
  return isShort
    ? `Write the tasks, for instance ${JSON.stringify(example)}`
    : 'Write the tasks; plan holds a draft of them.'
}

/** The first in any case: without it there would be nothing to go on from. */
function fitIn(candidates: readonly JsonObject[], maxChars: number): readonly JsonObject[] {
  let left = maxChars
  return candidates.filter((one, at) => {
    left -= jsonLength(one, maxChars)
    return at === 0 || left > 0
  })
}

/** The plan's own tasks; what is missing says what it wants. */
function exampleOf(plan: IntentPlan): readonly TaskRequest[] {
  return plan.plan.tasks.map((task) => {
    const request = toRequest(task)
    const open = plan.missing.filter((one) => one.task === task.id)
    if (open.length === 0) return request
    const args = structuredClone(task.arguments) as Record<string, Json>
    for (const { argument } of open) setAt(args, argument, `<${argument}>`)
    return { ...request, arguments: args }
  })
}

/** What the caller knows goes in by name; required parameters without a value say what they want. */
function argumentsFor(definition: ToolDefinition, given: JsonObject): JsonObject {
  const { properties, required } = definition.inputSchema
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  const needed = Array.isArray(required) ? required.filter((one) => typeof one === 'string') : []
  const filled = known.filter((key) => Object.hasOwn(given, key)).map((key) => [key, given[key]!] as const)
  const open = needed.filter((key) => !Object.hasOwn(given, key)).map((key) => [key, `<${key}>`] as const)
  return Object.fromEntries([...filled, ...open])
}
