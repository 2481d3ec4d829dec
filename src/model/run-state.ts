import type { Decision } from './decision.js'
import type { JsonObject } from './json.js'
import type { TaskOutcome } from './run.js'
import type { PendingCommand } from './run-command.js'

/** All that a run knows. It changes by updates alone (execute/reduce-state.ts), and each is stored before it is told. */
export interface RunState {
  readonly messages: readonly RunMessage[]
  readonly tasks: readonly TaskOutcome[]
  readonly decisions: readonly Decision[]
  readonly context: JsonObject
}

/** Something said about the run: a requirement, a reason, what we did unasked. */
export interface RunMessage {
  readonly at: number
  readonly from: 'agent' | 'human' | 'gateway' | 'program'
  readonly text: string
  /** Of a program: the task that it is. */
  readonly task?: string
}

/** What a run needs, beside its tasks and decisions, to go on in another process. */
export interface RunProgress {
  readonly messages: readonly RunMessage[]
  readonly context: JsonObject
  /** Accepted and not yet carried out, in order. */
  readonly commands: readonly PendingCommand[]
  readonly isPaused: boolean
  /** With layers validated one by one: tasks up to this depth may start. Absent: all may. */
  readonly openLayer?: number
}
