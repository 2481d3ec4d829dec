import { canonicalJson } from '../model/json.js'
import type { Baseline } from '../store/store.js'
import { diffEdges, isEmptyDiff } from './diff-edges.js'

/** Whether nobody has folded traces between two reads. A run of one call has no edge: schemas and states tell of it. */
export function isSameBaseline(a: Baseline, b: Baseline): boolean {
  return (
    isEmptyDiff(diffEdges(a.edges, b.edges)) &&
    canonicalJson(a.outputSchemas) === canonicalJson(b.outputSchemas) &&
    canonicalJson(a.betaStates) === canonicalJson(b.betaStates)
  )
}
