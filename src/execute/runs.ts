import type { ClientSide } from '../model/client-side.js'
import type { Decision, DecisionAnswer } from '../model/decision.js'
import type { Plan } from '../model/plan.js'
import type { Run, RunSummary, TaskOutcome } from '../model/run.js'
import type { RunCommand } from '../model/run-command.js'
import type { RunEvent } from '../model/run-event.js'
import type { RunMessage } from '../model/run-state.js'

/** The runs of this gateway: those under way by handle, the others from the store. */
export interface Runs {
  start(plan: Plan, options: StartOptions): RunHandle
  /** As it is stored: what is told of a run is never ahead of it. */
  find(id: string): Promise<Run | undefined>
  /** What was said about it, and what its programs said, be it under way or over. */
  messagesOf(id: string): Promise<readonly RunMessage[]>
  /** The handle of a run that has not ended; one that an earlier process left is taken up again. Undefined: it has ended, or there is none. */
  open(id: string): Promise<RunHandle | undefined>
  /** The handle of a run that goes on or waits in this process; to look at one takes nothing up. */
  underWay(id: string): RunHandle | undefined
  /**
   * Tells a run something; resolves when that is stored and carried out. A run that is not under way here is taken up first; one
   * that has ended can be given `retry` and `modify`, `replan` and `inject`, and then goes on.
   * @throws RunNotFoundError, CommandRefusedError
   */
  send(id: string, command: RunCommand): Promise<RunHandle>
  /**
   * Answers what a person was asked, in a run or of a call by itself. The same answer again is no error: it gives the decision as it
   * is. @throws DecisionNotFoundError, DecisionRefusedError
   */
  decide(decision: string, answer: Omit<DecisionAnswer, 'at'>): Promise<Decision>
  /** Answered or not, as long as it is kept. */
  findDecision(id: string): Promise<Decision | undefined>
  /** Oldest first. */
  pendingDecisions(): Promise<readonly Decision[]>
  /** Newest first. */
  list(limit: number): Promise<readonly RunSummary[]>
  /**
   * Every event of every run from now on, without results that are large. Each reader has its own place; one that is too slow is told
   * how many it missed. `signal` must end it.
   */
  events(signal: AbortSignal): AsyncIterable<RunEvent>
  /** Lets go of what is under way: calls are cancelled, and the runs go on when the gateway is there again. */
  close(): Promise<void>
}

export interface StartOptions {
  readonly session: string
  /** The client's name, for who is asked. */
  readonly caller: string
  /** Who may be asked by the tools; absent: nobody. */
  readonly client?: ClientSide
  /** Outcomes of an earlier run that this one builds on (run-plan.ts). */
  readonly finished?: readonly TaskOutcome[]
  /** Stops after every layer until it is told to go on. `before`: already before the first one. */
  readonly validateLayers?: 'after' | 'before'
}

export interface RunHandle {
  readonly id: string
  /** As it is stored. */
  current(): Run
  /** What was said about it. */
  messages(): readonly RunMessage[]
  /** What would start next if it were told to go on, with arguments filled in where they are known. */
  upcoming(): readonly TaskOutcome[]
  /** The tasks and elements that this run has to do, as far as they are known: a task done for each brings its elements when it is ready. */
  taskCount(): number
  /** Why nothing can be stored right now; undefined: it can. Nothing that is not stored is told, nor built upon. */
  trouble(): string | undefined
  /**
   * May be read several times, at any time: each reader sees every event from `run-start` to `run-end`, but for what was too long
   * ago (events-lost).
   */
  readonly events: AsyncIterable<RunEvent>
  /** Resolves when nothing goes on by itself: at the end, or when it waits for somebody. Never rejects. */
  settled(): Promise<Run>
  /** At its end. Never rejects; a run that is let go by a gateway that closes never ends here. */
  readonly result: Promise<Run>
  /** Resolves when it is stored and carried out. @throws CommandRefusedError */
  send(command: RunCommand): Promise<void>
  /** Cancels the calls under way at once and ends the run; their late answers are ignored. After the end it does nothing. */
  abort(reason: string): void
}
