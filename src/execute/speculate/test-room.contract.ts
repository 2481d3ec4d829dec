/** A room with a clock that is moved by hand and a server whose answers are given by hand. */
import { CallAbortedError } from '../../errors.js'
import type { JsonObject } from '../../model/json.js'
import { silentLog } from '../../model/log.js'
import type { PredictedCall } from '../../model/predicted-call.js'
import type { Speculation, SpeculationConfig } from '../../model/speculation.js'
import type { ToolId } from '../../model/tool.js'
import type { ToolCall, ToolResult } from '../../model/tool-call.js'
import { createSpeculationRoom } from './create-speculation-room.js'
import type { SeenCall, SpeculationRoom, SpeculationRoomOptions } from './speculation-room.js'

export interface TestRoom {
  readonly room: SpeculationRoom
  /** Every call that reached the server, in order. */
  readonly made: MadeCall[]
  readonly seen: SeenCall[]
  /** By id, as they were told last. */
  readonly entries: Map<string, Speculation>
  readonly clock: { ms: number }
  config: SpeculationConfig
  predictions: readonly PredictedCall[]
  /** Looks ahead, and waits until that is done. */
  look(session?: string): Promise<void>
  ask(tool: string, args?: JsonObject, more?: Partial<ToolCall>): Promise<ToolResult>
  /** `read started hit`, in the order they were entered. */
  ledger(): readonly string[]
}

export interface MadeCall extends ToolCall {
  /** By the room itself. */
  readonly isAhead: boolean
  isOver: boolean
  give(result: ToolResult): void
  fail(error: unknown): void
}

export const testConfig: SpeculationConfig = {
  ...{ mode: 'on', preset: 'careful', tools: {}, costPerCall: {}, maxCost: 0.1 },
  ...{ wastePerHour: 120, wastePerServerPerHour: 60 },
}

export function openTestRoom(options: Partial<SpeculationRoomOptions> = {}): TestRoom {
  const made: MadeCall[] = []
  const clock = { ms: 1_000_000 }
  let ids = 0
  const asked = new WeakSet<AbortSignal>()
  const callTool = (call: ToolCall): Promise<ToolResult> => {
    // What is made ahead has a signal of its own.
    const isAhead = !asked.has(call.signal)
    return new Promise((resolve, reject) => {
      const over = (end: () => void): void => {
        one.isOver = true
        end()
      }
      const one: MadeCall = {
        ...{ ...call, isAhead, isOver: false },
        give: (result) => over(() => resolve(result)),
        fail: (error) => over(() => reject(error)),
      }
      call.signal.addEventListener('abort', () => one.fail(new CallAbortedError(call.tool)), { once: true })
      made.push(one)
    })
  }
  const test: TestRoom = {
    ...{ made, clock, seen: [], entries: new Map(), config: testConfig, predictions: [] },
    room: createSpeculationRoom({
      callTool,
      config: () => test.config,
      predict: () => test.predictions,
      judge: () => undefined,
      isSafe: (tool) => !tool.includes('write'),
      isNeverAhead: () => false,
      mayWrite: ({ tool }) => tool.includes('write'),
      isWell: () => true,
      onCall: (call) => test.seen.push(call),
      onEntry: (entry) => test.entries.set(entry.id, entry),
      now: () => clock.ms,
      newId: () => `id${++ids}`,
      log: silentLog,
      ...options,
    }),
    async look(session = 's') {
      test.room.lookAhead(session)
      await turn()
    },
    ask(tool, args = {}, more = {}) {
      const call = {
        ...{ tool: tool as ToolId, arguments: args, session: 's', signal: new AbortController().signal },
        ...more,
      }
      asked.add(call.signal)
      return test.room.callTool(call)
    },
    ledger: () =>
      [...test.entries.values()].map(({ tool, decision, refusal, outcome }) =>
        [tool, decision, refusal, outcome].filter((word) => word !== undefined).join(' '),
      ),
  }
  return test
}

export function predicted(tool: string, args: JsonObject = {}, p = 0.9): PredictedCall {
  return { tool: tool as ToolId, arguments: args, next: p, p, toolP: p, sources: {}, weakest: 'none' }
}

export function text(said: string): ToolResult {
  return { content: [{ type: 'text', text: said }] }
}

/** Until everything that was begun has gone as far as it can by itself. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
