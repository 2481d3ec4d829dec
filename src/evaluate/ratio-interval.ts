import { bootstrapInterval, type Interval } from './bootstrap-interval.js'

/**
 * The interval of hits by all, where what is drawn are sessions: things of one session are no draws of their own. Each is worth its
 * hits, less the mean for each of its things, which adds up to how far the mean would lie off.
 */
export function ratioInterval(
  sessions: readonly { readonly hits: number; readonly of: number }[],
  random: () => number,
): Interval {
  const of = sessions.reduce((sum, session) => sum + session.of, 0)
  if (of === 0) return [0, 0]
  const mean = sessions.reduce((sum, { hits }) => sum + hits, 0) / of
  const perThing = sessions.length / of
  const [low, high] = bootstrapInterval(
    sessions.map((session) => (session.hits - mean * session.of) * perThing),
    random,
  )
  return [mean + low, mean + high]
}
