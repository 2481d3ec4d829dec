/** See call-predictor.ts. */
import { z } from 'zod'
import type { PredictedCall } from '../../../model/predicted-call.js'
import { createTemplates } from '../arguments/create-templates.js'
import { type ProposedArguments, proposeArguments } from '../arguments/propose-arguments.js'
import { callKey, createSessionCalls, type SessionCalls } from '../arguments/session-calls.js'
import { evidenceNames, otherArguments } from '../arguments/weigh-evidence.js'
import { createRanker, type Sample } from '../create-ranker.js'
import {
  type CallPredictor,
  type CallPredictorOptions,
  type SessionCall,
  usedWithin,
} from './call-predictor.js'
import { createRating, ratingState } from './create-rating.js'
import { type RatedCall, rateCalls } from './rate-call.js'

/** As many as next-tools knows; of one that comes back after so many others nothing is known. */
const mostSessions = 200
/** Further down, nearly none is ever called. */
const mostTools = 5
/** Of each look, so many are followed to see what becomes of them, and so many count as offered. */
const mostFollowed = 8
const mostShown = 4
/** Weights of evidence stay within these: further out one would only need longer to come back. */
const farthest = 20

interface Session {
  readonly calls: SessionCalls
  /** The last looks, of which it is not yet known what becomes of all. */
  readonly looks: Look[]
}

interface Look {
  /** What is still open. */
  rated: readonly RatedCall[]
  /** Calls that were made since. */
  calls: number
}

export function createCallPredictor({ nextTools, prior, redact }: CallPredictorOptions): CallPredictor {
  const templates = createTemplates({ redact })
  const rating = createRating(prior)
  const ranker = createRanker({
    prior: Float64Array.from(evidenceNames, (name) => prior.arguments[name] ?? 0),
    least: new Float64Array(evidenceNames.length).fill(-farthest),
    most: new Float64Array(evidenceNames.length).fill(farthest),
  })
  const sessions = new Map<string, Session>()

  const open = (id: string): Session => {
    const session = sessions.get(id) ?? { calls: createSessionCalls(), looks: [] }
    sessions.delete(id)
    sessions.set(id, session)
    if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
    return session
  }
  const rowsOf = (proposed: readonly ProposedArguments[]): readonly Float64Array[] => [
    ...proposed.map(({ evidence }) => evidence),
    otherArguments(proposed.length),
  ]
  const argumentSample = ({ session, tool, arguments: args }: SessionCall): Sample | undefined => {
    const proposed = proposeArguments(tool, open(session).calls, templates)
    if (proposed.length === 0) return undefined
    const made = callKey(tool, args)
    const came = proposed.findIndex(({ key }) => key === made)
    return { rows: rowsOf(proposed), came: came < 0 ? proposed.length : came }
  }
  const rate = (id: string): readonly RatedCall[] => {
    const session = open(id)
    const offers = nextTools(id)
      .filter(({ p }) => p > 0)
      .slice(0, mostTools)
      .flatMap(({ tool, p: toolNext }) => {
        const proposed = proposeArguments(tool, session.calls, templates)
        return proposed.length === 0 ? [] : [{ tool, toolNext, proposed, rows: rowsOf(proposed) }]
      })
    const rated = rateCalls(offers, session.calls, ranker.weights)
    session.calls.show(rated.slice(0, mostShown).map(({ key }) => key))
    return rated
  }
  /** What became of the looks before this call. */
  const resolve = ({ looks }: Session, made: string): void => {
    for (const look of looks) {
      look.calls += 1
      const isOver = look.calls >= usedWithin
      for (const call of look.rated)
        if (isOver || call.key === made) rating.learn({ call, used: call.key === made })
      look.rated = isOver ? [] : look.rated.filter(({ key }) => key !== made)
    }
    while (looks[0] !== undefined && looks[0].calls >= usedWithin) looks.shift()
  }
  const toPredicted = (call: RatedCall): PredictedCall => {
    const { tool, arguments: args, sources, weakest, next, toolNext } = call
    const p = rating.probability(call)
    return {
      tool,
      arguments: args,
      sources,
      weakest,
      next,
      p,
      toolP: Math.max(p, rating.toolProbability(toolNext)),
    }
  }

  return {
    hear: (id, request) => open(id).calls.hear(request),
    observe(call) {
      const session = open(call.session)
      const sample = argumentSample(call)
      if (sample !== undefined) ranker.learn(sample.rows, sample.came)
      resolve(session, callKey(call.tool, call.arguments))
      templates.count(call, session.calls)
      session.calls.push(call)
    },
    count(call) {
      const { calls } = open(call.session)
      templates.count(call, calls)
      calls.push(call)
    },
    follow: (call) => open(call.session).calls.push(call),
    predict(id, limit) {
      const rated = rate(id)
      const session = open(id)
      session.looks.push({ rated: rated.slice(0, mostFollowed), calls: 0 })
      if (session.looks.length > usedWithin) session.looks.shift()
      return rated.slice(0, limit).map(toPredicted)
    },
    endSession: (id) => void sessions.delete(id),
    state: () => ({ version: 1, arguments: [...ranker.weights], rating: rating.state() }),
    load(state) {
      const read = stateSchema.safeParse(state)
      if (!read.success) return
      ranker.load(read.data.arguments)
      rating.load(read.data.rating)
    },
    loadTemplates: templates.load,
    changedTemplates: templates.changes,
    fitting: {
      argumentSample,
      fitArguments: ranker.fit,
      rated: rate,
      fitRating: rating.fit,
      takeWeights(other) {
        ranker.load(evidenceNames.map((name) => other.weights.arguments[name]!))
        rating.takeWeights(other.weights)
      },
      get weights() {
        return {
          arguments: Object.fromEntries(evidenceNames.map((name, at) => [name, ranker.weights[at]!])),
          ...rating.weights(),
        }
      },
    },
  }
}

const stateSchema = z.object({
  version: z.literal(1),
  arguments: z.array(z.number().min(-farthest).max(farthest)).length(evidenceNames.length),
  rating: ratingState,
})
