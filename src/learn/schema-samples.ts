import { canonicalJson, type JsonObject } from '../model/json.js'
import type { ToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import type { OutputSchema } from '../store/store.js'
import { inferSchema, mergeSchemas } from './infer-schema.js'
import { isSummary } from './is-summary.js'

/** What some results of one tool looked like, together. */
export interface SchemaSample {
  readonly tool: ToolId
  readonly schema: JsonObject
  readonly samples: number
  readonly updatedAt: number
}

/**
 * What the results of one lesson say of output schemas, once for each tool. Calls that succeeded count, whatever became of
 * their run. Read from what traces keep, so that a rebuild sees the same; where that is but a summary, its shape is not the result's.
 */
export function schemaSamples(traces: readonly Trace[]): readonly SchemaSample[] {
  const byTool = new Map<ToolId, SchemaSample>()
  for (const { tool, success, result, endedAt } of traces) {
    if (tool === undefined || !success || result === undefined || isSummary(result)) continue
    const sample = { tool, schema: inferSchema(result), samples: 1, updatedAt: endedAt }
    byTool.set(tool, joinSamples(byTool.get(tool), sample))
  }
  return [...byTool.values()]
}

export function joinSamples(known: SchemaSample | undefined, more: SchemaSample): SchemaSample {
  if (known === undefined) return more
  return {
    tool: known.tool,
    schema: mergeSchemas(known.schema, more.schema),
    samples: known.samples + more.samples,
    updatedAt: Math.max(known.updatedAt, more.updatedAt),
  }
}

export function addSample(known: OutputSchema | undefined, more: SchemaSample): OutputSchema {
  if (known === undefined) return { ...more, version: 1 }
  const joined = joinSamples(known, more)
  const isSame = canonicalJson(joined.schema) === canonicalJson(known.schema)
  return { ...joined, version: isSame ? known.version : known.version + 1 }
}
