import type { StoreError } from '../errors.js'
import type { AdaptiveThreshold } from '../model/adaptive-threshold.js'
import type { AlgorithmTrace } from '../model/algorithm-trace.js'
import type { Capability, CapabilityDependency, CapabilityId, NotedUse } from '../model/capability.js'
import type { DataflowTemplate } from '../model/dataflow-template.js'
import type { Decision } from '../model/decision.js'
import type { Edge } from '../model/edge.js'
import type { Episode } from '../model/episode.js'
import type { Json } from '../model/json.js'
import type { PermissionAudit, RiskOverride } from '../model/risk-override.js'
import type { Run, RunSummary } from '../model/run.js'
import type { ServerState } from '../model/server.js'
import type { Speculation } from '../model/speculation.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { ToolPreference } from '../model/tool-preference.js'
import {
  deleteAlgorithmTraces,
  selectAlgorithmTrace,
  selectNewestAlgorithmTraces,
  upsertAlgorithmTraces,
} from './algorithm-trace-rows.js'
import {
  addToBetaStates,
  betaTables,
  insertAllBetaStates,
  selectBetaStates,
  shiftBetaStates,
} from './beta-rows.js'
import {
  addToCapabilityDependencies,
  deleteCapabilityDependency,
  lockCapabilities,
  selectCapabilityDependencies,
} from './capability-dependency-rows.js'
import {
  addCapabilityUse,
  deleteCapability,
  forgetLearnedCapabilities,
  insertCapability,
  mergeCapabilities,
  renameCapability,
  selectCapabilities,
} from './capability-rows.js'
import { selectCheckpoint, upsertCheckpoint } from './checkpoint-rows.js'
import type { Database, Queryable } from './database.js'
import {
  deleteDataflowTemplates,
  insertAllDataflowTemplates,
  selectDataflowTemplates,
  upsertDataflowTemplates,
} from './dataflow-template-rows.js'
import {
  decisionColumns,
  deleteSettledDecisions,
  selectDecision,
  selectDecisionsOf,
  selectPendingDecisions,
  selectUnusedApprovals,
  upsertDecisions,
} from './decision-rows.js'
import { addToEdges, deleteUnseenEdges, forgetSeenEdges, insertAllEdges, selectEdges } from './edge-rows.js'
import { deleteOtherEmbeddings, selectEmbeddings, upsertEmbeddings } from './embedding-rows.js'
import { deleteEpisodes, insertEpisodes, selectEpisodes } from './episode-rows.js'
import { forgetLearnedStates, selectLearnedState, upsertLearnedState } from './learned-state-rows.js'
import {
  addUnknownOutputSchemas,
  insertAllOutputSchemas,
  replaceOutputSchemas,
  selectOutputSchemas,
} from './output-schema-rows.js'
import {
  insertAudit,
  replaceRiskOverride,
  selectNewestAudit,
  selectRiskOverrides,
} from './permission-rows.js'
import { selectPreferences, upsertPreferences } from './preference-rows.js'
import {
  deleteRuns,
  markRunsForgotten,
  selectNewestRuns,
  selectOpenRuns,
  selectRun,
  selectUnlearnedRuns,
} from './run-rows.js'
import { replaceServers } from './server-rows.js'
import {
  deleteSpeculations,
  selectSpeculations,
  sumSpeculations,
  upsertSpeculations,
} from './speculation-rows.js'
import type {
  Baseline,
  BetaKind,
  BetaRow,
  CapabilityChanges,
  CapabilityDependencyKey,
  Checkpoint,
  Learned,
  OpenRunRow,
  OutputSchema,
  OutputSchemaChange,
  Store,
  StoredRun,
  StoredTrace,
  ToolEmbedding,
  ToolSpeculations,
} from './store.js'
import { selectThresholds, upsertThresholds } from './threshold-rows.js'
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
/** Some hundred thousand earlier states of rows at most, a few MB. */
const lessonsPerVacuum = 1_000
/** Some 2 MB of templates that are gone (400 bytes each with their key). Those that are counted in stay within their page. */
const removedPerVacuum = 5_000
/** Some 2 MB of earlier states of capabilities at most; those that stay within their page leave none. */
const usesPerVacuum = 500
/** One segment of it, some 5,000 steps: replayed in a second. */
const longestLogBytes = 16 * 1024 * 1024
/** Tables that hold what was learned and nothing else. */
const learnedTables = [
  ...['trace', 'graph_baseline', 'tool_output_schema', 'output_schema_baseline'],
  ...['tool_thompson_states', 'capability_thompson_states', 'beta_baseline', 'adaptive_thresholds'],
  ...['algorithm_traces', 'episodic_events', 'speculation', 'dataflow_template'],
]
const saveDecisions = upsertDecisions(1)

/** The one Store there is: the same SQL on the embedded database and on PostgreSQL. */
export class SqlStore implements Store {
  readonly #database: Database
  #stepsSinceVacuum = 0
  #lessonsSinceVacuum = 0
  #removedSinceVacuum = 0
  #usesSinceVacuum = 0

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

  saveLearned({ traces, edges, betaShifts = [], removed = [] }: Learned): Promise<boolean> {
    return attempt('What was learned cannot be saved', async () => {
      const isNew = await this.#database.transaction(async (transaction) => {
        await lockTraces(transaction)
        if (await isAnyKnown(transaction, traces)) return false
        await insertTraces(transaction, traces)
        await deleteUnseenEdges(transaction, removed)
        await addToEdges(transaction, 'tool_dependency', edges)
        await shiftBetaStates(transaction, betaShifts)
        return true
      })
      this.#lessonsSinceVacuum += 1
      if (this.#lessonsSinceVacuum >= lessonsPerVacuum) {
        this.#lessonsSinceVacuum = 0
        void this.#vacuum('tool_dependency, tool_thompson_states, tool_output_schema, algorithm_traces')
      }
      return isNew
    })
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
    return attempt('The baseline cannot be read', () =>
      this.#atOneMoment(async (transaction) => ({
        edges: await selectEdges(transaction, 'graph_baseline'),
        outputSchemas: await selectOutputSchemas(transaction, 'output_schema_baseline'),
        betaStates: await selectBetaStates(transaction, 'beta_baseline'),
      })),
    )
  }

  foldTraces({ edges, outputSchemas, betaStates }: Baseline, throughPosition: number): Promise<number> {
    return attempt('The traces cannot be folded', async () => {
      const folded = await this.#database.transaction(async (transaction) => {
        await lockTraces(transaction)
        const deleted = await deleteTraces(transaction, throughPosition)
        // Where they are gone, another gateway has folded them, and maybe more: its baseline holds them.
        if (deleted === 0) return 0
        await insertAllEdges(transaction, 'graph_baseline', edges)
        await insertAllOutputSchemas(transaction, 'output_schema_baseline', outputSchemas)
        await insertAllBetaStates(transaction, 'beta_baseline', betaStates)
        return deleted
      })
      // Each lesson leaves the earlier state of the rows that it counted in.
      if (folded > 0) await this.#vacuum('trace, tool_dependency, tool_output_schema, tool_thompson_states')
      return folded
    })
  }

  loadOutputSchemas(): Promise<readonly OutputSchema[]> {
    return attempt('The output schemas cannot be read', () =>
      selectOutputSchemas(this.#database, 'tool_output_schema'),
    )
  }

  saveOutputSchemas(changes: readonly OutputSchemaChange[]): Promise<readonly ToolId[]> {
    return attempt('The output schemas cannot be saved', () => replaceOutputSchemas(this.#database, changes))
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

  loadBetaStates(of: BetaKind): Promise<readonly BetaRow[]> {
    return attempt('The states cannot be read', () => selectBetaStates(this.#database, betaTables[of]))
  }

  replaceBetaStates(of: BetaKind, states: readonly BetaRow[], throughPosition: number): Promise<boolean> {
    return attempt('The states cannot be replaced', () =>
      this.#database.transaction(async (transaction) => {
        await lockTraces(transaction)
        if (await isAnyAfter(transaction, throughPosition)) return false
        await insertAllBetaStates(transaction, betaTables[of], states)
        return true
      }),
    )
  }

  loadAdaptiveThresholds(): Promise<readonly AdaptiveThreshold[]> {
    return attempt('The thresholds cannot be read', () => selectThresholds(this.#database))
  }

  saveAdaptiveThresholds(thresholds: readonly AdaptiveThreshold[]): Promise<void> {
    return attempt('The thresholds cannot be saved', () => upsertThresholds(this.#database, thresholds))
  }

  saveAlgorithmTraces(traces: readonly AlgorithmTrace[]): Promise<void> {
    return attempt('The traces of scoring cannot be saved', () =>
      this.#database.transaction((transaction) => upsertAlgorithmTraces(transaction, traces)),
    )
  }

  findAlgorithmTrace(id: string): Promise<AlgorithmTrace | undefined> {
    return attempt('The traces of scoring cannot be read', () => selectAlgorithmTrace(this.#database, id))
  }

  listAlgorithmTraces(wanted: {
    readonly runId?: string
    readonly limit: number
  }): Promise<readonly AlgorithmTrace[]> {
    return attempt('The traces of scoring cannot be read', () =>
      selectNewestAlgorithmTraces(this.#database, wanted),
    )
  }

  saveEpisodes(episodes: readonly Episode[]): Promise<void> {
    return attempt('The episodes cannot be saved', () =>
      this.#database.transaction((transaction) => insertEpisodes(transaction, episodes)),
    )
  }

  loadEpisodes(wanted: { readonly since: number; readonly limit: number }): Promise<readonly Episode[]> {
    return attempt('The episodes cannot be read', () => selectEpisodes(this.#database, wanted))
  }

  pruneEpisodes(before: number): Promise<number> {
    return attempt('Old episodes cannot be forgotten', async () => {
      const gone = await this.#database.transaction(
        async (transaction) =>
          (await deleteEpisodes(transaction, before)) + (await deleteAlgorithmTraces(transaction, before)),
      )
      if (gone > 0) await this.#vacuum('episodic_events, algorithm_traces')
      return gone
    })
  }

  loadRiskOverrides(): Promise<readonly RiskOverride[]> {
    return attempt('The risk overrides cannot be read', () => selectRiskOverrides(this.#database))
  }

  saveRiskOverride(tool: ToolId, override: RiskOverride | undefined, audit: PermissionAudit): Promise<void> {
    return attempt(`The risk of ${tool} cannot be saved`, () =>
      this.#database.transaction(async (transaction) => {
        await replaceRiskOverride(transaction, tool, override)
        await insertAudit(transaction, [audit])
      }),
    )
  }

  savePermissionAudit(entries: readonly PermissionAudit[]): Promise<void> {
    return attempt('The audit log cannot be written', () => insertAudit(this.#database, entries))
  }

  listPermissionAudit({ limit }: { readonly limit: number }): Promise<readonly PermissionAudit[]> {
    return attempt('The audit log cannot be read', () => selectNewestAudit(this.#database, limit))
  }

  loadPreferences(): Promise<readonly ToolPreference[]> {
    return attempt('The preferences cannot be read', () => selectPreferences(this.#database))
  }

  savePreferences(preferences: readonly ToolPreference[]): Promise<void> {
    return attempt('The preferences cannot be saved', () => upsertPreferences(this.#database, preferences))
  }

  loadLearnedState(name: string): Promise<Json | undefined> {
    return attempt(`What was learned of ${name} cannot be read`, () =>
      selectLearnedState(this.#database, name),
    )
  }

  saveLearnedState(name: string, state: Json): Promise<void> {
    return attempt(`What was learned of ${name} cannot be saved`, async () => {
      await upsertLearnedState(this.#database, name, state)
      // It may be megabytes, and every one before it is still there.
      await this.#vacuum('learned_state')
    })
  }

  saveSpeculations(rows: readonly Speculation[]): Promise<void> {
    return attempt('The predictions cannot be saved', () =>
      this.#database.transaction((transaction) => upsertSpeculations(transaction, rows)),
    )
  }

  listSpeculations(wanted: {
    readonly tool?: ToolId
    readonly since: number
    readonly limit: number
  }): Promise<readonly Speculation[]> {
    return attempt('The predictions cannot be read', () => selectSpeculations(this.#database, wanted))
  }

  sumSpeculations(since: number): Promise<readonly ToolSpeculations[]> {
    return attempt('The predictions cannot be read', () => sumSpeculations(this.#database, since))
  }

  pruneSpeculations(before: number): Promise<number> {
    return attempt('Old predictions cannot be forgotten', async () => {
      const gone = await deleteSpeculations(this.#database, before)
      if (gone > 0) await this.#vacuum('speculation')
      return gone
    })
  }

  loadDataflowTemplates(): Promise<readonly DataflowTemplate[]> {
    return attempt('The templates cannot be read', () => selectDataflowTemplates(this.#database))
  }

  saveDataflowTemplates(
    templates: readonly DataflowTemplate[],
    removed: readonly DataflowTemplate[],
  ): Promise<void> {
    return attempt('The templates cannot be saved', async () => {
      await this.#database.transaction(async (transaction) => {
        await upsertDataflowTemplates(transaction, templates)
        await deleteDataflowTemplates(transaction, removed)
      })
      this.#removedSinceVacuum += removed.length
      if (this.#removedSinceVacuum < removedPerVacuum) return
      this.#removedSinceVacuum = 0
      void this.#vacuum('dataflow_template')
    })
  }

  replaceDataflowTemplates(templates: readonly DataflowTemplate[]): Promise<void> {
    return attempt('The templates cannot be replaced', () =>
      this.#database.transaction((transaction) => insertAllDataflowTemplates(transaction, templates)),
    )
  }

  listUnlearnedRuns(
    owner: string,
    wanted: { readonly since: number; readonly limit: number },
  ): Promise<readonly string[]> {
    return attempt('The runs cannot be read', () => selectUnlearnedRuns(this.#database, owner, wanted))
  }

  loadCapabilities(): Promise<readonly Capability[]> {
    return attempt('The capabilities cannot be read', () => selectCapabilities(this.#database))
  }

  addCapability(capability: Capability): Promise<Capability> {
    return attempt(`Capability ${capability.id} cannot be saved`, () =>
      this.#withCapabilities((transaction) => insertCapability(transaction, capability)),
    )
  }

  noteCapabilityUse(id: CapabilityId, use: NotedUse): Promise<boolean> {
    return attempt(`The use of ${id} cannot be saved`, async () => {
      const isKnown = await this.#database.transaction((transaction) =>
        addCapabilityUse(transaction, id, use),
      )
      this.#usesSinceVacuum += 1
      if (this.#usesSinceVacuum >= usesPerVacuum) {
        this.#usesSinceVacuum = 0
        void this.#vacuum('capability, capability_dependency')
      }
      return isKnown
    })
  }

  renameCapability(id: CapabilityId, changes: CapabilityChanges): Promise<boolean> {
    return attempt(`Capability ${id} cannot be changed`, () =>
      this.#withCapabilities((transaction) => renameCapability(transaction, id, changes)),
    )
  }

  mergeCapabilities(kept: CapabilityId, gone: CapabilityId): Promise<boolean> {
    return attempt(`Capability ${gone} cannot become a part of ${kept}`, () =>
      this.#withCapabilities((transaction) => mergeCapabilities(transaction, kept, gone)),
    )
  }

  forgetCapability(id: CapabilityId): Promise<boolean> {
    return attempt(`Capability ${id} cannot be forgotten`, () =>
      this.#withCapabilities((transaction) => deleteCapability(transaction, id)),
    )
  }

  loadCapabilityDependencies(): Promise<readonly CapabilityDependency[]> {
    return attempt('The dependencies of capabilities cannot be read', () =>
      selectCapabilityDependencies(this.#database),
    )
  }

  saveCapabilityDependencies(added: readonly CapabilityDependency[]): Promise<void> {
    return attempt('The dependencies of capabilities cannot be saved', async () => {
      if (added.length > 0)
        await this.#withCapabilities((transaction) => addToCapabilityDependencies(transaction, added))
    })
  }

  removeCapabilityDependency(key: CapabilityDependencyKey): Promise<boolean> {
    return attempt(`The dependency of ${key.from} on ${key.to} cannot be forgotten`, () =>
      deleteCapabilityDependency(this.#database, key),
    )
  }

  addToBaseline({ edges, outputSchemas, betaStates }: Baseline): Promise<void> {
    return attempt('What was learned elsewhere cannot be added', () =>
      this.#database.transaction(async (transaction) => {
        await lockTraces(transaction)
        const seen = edges.filter(({ count }) => count > 0)
        for (const table of ['tool_dependency', 'graph_baseline'] as const)
          await addToEdges(transaction, table, seen)
        for (const table of ['tool_thompson_states', 'beta_baseline'] as const)
          await addToBetaStates(transaction, table, betaStates)
        await addUnknownOutputSchemas(transaction, outputSchemas)
      }),
    )
  }

  forgetLearned(): Promise<void> {
    return attempt('What was learned cannot be forgotten', async () => {
      await this.#database.transaction(async (transaction) => {
        await lockTraces(transaction)
        await lockCapabilities(transaction)
        await forgetSeenEdges(transaction)
        await forgetLearnedCapabilities(transaction)
        await transaction.query(`truncate table ${learnedTables.join(', ')}`)
        await forgetLearnedStates(transaction)
        await markRunsForgotten(transaction)
      })
      await this.#vacuum(
        'tool_dependency, learned_state, run, capability, capability_tool, capability_dependency',
      )
    })
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  /** Their states are written under the lock of the traces, which is always the first of the two. */
  #withCapabilities<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return this.#database.transaction(async (transaction) => {
      await lockTraces(transaction)
      await lockCapabilities(transaction)
      return work(transaction)
    })
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
