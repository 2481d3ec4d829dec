/** What a prediction has to beat: rankings that need no thought, learned from the same sessions. */
export interface NextFloor {
  readonly name: (typeof floorNames)[number]
  rank(before: readonly string[]): readonly string[]
}

export const floorNames = [
  'markov_1',
  'markov_2',
  'markov_3',
  'repeat_last',
  'most_frequent',
  'recency_list',
] as const

const longest = 3

export function nextFloors(learned: readonly (readonly string[])[]): readonly NextFloor[] {
  const contexts = new Map<string, Map<string, number>>()
  // As in the steps that are asked about, a first step is none.
  for (const steps of learned)
    for (let at = 1; at < steps.length; at++)
      for (let order = 0; order <= Math.min(longest, at); order++) {
        const key = keyOf(steps.slice(at - order, at))
        const counts = contexts.get(key) ?? new Map<string, number>()
        contexts.set(key, counts.set(steps[at]!, (counts.get(steps[at]!) ?? 0) + 1))
      }
  const ranked = (key: string) =>
    [...(contexts.get(key) ?? [])].sort(([, a], [, b]) => b - a).map(([tool]) => tool)
  const frequent = ranked(keyOf([]))
  /** What came most often after the last steps, then after fewer of them. */
  const markov = (before: readonly string[], order: number) => {
    const most = Math.min(order, before.length)
    const lists = Array.from({ length: most + 1 }, (_, i) =>
      ranked(keyOf(before.slice(before.length - (most - i)))),
    )
    return distinct(lists.flat())
  }
  return [
    { name: 'markov_1', rank: (before) => markov(before, 1) },
    { name: 'markov_2', rank: (before) => markov(before, 2) },
    { name: 'markov_3', rank: (before) => markov(before, 3) },
    { name: 'repeat_last', rank: (before) => before.slice(-1) },
    { name: 'most_frequent', rank: () => frequent },
    { name: 'recency_list', rank: (before) => distinct([...before.toReversed(), ...frequent]) },
  ]
}

function keyOf(tools: readonly string[]): string {
  return JSON.stringify(tools)
}

function distinct(tools: readonly string[]): readonly string[] {
  return [...new Set(tools)]
}
