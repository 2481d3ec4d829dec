import { isCapabilityId } from '../model/capability.js'
import type { ToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'

export interface CallOutcome {
  readonly success: boolean
  readonly at: number
}

/**
 * How the calls of each tool went, in the order of their ends. A failure is one that the tool or its server is to blame for: what was
 * cut off, refused by a person, or never sent says nothing about it, nor does a sign-in that is missing. Capabilities count their
 * uses themselves.
 */
export function outcomesOf(traces: readonly Trace[]): ReadonlyMap<ToolId, readonly CallOutcome[]> {
  const outcomes = new Map<ToolId, CallOutcome[]>()
  for (const trace of traces.toSorted((a, b) => a.endedAt - b.endedAt)) {
    const { tool, success, errorCode, endedAt } = trace
    if (tool === undefined || isCapabilityId(tool) || !(success || isFault(errorCode))) continue
    const ofTool = outcomes.get(tool)
    if (ofTool === undefined) outcomes.set(tool, [{ success, at: endedAt }])
    else ofTool.push({ success, at: endedAt })
  }
  return outcomes
}

/** Of the tool or its server, as far as the code tells. */
export function isFault(errorCode: string | undefined): boolean {
  if (errorCode === undefined) return false
  return (
    errorCode === 'TOOL_ERROR' ||
    errorCode === 'BAD_OUTPUT' ||
    (errorCode.startsWith('UPSTREAM_') && errorCode !== 'UPSTREAM_AUTH')
  )
}
