import { share } from './draw.js'
import type { Dag } from './read-dags.js'

export interface Split {
  readonly learned: readonly Dag[]
  readonly asked: readonly Dag[]
}

/** A fifth. */
const heldOut = 0.2

/** The set's own test rows are held out; where it has none, a fifth of all rows, by hash of seed and id. */
export function splitDags(dags: readonly Dag[], seed: number): Split {
  const hasTest = dags.some(({ split }) => split === 'test')
  const isAsked = ({ id, split }: Dag) => (hasTest ? split === 'test' : share(seed, id) < heldOut)
  return { learned: dags.filter((dag) => !isAsked(dag)), asked: dags.filter(isAsked) }
}
