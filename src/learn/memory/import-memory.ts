import { createHash } from 'node:crypto'
import { UsageError } from '../../errors.js'
import type { KnowledgeGraph } from '../../graph/knowledge-graph.js'
import type { Edge } from '../../model/edge.js'
import { canonicalJson, isObject, type Json } from '../../model/json.js'
import type { ToolPreference } from '../../model/tool-preference.js'
import { type BetaRow, rankerState, type Store } from '../../store/store.js'
import { standingOf } from '../preferences/standing-of.js'
import { type MemoryFile, readMemoryFile } from './memory-file.js'

export interface ImportOptions {
  readonly store: Store
  /** An empty one. */
  createGraph(): KnowledgeGraph
  /** The same file a second time: its counts are added once more. */
  readonly isAgain: boolean
  /** What people approved and rejected elsewhere counts here too, where nobody has answered yet. */
  readonly withPreferences: boolean
  /** Through which door it came, for the audit. */
  readonly by: string
  now(): number
  newId(): string
}

export interface Imported {
  readonly edges: number
  /** Those that would close a cycle with what is known here. */
  readonly refusedEdges: number
  /** Of tools that nothing was known of; what was seen here counts more. */
  readonly outputSchemas: number
  readonly betaStates: number
  readonly thresholds: number
  readonly preferences: number
  readonly preferencesLeftOut: number
  readonly isRankerTaken: boolean
}

/** Where the hashes of what was imported are kept. */
const importsState = 'imports'
const mostImportsKnown = 1_000

/**
 * Adds what was learned elsewhere to what is known here and to the baseline, as if it had been seen before everything here. To be followed by
 * a rebuild: what was imported is then as old as the baseline for the Beta states as well. Nothing is changed where the file is not sound.
 *
 * @throws UsageError
 */
export async function importMemory(given: unknown, options: ImportOptions): Promise<Imported> {
  const { store, now } = options
  const file = readMemoryFile(given)
  const hash = createHash('sha256').update(canonicalJson(file)).digest('hex')
  const known = await knownImports(store)
  const before = known.find((one) => one.hash === hash)
  if (before !== undefined && !options.isAgain)
    throw new UsageError(
      `This memory was imported before, on ${new Date(before.at).toISOString().slice(0, 10)}.`,
      'Its counts would be added a second time. If that is meant: --again',
    )
  const edges = file.edges.map((edge) => notInTheFuture(edge, now()))
  const { accepted, refused } = await withoutCycles(edges, options)
  const schemas = await missing(file.outputSchemas, store.loadOutputSchemas(), ({ tool }) => tool)
  const betaStates = file.betaStates.map(withinReach)
  await store.addToBaseline({ edges: accepted, outputSchemas: schemas, betaStates })
  await store.saveLearnedState(importsState, toJson([...known, { hash, at: now() }].slice(-mostImportsKnown)))
  const thresholds = await missing(file.thresholds, store.loadAdaptiveThresholds(), ({ context }) => context)
  await store.saveAdaptiveThresholds(thresholds)
  const preferences = options.withPreferences ? await takePreferences(file, options) : 0
  return {
    edges: accepted.length,
    refusedEdges: refused,
    outputSchemas: schemas.length,
    betaStates: file.betaStates.length,
    thresholds: thresholds.length,
    preferences,
    preferencesLeftOut: file.preferences.length - preferences,
    isRankerTaken: await takeRanker(file, store),
  }
}

interface KnownImport {
  readonly hash: string
  readonly at: number
}

async function knownImports(store: Store): Promise<readonly KnownImport[]> {
  const state = await store.loadLearnedState(importsState)
  if (!Array.isArray(state)) return []
  return state.flatMap((one: Json) =>
    isObject(one) && typeof one.hash === 'string' && typeof one.at === 'number'
      ? [{ hash: one.hash, at: one.at }]
      : [],
  )
}

function toJson(imports: readonly KnownImport[]): Json {
  return imports.map(({ hash, at }) => ({ hash, at }))
}

/** The clock of another machine may be ahead; an edge that was seen tomorrow would weigh more than one. */
function notInTheFuture({ firstSeen, lastSeen, ...edge }: Edge, now: number): Edge {
  return {
    ...edge,
    ...(firstSeen !== undefined && { firstSeen: Math.min(firstSeen, now) }),
    ...(lastSeen !== undefined && { lastSeen: Math.min(lastSeen, now) }),
  }
}

/** From the prior on, with .955 of it kept at each outcome, no state goes beyond 1 + 1 / .045: more would not fade within a hundred. */
const highestBeta = 24

function withinReach({ alpha, beta, ...state }: BetaRow): BetaRow {
  return { ...state, alpha: Math.min(alpha, highestBeta), beta: Math.min(beta, highestBeta) }
}

/** What was seen here counts more: of a cycle the imported edge is left out. */
async function withoutCycles(
  edges: readonly Edge[],
  { store, createGraph, now }: ImportOptions,
): Promise<{ readonly accepted: readonly Edge[]; readonly refused: number }> {
  const graph = createGraph()
  graph.load((await store.loadEdges()).filter(({ count }) => count > 0))
  const at = now()
  const accepted = edges.filter(
    ({ from, to, type }) => graph.observe([{ from, to, type, success: true, at }]).refused.length === 0,
  )
  return { accepted, refused: edges.length - accepted.length }
}

async function missing<Item>(
  given: readonly Item[],
  known: Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): Promise<readonly Item[]> {
  const keys = new Set((await known).map(keyOf))
  return given.filter((item) => !keys.has(keyOf(item)))
}

/** The weights alone: where something was learned here it stays. */
async function takeRanker({ ranker }: MemoryFile, store: Store): Promise<boolean> {
  if (ranker === undefined || (await store.loadLearnedState(rankerState)) !== undefined) return false
  await store.saveLearnedState(rankerState, {
    version: ranker.version,
    weights: { ...ranker.weights },
    sequences: [],
  })
  return true
}

async function takePreferences(
  { preferences }: MemoryFile,
  { store, by, now, newId }: ImportOptions,
): Promise<number> {
  const own = (await store.loadPreferences()).filter(isAnswered)
  const unknown = await missing(preferences.filter(isAnswered), Promise.resolve(own), ({ tool }) => tool)
  // From now on: what was undone here before is older.
  const taken = unknown.map((preference) => ({ ...preference, updatedAt: now() }))
  await store.savePermissionAudit(
    taken.map((preference) => ({
      ...{ id: newId(), at: now(), what: 'preference', subject: preference.tool },
      ...{ before: 'none', after: describe(preference), isEscalation: standingOf(preference) === 'approved' },
      ...{ reason: 'imported with a memory', by },
    })),
  )
  await store.savePreferences(taken)
  return taken.length
}

function isAnswered({ approvals, rejections }: ToolPreference): boolean {
  return approvals + rejections > 0
}

function describe(preference: ToolPreference): string {
  return standingOf(preference) ?? `${preference.approvals} approved, ${preference.rejections} rejected`
}
