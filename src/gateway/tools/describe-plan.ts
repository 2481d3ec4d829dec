import type { Json, JsonObject } from '../../model/json.js'
import { jsonLength } from '../../model/json-length.js'
import type { IntentPlan } from '../../model/plan.js'
import type { Redact } from '../../model/redact.js'
import { shorten } from '../../model/shorten.js'
import { howToRead } from '../cut-result.js'
import type { ResultStore } from '../result-store.js'
import { toRequest } from '../to-request.js'

export interface DescribePlanOptions {
  /** JSON characters that all of it may take. */
  readonly maxChars: number
  readonly results: ResultStore
  readonly redact: Redact
}

/** From everything to the least that still says what to do: characters of an explanation, entries of a list. */
const details = [
  { chars: 400, entries: 500 },
  { chars: 120, entries: 100 },
  { chars: 40, entries: 20 },
] as const

const least = { chars: 40, entries: 3 } as const
/** Below this nothing can be said at all. */
const fewestChars = 1_000

/**
 * A plan as replies carry it: `plan` with tasks that can be sent back as they are, and all that is known about them. Where it is
 * too long explanations are cut first, then lists; where the tasks alone are, they are kept under a handle.
 */
export function describePlan(plan: IntentPlan, why: string, options: DescribePlanOptions): JsonObject {
  const maxChars = Math.max(options.maxChars, fewestChars)
  const tasks = plan.plan.tasks.map(toRequest)
  for (const detail of details) {
    const described = withDetail(plan, why, tasks, detail, options.redact)
    if (jsonLength(described, maxChars) < maxChars) return described
  }
  const text = JSON.stringify(tasks)
  const handle = options.results.keepText(text)
  const kept = { cut: true, tasks: tasks.length, handle, characters: text.length, hint: howToRead(handle) }
  return withDetail(plan, why, kept, least, options.redact)
}

/** The plan beside the result of its run, which matters more. */
export function describeRunPlan(plan: IntentPlan, options: DescribePlanOptions): JsonObject {
  const { plan: described, unserved, notes } = describePlan(plan, '', options)
  return {
    plan: described!,
    ...(plan.unserved.length > 0 && { unserved: unserved! }),
    ...(plan.notes.length > 0 && { notes: notes! }),
  }
}

/**
 * Everything but the tasks is without secrets. Their values are the caller's own words, what was kept of past runs (without
 * secrets) and schemas' defaults: changed, they would no longer run as what was planned.
 */
function withDetail(
  plan: IntentPlan,
  why: string,
  tasks: unknown,
  detail: { readonly chars: number; readonly entries: number },
  redact: Redact,
): JsonObject {
  const text = (value: string): string => shorten(redact(value), detail.chars)
  const omitted: Record<string, number> = {}
  const some = <Item>(name: string, list: readonly Item[], toJson: (item: Item) => Json): readonly Json[] => {
    if (list.length > detail.entries) omitted[name] = list.length - detail.entries
    return list.slice(0, detail.entries).map(toJson)
  }
  const described = {
    plan: {
      tasks: tasks as Json,
      edges: some('edges', plan.edges, ({ from, to, probability, why: reason }) => ({
        from,
        to,
        probability: round(probability),
        why: text(reason),
      })),
      confidence: round(plan.confidence),
    },
    layers: some('layers', plan.layers, (ids) => ids.slice(0, detail.entries)),
    arguments: some(
      'arguments',
      plan.arguments,
      ({ task, argument, source, confidence, why: reason, coerced }) => ({
        task,
        argument,
        source,
        confidence: round(confidence),
        why: text(reason),
        ...(coerced !== undefined && { coerced: text(coerced) }),
      }),
    ),
    missing: some('missing', plan.missing, ({ task, argument, description, type }) => ({
      task,
      argument,
      description: text(description),
      ...(type !== undefined && { type }),
    })),
    unserved: some('unserved', plan.unserved, text),
    notes: some('notes', plan.notes, text),
    why: shorten(redact(why), detail.chars * 5),
  }
  return Object.keys(omitted).length > 0 ? { ...described, omitted } : described
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
