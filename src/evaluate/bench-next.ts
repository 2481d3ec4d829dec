/**
 * How well the next tool of a session is foretold: four fifths of a set's tasks are replayed as past sessions, through the very
 * code the gateway learns with, and each step of the others is asked for from the second on, with all before it known. Sessions that
 * are asked about teach neither one another nor the weights. Never opens a data directory.
 */
import { UsageError } from '../errors.js'
import { seededRandom } from '../model/seeded-random.js'
import { learnNext, type ToolSession, toPast } from './learn-next.js'
import {
  type JudgedStep,
  type NextFigures,
  type NextIntervals,
  nextFigures,
  nextIntervals,
} from './next-figures.js'
import { type NextFloor, nextFloors } from './next-floors.js'
import { percentile } from './percentile.js'
import { readSeqs, type Sequence, type SequenceSet } from './read-seqs.js'
import { splitByGroup } from './split-by-group.js'

export interface NextReport extends NextFigures {
  readonly interval: NextIntervals
  /** Of one prediction. */
  readonly p95_ms: number
  readonly learned_sessions: number
  readonly floors: Readonly<Record<NextFloor['name'], NextFigures>>
  /** The same with every request hidden, as where a client calls tools by itself and says nothing. */
  readonly request_hidden: NextFigures
}

export interface NextPrediction {
  readonly id: string
  /** From 0; the first that is asked for is 1. */
  readonly step: number
  readonly ranked: readonly string[]
}

export interface BenchNextOptions {
  readonly set: string
  readonly seed: number
  onPrediction(prediction: NextPrediction): void
}

const mostRanked = 10

export async function benchNext({
  set: directory,
  seed,
  onPrediction,
}: BenchNextOptions): Promise<NextReport> {
  const set = await readSeqs(directory)
  const { learned, asked } = splitByGroup(set.sequences, seed)
  if (!asked.some(({ steps }) => steps.length > 1) || learned.length === 0)
    throw new UsageError(
      `No step in ${directory} can be asked for.`,
      'seqs.jsonl needs sessions of several groups, with at least two steps each.',
    )
  const times: number[] = []
  const sessions = askAll({ set, learned, asked }, { times, onPrediction })
  const hidden = askAll(
    { set, learned: learned.map(hideRequest), asked: asked.map(hideRequest) },
    { times: [], onPrediction: () => {} },
  )
  return {
    ...nextFigures(sessions.flat()),
    interval: nextIntervals(sessions, { random: seededRandom(seed) }),
    p95_ms: percentile(times, 0.95),
    learned_sessions: learned.length,
    floors: floorsOf(learned, asked),
    request_hidden: nextFigures(hidden.flat()),
  }
}

interface Question {
  readonly set: SequenceSet
  readonly learned: readonly Sequence[]
  readonly asked: readonly Sequence[]
}

function askAll(
  { set, learned, asked }: Question,
  { times, onPrediction }: { readonly times: number[]; onPrediction(prediction: NextPrediction): void },
): readonly (readonly JudgedStep[])[] {
  const next = learnNext(learned.map((sequence) => toSession(sequence, set)))
  return asked.map((sequence) => {
    const { session, intent, steps } = toPast(toSession(sequence, set), 0)
    const judged = steps.flatMap((step, at) => {
      if (at === 0) {
        next.follow({ session, ...step, ...(intent !== undefined && { intent }) })
        return []
      }
      const from = performance.now()
      const predicted = next.predict(session, { limit: mostRanked })
      times.push(performance.now() - from)
      const ranked = predicted.map(({ tool }) => set.idOf(tool))
      onPrediction({ id: sequence.id, step: at, ranked })
      next.follow({ session, ...step })
      return [{ ranked, before: sequence.steps[at - 1]!, came: sequence.steps[at]! }]
    })
    next.endSession(session)
    return judged
  })
}

function toSession({ id, query, steps }: Sequence, set: SequenceSet): ToolSession {
  return { id, query, tools: steps.map(set.toolOf) }
}

function hideRequest(sequence: Sequence): Sequence {
  return { ...sequence, query: undefined }
}

function floorsOf(learned: readonly Sequence[], asked: readonly Sequence[]): NextReport['floors'] {
  const floors = nextFloors(learned.map(({ steps }) => steps)).map(({ name, rank }) => {
    const judged = asked.flatMap(({ steps }) =>
      steps.slice(1).map((came, at) => ({
        ranked: rank(steps.slice(0, at + 1)).slice(0, mostRanked),
        before: steps[at]!,
        came,
      })),
    )
    return [name, nextFigures(judged)] as const
  })
  return Object.fromEntries(floors) as NextReport['floors']
}
