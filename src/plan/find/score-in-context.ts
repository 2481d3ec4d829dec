import type { Evidence } from '../../graph/create-evidence.js'
import type { ToolId } from '../../model/tool.js'
import type { ToolHit } from './create-tool-search.js'

/**
 * What the graph adds to hits that stand in semantic order:
 *
 *     score = alpha * semantic + (1 - alpha) * graph          graph = max(semantic, evidence)
 *
 * so it can only lift. Without evidence every score stays what it was, and so does the order: equal scores stay in the order
 * they came in. A near name stays before everything else.
 */
export function scoreInContext(
  hits: readonly ToolHit[],
  evidenceOf: (id: ToolId) => Evidence,
  alphaOf: (id: ToolId) => number,
): readonly ToolHit[] {
  return hits
    .map((hit): ToolHit => {
      const { semantic } = hit.parts
      const { value: evidence, by, from } = evidenceOf(hit.tool.id)
      // Alpha costs more than all the rest, and decides nothing here.
      if (evidence <= semantic) return hit
      const alpha = alphaOf(hit.tool.id)
      return {
        ...hit,
        score: alpha * semantic + (1 - alpha) * evidence,
        parts: { ...hit.parts, graph: { alpha, evidence, by, ...(from !== undefined && { from }) } },
      }
    })
    .sort((a, b) => b.parts.name - a.parts.name || b.score - a.score)
}
