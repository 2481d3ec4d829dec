import type { ToolId } from '../model/tool.js'
import type { OutputSchema } from '../store/store.js'
import { addSample, type SchemaSample } from './schema-samples.js'

/** Output schemas as lessons give them, one after the other, on top of what the traces that are gone had left. */
export function foldSchemas(baseline: readonly OutputSchema[]): {
  take(samples: readonly SchemaSample[]): void
  schemas(): readonly OutputSchema[]
} {
  const byTool = new Map<ToolId, OutputSchema>(baseline.map((schema) => [schema.tool, schema]))
  return {
    take(samples) {
      for (const sample of samples) byTool.set(sample.tool, addSample(byTool.get(sample.tool), sample))
    },
    schemas: () => [...byTool.values()],
  }
}
