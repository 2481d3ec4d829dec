/**
 * The store keeps what must outlive a process: servers, tools with their pins, runs and their tasks.
 *
 * Promises: a save that resolved is still there after the process is killed; what was saved comes back equal, whatever
 * characters it holds; every failure is a StoreError with its cause. The embedded database does not flush to the disk,
 * so it survives the death of the process, not of the machine.
 * Never touches: upstream servers, secrets (texts arrive redacted), the lock of the data directory (the holder's).
 */
import type { ServerOffers } from '../model/offers.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { KnownEra, ServerState } from '../model/server.js'
import type { Tool } from '../model/tool.js'

export interface Store {
  readonly kind: 'pglite' | 'postgres'
  loadTools(): Promise<readonly Tool[]>
  /** Adds and updates; a tool that is not given keeps its row, so a pin is never forgotten. */
  saveTools(tools: readonly Tool[]): Promise<void>
  /** The whole list: a known server that is not in it is marked absent. */
  saveServers(servers: readonly ServerState[]): Promise<void>
  /** The run and its tasks, all or nothing. */
  saveRun(run: Run): Promise<void>
  saveTask(runId: string, task: TaskOutcome): Promise<void>
  loadRun(id: string): Promise<Run | undefined>
  /** Newest first. */
  listRuns(options: { readonly limit: number }): Promise<readonly Run[]>
  /** What a dead process left `running` or `pending` becomes `interrupted`; gives the number of such runs. */
  markInterrupted(): Promise<number>
  close(): Promise<void>
}

/** What the gateway needs to answer before the store is open. */
export interface Snapshot {
  readonly tools: readonly Tool[]
  readonly eras: Readonly<Record<string, KnownEra>>
  /** What each server offers beside its tools. */
  readonly offers: Readonly<Record<string, ServerOffers>>
  /** Servers that an earlier run has tried to reach, with or without success: nobody waits for these. */
  readonly tried: readonly string[]
}
