import type { ToolId } from '../model/tool.js'
import type { StoredTrace } from '../store/store.js'
import { lessonsOf } from './lessons-of.js'

/** What was called in one session, or in one run, one after the other. */
export interface CallSequence {
  readonly session: string
  readonly intent?: string
  readonly steps: readonly { readonly tool: ToolId; readonly success: boolean; readonly at: number }[]
}

/** Calls that ended after this time, by session or run, in the order in which these began. */
export async function sequencesOf(
  traces: AsyncIterable<readonly StoredTrace[]>,
  after: number,
): Promise<readonly CallSequence[]> {
  const sequences = new Map<
    string,
    { intent?: string; steps: { tool: ToolId; success: boolean; at: number }[] }
  >()
  for await (const lesson of lessonsOf(traces)) {
    const [root] = lesson.traces
    const calls = lesson.traces.flatMap(({ tool, success, endedAt: at }) =>
      tool === undefined || at <= after ? [] : [{ tool, success, at }],
    )
    if (root === undefined || calls.length === 0) continue
    const known = sequences.get(root.runId) ?? { steps: [] }
    if (root.intent !== undefined) known.intent = root.intent
    known.steps.push(...calls.toSorted((a, b) => a.at - b.at))
    sequences.set(root.runId, known)
  }
  return [...sequences].map(([session, sequence]) => ({ session, ...sequence }))
}
