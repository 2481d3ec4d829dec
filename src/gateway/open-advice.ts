/**
 * Everything that advice is made of, in memory, and how it is kept: loaded when the store has opened, written off the request path,
 * flushed on close. What is lost with a killed process is rebuilt from the traces at the next start, or is a batch of notes about decisions.
 */
import { setImmediate } from 'node:timers/promises'
import type { Analyses, Analysis } from '../graph/create-analysis.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import { passiveAlpha } from '../graph/passive-alpha.js'
import { isFault } from '../learn/outcomes-of.js'
import { type AlgorithmLog, createAlgorithmLog } from '../learn/records/create-algorithm-log.js'
import { createEpisodeLog } from '../learn/records/create-episode-log.js'
import { sequencesOf } from '../learn/sequences-of.js'
import { betaMean } from '../learn/thresholds/beta-moments.js'
import { createEpisodeIndex } from '../learn/thresholds/create-episode-index.js'
import { createSpeculationGate, usefulShare } from '../learn/thresholds/create-speculation-gate.js'
import { createThompson, type Thompson } from '../learn/thresholds/create-thompson.js'
import { createThresholds } from '../learn/thresholds/create-thresholds.js'
import { episodicBoost } from '../learn/thresholds/episodic-boost.js'
import { workflowTypeOf } from '../learn/thresholds/workflow-type-of.js'
import type { AdaptiveThreshold } from '../model/adaptive-threshold.js'
import { createIdleQueue } from '../model/create-idle-queue.js'
import type { Episode } from '../model/episode.js'
import type { JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { Redact } from '../model/redact.js'
import { seededRandom } from '../model/seeded-random.js'
import type { ToolId } from '../model/tool.js'
import { withinMs } from '../model/within-ms.js'
import { createNextTools } from '../plan/predict/create-next-tools.js'
import type { PredictedTool } from '../plan/predict/next-tools.js'
import { readState } from '../plan/predict/next-tools-state.js'
import { createWordLikeness } from '../plan/predict/word-likeness.js'
import { rankerState, type Store } from '../store/store.js'
import type { Advice, RiskOf } from './advice.js'
import { createAdvice } from './create-advice.js'
import type { Learned, Reliability } from './learned.js'

export interface OpenAdviceOptions {
  readonly graph: KnowledgeGraph
  readonly analysis: Pick<Analyses, 'current'>
  store(): Promise<Store>
  readonly riskOf: RiskOf
  isCallable(tool: ToolId): boolean
  readonly redact: Redact
  readonly log: Log
}

export interface OpenAdvice extends Pick<Learned, 'reliability' | 'weights' | 'refit'> {
  readonly advice: Advice
  /** What running ahead goes by. */
  readonly foresight: Foresight
  /** How a tool has done so far, the newest counting most; undefined: it was never called. */
  toolSuccess(tool: ToolId): { readonly successes: number; readonly count: number } | undefined
  /** How calls went: `learn/` keeps it in step with the store. */
  readonly thompson: Thompson
  readonly records: AlgorithmLog
  /** Reads what is known, in the place of all that is here. To be called when the store has opened, and after it was changed by hand. */
  load(store: Store): Promise<void>
  /** Writes what waits. */
  flush(): Promise<void>
  /** What is not written yet is not to be. */
  forget(): void
  close(): Promise<void>
}

export interface Foresight {
  /** What this session is about, before its next call. */
  hear(session: string, intent: string): void
  /** The likeliest next tools of those that `among` says, the likeliest first. Empty while nothing is known, and while too much is to be learned. */
  nextTools(
    session: string,
    wanted: { readonly limit: number; among(tool: ToolId): boolean },
  ): readonly PredictedTool[]
  /** From which probability on a safe tool may be run ahead. */
  threshold(tool: ToolId): number
}

/** Under these names the store keeps what has no table of its own. */
const untaughtRanker = { version: 1, weights: {}, sequences: [] }
const gateState = 'speculation-gate'
/** Thresholds that depend on chance are drawn from here: the same requests after a start are judged alike. */
const seed = 42
/** What came since is replayed from the traces at the next start, so it need not be often. */
const saveEveryMs = 60 * 60_000
/** Of sessions that were not stored with the ranker: those of an hour, or of a first start. */
const sessionsReplayed = 200
const closeWithinMs = 1_000
const analysedForMs = 60_000
const mostWaiting = 500
/** Of the thread's time, for learning weights: agents make a call or two a second, and a flood of them tells no more. */
const shareForWeights = 0.02
const mostBeforeOffer = 20

export function openAdvice(options: OpenAdviceOptions): OpenAdvice {
  const { graph, analysis, store, riskOf, redact, log } = options
  const now = Date.now
  /** Asking has it computed anew where the graph has changed, in a worker: not for every call. */
  let analysed = analysis.current()
  let analysedAt = 0
  const currentAnalysis = (): Analysis => {
    if (now() - analysedAt < analysedForMs) return analysed
    analysedAt = now()
    analysed = analysis.current()
    return analysed
  }
  const thompson = createThompson()
  const episodes = createEpisodeIndex({
    now,
    communities: {
      revision: () => currentAnalysis().revision,
      of: (tool) => currentAnalysis().communities.get(tool),
    },
  })
  const gate = createSpeculationGate({ useful: usefulShare })
  const thresholds = createThresholds({ thompson, episodes, gate, random: seededRandom(seed), now })
  const episodeLog = createEpisodeLog({ store, redact, now, log })
  const addEpisode = (episode: Episode): void => {
    episodes.add(episode)
    episodeLog.add(episode)
  }
  const records = createAlgorithmLog({
    ...{ store, redact, now, newId, log },
    // How a call went is an episode whether or not it was scored before; a no of a person is one of its own.
    onEpisode: (episode) => (episode.kind === 'decision' ? addEpisode(episode) : undefined),
  })
  const nextTools = createNextTools({
    graph,
    analysis: currentAnalysis,
    now,
    intents: createWordLikeness(),
    episodic: (tool) =>
      episodicBoost(
        episodes.similar({
          tool,
          alpha: graph.activeAlpha(tool),
          workflowType: workflowTypeOf([riskOf(tool)]),
        }),
      ),
  })
  let isRankerChanged = false
  let mayLearnWeightsAt = 0
  /** What could not be read is not written over. */
  let isRankerLoaded = false
  const saving = setInterval(() => void saveRanker(), saveEveryMs).unref()

  const saveRanker = async (): Promise<void> => {
    if (!isRankerChanged || !isRankerLoaded) return
    isRankerChanged = false
    try {
      const open = await store()
      await open.saveLearnedState(rankerState, nextTools.state())
      await open.saveLearnedState(gateState, gate.state())
    } catch (error) {
      isRankerChanged = true
      log.warn('What comes next in sessions is not stored yet.', { error: String(error) })
    }
  }
  const saveThreshold = (changed: AdaptiveThreshold): void => {
    store()
      .then((open) => open.saveAdaptiveThresholds([changed]))
      .catch((error: unknown) =>
        log.warn('A threshold that moved is not stored.', { context: changed.context, error: String(error) }),
      )
  }
  /** The ranker as it was stored, and the sessions since then, one at a time: requests come in between. */
  const loadRanker = async (open: Store): Promise<void> => {
    const state = (await open.loadLearnedState(rankerState)) ?? untaughtRanker
    gate.load(await open.loadLearnedState(gateState))
    const { sequences } = readState(state)
    nextTools.load({ ...(state as JsonObject), sequences: [] })
    for (const sequence of sequences) {
      nextTools.recall([sequence])
      await setImmediate()
    }
    const since = await sequencesOf(open.loadRecentTraces({ runs: sessionsReplayed }), nextTools.newest())
    for (const sequence of since.slice(-sessionsReplayed)) {
      nextTools.replay([sequence])
      await setImmediate()
    }
    isRankerLoaded = true
  }

  const advice = createAdvice({
    thresholds,
    nextTools: {
      ...nextTools,
      observe(step) {
        isRankerChanged = true
        const at = performance.now()
        if (at < mayLearnWeightsAt) return nextTools.count(step)
        nextTools.observe(step)
        mayLearnWeightsAt = at + (performance.now() - at) / shareForWeights
      },
    },
    records,
    onEpisode: addEpisode,
    onThreshold: saveThreshold,
    riskOf,
    activeAlpha: graph.activeAlpha,
    passiveAlpha: (tool, context) => passiveAlpha(tool, context, graph),
    isCallable: options.isCallable,
    isFault,
    redact,
    now,
    newId,
  })
  /** A step costs the ranker half a millisecond, which no request is to wait for; of a flood the newest are enough. */
  const ended = createIdleQueue<() => void>({
    most: mostWaiting,
    take(learn) {
      try {
        learn()
      } catch (error) {
        log.error('what ended was not learned from', { error })
      }
    },
    drop() {},
  })

  const guarded = <Answer>(otherwise: Answer, ask: () => Answer): Answer => {
    try {
      return ask()
    } catch (error) {
      log.error('advice failed; it goes on without', { error })
      return otherwise
    }
  }

  return {
    advice: {
      ...advice,
      planJudged: (judged) => guarded(undefined, () => advice.planJudged(judged)),
      runStarted: (run) => guarded(undefined, () => advice.runStarted(run)),
      callRejected: (call) => guarded(undefined, () => advice.callRejected(call)),
      callEnded: (call) => ended.add(() => advice.callEnded(call)),
      runEnded: (plan, run) => ended.add(() => advice.runEnded(plan, run)),
      likelyNext(session) {
        // It hangs on what ended last; while there is too much of that, nobody needs offers.
        if (!isRankerLoaded || ended.size > mostBeforeOffer) return []
        ended.drain()
        return guarded([], () => advice.likelyNext(session))
      },
      endSession: (session) => ended.add(() => advice.endSession(session)),
    },
    foresight: {
      hear: (session, intent) => ended.add(() => nextTools.hear(session, redact(intent))),
      nextTools(session, wanted) {
        if (!isRankerLoaded || ended.size > mostBeforeOffer) return []
        ended.drain()
        return guarded([], () => nextTools.predict(session, wanted))
      },
      threshold: (tool) =>
        thresholds.of({
          mode: 'speculation',
          tool,
          risk: 'safe',
          alpha: graph.activeAlpha(tool),
          workflowType: workflowTypeOf(['safe']),
        }).value,
    },
    thompson,
    records,
    async load(open) {
      thresholds.load(await open.loadAdaptiveThresholds())
      const known = await episodeLog.load(open)
      episodes.clear()
      for (const episode of known) episodes.add(episode)
      // Nobody waits for what comes next in sessions. What ends meanwhile is in the traces too, or waits.
      ended.hold()
      isRankerLoaded = false
      loadRanker(open)
        .catch((error: unknown) =>
          log.warn('What was learned about next steps cannot be read, and is left alone.', {
            error: String(error),
          }),
        )
        .finally(ended.release)
    },
    toolSuccess(tool) {
      const { alpha, beta, observations } = thompson.of(tool)
      return observations === 0 ? undefined : { successes: alpha - 1, count: alpha + beta - 2 }
    },
    reliability: () =>
      thompson
        .rows('tool')
        .map(({ id, ...state }): Reliability => ({ tool: id as ToolId, ...state, mean: betaMean(state) }))
        .sort((a, b) => a.mean - b.mean || (a.tool < b.tool ? -1 : 1)),
    weights: nextTools.weights,
    async refit() {
      nextTools.refit()
      isRankerChanged = true
      await saveRanker()
    },
    async flush() {
      await Promise.all([records.flush(), episodeLog.flush(), saveRanker()])
    },
    forget() {
      records.forget()
      episodeLog.forget()
      isRankerChanged = false
    },
    async close() {
      clearInterval(saving)
      ended.drain()
      await withinMs(
        Promise.all([records.close(), episodeLog.close(), saveRanker()]),
        closeWithinMs,
        undefined,
      )
    },
  }
}
