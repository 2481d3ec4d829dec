import { type Edge, edgeKeyText } from '../model/edge.js'

export interface EdgesDiff {
  readonly added: readonly Edge[]
  readonly removed: readonly Edge[]
  readonly changed: readonly { readonly before: Edge; readonly after: Edge }[]
}

export function diffEdges(before: readonly Edge[], after: readonly Edge[]): EdgesDiff {
  const old = new Map(before.map((edge) => [edgeKeyText(edge), edge]))
  const added: Edge[] = []
  const changed: { before: Edge; after: Edge }[] = []
  for (const edge of after) {
    const known = old.get(edgeKeyText(edge))
    old.delete(edgeKeyText(edge))
    if (known === undefined) added.push(edge)
    else if (!isSame(known, edge)) changed.push({ before: known, after: edge })
  }
  return { added, removed: [...old.values()], changed }
}

/** Nothing was added, removed or changed. */
export function isEmptyDiff({ added, removed, changed }: EdgesDiff): boolean {
  return added.length + removed.length + changed.length === 0
}

function isSame(a: Edge, b: Edge): boolean {
  return (['source', 'count', 'successes', 'failures', 'firstSeen', 'lastSeen'] as const).every(
    (field) => a[field] === b[field],
  )
}
