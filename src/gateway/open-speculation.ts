/**
 * Running ahead, put together: what is likely (plan), which of it is sure enough (learn), and the room that runs it (execute), each a
 * stranger to the others. Promises: a prediction takes a small share of the thread's time, however fast calls come; what was learned is stored off the
 * request path, and loaded when the store has opened; values of calls and results never leave memory, but for constants, redacted.
 */
import { setImmediate } from 'node:timers/promises'
import { createSpeculationRoom } from '../execute/speculate/create-speculation-room.js'
import type { KnownCall, SeenCall, SpeculationRoom } from '../execute/speculate/speculation-room.js'
import { taskResult } from '../execute/task-result.js'
import { keepValue } from '../learn/keep-value.js'
import { createBatches } from '../learn/records/create-batches.js'
import { createCallGate, usefulShares } from '../learn/thresholds/create-call-gate.js'
import type { DataflowTemplate } from '../model/dataflow-template.js'
import { isNeverAhead } from '../model/is-never-ahead.js'
import { isObject, type Json } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'
import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { PredictedCall } from '../model/predicted-call.js'
import { type Redact, redactedMark } from '../model/redact.js'
import type { ServerState } from '../model/server.js'
import type {
  PreparedCall,
  Refusal,
  Speculation,
  SpeculationConfig,
  SpeculationPreset,
} from '../model/speculation.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { CallTool } from '../model/tool-call.js'
import { withinMs } from '../model/within-ms.js'
import type { TemplateChanges } from '../plan/predict/calls/call-predictor.js'
import { fittedPriors } from '../plan/predict/calls/call-priors.js'
import { createCallPredictor } from '../plan/predict/calls/create-call-predictor.js'
import type { Store } from '../store/store.js'
import type { Foresight } from './open-advice.js'

export interface OpenSpeculationOptions {
  /** The servers'. */
  readonly callTool: CallTool
  config(): SpeculationConfig
  tool(id: ToolId): Tool | undefined
  readonly servers: { servers(): readonly ServerState[]; onChange(listener: () => void): () => void }
  /** It only reads, and whoever says so is to be believed: is-safe-tool.ts. */
  isSafe(tool: Tool): boolean
  /** The user lets it be called without asking anybody. */
  runsUnasked(tool: ToolId): boolean
  readonly foresight: Foresight
  store(): Promise<Store>
  /** A row of the ledger is new, or has changed. */
  onEntry(entry: Speculation): void
  readonly redact: Redact
  readonly log: Log
}

export interface OpenSpeculation {
  /** In the place of the servers'. */
  readonly callTool: CallTool
  /** This was asked for in a session: the one moment with time to think. */
  hear(session: string, request: string): void
  /** A call or a run of this session has ended. */
  lookAhead(session: string): void
  /** See SpeculationRoom. */
  prepare(session: string, calls: readonly KnownCall[], p: number): void
  prepared(session: string): readonly PreparedCall[]
  moved(server: string): void
  endSession(session: string): void
  load(store: Store): Promise<void>
  /** Templates anew, from what is kept of past calls; gives how many calls there were. */
  rebuild(): Promise<number>
  /** What was learned, written or not; resolves when nothing of it is on its way to the store any more. What runs goes on. */
  forget(): Promise<void>
  /** Writes what waits. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Under this name the store keeps what has no table of its own. */
const stateName = 'speculation'
/** What is less likely is not even noted: nine of ten would be wrong. */
const leastLikely = 0.1
const mostPredicted = 6
const toolsLookedAt = 5
/** Of the thread's time: agents think for seconds between calls, and of a flood nothing can be foretold in time. */
const shareOfTime = 0.05
/** The first prediction of a process takes as long as its code takes to be compiled: the second is not to come too late for that. */
const longestRestMs = 100
/** Who thinks takes longer before the next call; of one who does not, nothing could be run in time. */
const restMs = 5
/** Larger results are listings and pages in which nobody's next argument would be found. */
const largestSeen = 256 * 1024
/** They are learned from at once, a few tenths of a millisecond each: of a flood the newest alone, or everybody would be held up. */
const mostUnseen = 20
/** A killed process loses so much of what it learned about arguments. */
const saveEveryMs = 30_000
const mostSavedAtOnce = 500
const keptDays = 14
const dayMs = 24 * 60 * 60_000
const closeWithinMs = 1_000
/** Of past runs and single calls, when templates are made anew: what is older has faded. A slice of ten milliseconds at a time. */
const lessonsReplayed = 2_000
const callsTogether = 10

/** What is still to be learned, in its order. */
interface Lesson {
  take(): void
  /** Only these are left out where there are too many. */
  readonly isCall: boolean
}

export function openSpeculation(options: OpenSpeculationOptions): OpenSpeculation {
  const { foresight, redact, log } = options
  /** What it reads is all that it does: nothing that is asked for in its name changes anything. */
  const onlyReads = (id: ToolId): boolean => {
    const tool = options.tool(id)
    return tool !== undefined && options.isSafe(tool) && !isNeverAhead(tool)
  }
  const mayRunAhead = (id: ToolId): boolean => onlyReads(id) && options.runsUnasked(id)
  const gates = {
    careful: createCallGate({ useful: usefulShares.careful }),
    eager: createCallGate({ useful: usefulShares.eager }),
  } satisfies Record<SpeculationPreset, unknown>
  const predictor = createCallPredictor({
    nextTools: (session) => foresight.nextTools(session, { limit: toolsLookedAt, among: mayRunAhead }),
    prior: fittedPriors,
    redact,
  })
  const untaught = predictor.state()
  let unseen: Lesson[] = []
  const addUnseen = (lesson: Lesson): void => {
    unseen.push(lesson)
    // Half of them at once: in a flood each call would have to make room otherwise.
    if (unseen.length > 2 * mostUnseen) unseen = unseen.filter(({ isCall }, at) => !isCall || at > mostUnseen)
  }
  const learnAll = (): void => {
    const lessons = unseen
    unseen = []
    for (const { take } of lessons)
      try {
        take()
      } catch (error) {
        log.error('a call was not learned from', { error })
      }
  }
  const rows = createBatches<Speculation>({
    store: options.store,
    write: (entries, store) => store.saveSpeculations(entries),
    keyOf: ({ id }) => id,
    what: 'predictions',
    log,
  })
  let isLoaded = false
  let isChanged = false
  let mayLookAt = 0
  let looking: NodeJS.Timeout | undefined
  /** By session, since when; the one that has waited longest first. */
  const toLookAt = new Map<string, number>()
  let lastCallAt = 0

  const judge = (call: PredictedCall): Refusal | undefined => {
    const { preset } = options.config()
    if (preset === 'careful' && call.toolP < foresight.threshold(call.tool)) return 'below threshold'
    const source = call.weakest
    return call.p < gates[preset].cutoff({ tool: call.tool, source }) ? 'below cut-off' : undefined
  }
  const room: SpeculationRoom = createSpeculationRoom({
    callTool: options.callTool,
    config: options.config,
    predict(session) {
      return spend(() => {
        learnAll()
        return predictor.predict(session, mostPredicted).filter(({ p }) => p >= leastLikely)
      })
    },
    judge,
    isSafe(id) {
      const tool = options.tool(id)
      return tool !== undefined && options.isSafe(tool) && options.runsUnasked(id)
    },
    isNeverAhead(id) {
      const tool = options.tool(id)
      return tool === undefined || isNeverAhead(tool)
    },
    mayWrite: ({ tool }) => !onlyReads(tool),
    isWell: (server) =>
      options.servers
        .servers()
        .some(({ name, status, trouble }) => name === server && status === 'ready' && trouble === undefined),
    onCall(call) {
      if (options.config().mode === 'off') return
      lastCallAt = performance.now()
      addUnseen({ take: () => see(call), isCall: true })
      lookSoon()
    },
    onEntry(entry) {
      learnFrom(entry)
      const kept = keepValue(entry.arguments, redact)
      const row = { ...entry, arguments: isObject(kept) ? kept : {} }
      options.onEntry(row)
      rows.add(row)
    },
    now: Date.now,
    newId,
    log,
  })

  /** A server that was started again, or lists other tools, may hold something else. */
  const known = new Map<string, string>()
  const stopFollowing = options.servers.onChange(() => {
    for (const { name, status, pids, toolCount } of options.servers.servers()) {
      const state = JSON.stringify([status, pids, toolCount])
      if (known.has(name) && known.get(name) !== state) room.moved(name)
      known.set(name, state)
    }
  })

  const see = ({ session, tool, arguments: args, result, endedAt }: SeenCall): void => {
    isChanged = true
    const value = result === undefined ? undefined : seenResult(tool, result)
    predictor.observe({
      ...{ session, tool, arguments: args, at: endedAt },
      ...(value !== undefined && { result: value }),
    })
  }
  const learnFrom = ({ tool, source, p, outcome }: Speculation): void => {
    if (outcome === undefined) return
    isChanged = true
    const used = outcome !== 'wasted' && outcome !== 'wrong'
    for (const gate of Object.values(gates)) gate.take({ tool, source, p }, used)
  }

  /** What was spent is followed by nineteen times as long, or a tenth of a second, in which nothing is learned or predicted. */
  const spend = <Value>(work: () => Value): Value => {
    const begin = performance.now()
    try {
      return work()
    } finally {
      const end = performance.now()
      mayLookAt = end + Math.min(longestRestMs, (end - begin) * (1 / shareOfTime - 1))
    }
  }
  /** Learns from what was called, and looks at the session that has waited longest of those that are at rest. */
  const lookSoon = (): void => {
    looking ??= setTimeout(look, Math.max(restMs, mayLookAt - performance.now())).unref()
  }
  const look = (): void => {
    looking = undefined
    const at = performance.now()
    // A prediction may have been made since this was planned.
    if (at < mayLookAt) {
      lookSoon()
      return
    }
    for (const [session, since] of toLookAt) {
      if (at - since < restMs) continue
      toLookAt.delete(session)
      room.lookAhead(session)
      break
    }
    if (toLookAt.size > 0) lookSoon()
    else if (unseen.length > 0 && at - lastCallAt >= restMs) spend(learnAll)
    else if (unseen.length > 0) lookSoon()
  }
  const lookAhead = (session: string): void => {
    if (options.config().mode === 'off') return
    toLookAt.delete(session)
    toLookAt.set(session, performance.now())
    lookSoon()
  }

  /** What the store has not taken yet goes first the next time. */
  let unsaved: TemplateChanges | undefined
  /** Grows when what was learned is forgotten or made anew: what was to be saved until then is not. */
  let generation = 0
  const saveTemplates = async (store: Store): Promise<void> => {
    const begun = generation
    // What could not be saved the last time, and then what came since.
    const rounds = unsaved === undefined ? 1 : 2
    for (let round = 0; round < rounds; round++) {
      unsaved ??= predictor.changedTemplates()
      const { removed } = unsaved
      const changed = unsaved.changed.filter((template) => hasNoSecret(template, redact))
      for (let at = 0; at < Math.max(changed.length, removed.length); at += mostSavedAtOnce) {
        if (generation !== begun) return
        await store.saveDataflowTemplates(
          changed.slice(at, at + mostSavedAtOnce),
          removed.slice(at, at + mostSavedAtOnce),
        )
      }
      if (generation !== begun) return
      unsaved = undefined
    }
  }
  const saveChanges = async (): Promise<void> => {
    // What could not be read is not written over.
    if (!isChanged || !isLoaded) return
    isChanged = false
    try {
      const begun = generation
      const store = await options.store()
      await saveTemplates(store)
      if (generation !== begun) return
      await store.saveLearnedState(stateName, {
        version: 1,
        predictor: predictor.state(),
        careful: gates.careful.state(),
        eager: gates.eager.state(),
        timesToLive: room.state(),
      })
    } catch (error) {
      isChanged = true
      log.warn('What was learned about coming calls is not stored yet.', { error: String(error) })
    }
  }
  let saved: Promise<void> = Promise.resolve()
  /** One after the other: who waits for it waits for the one before, too. */
  const save = (): Promise<void> => {
    saved = saved.then(saveChanges)
    return saved
  }
  const saving = setInterval(() => void save(), saveEveryMs).unref()

  return {
    callTool: room.callTool,
    hear(session, request) {
      if (options.config().mode === 'off') return
      foresight.hear(session, request)
      addUnseen({ take: () => predictor.hear(session, request), isCall: false })
      lookAhead(session)
    },
    lookAhead,
    prepare: room.prepare,
    prepared: room.prepared,
    moved: room.moved,
    endSession(session) {
      toLookAt.delete(session)
      room.endSession(session)
      addUnseen({ take: () => predictor.endSession(session), isCall: false })
      lookSoon()
    },
    async load(store) {
      const state = await store.loadLearnedState(stateName)
      if (isObject(state)) {
        predictor.load(state.predictor ?? null)
        gates.careful.load(state.careful)
        gates.eager.load(state.eager)
        room.load(state.timesToLive ?? null)
      }
      predictor.loadTemplates(await store.loadDataflowTemplates())
      unsaved = undefined
      isLoaded = true
      store
        .pruneSpeculations(Date.now() - keptDays * dayMs)
        .catch((error: unknown) =>
          log.warn('Old predictions could not be forgotten.', { error: String(error) }),
        )
    },
    async rebuild() {
      const store = await options.store()
      const anew = createCallPredictor({ nextTools: () => [], prior: fittedPriors, redact })
      let calls = 0
      for await (const batch of store.loadRecentTraces({ runs: lessonsReplayed }))
        for (const { trace } of batch) {
          const { tool, runId, arguments: args, result, endedAt } = trace
          if (tool === undefined || args === undefined) continue
          anew.count({
            ...{ session: runId, tool, arguments: args, at: endedAt },
            ...(result !== undefined && { result }),
          })
          calls += 1
          if (calls % callsTogether === 0) await setImmediate()
        }
      const { changed } = anew.changedTemplates()
      const kept = changed.filter((template) => hasNoSecret(template, redact))
      generation += 1
      saved = saved.then(async () => {
        await store.replaceDataflowTemplates(kept)
        unsaved = undefined
        predictor.loadTemplates(kept)
      })
      const replaced = saved
      // Who saves next is not to fail because of this one.
      saved = saved.catch(() => {})
      await replaced
      return calls
    },
    async forget() {
      generation += 1
      // What is on its way to the store gets there first.
      await withinMs(Promise.all([saved, rows.flush()]), closeWithinMs, undefined)
      learnAll()
      rows.clear()
      unsaved = undefined
      predictor.load(untaught)
      predictor.loadTemplates([])
      for (const gate of Object.values(gates)) gate.load(undefined)
      room.load(null)
      isChanged = false
    },
    async flush() {
      await Promise.all([rows.flush(), save()])
    },
    async close() {
      clearInterval(saving)
      clearTimeout(looking)
      stopFollowing()
      await room.close()
      learnAll()
      await withinMs(Promise.all([rows.close(), save()]), closeWithinMs, undefined)
    },
  }
}

/** Names of arguments and of fields are anybody's words: a way through a field that is named by a secret is not kept. */
function hasNoSecret({ parameter, source, value }: DataflowTemplate, redact: Redact): boolean {
  return [parameter, source, JSON.stringify(value ?? null)].every(
    (text) => redact(text) === text && !text.includes(redactedMark),
  )
}

/** As a task would have it; undefined where the tool said that it failed, or said too much. */
function seenResult(tool: ToolId, result: NonNullable<SeenCall['result']>): Json | undefined {
  if (result.isError === true || jsonLength(result, largestSeen) >= largestSeen) return undefined
  try {
    return taskResult(tool, result)
  } catch {
    return undefined
  }
}
