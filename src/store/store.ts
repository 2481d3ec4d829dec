/**
 * The store keeps what must outlive a process: servers, tools with their pins, runs with their tasks, checkpoints and
 * decisions, and what was learned
 * from them: traces, the edges and output schemas that are the fold of the traces, vectors, capabilities.
 *
 * Promises: a save that resolved is still there after the process is killed; what was saved comes back equal, whatever
 * characters it holds; every failure is a StoreError with its cause. The embedded database does not flush to the disk,
 * so it survives the death of the process, not of the machine.
 * Never touches: upstream servers, secrets (texts arrive redacted), the lock of the data directory (the holder's).
 */
import type { StoreError } from '../errors.js'
import type { AdaptiveThreshold } from '../model/adaptive-threshold.js'
import type { AlgorithmTrace } from '../model/algorithm-trace.js'
import type { BetaShift, BetaState } from '../model/beta-state.js'
import type { Capability, CapabilityDependency, CapabilityId, NotedUse } from '../model/capability.js'
import type { DataflowTemplate } from '../model/dataflow-template.js'
import type { Decision } from '../model/decision.js'
import type { Edge, EdgeKey } from '../model/edge.js'
import type { Episode } from '../model/episode.js'
import type { Json, JsonObject } from '../model/json.js'
import type { ServerOffers } from '../model/offers.js'
import type { Plan } from '../model/plan.js'
import type { PermissionAudit, RiskOverride } from '../model/risk-override.js'
import type { Run, RunStatus, RunSummary, TaskOutcome } from '../model/run.js'
import type { RunProgress } from '../model/run-state.js'
import type { KnownEra, ServerState } from '../model/server.js'
import type { Speculation, SpeculationFigures } from '../model/speculation.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { ToolPreference } from '../model/tool-preference.js'
import type { Trace } from '../model/trace.js'

export interface Store {
  readonly kind: 'pglite' | 'postgres'
  /**
   * Resolves when it can serve nobody any more and was not closed: its thread is gone. It is to be closed and opened anew. Never of
   * PostgreSQL, which may come back.
   */
  readonly died: Promise<StoreError>
  loadTools(): Promise<readonly Tool[]>
  /** Adds and updates; a tool that is not given keeps its row, so a pin is never forgotten. */
  saveTools(tools: readonly Tool[]): Promise<void>
  /** The whole list: a known server that is not in it is marked absent. */
  saveServers(servers: readonly ServerState[]): Promise<void>
  /** What changed in a run since the last one, all or nothing, in one trip to the database. */
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>
  /** With its decisions. */
  loadRun(id: string): Promise<Run | undefined>
  /** All that a run needs to go on; undefined where there is no such run, or it is of a version that kept no checkpoints. */
  loadCheckpoint(runId: string): Promise<StoredRun | undefined>
  /** Newest first. */
  listRuns(options: { readonly limit: number }): Promise<readonly RunSummary[]>
  /** The runs of one owner that have not ended, oldest first. */
  listOpenRuns(owner: string): Promise<readonly OpenRunRow[]>
  /** Forgets runs that have ended, with their tasks, decisions and checkpoints; gives their number. Those that wait stay. */
  pruneRuns(keep: { readonly newest: number; readonly since: number }): Promise<number>
  /** Adds or updates; for decisions of no run, and for refusals. */
  saveDecision(decision: Decision): Promise<void>
  findDecision(id: string): Promise<Decision | undefined>
  /** Those without an answer, oldest first, of whatever owner. */
  listPendingDecisions(): Promise<readonly Decision[]>
  /** Decisions of no run that were approved and not used, and have not expired at this time. */
  listUnusedApprovals(now: number): Promise<readonly Decision[]>
  /** Ordered by ids and type. */
  loadEdges(): Promise<readonly Edge[]>
  /**
   * What one run taught, all or nothing, so that the edges always equal the fold of the traces, however many gateways write
   * on one database. False: a trace of it is known already, and nothing was written.
   */
  saveLearned(learned: Learned): Promise<boolean>
  /** The whole graph anew, as the traces up to this position give it. False: there are later ones, and nothing was written. */
  replaceEdges(edges: readonly Edge[], throughPosition: number): Promise<boolean>
  /** All traces in the order in which they were learned from, a batch at a time: they need not fit into memory. */
  loadTraces(): AsyncIterable<readonly StoredTrace[]>
  /** The same from the beginning of the newest so many runs on. */
  loadRecentTraces(newest: { readonly runs: number }): AsyncIterable<readonly StoredTrace[]>
  /** What the traces that are gone had left. */
  loadBaseline(): Promise<Baseline>
  /**
   * Deletes the traces up to and with this position and keeps `baseline`, their fold, in their place; gives their number. 0: they
   * are gone already, and nothing was written.
   */
  foldTraces(baseline: Baseline, throughPosition: number): Promise<number>
  /** Ordered by tool. */
  loadOutputSchemas(): Promise<readonly OutputSchema[]>
  /**
   * Each in the place of the one that was read, or of none, in one trip to the database. Gives those that were not written: another
   * gateway has written one since.
   */
  saveOutputSchemas(changes: readonly OutputSchemaChange[]): Promise<readonly ToolId[]>
  /** All of them anew, as the traces up to this position give them. False: there are later ones, and nothing was written. */
  replaceOutputSchemas(schemas: readonly OutputSchema[], throughPosition: number): Promise<boolean>
  loadEmbeddings(model: string): Promise<readonly ToolEmbedding[]>
  /** Adds and updates. */
  saveEmbeddings(model: string, embeddings: readonly ToolEmbedding[]): Promise<void>
  /** Forgets the vectors of all other models; gives their number. */
  dropEmbeddings(exceptModels: readonly string[]): Promise<number>
  /** States that are not there are the prior. Ordered by id. */
  loadBetaStates(of: BetaKind): Promise<readonly BetaRow[]>
  /** All of them anew, as the traces up to this position give them. False: there are later ones, and nothing was written. */
  replaceBetaStates(of: BetaKind, states: readonly BetaRow[], throughPosition: number): Promise<boolean>
  loadAdaptiveThresholds(): Promise<readonly AdaptiveThreshold[]>
  /** Adds and updates, by context. */
  saveAdaptiveThresholds(thresholds: readonly AdaptiveThreshold[]): Promise<void>
  /** Adds; one that is there gets the outcome and the run of this one. */
  saveAlgorithmTraces(traces: readonly AlgorithmTrace[]): Promise<void>
  findAlgorithmTrace(id: string): Promise<AlgorithmTrace | undefined>
  /** Newest first; of one run, where one is named. */
  listAlgorithmTraces(wanted: {
    readonly runId?: string
    readonly limit: number
  }): Promise<readonly AlgorithmTrace[]>
  saveEpisodes(episodes: readonly Episode[]): Promise<void>
  /** From this time on, oldest first; the newest so many. */
  loadEpisodes(wanted: { readonly since: number; readonly limit: number }): Promise<readonly Episode[]>
  /** Forgets episodes and algorithm traces from before this time; gives their number. */
  pruneEpisodes(before: number): Promise<number>
  loadRiskOverrides(): Promise<readonly RiskOverride[]>
  /** With what it is to be remembered by, together. Undefined: there is none any more. */
  saveRiskOverride(tool: ToolId, override: RiskOverride | undefined, audit: PermissionAudit): Promise<void>
  savePermissionAudit(entries: readonly PermissionAudit[]): Promise<void>
  /** Newest first. */
  listPermissionAudit(options: { readonly limit: number }): Promise<readonly PermissionAudit[]>
  loadPreferences(): Promise<readonly ToolPreference[]>
  /** Adds and updates, by tool. */
  savePreferences(preferences: readonly ToolPreference[]): Promise<void>
  /** What else was learned and has no table of its own, by name: the ranker's weights. */
  loadLearnedState(name: string): Promise<Json | undefined>
  saveLearnedState(name: string, state: Json): Promise<void>
  /** Adds and updates, by id. */
  saveSpeculations(rows: readonly Speculation[]): Promise<void>
  /** Newest first; of one tool, where one is named. */
  listSpeculations(wanted: {
    readonly tool?: ToolId
    readonly since: number
    readonly limit: number
  }): Promise<readonly Speculation[]>
  /** By tool, of predictions since then; ordered by tool. */
  sumSpeculations(since: number): Promise<readonly ToolSpeculations[]>
  /** Forgets predictions from before this time; gives their number. */
  pruneSpeculations(before: number): Promise<number>
  /** Ordered by tool, parameter, after and source. */
  loadDataflowTemplates(): Promise<readonly DataflowTemplate[]>
  /** Adds and updates, by tool, parameter, after, source and value; then forgets `removed`. Together or not at all. */
  saveDataflowTemplates(
    templates: readonly DataflowTemplate[],
    removed: readonly DataflowTemplate[],
  ): Promise<void>
  /** All of them anew. */
  replaceDataflowTemplates(templates: readonly DataflowTemplate[]): Promise<void>
  /** Runs of this owner that have ended since then and taught nothing yet: the process was killed in between. Oldest first. */
  listUnlearnedRuns(
    owner: string,
    wanted: { readonly since: number; readonly limit: number },
  ): Promise<readonly string[]>
  /** Adds what somebody else learned to what is known and to the baseline, together: counts are added. */
  addToBaseline(learned: Baseline): Promise<void>
  /** Ordered by the time of their making, then by id. */
  loadCapabilities(): Promise<readonly Capability[]>
  /**
   * Adds it, unless one of the same structure or id is there: then nothing is written, and the one that is there is given.
   *
   * @throws StoreError where another one has its name
   */
  addCapability(capability: Capability): Promise<Capability>
  /**
   * What a use adds: counts and times are added to those of the row, whoever else writes; `recent` keeps the newest of them; the intent is the
   * first of the intents from now on; an output schema is put in the place of the one that is there. False: there is no such capability.
   */
  noteCapabilityUse(id: CapabilityId, use: NotedUse): Promise<boolean>
  /** False: there is no such capability, or another one has the name. */
  renameCapability(id: CapabilityId, changes: CapabilityChanges): Promise<boolean>
  /**
   * The second is gone; its uses, intents and dependencies are the first one's, and whoever calls it calls the first. False: one of
   * them is not there, or they are the same.
   */
  mergeCapabilities(kept: CapabilityId, gone: CapabilityId): Promise<boolean>
  /** With its dependencies. False: there is no such capability. */
  forgetCapability(id: CapabilityId): Promise<boolean>
  /** Ordered by ids and type. */
  loadCapabilityDependencies(): Promise<readonly CapabilityDependency[]>
  /**
   * Counts are added to those of the row, its time is widened, and what a person has said stays said. Left out, and looked for while nobody
   * else writes: what would close a circle among those of type `dependency` or among those of type `contains`, what leads from one to
   * itself, and what has an end that is not there.
   */
  saveCapabilityDependencies(added: readonly CapabilityDependency[]): Promise<void>
  /** False: there is none. */
  removeCapabilityDependency(key: CapabilityDependencyKey): Promise<boolean>
  /**
   * Forgets all that was learned: traces, edges, schemas, states, thresholds, episodes, predictions, templates, learned capabilities. Runs,
   * pins, overrides and the audit stay, and capabilities that people wrote or brought, with what they hold of one another and the
   * dependencies among them that people named.
   */
  forgetLearned(): Promise<void>
  close(): Promise<void>
}

export interface CapabilityChanges {
  readonly name?: string
  readonly description?: string
}

export type CapabilityDependencyKey = Pick<CapabilityDependency, 'from' | 'to' | 'type'>

/** Names of learned states that more than one room knows: the ranker of next steps; what the audit knows of mcp-permissions.yaml. */
export const rankerState = 'next-tools'
export const auditedPermissionsState = 'mcp-permissions'

export interface ToolSpeculations extends SpeculationFigures {
  readonly tool: ToolId
}

export type BetaKind = 'tool' | 'capability'

export interface BetaRow extends BetaState {
  /** Of the tool or the capability. */
  readonly id: string
}

/** A step of a run. */
export interface Checkpoint {
  readonly run: Omit<Run, 'tasks' | 'decisions'>
  /** The data directory whose gateway runs it: only that one may take it up again. */
  readonly owner: string
  /** Absent: as it was. */
  readonly plan?: Plan
  /** Those that are new or have changed, in order; a new element comes behind its task's others, any other new one last. */
  readonly tasks: readonly TaskOutcome[]
  /** Elements and tasks that are to be forgotten: a task done for each that is done again. */
  readonly removedTasks: readonly string[]
  /** Those that are new or have changed. */
  readonly decisions: readonly Decision[]
  /** Whole. */
  readonly progress: RunProgress
}

export interface StoredRun {
  readonly run: Run
  readonly owner: string
  readonly plan: Plan
  readonly progress: RunProgress
  /** When its last step was stored. */
  readonly updatedAt: number
}

export interface OpenRunRow {
  readonly id: string
  readonly status: RunStatus
  readonly updatedAt: number
}

/** One lesson or several: what a run did, parents before their children, and what that says of edges and tools. */
export interface Learned {
  /** The first one of a lesson has no parent, all others have: that is how replay finds where a lesson begins. */
  readonly traces: readonly Trace[]
  /**
   * What it adds, each edge once: counts are added to those of the row, its times widened, its source raised and never
   * lowered. One without a count, a template, is written where there is none.
   */
  readonly edges: readonly Edge[]
  /** How its calls went: what that does to the state of each tool. */
  readonly betaShifts?: readonly { readonly tool: ToolId; readonly shift: BetaShift }[]
  /** Templates that are guessed no more. One that anybody has seen stays. */
  readonly removed?: readonly EdgeKey[]
}

export interface StoredTrace {
  /** Grows with every trace, never used twice: the order of replay. */
  readonly position: number
  readonly trace: Trace
}

export interface Baseline {
  readonly edges: readonly Edge[]
  readonly outputSchemas: readonly OutputSchema[]
  /** Of tools. */
  readonly betaStates: readonly BetaRow[]
}

/** What the results of a tool looked like, so far. */
export interface OutputSchema {
  readonly tool: ToolId
  readonly schema: JsonObject
  /** Grows when the schema changes. */
  readonly version: number
  /** Grows with every result. */
  readonly samples: number
  /** When the newest result came. */
  readonly updatedAt: number
}

export interface OutputSchemaChange {
  readonly schema: OutputSchema
  readonly replaced: OutputSchema | undefined
}

export interface ToolEmbedding {
  readonly tool: ToolId
  /** Of the text that was embedded: where it differs, the vector is stale. */
  readonly textHash: string
  readonly vector: Float32Array
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
