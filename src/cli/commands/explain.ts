import { writeOutUnseen } from '../../gateway/write-out-unseen.js'
import type { AlgorithmOutcome, AlgorithmTrace } from '../../model/algorithm-trace.js'
import { formatDuration } from '../../model/format-duration.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { type Colours, coloursFor } from '../colour.js'
import { countOf } from '../count-of.js'
import { printJson, printLine } from '../io.js'

export const explainCommand = defineCliCommand({
  name: 'explain',
  summary: 'Why a tool was found, a plan was run, a next step was offered',
  args: {
    trace: {
      type: 'positional',
      required: false,
      default: 'last',
      description: 'Id of a decision, or of a run for all of its decisions; last: the newest ten',
    },
    ...commonArgs,
  },
  examples: [
    'pml explain last',
    'pml explain 0197a6f2-3c1e-7d40-9b60-52b6f3a4c001',
    'pml explain last --json',
  ],
  notes: `
Each decision compares a score with a threshold. The threshold is the sum of a base for the risk of the tool, how calls of it went, how far
structure is trusted around it (alpha), and how situations like it went, held within bounds. What came of it is filled in later: selected,
ignored or rejected, and how the call went. Decisions are kept for 30 days.`,
  async run({ args, io, gateway }) {
    const { traces } = (await gateway.withGateway(gatewayChoice(args), (api) =>
      api.get(`/api/explain?trace=${encodeURIComponent(args.trace)}`),
    )) as { readonly traces: readonly AlgorithmTrace[] }
    if (args.json) printJson(io, { traces })
    else if (traces.length === 0)
      printLine(io, 'Nothing was scored yet. Searches, plans and calls are: pml search "..."')
    else {
      const colours = coloursFor(io, io.stdout)
      printLine(io, traces.map((trace) => describeTrace(trace, colours)).join('\n\n'))
    }
    return 0
  },
})

const whatWasDecided: Readonly<Record<AlgorithmTrace['kind'], string>> = {
  search: 'which tools were found',
  plan: 'what becomes of a plan',
  next: 'what may come next',
}

function describeTrace(trace: AlgorithmTrace, { bold }: Colours): string {
  const { id, at, kind, mode, intent, runId, score, threshold, decision, outcome, parameters } = trace
  const { threshold: breakdown, ...others } = parameters
  const against = threshold === undefined ? '' : ` against ${number(threshold)}`
  const lines: readonly (readonly [string, string])[] = [
    ['decision', id],
    [
      'at',
      `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC, ${whatWasDecided[kind]} (${mode})`,
    ],
    ...optional('intent', intent),
    ...optional('run', runId),
    ...optional('about', aboutTool(trace)),
    ['score', `${number(score)}${against}: ${decision}`],
    ...(isBreakdown(breakdown)
      ? describeBreakdown(breakdown, threshold)
      : optional('threshold', facts(breakdown))),
    ...optional('signals', facts(trace.signals)),
    ...optional('parameters', facts(others)),
    ['outcome', describeOutcome(outcome, at)],
  ]
  const title = `${trace.tool ?? 'a plan'}: ${decision}`
  return [
    bold(writeOutUnseen(title)),
    ...lines.map(([name, text]) => `  ${name.padEnd(11)}${writeOutUnseen(text)}`),
  ].join('\n')
}

function aboutTool({ alpha, workflowType }: AlgorithmTrace): string | undefined {
  const parts = [
    ...(workflowType === undefined ? [] : [`work of kind ${workflowType}`]),
    ...(alpha === undefined ? [] : [`alpha ${number(alpha)}`]),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** As src/model/threshold.ts has it; a record of another version may lack some. */
interface Breakdown extends JsonObject {
  readonly base: number
  readonly bounds: readonly [number, number]
}

function isBreakdown(value: Json | undefined): value is Breakdown {
  return (
    isObject(value) &&
    typeof value.base === 'number' &&
    Array.isArray(value.bounds) &&
    value.bounds.length === 2
  )
}

function describeBreakdown(
  { base, risk, successTerm, alphaTerm, episodicBoost, bounds, beta, sample, episodes, alpha }: Breakdown,
  value: number | undefined,
): readonly (readonly [string, string])[] {
  const terms = [
    `${number(base)} for ${String(risk ?? 'its risk')}`,
    ...term(successTerm, 'for how calls went'),
    ...term(alphaTerm, `for alpha ${number(alpha)}`),
    ...term(typeof episodicBoost === 'number' ? -episodicBoost : undefined, 'for situations like it'),
  ]
  return [
    [
      'threshold',
      `${value === undefined ? '' : `${number(value)} = `}${terms.join(' ')}, within ${bounds.map(number).join(' to ')}`,
    ],
    ...(isObject(beta)
      ? ([
          [
            '',
            `calls so far: Beta(${number(beta.alpha)}, ${number(beta.beta)}) of ${countOf(Number(beta.observations), 'outcome')}${sample === undefined ? '' : `, drawn ${number(sample)}`}`,
          ],
        ] as const)
      : []),
    ...(isObject(episodes) && Number(episodes.count) > 0
      ? ([
          [
            '',
            `${countOf(Number(episodes.count), 'situation')} like it, ${Math.round(Number(episodes.successRate) * 100)} % went well`,
          ],
        ] as const)
      : []),
  ]
}

function term(value: Json | undefined, why: string): readonly string[] {
  if (typeof value !== 'number' || number(Math.abs(value)) === '0') return []
  return [`${value < 0 ? '-' : '+'} ${number(Math.abs(value))} ${why}`]
}

function describeOutcome(outcome: AlgorithmOutcome | undefined, at: number): string {
  if (outcome === undefined) return 'not known yet'
  const went = outcome.success === undefined ? [] : [outcome.success ? 'went well' : 'failed']
  const took = outcome.durationMs === undefined ? [] : [`took ${formatDuration(outcome.durationMs)}`]
  return [outcome.what, ...went, ...took, `${formatDuration(Math.max(0, outcome.at - at))} later`].join(', ')
}

const longestFacts = 2_000

/** `name value, name value`; what is nested is told as JSON. */
function facts(value: Json | undefined): string | undefined {
  if (!isObject(value)) return value === undefined ? undefined : JSON.stringify(value)
  const parts = Object.entries(value).map(
    ([name, one]) => `${name} ${typeof one === 'number' ? number(one) : JSON.stringify(one)}`,
  )
  const text = parts.join(', ')
  return parts.length === 0
    ? undefined
    : text.length <= longestFacts
      ? text
      : `${text.slice(0, longestFacts)} ...`
}

function optional(name: string, text: string | undefined): readonly (readonly [string, string])[] {
  return text === undefined ? [] : [[name, text]]
}

/** Three places, without zeros that say nothing. */
function number(value: Json | undefined): string {
  return typeof value === 'number' ? String(Number(value.toFixed(3))) : '?'
}
