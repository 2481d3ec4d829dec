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

  const saveSample = async (sample: SchemaSample, store: Store): Promise<void> => {
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const before = known.get(sample.tool)
      const after = addSample(before, sample)
      if (await store.saveOutputSchema(after, before)) {
        known.set(sample.tool, after)
        waiting.delete(sample.tool)
        return
      }
      load(await store.loadOutputSchemas())
    }
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
      // Each in its own row: the next need not wait until the last one is answered.
      await Promise.all([...waiting.values()].map((sample) => saveSample(sample, store)))
    },
  }
}
