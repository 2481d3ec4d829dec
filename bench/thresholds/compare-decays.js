// How far off the mean of the state is after 20 outcomes, and 30 outcomes after a flip, with other ways to forget.

const groups = [
  [8, 2],
  [5, 5],
  [2, 8],
]

/** Each takes what was seen beside the prior, and says how much of it stays when one more outcome comes. */
const ways = {
  '.955, as built': () => 0.955,
  '.955 only above 22 outcomes': (seen) => Math.min(1, 21.2 / seen),
  '.94': () => 0.94,
  '.94 only above 17 outcomes': (seen) => Math.min(1, 15.7 / seen),
  '.97': () => 0.97,
  '.99, the first paper': () => 0.99,
  'nothing is forgotten': () => 1,
}

export function compareDecays({ sampleBeta, seededRandom }, { seed, tools }) {
  return Object.entries(ways).map(([name, keepOf]) => {
    const random = seededRandom(seed)
    let [reached, at20, followed, flips] = [0, 0, 0, 0]
    for (let i = 0; i < tools; i++) {
      const group = i % groups.length
      const rate = sampleBeta(...groups[group], random)
      const state = { good: 0, bad: 0 }
      const take = (rate) => {
        const keep = keepOf(state.good + state.bad)
        const success = random() < rate
        state.good = state.good * keep + (success ? 1 : 0)
        state.bad = state.bad * keep + (success ? 0 : 1)
        return (1 + state.good) / (2 + state.good + state.bad)
      }
      let wasNear = false
      let mean = 0.5
      for (let n = 0; n < 20; n++) {
        mean = take(rate)
        wasNear ||= Math.abs(mean - rate) <= 0.15
      }
      if (wasNear) reached += 1
      if (Math.abs(mean - rate) <= 0.15) at20 += 1
      if (group === 1) continue
      flips += 1
      for (let n = 20; n < 100; n++) take(rate)
      for (let n = 0; n < 30; n++) mean = take(1 - rate)
      if (Math.abs(mean - (1 - rate)) <= 0.3) followed += 1
    }
    return { name, reached: reached / tools, at20: at20 / tools, followed: followed / flips }
  })
}
