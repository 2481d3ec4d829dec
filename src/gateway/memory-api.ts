import { PmlError, UsageError } from '../errors.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import { exportMemory } from '../learn/memory/export-memory.js'
import { type Imported, importMemory } from '../learn/memory/import-memory.js'
import type { MemoryFile } from '../learn/memory/memory-file.js'
import { type Forgotten, resetMemory } from '../learn/memory/reset-memory.js'
import { isObject, type JsonObject } from '../model/json.js'
import { newId } from '../model/new-id.js'
import type { Redact } from '../model/redact.js'
import type { Store } from '../store/store.js'

/*
 * GET  /api/memory                                        MemoryFile
 * POST /api/memory       {memory, again?, withPreferences?}  Imported
 * POST /api/memory/reset {withPreferences?}               Forgotten
 */
export interface MemoryDeps {
  store(): Promise<Store>
  /** An empty one of the kind that search and plans look at. */
  createGraph(): KnowledgeGraph
  /** Everything once more, from baseline and traces, in the store and in memory. */
  rebuild(): Promise<unknown>
  /** What is not written yet and was learned before a reset is not to be written after it. */
  forgetUnwritten(): Promise<void>
  /** What else the gateway remembers, once more from the store: also that there is nothing. */
  reload(): Promise<void>
  readonly redact: Redact
}

const door = 'command line'

export async function showMemory({ store, redact }: MemoryDeps): Promise<MemoryFile> {
  return exportMemory({ store: await store(), redact, now: Date.now })
}

/** @throws UsageError where the file is not sound or was imported before; then nothing has changed */
export async function takeMemory(body: JsonObject, deps: MemoryDeps): Promise<Imported> {
  if (!isObject(body.memory)) throw new UsageError('"memory" must be what pml memory export gave.')
  const imported = await importMemory(body.memory, {
    store: await deps.store(),
    createGraph: deps.createGraph,
    isAgain: body.again === true,
    withPreferences: body.withPreferences === true,
    by: door,
    now: Date.now,
    newId,
  })
  try {
    await deps.rebuild()
  } catch (error) {
    throw new PmlError(
      'NOT_YET',
      'What was imported is stored, and not in use yet: another gateway on the same database keeps learning.',
      'Take it up with: pml learn --rebuild',
      { cause: error },
    )
  } finally {
    await deps.reload()
  }
  return imported
}

export async function dropMemory(body: JsonObject, deps: MemoryDeps): Promise<Forgotten> {
  const store = await deps.store()
  await deps.forgetUnwritten()
  const forgotten = await resetMemory({
    store,
    withPreferences: body.withPreferences === true,
    by: door,
    now: Date.now,
    newId,
  })
  await deps.forgetUnwritten()
  // Of nothing but guesses: memory is to forget as well.
  await deps.rebuild()
  await deps.reload()
  return forgotten
}
