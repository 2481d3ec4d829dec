import type { PmlConfig } from '../model/config.js'
import type { JsonObject } from '../model/json.js'
import type { ArgumentOrigin, IntentPlan } from '../model/plan.js'
import type { Redact } from '../model/redact.js'
import type { Tool } from '../model/tool.js'
import type { PlanExplanation } from '../plan/explain-plan.js'
import type { IntentPlanner, PlanIntentOptions } from '../plan/intent-planner.js'
import type { SchemaChecks } from '../upstream/schema-checks.js'
import type { Advice } from './advice.js'
import { askForArguments } from './ask-for-arguments.js'
import type { CatalogueView } from './catalogue-view.js'
import { directShareOfWindow } from './exposure.js'
import type { FindTools } from './find-tools.js'
import { type IntentMode, type Judgement, judgePlan } from './judge-plan.js'
import type { Caller } from './tools/meta-tool.js'

export interface IntentDeps {
  config(): PmlConfig
  readonly view: CatalogueView
  readonly findTools: FindTools
  readonly planner: IntentPlanner
  readonly advice: Pick<Advice, 'policyFor' | 'planJudged'>
  /** Whether a plan with this tool may run without being shown first: it only reads for certain, or a person approves of it. */
  mayRunAtOnce(tool: Tool): boolean
  explain(plan: IntentPlan): PlanExplanation
  readonly checks: SchemaChecks
  readonly redact: Redact
}

/** As long as an agent may be kept waiting for what it could be asked itself. */
const modelAnswersWithinMs = 15_000

/** Plans over the catalogue as it is now; what is missing is asked of the caller's model where the configuration wants that. */
export async function planIntent(
  intent: string,
  given: JsonObject,
  caller: Pick<Caller, 'client' | 'signal'>,
  deps: IntentDeps,
): Promise<IntentPlan> {
  await deps.findTools.ready()
  const options = planOptions(given, deps)
  const plan = await deps.planner.plan(intent, options)
  if (!deps.config().plan.askModel || plan.missing.length === 0 || plan.plan.tasks.length === 0) return plan
  const { values, notes } = await askForArguments(plan, caller, {
    tool: (id) => deps.view.current().names.resolve(id),
    checks: deps.checks,
    redact: deps.redact,
    answerWithinMs: modelAnswersWithinMs,
  })
  const filled =
    Object.keys(values).length === 0
      ? plan
      : await deps.planner.plan(intent, { ...options, given: { ...values, ...given } })
  return {
    ...filled,
    arguments: filled.arguments.map((origin) => fromModel(origin, values)),
    notes: [...filled.notes, ...notes],
  }
}

export function planOptions(given: JsonObject, { config }: Pick<IntentDeps, 'config'>): PlanIntentOptions {
  // What a catalogue may take of the window when it is shown, its choice may take when it is planned with.
  return { given, tokenBudget: Math.floor(config().contextWindow * directShareOfWindow) }
}

export interface JudgeIntentOptions {
  readonly session: string
  readonly mode: IntentMode
  /** A plan whose confirmation is not to be doubted counts as suggested. */
  readonly wasSuggested: boolean
}

/** What is to be done with a plan by the thresholds of this moment; that it was judged so is noted. */
export function judgeIntent(
  plan: IntentPlan,
  { session, mode, wasSuggested }: JudgeIntentOptions,
  { view, advice, mayRunAtOnce }: IntentDeps,
): Judgement {
  const { names } = view.current()
  const policy = advice.policyFor(plan)
  const judgement = judgePlan(plan, {
    mode,
    policy,
    wasSuggested,
    isSafe(id) {
      const tool = names.resolve(id)
      return tool?.id === id && mayRunAtOnce(tool)
    },
  })
  advice.planJudged({ session, intent: plan.intent, plan, judgement, policy })
  return judgement
}

function fromModel(origin: ArgumentOrigin, values: JsonObject): ArgumentOrigin {
  if (origin.source !== 'given' || !Object.hasOwn(values, `${origin.task}.${origin.argument}`)) return origin
  return { ...origin, source: 'model', why: "given by the client's model" }
}
