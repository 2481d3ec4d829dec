/**
 * Runs, and calls that clients made by themselves -> what is known better now. Promises: edges and Beta states in the store are the
 * fold of the traces after every step, and memory says the same but for what other gateways on the same database have learned since
 * it was read; learning never disturbs what it learns from: nothing here throws at it or keeps it waiting; what could not be stored is
 * tried again with the next lesson. Experience follows what was stored (keep-experience.ts). How a call went is written down before it is
 * answered (store/outcome-spool.ts). Never touches servers or clients, and keeps no text that was not redacted.
 */
import type { Analyses } from '../graph/create-analysis.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import { createIdleQueue } from '../model/create-idle-queue.js'
import type { EdgeKey } from '../model/edge.js'
import type { Experience } from '../model/experience.js'
import type { Log } from '../model/log.js'
import type { Plan } from '../model/plan.js'
import type { Redact } from '../model/redact.js'
import type { Run } from '../model/run.js'
import type { Trace } from '../model/trace.js'
import { unlessAborted } from '../model/unless-aborted.js'
import { withinMs } from '../model/within-ms.js'
import { createMutex } from '../store/create-mutex.js'
import { isStoreAway } from '../store/is-store-away.js'
import type { OutcomeSpool, SpooledOutcome } from '../store/outcome-spool.js'
import type { Store } from '../store/store.js'
import { foldTraces } from './fold-traces.js'
import { keepExperience } from './keep-experience.js'
import { learnFromTraces } from './learn-from-traces.js'
import { outcomesOf } from './outcomes-of.js'
import { type Rebuilt, rebuildGraph } from './rebuild-graph.js'
import { type GraphSummary, summariseGraph } from './summarise-graph.js'
import type { Thompson } from './thresholds/create-thompson.js'
import { createSessionTraces, type EndedCall } from './trace-call.js'
import { traceRun } from './trace-run.js'

export interface LearningOptions {
  /** The one that search and plans look at. */
  readonly graph: KnowledgeGraph
  /** An empty one of the same kind, to be filled without disturbing the other. */
  createGraph(): KnowledgeGraph
  readonly analysis: Pick<Analyses, 'settled'>
  /** How calls went, by tool: follows what was stored. */
  readonly thompson: Pick<Thompson, 'take' | 'load'>
  readonly spool: OutcomeSpool
  /** Opens in the background; learning waits for it. */
  store(): Promise<Store>
  readonly redact: Redact
  readonly log: Log
}

export interface Learning {
  /** How tools were used. Read in the background once the store is open: `settled` says when. */
  readonly experience: Experience
  /** Reads what is known. To be called when the store has opened, before anybody else gets it. */
  load(store: Store): Promise<void>
  /** Waits until past runs have been read, or could not be; rejects where the store was not opened. */
  settled(): Promise<void>
  /**
   * Takes in a run that ended, with its values as they were. Never rejects; resolves when that is stored, or was given up for now.
   * `lesson` names this ending: what was learned is not learned again.
   */
  learn(plan: Plan, run: Run, lesson?: string): Promise<void>
  /** Takes in a call that a client made by itself. Costs the caller microseconds; nobody hears of trouble but the log. */
  learnCall(call: EndedCall): void
  endSession(session: string): void
  /** Edges guessed from the schemas of the catalogue, instead of those of before. */
  replaceTemplates(keys: readonly EdgeKey[]): Promise<void>
  /** Everything once more, from baseline and traces. */
  rebuild(): Promise<Rebuilt>
  /** Folds old runs into the baseline; what was learned stays. Gives the number of traces that are gone. */
  retain(keep: { readonly newest: number; readonly since: number }): Promise<{ readonly traces: number }>
  /** Waits until the store has been read, and what ended before is learned. */
  summary(): Promise<GraphSummary>
  /** Waits for what is being written. */
  close(): Promise<void>
}

/** What a database that is away for a while misses. A trace holds some 20 KB at most: together 40 MB, or what one run holds. */
const mostTracesWaiting = 2_000
/** A run that the database refused so often it will refuse for ever. */
const mostAttempts = 3
/** A process is gone within 2 s of being asked to end. A write takes milliseconds: one that takes longer hangs. */
const closeWithinMs = 1_000
/** A store that is still opening then is not waited for. */
const storeWithinMs = 250

/** As many as the spool holds. */
const mostUnstored = 10_000
/** A database that is away comes back within minutes, or a person has to act. */
const retryAfterMs = 5_000
/** With their results as they were: some MB. */
const mostCallsWaiting = 500
/** Calls that clients make one by one are stored together: how they went is in the spool, so nothing hurries. */
const togetherMs = 2_000
const mostTogether = 200

interface Waiting {
  readonly traces: readonly Trace[]
  attempts: number
  /** Where it may be known already: the store refuses all of what comes with it. */
  readonly isAlone: boolean
}

export function createLearning(options: LearningOptions): Learning {
  const { graph, createGraph, analysis, thompson, spool, store, redact, log } = options
  const exclusive = createMutex()
  const waiting: Waiting[] = []
  let tracesWaiting = 0
  const closing = new AbortController()
  const keeper = keepExperience({ log })
  const openStore = (): Promise<Store> => unlessAborted(store(), closing.signal)
  const sessions = createSessionTraces({ redact })
  const spooled = [...spool.left]
  /** Calls of which the spool must tell, should this process die. */
  const unstored = new Map<string, SpooledOutcome>(spool.left.map((outcome) => [outcome.id, outcome]))
  let retrying: NodeJS.Timeout | undefined
  /** Ended, answered, and not looked at yet. */
  const ended = createIdleQueue<EndedCall>({
    most: mostCallsWaiting,
    take: (call) => lookAt(call),
    drop: ({ id }) => void unstored.delete(id),
  })

  const keep = (traces: readonly Trace[]): void => {
    waiting.push({ traces, attempts: 0, isAlone: false })
    tracesWaiting += traces.length
    while (tracesWaiting > mostTracesWaiting && waiting.length > 1) {
      const dropped = waiting.shift()!
      tracesWaiting -= dropped.traces.length
      // Of calls the spool still has how they went: the next process learns that.
      if (isOneCall(dropped)) continue
      log.error('A run was not learned from: too many wait for the store.', { run: dropped.traces[0]!.runId })
    }
  }
  /** What an earlier process left is taken up in portions: the spool holds more than may wait here. */
  const takeLeft = (): number => {
    const portion = spooled.splice(0, mostTogether)
    for (const outcome of portion.toReversed())
      waiting.unshift({ traces: [sessions.trace({ ...outcome, arguments: {} })], attempts: 0, isAlone: true })
    tracesWaiting += portion.length
    return portion.length
  }

  /** Of the oldest so many. */
  const nextTogether = (most: number): readonly Waiting[] => {
    const [next] = waiting
    if (next === undefined || !isCall(next)) return waiting.slice(0, Math.min(1, most))
    const end = waiting.findIndex((one) => !isCall(one))
    return waiting.slice(0, Math.min(mostTogether, most, end === -1 ? waiting.length : end))
  }

  /** In the order of their ends; one that fails is tried again the next time, before those after it. */
  const learnWaiting = async (): Promise<void> => {
    const open = await openStore()
    // Those that come meanwhile wait for the next time, or a flood would be stored in twos and threes.
    for (let left = waiting.length; left > 0 || spooled.length > 0; ) {
      if (left === 0) left = takeLeft()
      const batch = nextTogether(left)
      if (batch.length === 0) break
      left -= batch.length
      const lessons = batch.map(({ traces }) => traces)
      const { runId } = lessons[0]![0]!
      try {
        const { isNew, refused } = await learnFromTraces(lessons, { graph, store: open })
        if (isNew) {
          for (const traces of lessons)
            for (const [tool, outcomes] of outcomesOf(traces)) thompson.take(tool, outcomes)
          await keeper.take(lessons, open)
        }
        if (refused.length > 0)
          log.debug('Edges that would close a cycle were refused.', {
            run: runId,
            refused: refused.length,
            first: refused[0],
          })
      } catch (error) {
        if (isStoreAway(error)) {
          retrying ??= setTimeout(retry, retryAfterMs).unref()
          throw error
        }
        for (const one of batch) one.attempts += 1
        if (batch[0]!.attempts < mostAttempts) throw error
        log.error('A run was not learned from: it cannot be stored.', { run: runId, error: String(error) })
        remove(batch.slice(0, 1))
        continue
      }
      remove(batch)
    }
    spool.keepOnly([...unstored.values()])
  }
  const remove = (done: readonly Waiting[]): void => {
    const gone = new Set(done)
    for (const { traces } of done) unstored.delete(traces[0]!.id)
    waiting.splice(0, waiting.length, ...waiting.filter((one) => !gone.has(one)))
    tracesWaiting = waiting.reduce((sum, { traces }) => sum + traces.length, 0)
  }
  const retry = (): void => {
    retrying = undefined
    exclusive(learnWaiting).catch(() => {})
  }

  let due: NodeJS.Timeout | undefined
  const lookAt = (call: EndedCall): void => {
    try {
      keep([sessions.trace(call)])
    } catch (error) {
      log.warn('A call was not learned from.', { tool: call.tool, error: String(error) })
    }
    due ??= setTimeout(() => void learnCalls(), togetherMs).unref()
  }
  const learnCalls = (): Promise<void> => {
    clearTimeout(due)
    due = undefined
    return exclusive(learnWaiting).catch((error: unknown) => {
      if (!closing.signal.aborted) log.warn('What calls taught is not stored yet.', { error: String(error) })
    })
  }

  const rebuild = (): Promise<Rebuilt> =>
    exclusive(async () => {
      // Before it is open the graph has not been read, and its templates would be taken for gone.
      const open = await openStore()
      const fresh = createGraph()
      const templates = graph.edges().filter(isUnseen)
      const rebuilt = await rebuildGraph({ store: open, graph: fresh, templates })
      graph.load(fresh.edges())
      thompson.load('tool', await open.loadBetaStates('tool'))
      await keeper.reload(open)
      return rebuilt
    })

  return {
    experience: keeper.experience,
    async load(open) {
      const edges = await open.loadEdges()
      const { refused } = graph.load(edges)
      if (refused.length > 0)
        log.warn('Edges in the store cannot be true and are left out. Mend it with: pml learn --rebuild', {
          edges: refused.length,
          first: refused[0],
        })
      const betaStates = await open.loadBetaStates('tool')
      thompson.load('tool', betaStates)
      thompson.load('capability', await open.loadBetaStates('capability'))
      keeper.load(open)
      // Traces of a version that did not count how calls went.
      if (betaStates.length === 0 && edges.some(({ count }) => count > 0))
        void rebuild().catch((error: unknown) =>
          log.warn('How calls went so far is not known. Learn it with: pml learn --rebuild', {
            error: String(error),
          }),
        )
      if (spooled.length === 0) return
      // Who opens the store waits for this, and learning for the store.
      void exclusive(learnWaiting).catch(() => {})
    },
    async settled() {
      await openStore()
      await keeper.settled()
    },
    async learn(plan, run, lesson = run.id) {
      try {
        keep(traceRun(plan, run, { redact, lesson }))
        await exclusive(learnWaiting)
      } catch (error) {
        log.warn('What a run taught is not stored yet.', { run: run.id, error: String(error) })
      }
    },
    learnCall(call) {
      // Of a flood a part is enough: the newest sixty outcomes are all that a Beta state knows.
      if (ended.size >= mostCallsWaiting) return
      const { arguments: _, result: __, ...outcome } = call
      spool.append(outcome)
      if (unstored.size < mostUnstored) unstored.set(outcome.id, outcome)
      ended.add(call)
    },
    endSession(session) {
      // Its last calls may not have been looked at.
      ended.drain()
      sessions.endSession(session)
    },
    replaceTemplates: (keys) =>
      exclusive(async () => {
        const open = await openStore()
        const before = graph.edges().filter(isUnseen)
        const { added, removed } = graph.replaceTemplates(keys)
        if (added.length + removed.length === 0) return
        try {
          await open.saveLearned({ traces: [], edges: added, removed })
        } catch (error) {
          graph.replaceTemplates(before)
          throw error
        }
      }),
    rebuild,
    retain: (kept) =>
      exclusive(async () => {
        const open = await openStore()
        const templates = graph.edges().filter(isUnseen)
        return foldTraces({ store: open, graph: createGraph(), templates, keep: kept })
      }),
    async summary() {
      await store()
      // What ended before is told as well.
      ended.drain()
      await learnCalls()
      const analysed = await analysis.settled()
      // What came meanwhile, as the guesses of a first start do, is counted too.
      return summariseGraph(graph, analysed.revision < graph.revision ? await analysis.settled() : analysed)
    },
    async close() {
      ended.drain()
      clearTimeout(retrying)
      clearTimeout(due)
      const giveUp = setTimeout(() => closing.abort(new Error('The store is not open.')), storeWithinMs)
      const last = exclusive(async () => {
        if (waiting.length > 0) await learnWaiting()
      })
      // Why it failed was told when it did so first; what is left is told below.
      await withinMs(Promise.all([last.catch(nothing), keeper.close()]), closeWithinMs, undefined)
      clearTimeout(giveUp)
      if (waiting.length > 0) log.warn('Not all runs were learned from.', { runs: waiting.length })
      spool.close()
    },
  }
}

function nothing(): void {}

/** One that can be stored with others: made by a client itself, and not refused before. */
function isCall(waiting: Waiting): boolean {
  return isOneCall(waiting) && waiting.attempts === 0 && !waiting.isAlone
}

function isOneCall({ traces }: Waiting): boolean {
  return traces.length === 1 && traces[0]!.tool !== undefined
}

function isUnseen({ count }: { readonly count: number }): boolean {
  return count === 0
}
