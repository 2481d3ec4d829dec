/**
 * How well the next calls of a session are foretold, arguments and all, and what running them ahead would give: four fifths of a set's tasks are
 * learned from, and before each call of the others it is asked what comes. Sessions that are asked about teach nothing: neither ways of filling
 * arguments, nor weights, nor cut-offs. Never opens a data directory.
 */
import { UsageError } from '../errors.js'
import type { ArgumentSource } from '../model/predicted-call.js'
import { seededRandom } from '../model/seeded-random.js'
import type { SpeculationPreset } from '../model/speculation.js'
import { parseToolId } from '../model/tool.js'
import { callKey } from '../plan/predict/arguments/session-calls.js'
import { type FittedCalls, fitCalls } from './fit-calls.js'
import { lookAhead } from './look-ahead.js'
import { percentile } from './percentile.js'
import { type CallSession, type CallSet, readCalls } from './read-calls.js'
import { type AheadRules, type KeyedCall, type Look, type RunAhead, simulateAhead } from './simulate-ahead.js'
import {
  type AheadFigures,
  type AheadIntervals,
  aheadFigures,
  aheadIntervals,
  type ExactFigures,
  type ExactIntervals,
  exactFigures,
  exactIntervals,
  isOfRead,
  placeOf,
  shareOf,
} from './speculate-figures.js'
import { type SpeculateFloor, speculateFloors } from './speculate-floors.js'
import { groupsOf, splitByGroup } from './split-by-group.js'
import { isVisible, type MissKind, missKinds, whyMissed } from './why-missed.js'

export interface SpeculateReport extends ExactFigures, AheadFigures {
  readonly preset: SpeculationPreset
  readonly request_hidden: boolean
  readonly presets: Readonly<Record<SpeculationPreset, PresetFigures>>
  /** By the least probability that is run, whatever the tool and the preset. */
  readonly cutoffs: Readonly<Record<string, AheadFigures>>
  readonly by_source: Readonly<Record<ArgumentSource, SourceFigures>>
  /** The share of read calls whose values all stood somewhere before. */
  readonly visible: number
  /** Read calls that were not among the first three. */
  readonly misses: Readonly<Record<MissKind, number>>
  readonly interval: ExactIntervals & AheadIntervals
  readonly floors: Readonly<Record<SpeculateFloor['name'], FloorFigures>>
  /** Of one prediction. */
  readonly p50_ms: number
  readonly p95_ms: number
  readonly learned_sessions: number
}

export interface PresetFigures extends AheadFigures {
  /** The same where any call that is not known to read drops what was run on its server, as the gateway does. */
  readonly with_drops: AheadFigures
  readonly interval: AheadIntervals
  readonly by_source: Readonly<Record<ArgumentSource, RunFigures>>
}

export interface RunFigures {
  readonly run: number
  readonly used: number
}

/** By the source that a prediction stands or falls with. */
export interface SourceFigures extends RunFigures {
  /** How often the likeliest one before a read call was of this source, and how often it was the call. */
  readonly first: number
  readonly exact: number
}

export type FloorFigures = Pick<ExactFigures, 'exact@1' | 'exact@3'>

export interface SpeculatePrediction {
  readonly id: string
  /** From 0. */
  readonly call: number
  readonly turn: number
  readonly predictions: readonly {
    /** The set's id. */
    readonly tool: string
    readonly arguments: object
    readonly p: number
    readonly run: boolean
  }[]
}

export interface BenchSpeculateOptions {
  readonly set: string
  readonly seed: number
  readonly preset: SpeculationPreset
  readonly hideRequest: boolean
  onPrediction(prediction: SpeculatePrediction): void
}

const cutoffs = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
/** DESIGN 9: speculation's threshold of a tool is never lower. */
const leastToolP = 0.6
const mostWritten = 10

export async function benchSpeculate(options: BenchSpeculateOptions): Promise<SpeculateReport> {
  const { seed, preset, hideRequest } = options
  const set = await readCalls(options.set)
  const sessions = hideRequest ? set.sessions.map(hideQuery) : set.sessions
  const { learned, asked } = splitByGroup(sessions, seed)
  if (!asked.some(({ calls }) => calls.some(({ tool }) => set.isRead(tool))) || groupsOf(learned).length < 2)
    throw new UsageError(
      `No call in ${options.set} can be asked for.`,
      'calls.jsonl needs sessions of at least three groups, with calls of tools that only read.',
    )
  const fitted = fitCalls(learned, { isRead: set.isRead, seed })
  const times: number[] = []
  const looks = lookAhead(asked, fitted, set.isRead, (ms) => void times.push(ms))
  const exact = exactFigures(looks)
  const runBy = (rules: AheadRules) => looks.map((session) => simulateAhead(session, rules))
  const figuresOf = (rules: AheadRules) => aheadFigures(runBy(rules).flat(), exact.read_calls)
  const presetOf = (one: SpeculationPreset): PresetFigures => {
    const mayRun = gateOf(one, fitted)
    const runs = runBy({ mayRun, drops: never })
    return {
      ...aheadFigures(runs.flat(), exact.read_calls),
      with_drops: figuresOf({ mayRun, drops: mayWrite }),
      interval: aheadIntervals(looks, runs, { random: seededRandom(seed) }),
      by_source: eachSource((source) => runsFrom(source, runs.flat())),
    }
  }
  const presets = { careful: presetOf('careful'), eager: presetOf('eager') }
  const runs = runBy({ mayRun: gateOf(preset, fitted), drops: never })
  const { run, used, precision, waste, saved_share } = presets[preset]
  tellAll(looks, runs, { idOf: set.idOf, onPrediction: options.onPrediction })
  return {
    ...exact,
    ...{ run, used, precision, waste, saved_share, preset, request_hidden: hideRequest, presets },
    cutoffs: Object.fromEntries(
      cutoffs.map((cutoff) => [
        cutoff.toFixed(1),
        figuresOf({ mayRun: ({ p }) => p >= cutoff, drops: never }),
      ]),
    ),
    by_source: eachSource((source) => ({
      ...firstFrom(source, looks.flat().filter(isOfRead)),
      ...presets[preset].by_source[source],
    })),
    ...missesOf(asked, looks),
    interval: { ...exactIntervals(looks, { random: seededRandom(seed) }), ...presets[preset].interval },
    floors: floorsOf(learned, asked, set),
    p50_ms: percentile(times, 0.5),
    p95_ms: percentile(times, 0.95),
    learned_sessions: learned.length,
  }
}

function hideQuery(session: CallSession): CallSession {
  return { ...session, query: undefined }
}

function gateOf(preset: SpeculationPreset, { gates }: FittedCalls): AheadRules['mayRun'] {
  const least = preset === 'careful' ? leastToolP : 0
  return ({ tool, weakest, p, toolP }) =>
    toolP >= least && p >= gates[preset].cutoff({ tool, source: weakest })
}

const never: AheadRules['drops'] = () => false

const mayWrite: AheadRules['drops'] = ({ isRead, call }, kept) =>
  !isRead && parseToolId(call.tool)?.server === parseToolId(kept)?.server

function tellAll(
  looks: readonly (readonly Look[])[],
  runs: readonly (readonly RunAhead[])[],
  { idOf, onPrediction }: Pick<CallSet, 'idOf'> & Pick<BenchSpeculateOptions, 'onPrediction'>,
): void {
  for (const [session, sessionLooks] of looks.entries())
    for (const { moment, predicted } of sessionLooks) {
      const isRun = (one: KeyedCall) =>
        runs[session]!.some(({ at, call }) => at === moment.at && call.key === one.key)
      onPrediction({
        ...{ id: moment.session, call: moment.at, turn: moment.call.turn },
        predictions: predicted.slice(0, mostWritten).map((one) => ({
          ...{ tool: idOf(one.tool), arguments: one.arguments, p: one.p, run: isRun(one) },
        })),
      })
    }
}

const sources = [
  ...(['constant', 'same', 'step', 'argument', 'result', 'row', 'request', 'join', 'none', 'plan'] as const),
] satisfies readonly ArgumentSource[]

function eachSource<Figures>(
  figuresOf: (source: ArgumentSource) => Figures,
): Record<ArgumentSource, Figures> {
  return Object.fromEntries(sources.map((source) => [source, figuresOf(source)])) as Record<
    ArgumentSource,
    Figures
  >
}

function runsFrom(source: ArgumentSource, runs: readonly RunAhead[]): RunFigures {
  const own = runs.filter(({ call }) => call.weakest === source)
  return { run: own.length, used: own.filter(({ used }) => used).length }
}

function firstFrom(source: ArgumentSource, reads: readonly Look[]): Pick<SourceFigures, 'first' | 'exact'> {
  const own = reads.filter(({ predicted }) => predicted[0]?.weakest === source)
  return { first: own.length, exact: own.filter((look) => placeOf(look) === 1).length }
}

function missesOf(
  asked: readonly CallSession[],
  looks: readonly (readonly Look[])[],
): Pick<SpeculateReport, 'visible' | 'misses'> {
  const judged = asked.flatMap((session, at) =>
    looks[at]!.filter(isOfRead).map((look) => {
      const visible = isVisible(session, look.moment.at)
      return { visible, kind: whyMissed(look, visible) }
    }),
  )
  const misses = missKinds.map((kind) => [kind, judged.filter((one) => one.kind === kind).length] as const)
  return {
    visible: shareOf(judged, ({ visible }) => visible),
    misses: Object.fromEntries(misses) as SpeculateReport['misses'],
  }
}

function floorsOf(
  learned: readonly CallSession[],
  asked: readonly CallSession[],
  set: CallSet,
): SpeculateReport['floors'] {
  const floors = speculateFloors(learned, set).map(({ name, rank }) => {
    const places = asked.flatMap(({ calls }) =>
      calls.flatMap(({ tool, arguments: args }, at) =>
        set.isRead(tool) ? [rank(calls.slice(0, at)).indexOf(callKey(tool, args))] : [],
      ),
    )
    const within = (most: number) => shareOf(places, (place) => place >= 0 && place < most)
    return [name, { 'exact@1': within(1), 'exact@3': within(3) }] as const
  })
  return Object.fromEntries(floors) as SpeculateReport['floors']
}
