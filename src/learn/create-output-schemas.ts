import type { JsonObject } from '../model/json.js'
import type { ToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import type { OutputSchema, Store } from '../store/store.js'
import { addSample, joinSamples, type SchemaSample, schemaSamples } from './schema-samples.js'

/** What results look like, in memory, and in step with the store. */
export interface OutputSchemas {
  of(tool: ToolId): JsonObject | undefined
  /** What the store has; what is not saved yet stays on top of it. */
  load(schemas: readonly OutputSchema[]): void
  /** What the store has, and nothing else. */
  reset(schemas: readonly OutputSchema[]): void
  /** Takes in the results of one lesson; the store gets them with the next `save`. */
  observe(traces: readonly Trace[]): void
  /** What could not be saved is tried again the next time. One at a time. */
  save(store: Store): Promise<void>
}

/** Another gateway would have to learn of the same tool between each read and its write. */
const mostAttempts = 3

export function createOutputSchemas(): OutputSchemas {
  let known = new Map<ToolId, OutputSchema>()
  const waiting = new Map<ToolId, SchemaSample>()
  const load = (schemas: readonly OutputSchema[]): void => {
    known = new Map(schemas.map((schema) => [schema.tool, schema]))
  }

  /** Gives whether all of them are saved. */
  const saveWaiting = async (store: Store): Promise<boolean> => {
    const changes = [...waiting.values()].map((sample) => {
      const replaced = known.get(sample.tool)
      return { schema: addSample(replaced, sample), replaced }
    })
    const refused = new Set(await store.saveOutputSchemas(changes))
    for (const { schema } of changes) {
      if (refused.has(schema.tool)) continue
      known.set(schema.tool, schema)
      waiting.delete(schema.tool)
    }
    return refused.size === 0
  }

  return {
    of(tool) {
      const sample = waiting.get(tool)
      return sample === undefined ? known.get(tool)?.schema : addSample(known.get(tool), sample).schema
    },
    load,
    reset(schemas) {
      load(schemas)
      waiting.clear()
    },
    observe(traces) {
      for (const sample of schemaSamples(traces))
        waiting.set(sample.tool, joinSamples(waiting.get(sample.tool), sample))
    },
    async save(store) {
      for (let attempt = 0; attempt < mostAttempts && waiting.size > 0; attempt++) {
        if (await saveWaiting(store)) return
        load(await store.loadOutputSchemas())
      }
    },
  }
}
