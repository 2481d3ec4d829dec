import type { Json } from '../../model/json.js'
import type { ToolId } from '../../model/tool.js'
import { createHistory, type History } from './create-history.js'
import { createRanker, type Sample, softmax } from './create-ranker.js'
import type { NextTools, NextToolsOptions, PastSequence, PredictedTool, SessionStep } from './next-tools.js'
import { readState, writeState } from './next-tools-state.js'
import { type Candidate, readSignals } from './read-signals.js'
import { leastWeights, mostWeights, priorWeights, signalNames, signalPriors } from './signals.js'
import { createTrail, type Trail } from './trail.js'
import { type IntentView, noIntent, viewIntent } from './view-intent.js'

/** Clients that are open at the same time; one that comes back after so many others starts anew. */
const mostSessions = 200
/** What refit learns from, and what intents are likened to: a few weeks of work. */
const mostSequences = 500
/** A longer session is remembered by its first steps. */
const mostSteps = 200
/** Tasks that come in one part of the past, and never in the others. */
const folds = 5
/** The scale of the papers' mix, which the episodic adjustment was made for. */
const episodicWeight = signalPriors.mix

interface Session {
  intent: string | undefined
  /** Made when the intent is heard: likening it to all remembered ones would be most of a prediction's time. */
  view: IntentView
  trail: Trail
  /** Undefined while nothing was learned from it. */
  past: GrowingSequence | undefined
}

interface GrowingSequence extends PastSequence {
  intent?: string
  readonly steps: { readonly tool: ToolId; readonly success: boolean; readonly at: number }[]
}

export function createNextTools(options: NextToolsOptions): NextTools {
  const { intents, episodic } = options
  const ranker = createRanker({ prior: priorWeights, least: leastWeights, most: mostWeights })
  let history = createHistory()
  /** Both with the newest last. */
  let sessions = new Map<string, Session>()
  let past: GrowingSequence[] = []

  const open = (id: string): Session => {
    const session = sessions.get(id) ?? newSession()
    sessions.delete(id)
    sessions.set(id, session)
    if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
    return session
  }
  const candidatesOf = (session: Session): readonly Candidate[] => {
    const { trail, view } = session
    return readSignals({ trail, intent: view, history, analysis: options.analysis() }, options)
  }
  const hear = (session: Session, intent: string | undefined): void => {
    if (intent === undefined || intent === session.intent) return
    session.intent = intent
    const others = past.filter((sequence) => sequence !== session.past)
    session.view = viewIntent(intent, others, intents)
  }
  const remember = (session: Session, { session: id, tool, success, at }: SessionStep): void => {
    if (session.past === undefined) {
      session.past = { session: id, steps: [] }
      past.push(session.past)
      if (past.length > mostSequences) past.shift()
    }
    if (session.intent !== undefined && session.past.intent !== session.intent) {
      session.past.intent = session.intent
      intents.learn(session.intent)
    }
    if (session.past.steps.length < mostSteps) session.past.steps.push({ tool, success, at })
  }
  const take = (step: SessionStep, learnWeights: boolean): void => {
    const session = open(step.session)
    hear(session, step.intent)
    if (learnWeights && session.trail.tool !== undefined) {
      const candidates = candidatesOf(session)
      const came = candidates.findIndex(({ tool }) => tool === step.tool)
      if (came >= 0)
        ranker.learn(
          candidates.map(({ signals }) => signals),
          came,
        )
    }
    history.count(session.trail, step)
    remember(session, step)
    session.trail.push(step)
  }
  const takeAll = (sequences: readonly PastSequence[], learnWeights: boolean): void => {
    for (const { session, intent, steps } of sequences) {
      for (const step of steps)
        take({ session, ...step, ...(intent !== undefined && { intent }) }, learnWeights)
      sessions.delete(session)
    }
  }

  return {
    observe: (step) => take(step, true),
    count: (step) => take(step, false),
    follow(step) {
      const session = open(step.session)
      hear(session, step.intent)
      session.trail.push(step)
    },
    hear: (id, intent) => hear(open(id), intent),
    predict(id, { limit, among = () => true }) {
      const session = sessions.get(id) ?? newSession()
      const candidates = candidatesOf(session)
      const adjustments = candidates.map(({ tool }) => episodicWeight * clampEpisodic(episodic(tool)))
      const scores = Float64Array.from(
        candidates,
        ({ signals }, at) =>
          signals.reduce((sum, value, place) => sum + value * ranker.weights[place]!, 0) + adjustments[at]!,
      )
      const p = softmax(scores)
      const known = shareOfKnown(history, session.trail)
      return candidates
        .map(({ tool }, at) => ({ tool, at, p: p[at]! * known }))
        .filter(({ tool }) => among(tool))
        .sort((a, b) => b.p - a.p || (a.tool < b.tool ? -1 : 1))
        .slice(0, limit)
        .map(({ tool, at, p }) => ({
          tool,
          p,
          signals: explain(candidates[at]!, ranker.weights, adjustments[at]!),
        }))
    },
    endSession: (id) => void sessions.delete(id),
    newest: () => past.reduce((latest, { steps }) => Math.max(latest, steps.at(-1)?.at ?? 0), 0),
    replay: (sequences) => takeAll(sequences, true),
    recall: (sequences) => takeAll(sequences, false),
    refit() {
      const samples = samplesOf(past, options)
      ranker.fit(samples)
      return { sequences: past.length, steps: samples.length }
    },
    weights: () =>
      signalNames.map((signal, at) => ({
        signal,
        weight: ranker.weights[at]!,
        prior: signalPriors[signal],
      })),
    state: () => writeState({ weights: ranker.weights, sequences: past }),
    load(state: Json) {
      const { weights, sequences } = readState(state)
      history = createHistory()
      sessions = new Map()
      past = []
      takeAll(sequences, false)
      ranker.load(weights)
    },
  }
}

function newSession(): Session {
  return { intent: undefined, view: noIntent, trail: createTrail(), past: undefined }
}

/**
 * Each remembered step with what the sequences about other things say of it: weights that were learned with the very same task in the
 * counts would believe the counts too much wherever a task is new. A fifth is left out at a time, by what it is about. The graph
 * cannot be held out: it is believed a little more than it should be.
 */
function samplesOf(past: readonly PastSequence[], options: NextToolsOptions): readonly Sample[] {
  const foldOf = new Map(past.map((sequence) => [sequence, fold(sequence.intent ?? sequence.session)]))
  return Array.from({ length: folds }, (_, at) => {
    const history = createHistory()
    const others = past.filter((sequence) => foldOf.get(sequence) !== at)
    for (const { steps } of others) {
      const trail = createTrail()
      for (const step of steps) {
        history.count(trail, step)
        trail.push(step)
      }
    }
    return past
      .filter((sequence) => foldOf.get(sequence) === at)
      .flatMap((sequence) => samplesOfSequence(sequence, others, history, options))
  }).flat()
}

function samplesOfSequence(
  { intent: text, steps }: PastSequence,
  others: readonly PastSequence[],
  history: History,
  options: NextToolsOptions,
): readonly Sample[] {
  const intent = viewIntent(text, others, options.intents)
  const trail = createTrail()
  return steps.flatMap((step) => {
    // Of a first step nothing is known, and a tool that the others never used says nothing about how far to believe them.
    const teaches = trail.tool !== undefined && history.lastSeen(step.tool) !== undefined
    const candidates = teaches
      ? readSignals(
          { trail, intent, history, analysis: options.analysis() },
          { graph: options.graph, now: () => step.at },
        )
      : []
    trail.push(step)
    const came = candidates.findIndex(({ tool }) => tool === step.tool)
    if (came < 0) return []
    return [{ rows: candidates.map(({ signals }) => signals), came }]
  })
}

/** The same text is always in the same one. FNV-1a. */
function fold(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % folds
}

/** Of the steps so far, those that were no tool's first: what is left is for tools that nobody has called yet. */
function shareOfKnown(history: History, trail: Trail): number {
  const all = history.after(trail, 0)
  return all === undefined ? 1 : all.total / (all.total + all.counts.size)
}

function clampEpisodic(value: number): number {
  return Number.isFinite(value) ? Math.min(0.15, Math.max(-0.1, value)) : 0
}

function explain(
  { signals }: Candidate,
  weights: Float64Array,
  adjustment: number,
): PredictedTool['signals'] {
  const parts: Partial<Record<string, number>> = {}
  for (const [at, name] of signalNames.entries()) {
    const part = signals[at]! * weights[at]!
    if (part !== 0) parts[name] = part
  }
  if (adjustment !== 0) parts.episodic = adjustment
  return parts
}
