import { CallAbortedError, PmlError, UpstreamError } from '../../errors.js'
import { createIdleQueue } from '../../model/create-idle-queue.js'
import type { PredictedCall } from '../../model/predicted-call.js'
import { serverOf } from '../../model/server-of.js'
import type { ToolId } from '../../model/tool.js'
import type { ToolCall, ToolResult } from '../../model/tool-call.js'
import { unlessAborted } from '../../model/unless-aborted.js'
import { withinMs } from '../../model/within-ms.js'
import { isInputRequired } from '../../upstream/input-rounds.js'
import { callKey } from './call-key.js'
import { costOf, refusalOf } from './guard.js'
import { hashResult } from './hash-result.js'
import { createLedger } from './ledger.js'
import { modeOf } from './mode-of.js'
import { type Ahead, createResultCache } from './result-cache.js'
import { runAhead, usefulResult } from './run-ahead.js'
import type { CallEnd } from './says-rate-limited.js'
import { createServerEpochs } from './server-epochs.js'
import { createServerRests } from './server-rest.js'
import type { KnownCall, SeenCall, SpeculationRoom, SpeculationRoomOptions } from './speculation-room.js'
import { createTimesToLive } from './time-to-live.js'
import { createUnusedCalls } from './unused-calls.js'
import { createWasteBudget } from './waste-budget.js'

/** Three can run; the others are looked at for the ledger, which learns from what it did not run. */
const mostLookedAt = 10
/** What is ready and not asked for any more is seen with the next prediction, or then. */
const sweepMs = 10_000
const closeWithinMs = 500
/** Answers whose change is still to be seen; each may hold a result. Of a flood a few are enough. */
const mostUnseen = 8

export function createSpeculationRoom(options: SpeculationRoomOptions): SpeculationRoom {
  const { now, log } = options
  const epochs = createServerEpochs(options)
  const rests = createServerRests(options)
  const budget = createWasteBudget(options)
  const unused = createUnusedCalls()
  const timesToLive = createTimesToLive()
  const cache = createResultCache({ onOut: discard })
  const ledger = createLedger({
    now,
    newId: options.newId,
    onEntry: (entry) => quietly(() => options.onEntry(entry)),
    onTooMany: endSession,
  })
  const answers = createIdleQueue<SeenAnswer>({
    most: mostUnseen,
    take: (answer) => quietly(() => noteAnswer(answer)),
    drop() {},
  })
  const isSafe = (tool: ToolId): boolean => options.isSafe(tool)
  const isNeverAhead = (tool: ToolId): boolean => options.isNeverAhead(tool)
  const isWell = (server: string): boolean => options.isWell(server)
  /** Also those that were stopped, until they have ended. */
  const underWay = new Set<Promise<void>>()
  const toLookAt = new Set<string>()
  let sweeping: NodeJS.Timeout | undefined
  let isClosed = false

  return {
    callTool,
    lookAhead(session) {
      if (isClosed) return
      // After the reply has gone out: prediction takes its time on the same thread.
      if (toLookAt.size === 0) setImmediate(lookAtAll)
      toLookAt.add(session)
    },
    prepare(session, calls, p) {
      for (const call of calls.slice(0, mostLookedAt))
        quietly(() => consider(session, asPredicted(call, share(p))))
    },
    prepared: (session) => cache.prepared(session, (ahead) => !ahead.isTaken && mayBeGiven(ahead)),
    moved(server) {
      epochs.moved(server)
      cache.drop((ahead) => server === undefined || ahead.server === server)
    },
    endSession,
    state: () => timesToLive.state(),
    load: (state) => timesToLive.load(state),
    async close() {
      isClosed = true
      toLookAt.clear()
      answers.hold()
      clearTimeout(sweeping)
      cache.drop((ahead) => {
        ahead.stop()
        return true
      })
      ledger.endAll()
      await withinMs(Promise.all(underWay), closeWithinMs, undefined)
    },
  }

  /** What was not predicted pays for two look-ups here, and no more. */
  async function callTool(call: ToolCall): Promise<ToolResult> {
    if (isClosed) return options.callTool(call)
    const startedAt = now()
    const number = ledger.nextCall()
    const { session, tool } = call
    const server = serverOf(tool)
    const key = ledger.awaits(session, tool) ? callKey(tool, call.arguments) : undefined
    const endWrite = mayWrite(call) ? beginWrite(server) : undefined
    let end: CallEnd | undefined
    try {
      if (key !== undefined && endWrite === undefined && isPlain(call)) {
        const ahead = await take(call, key, startedAt)
        if (ahead !== undefined) {
          end = { result: ahead }
          return ahead
        }
      }
      const epoch = epochs.epoch(server)
      const result = await options.callTool(call)
      end = { result }
      noteEnd(server, end)
      if (endWrite === undefined && answers.size < mostUnseen && usefulResult(end) !== undefined)
        answers.add({ tool, arguments: call.arguments, server, epoch, result, at: now() })
      return result
    } catch (error) {
      end = { error }
      noteEnd(server, end)
      throw error
    } finally {
      endWrite?.(isAnswered(end))
      if (end !== undefined) quietly(() => seen(call, number, key, end!, startedAt))
    }
  }

  function seen(
    { session, tool, arguments: args }: ToolCall,
    number: number,
    key: string | undefined,
    end: CallEnd,
    startedAt: number,
  ): void {
    const result = 'result' in end ? end.result : undefined
    // Its server asks something first: it has not ended.
    if (isInputRequired(result)) return
    ledger.called(session, number, key)
    if (key !== undefined) unused.forget(session, key)
    const call: SeenCall = { session, tool, arguments: args, startedAt, endedAt: now() }
    options.onCall(result === undefined ? call : { ...call, result })
  }

  /** Before anything is sent: what was read until now is given to nobody who asks from now on. */
  function beginWrite(server: string): (isAnswered: boolean) => void {
    const end = epochs.beginWrite(server)
    cache.drop((ahead) => ahead.server === server)
    return end
  }

  /** What was run ahead for this call. Undefined: nothing, so it is to be made. @throws CallAbortedError */
  async function take(call: ToolCall, key: string, askedAt: number): Promise<ToolResult | undefined> {
    const ahead = cache.find(call.session, key)
    if (ahead === undefined || ahead.isTaken) return undefined
    if (!mayBeGiven(ahead)) {
      cache.remove(ahead)
      discard(ahead)
      return undefined
    }
    if (ahead.ready === undefined) return join(ahead, call, askedAt)
    const { result, tookMs } = ahead.ready
    cache.remove(ahead)
    ahead.used()
    ledger.close(ahead.row, 'hit', { tookMs, savedMs: Math.max(0, tookMs - (now() - askedAt)) })
    return result
  }

  async function join(ahead: Ahead, call: ToolCall, askedAt: number): Promise<ToolResult | undefined> {
    // Who has a limit of their own could be late because of it.
    if (call.timeoutMs !== undefined) return undefined
    ahead.isTaken = true
    // From now on somebody waits: it may take as long as it would have taken them.
    ahead.keepOn()
    try {
      const result = await unlessAborted(ahead.ended, call.signal)
      if (result === undefined) return undefined
      ahead.used()
      ledger.close(ahead.row, 'joined', {
        tookMs: now() - ahead.startedAt,
        savedMs: Math.max(0, askedAt - ahead.startedAt),
      })
      return result
    } catch {
      // The caller has gone: it is there for the next one, unless something has ended it meanwhile.
      ahead.isTaken = false
      if (!cache.holds(ahead)) discard(ahead)
      throw new CallAbortedError(call.tool)
    }
  }

  /** Asked each time: the tool may have been quarantined, or the user may have changed their mind. */
  function mayBeGiven({ tool, server, epoch, ready }: Ahead): boolean {
    try {
      return (
        epoch === epochs.epoch(server) &&
        (ready === undefined || now() < ready.expiresAt) &&
        modeOf(options.config(), tool) === 'on' &&
        isSafe(tool) &&
        !isNeverAhead(tool)
      )
    } catch (error) {
      log.warn('whether a result may be given could not be told', { tool, error })
      return false
    }
  }

  /** It has left the cache, and nobody had it. Who has joined it asked before whatever put it out, and may have it. */
  function discard(ahead: Ahead): void {
    if (ahead.isTaken) return
    ahead.stop()
    // After a write it may be wanted once more; what nobody wanted while it held is not tried again and again.
    if (ahead.epoch === epochs.epoch(ahead.server)) unused.note(ahead.session, ahead.key)
    const tookMs = ahead.ready?.tookMs
    ledger.close(ahead.row, 'wasted', tookMs === undefined ? {} : { tookMs })
  }

  function lookAtAll(): void {
    const sessions = [...toLookAt]
    toLookAt.clear()
    for (const session of sessions) quietly(() => look(session))
  }

  function look(session: string): void {
    if (isClosed || options.config().mode === 'off') return
    sweep()
    const calls = options.predict(session).slice(0, mostLookedAt).map(withTrueShares)
    for (const call of calls.toSorted((a, b) => b.p - a.p)) quietly(() => consider(session, call))
  }

  function consider(session: string, call: PredictedCall): void {
    const config = options.config()
    if (isClosed || config.mode === 'off') return
    const key = callKey(call.tool, call.arguments)
    if (key === undefined || ledger.find(session, key)?.entry.decision === 'started') return
    const refusal = refusalOf(call, {
      config,
      judge: (one) => options.judge(one),
      isSafe,
      isNeverAhead,
      mayWrite,
      isWell,
      epochs,
      rests,
      budget,
      wasUnused: unused.has(session, key),
      atOnce: underWay.size,
    })
    if (refusal !== undefined) ledger.enter(session, key, call, { decision: 'refused', refusal, cost: 0 })
    else if (modeOf(config, call.tool) === 'on') start(session, key, call)
    else ledger.enter(session, key, call, { decision: 'shadow', cost: 0 })
  }

  function start(session: string, key: string, call: PredictedCall): void {
    const { tool, arguments: args } = call
    const server = serverOf(tool)
    const epoch = epochs.epoch(server)
    const startedAt = now()
    const config = options.config()
    // Nothing is asked between this and the call: whatever was true a moment ago, it may run now.
    const isOn = modeOf(config, tool) === 'on'
    if (!isOn || !isSafe(tool) || isNeverAhead(tool)) {
      ledger.enter(session, key, call, { decision: 'refused', refusal: isOn ? 'not safe' : 'off', cost: 0 })
      return
    }
    const running = runAhead({ tool, arguments: args, session }, options)
    underWay.add(running.settled)
    void running.settled.then(() => underWay.delete(running.settled))
    const ahead: Ahead = {
      session,
      tool,
      arguments: args,
      key,
      server,
      epoch,
      startedAt,
      used: budget.spend(server),
      row: ledger.enter(session, key, call, { decision: 'started', cost: costOf(config, call) }),
      ended: running.ended
        .then((end) => settle(ahead, end, running.isStopped))
        .catch((error: unknown) => giveUp(ahead, error)),
      stop: () => running.stop(),
      keepOn: () => running.keepOn(),
      isTaken: false,
    }
    cache.add(ahead)
    sweeping ??= setTimeout(sweepLater, sweepMs).unref()
  }

  /** Comes before anybody who has joined sees the result. */
  function settle(ahead: Ahead, end: CallEnd, isStopped: boolean): ToolResult | undefined {
    const { tool, arguments: args, server, epoch, startedAt, row } = ahead
    const at = now()
    if (!isStopped) noteEnd(server, end)
    const result = usefulResult(end)
    if (result === undefined) {
      cache.remove(ahead)
      ledger.close(row, 'wasted', { tookMs: at - startedAt })
      return undefined
    }
    answers.add({ tool, arguments: args, server, epoch, result, at })
    if (ahead.isTaken) cache.remove(ahead)
    else if (cache.holds(ahead)) {
      // From its start on: nobody knows at which moment of the call the server looked.
      const expiresAt = startedAt + timesToLive.ofTool(tool)
      cache.keep(ahead, { result, tookMs: at - startedAt, expiresAt })
      if (!mayBeGiven(ahead)) cache.drop((one) => one === ahead)
    }
    return result
  }

  /** A broken promise of ours: who has joined makes the call after all. */
  function giveUp(ahead: Ahead, error: unknown): undefined {
    log.error('a call that was run ahead could not be taken up', { tool: ahead.tool, error })
    cache.remove(ahead)
    ledger.close(ahead.row, 'wasted')
  }

  function sweep(): void {
    cache.drop((ahead) => !ahead.isTaken && !mayBeGiven(ahead))
  }

  function sweepLater(): void {
    sweeping = undefined
    quietly(sweep)
    if (cache.size > 0) sweeping = setTimeout(sweepLater, sweepMs).unref()
  }

  function endSession(session: string): void {
    toLookAt.delete(session)
    cache.drop((ahead) => ahead.session === session)
    unused.endSession(session)
    ledger.endSession(session)
  }

  /** Only of tools that may be run ahead: of no other does anybody ask how long a result holds. */
  function noteAnswer({ tool, arguments: args, server, epoch, result, at }: SeenAnswer): void {
    if (modeOf(options.config(), tool) === 'off' || !isSafe(tool) || isNeverAhead(tool)) return
    if (epochs.epoch(server) !== epoch) return
    const key = callKey(tool, args)
    const hash = key === undefined ? undefined : hashResult(result)
    if (key !== undefined && hash !== undefined) timesToLive.note({ tool, key, epoch, hash, at })
  }

  function noteEnd(server: string, end: CallEnd): void {
    quietly(() => rests.note(server, end))
  }

  /** In doubt it may. */
  function mayWrite(call: KnownCall): boolean {
    try {
      return options.mayWrite(call)
    } catch (error) {
      log.warn('whether a call may write could not be told', { tool: call.tool, error })
      return true
    }
  }

  /** What goes wrong here is told to the log alone. */
  function quietly(work: () => void): void {
    try {
      work()
    } catch (error) {
      log.warn('running ahead failed', { error })
    }
  }
}

interface SeenAnswer extends KnownCall {
  readonly server: string
  readonly epoch: number
  readonly result: ToolResult
  readonly at: number
}

/** A round of questions goes on where it was begun. What else a client sends along changes nothing of what is read. */
function isPlain({ round, signal }: ToolCall): boolean {
  return round === undefined && !signal.aborted
}

/** Whether a call is over at its server, too: it has said so, or has never seen it. */
function isAnswered(end: CallEnd | undefined): boolean {
  if (end === undefined) return false
  if ('result' in end) return true
  const { error } = end
  return (
    error instanceof PmlError && !(error instanceof UpstreamError) && !(error instanceof CallAbortedError)
  )
}

/** Whoever predicts: a share is a number from 0 to 1. */
function withTrueShares(call: PredictedCall): PredictedCall {
  return { ...call, p: share(call.p), toolP: share(call.toolP) }
}

function share(value: number): number {
  return value > 0 ? Math.min(1, value) : 0
}

function asPredicted({ tool, arguments: args }: KnownCall, p: number): PredictedCall {
  const sources = Object.fromEntries(Object.keys(args).map((name) => [name, 'plan' as const]))
  return { tool, arguments: args, next: p, p, toolP: p, sources, weakest: 'plan' }
}
