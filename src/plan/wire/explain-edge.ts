import type { FieldLink } from '../../model/plan.js'
import type { Pair } from './weigh-pairs.js'

/** A part is worth a word from here on. */
const telling = 0.6

/** In a few words: what feeds what, and what else spoke for it. */
export function explainEdge({ parts, logOdds }: Pair, fields: readonly FieldLink[], runs: number): string {
  const said = (name: string): boolean => (parts[name] ?? 0) >= telling
  const reasons = [
    ...fields.map(({ output, input }) => `${output || 'its result'} fits ${input}`),
    ...(said('added') ? ['it was added for this'] : []),
    ...(said('mention') ? ['the request speaks of what it gives'] : []),
    ...(said('anaphora') ? ['the request points back at it'] : []),
    ...(said('learned') && runs > 0 ? [`${runs} past ${runs === 1 ? 'run' : 'runs'} went this way`] : []),
    ...(said('learned') && runs === 0 ? ['past runs went this way'] : []),
    ...(said('path') ? ['past runs lead there over other tools'] : []),
    ...(logOdds < 0 ? ['in doubt, it is assumed'] : []),
  ]
  return reasons.join('; ') || 'the order in the request'
}
