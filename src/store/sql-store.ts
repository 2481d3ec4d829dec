import type { Edge } from '../model/edge.js'
import type { Run, RunSummary, TaskOutcome } from '../model/run.js'
import type { ServerState } from '../model/server.js'
import type { Tool } from '../model/tool.js'
import type { Database } from './database.js'
import { addToEdges, deleteUnseenEdges, insertAllEdges, selectEdges } from './edge-rows.js'
import { deleteOtherEmbeddings, selectEmbeddings, upsertEmbeddings } from './embedding-rows.js'
import { insertAllOutputSchemas, replaceOutputSchema, selectOutputSchemas } from './output-schema-rows.js'
import { selectNewestRuns, selectRun, upsertRun, upsertTask } from './run-rows.js'
import { replaceServers } from './server-rows.js'
import type { Baseline, Learned, OutputSchema, Store, StoredTrace, ToolEmbedding } from './store.js'
import { toStoreError } from './to-store-error.js'
import { selectTools, upsertTools } from './tool-rows.js'
import {
  deleteTraces,
  insertTraces,
  isAnyAfter,
  isAnyKnown,
  lockTraces,
  selectStartOfNewest,
  selectTraces,
} from './trace-rows.js'

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

  listRuns({ limit }: { readonly limit: number }): Promise<readonly RunSummary[]> {
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

  loadEdges(): Promise<readonly Edge[]> {
    return attempt('The edges cannot be read', () => selectEdges(this.#database, 'tool_dependency'))
  }

  saveLearned({ traces, edges, removed = [] }: Learned): Promise<boolean> {
    return attempt('What was learned cannot be saved', () =>
      this.#database.transaction(async (transaction) => {
        await lockTraces(transaction)
        if (await isAnyKnown(transaction, traces)) return false
        await insertTraces(transaction, traces)
        await deleteUnseenEdges(transaction, removed)
        await addToEdges(transaction, edges)
        return true
      }),
    )
  }

  replaceEdges(edges: readonly Edge[], throughPosition: number): Promise<boolean> {
    return attempt('The edges cannot be replaced', () =>
      this.#database.transaction(async (transaction) => {
        await lockTraces(transaction)
        if (await isAnyAfter(transaction, throughPosition)) return false
        await insertAllEdges(transaction, 'tool_dependency', edges)
        return true
      }),
    )
  }

  loadTraces(): AsyncIterable<readonly StoredTrace[]> {
    return this.#tracesFrom(async () => 0)
  }

  loadRecentTraces({ runs }: { readonly runs: number }): AsyncIterable<readonly StoredTrace[]> {
    return this.#tracesFrom(() => selectStartOfNewest(this.#database, runs))
  }

  async *#tracesFrom(start: () => Promise<number>): AsyncIterable<readonly StoredTrace[]> {
    const failure = 'The traces cannot be read'
    let from = await attempt(failure, start)
    for (;;) {
      const batch = await attempt(failure, () => selectTraces(this.#database, from))
      const last = batch.at(-1)
      if (last === undefined) return
      yield batch
      from = last.position + 1
    }
  }

  loadBaseline(): Promise<Baseline> {
    return attempt('The baseline cannot be read', async () => ({
      edges: await selectEdges(this.#database, 'graph_baseline'),
      outputSchemas: await selectOutputSchemas(this.#database, 'output_schema_baseline'),
    }))
  }

  foldTraces({ edges, outputSchemas }: Baseline, throughPosition: number): Promise<number> {
    return attempt('The traces cannot be folded', async () => {
      const folded = await this.#database.transaction(async (transaction) => {
        await lockTraces(transaction)
        const deleted = await deleteTraces(transaction, throughPosition)
        // Where they are gone, another gateway has folded them, and maybe more: its baseline holds them.
        if (deleted === 0) return 0
        await insertAllEdges(transaction, 'graph_baseline', edges)
        await insertAllOutputSchemas(transaction, 'output_schema_baseline', outputSchemas)
        return deleted
      })
      // Each lesson leaves the earlier state of the rows that it counted in.
      if (folded > 0) await this.#vacuum('trace, tool_dependency, tool_output_schema')
      return folded
    })
  }

  loadOutputSchemas(): Promise<readonly OutputSchema[]> {
    return attempt('The output schemas cannot be read', () =>
      selectOutputSchemas(this.#database, 'tool_output_schema'),
    )
  }

  saveOutputSchema(schema: OutputSchema, replaced: OutputSchema | undefined): Promise<boolean> {
    return attempt(`The output schema of ${schema.tool} cannot be saved`, () =>
      replaceOutputSchema(this.#database, schema, replaced),
    )
  }

  replaceOutputSchemas(schemas: readonly OutputSchema[], throughPosition: number): Promise<boolean> {
    return attempt('The output schemas cannot be replaced', () =>
      this.#database.transaction(async (transaction) => {
        await lockTraces(transaction)
        if (await isAnyAfter(transaction, throughPosition)) return false
        await insertAllOutputSchemas(transaction, 'tool_output_schema', schemas)
        return true
      }),
    )
  }

  loadEmbeddings(model: string): Promise<readonly ToolEmbedding[]> {
    return attempt('The vectors cannot be read', () => selectEmbeddings(this.#database, model))
  }

  saveEmbeddings(model: string, embeddings: readonly ToolEmbedding[]): Promise<void> {
    return attempt('The vectors cannot be saved', () =>
      this.#database.transaction((transaction) => upsertEmbeddings(transaction, model, embeddings)),
    )
  }

  dropEmbeddings(exceptModels: readonly string[]): Promise<number> {
    return attempt('Old vectors cannot be dropped', async () => {
      const dropped = await deleteOtherEmbeddings(this.#database, exceptModels)
      // Each change of the model would add the size of all vectors to the file.
      if (dropped > 0) await this.#vacuum('tool_embedding')
      return dropped
    })
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  /**
   * The embedded database never does so by itself: without it the room of what was deleted is not used again. The work is
   * committed by then, so a failure here is none of it: the next vacuum makes up for it.
   */
  async #vacuum(tables: string): Promise<void> {
    if (this.kind === 'pglite') await this.#database.query(`vacuum ${tables}`).catch(() => {})
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
