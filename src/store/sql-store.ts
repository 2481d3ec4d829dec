import type { Run, TaskOutcome } from '../model/run.js'
import type { ServerState } from '../model/server.js'
import type { Tool } from '../model/tool.js'
import type { Database } from './database.js'
import { selectNewestRuns, selectRun, upsertRun, upsertTask } from './run-rows.js'
import { replaceServers } from './server-rows.js'
import type { Store } from './store.js'
import { toStoreError } from './to-store-error.js'
import { selectTools, upsertTools } from './tool-rows.js'

/** The one Store there is: the same SQL on the embedded database and on PostgreSQL. */
export class SqlStore implements Store {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  get kind(): Store['kind'] {
    return this.#database.kind
  }

  loadTools(): Promise<readonly Tool[]> {
    return attempt('The tools cannot be read', () => selectTools(this.#database))
  }

  saveTools(tools: readonly Tool[]): Promise<void> {
    return attempt('The tools cannot be saved', () =>
      this.#database.transaction((transaction) => upsertTools(transaction, tools)),
    )
  }

  saveServers(servers: readonly ServerState[]): Promise<void> {
    return attempt('The servers cannot be saved', () =>
      this.#database.transaction((transaction) => replaceServers(transaction, servers)),
    )
  }

  saveRun(run: Run): Promise<void> {
    return attempt(`Run ${run.id} cannot be saved`, () => upsertRun(this.#database, run))
  }

  saveTask(runId: string, task: TaskOutcome): Promise<void> {
    return attempt(`Task "${task.id}" of run ${runId} cannot be saved`, () =>
      upsertTask(this.#database, runId, task),
    )
  }

  loadRun(id: string): Promise<Run | undefined> {
    return attempt(`Run ${id} cannot be read`, () => selectRun(this.#database, id))
  }

  listRuns({ limit }: { readonly limit: number }): Promise<readonly Run[]> {
    return attempt('The runs cannot be read', () => selectNewestRuns(this.#database, limit))
  }

  markInterrupted(): Promise<number> {
    return attempt('Interrupted runs cannot be marked', () =>
      this.#database.transaction(async (transaction) => {
        const runs = await transaction.query(
          `update run set status = 'interrupted' where status = 'running' returning id`,
        )
        await transaction.query(
          `update task set status = 'interrupted' where status in ('pending', 'running')`,
        )
        return runs.length
      }),
    )
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

/** What is not the database's own error is one too: a value too deep for JSON.stringify, a row that is no JSON. */
async function attempt<T>(failure: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(failure, error)
  }
}
