import type { StoreError } from '../errors.js'
import type { Decision } from '../model/decision.js'
import type { Edge } from '../model/edge.js'
import type { Run, RunSummary } from '../model/run.js'
import type { ServerState } from '../model/server.js'
import type { Tool } from '../model/tool.js'
import { selectCheckpoint, upsertCheckpoint } from './checkpoint-rows.js'
import type { Database, Queryable } from './database.js'
import {
  decisionColumns,
  deleteSettledDecisions,
  selectDecision,
  selectDecisionsOf,
  selectPendingDecisions,
  selectUnusedApprovals,
  upsertDecisions,
} from './decision-rows.js'
import { addToEdges, deleteUnseenEdges, insertAllEdges, selectEdges } from './edge-rows.js'
import { deleteOtherEmbeddings, selectEmbeddings, upsertEmbeddings } from './embedding-rows.js'
import { insertAllOutputSchemas, replaceOutputSchema, selectOutputSchemas } from './output-schema-rows.js'
import { deleteRuns, selectNewestRuns, selectOpenRuns, selectRun } from './run-rows.js'
import { replaceServers } from './server-rows.js'
import type {
  Baseline,
  Checkpoint,
  Learned,
  OpenRunRow,
  OutputSchema,
  Store,
  StoredRun,
  StoredTrace,
  ToolEmbedding,
} from './store.js'
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

/** Some 1.5 MB of earlier states and 3 milliseconds of work (20,000 tasks kept). */
const stepsPerVacuum = 500
/** One segment of it, some 5,000 steps: replayed in a second. */
const longestLogBytes = 16 * 1024 * 1024
const saveDecisions = upsertDecisions(1)

/** The one Store there is: the same SQL on the embedded database and on PostgreSQL. */
export class SqlStore implements Store {
  readonly #database: Database
  #stepsSinceVacuum = 0

  constructor(database: Database) {
    this.#database = database
  }

  get kind(): Store['kind'] {
    return this.#database.kind
  }

  get died(): Promise<StoreError> {
    return this.#database.died
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

  saveCheckpoint(checkpoint: Checkpoint): Promise<void> {
    return attempt(`Run ${checkpoint.run.id} cannot be saved`, async () => {
      await upsertCheckpoint(this.#database, checkpoint)
      this.#countStep()
    })
  }

  loadRun(id: string): Promise<Run | undefined> {
    return attempt(`Run ${id} cannot be read`, () =>
      this.#atOneMoment(async (transaction) => {
        const run = await selectRun(transaction, id)
        if (run === undefined) return undefined
        const decisions = await selectDecisionsOf(transaction, id)
        return { ...run, ...(decisions.length === 0 ? {} : { decisions }) }
      }),
    )
  }

  loadCheckpoint(runId: string): Promise<StoredRun | undefined> {
    return attempt(`Run ${runId} cannot be read`, () =>
      this.#atOneMoment((transaction) => selectCheckpoint(transaction, runId)),
    )
  }

  listRuns({ limit }: { readonly limit: number }): Promise<readonly RunSummary[]> {
    return attempt('The runs cannot be read', () => selectNewestRuns(this.#database, limit))
  }

  listOpenRuns(owner: string): Promise<readonly OpenRunRow[]> {
    return attempt('The runs cannot be read', () => selectOpenRuns(this.#database, owner))
  }

  pruneRuns(keep: { readonly newest: number; readonly since: number }): Promise<number> {
    return attempt('Old runs cannot be forgotten', async () => {
      const [runs, decisions] = await this.#database.transaction(async (transaction) => [
        await deleteRuns(transaction, keep),
        await deleteSettledDecisions(transaction, keep.since),
      ])
      if (runs! + decisions! > 0) await this.#vacuumRuns()
      return runs!
    })
  }

  saveDecision(decision: Decision): Promise<void> {
    return attempt(`Decision ${decision.id} cannot be saved`, () =>
      this.#database.execute(saveDecisions, decisionColumns([decision])),
    )
  }

  findDecision(id: string): Promise<Decision | undefined> {
    return attempt(`Decision ${id} cannot be read`, () => selectDecision(this.#database, id))
  }

  listPendingDecisions(): Promise<readonly Decision[]> {
    return attempt('The decisions cannot be read', () => selectPendingDecisions(this.#database))
  }

  listUnusedApprovals(now: number): Promise<readonly Decision[]> {
    return attempt('The decisions cannot be read', () => selectUnusedApprovals(this.#database, now))
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

  /** Several reads that never show half of a save. */
  #atOneMoment<T>(read: (transaction: Queryable) => Promise<T>): Promise<T> {
    return this.#database.transaction(async (transaction) => {
      await transaction.query('set transaction isolation level repeatable read, read only')
      return read(transaction)
    })
  }

  /** Each step leaves the earlier state of the rows it changed. Nobody waits for the vacuum but who comes during it. */
  #countStep(): void {
    this.#stepsSinceVacuum += 1
    if (this.#stepsSinceVacuum < stepsPerVacuum) return
    this.#stepsSinceVacuum = 0
    void this.#vacuumRuns()
  }

  /** Table by table: a step that comes meanwhile waits for one of them. */
  async #vacuumRuns(): Promise<void> {
    for (const table of ['task', 'workflow_checkpoint', 'run', 'decision']) await this.#vacuum(table)
    await this.#shortenLog()
  }

  /** Nor does it ever cut its write-ahead log, which it would have to replay as a whole after a crash. */
  async #shortenLog(): Promise<void> {
    if (this.kind !== 'pglite') return
    try {
      const [log] = await this.#database.query<{ readonly bytes: number }>(
        `select (pg_current_wal_lsn() - redo_lsn)::double precision as bytes from pg_control_checkpoint()`,
      )
      if (log!.bytes > longestLogBytes) await this.#database.query('checkpoint')
    } catch {
      // The next time makes up for it.
    }
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
