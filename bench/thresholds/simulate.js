// A world of tools that fail as often as they do, and what the thresholds make of it. The house is handed in: the bench takes it from dist,
// the test from src.

/** Groups of tools by how often they go well, 40 each: reliable, so-so, unreliable. */
const groups = [
  [8, 2],
  [5, 5],
  [2, 8],
]
const toolsInAll = 120
const flippingTools = 20
const flipAt = 100
const toolsOfCommunity = 10

/**
 * What a prediction is given as its score, where `truth` is the probability that it goes well:
 * - calibrated: the truth
 * - overConfident: moved towards 1, by a share of the way that is drawn anew each time, so that no curve brings it back
 * - blind: high, and nothing to do with the truth
 */
export const scoreKinds = {
  calibrated: ({ truth }) => truth,
  overConfident: ({ truth, random }) => truth + random() * (1 - truth),
  blind: ({ random, sampleBeta }) => sampleBeta(9, 1, random),
}

/**
 * `spread` is how much the situations of one tool differ: the truth of a prediction is drawn from Beta(spread * rate, spread * (1 - rate)), and is
 * the tool's rate where it is Infinity.
 */
export function simulate(house, { seed, scores, spread, rounds }) {
  const { betaMean, betaVariance, sampleBeta, seededRandom } = house
  const random = seededRandom(seed)
  const world = openWorld(house, random, seed)
  const { tools, thompson, episodes, thresholds, clock } = world
  const scoreOf = scoreKinds[scores]
  const old = oldThreshold()
  const ahead = { gate: tally(), table: tally(), old: tally(), oldAt92: tally() }
  const oldAt92 = oldThreshold({ target: 0.92 })
  const learned = { reached20: 0, at20: 0, worstVariance: 0, flipped: [] }
  const seen = { lowestDangerous: 1, lowestSafe: 1, unsafeAhead: 0, boosted: 0, found: 0, decisions: 0 }
  const off = { own: 0, pooled: 0 }
  let executions = 0

  for (let round = 0; round < rounds; round++) {
    for (const tool of shuffled(tools, random)) {
      if (tool.flips && tool.executions === flipAt) tool.rate = 1 - tool.rate
      const truth =
        spread === Number.POSITIVE_INFINITY
          ? tool.rate
          : sampleBeta(spread * tool.rate, spread * (1 - tool.rate), random)
      const score = scoreOf({ truth, random, sampleBeta })
      const success = random() < truth
      const alpha = alphaOf(tool)
      const situation = { tool: tool.id, alpha, workflowType: 'read' }

      const judged = thresholds.speculate({ ...situation, risk: 'safe', score })
      ahead.gate.add(judged.run, success)
      ahead.table.add(score >= judged.threshold.value, success)
      ahead.old.add(old.runs(score), success)
      old.take(score, success)
      ahead.oldAt92.add(oldAt92.runs(score), success)
      oldAt92.take(score, success)
      if (executions >= 500 && executions < 1_500) {
        seen.decisions += 1
        if (judged.threshold.breakdown.episodes.count > 0) seen.found += 1
        if (judged.threshold.breakdown.episodicBoost !== 0) seen.boosted += 1
        off.own += (judged.threshold.breakdown.episodes.successRate - tool.rate) ** 2
        // A tool that has none of its own gets those of the whole community.
        const pooled = episodes.similar({ ...situation, tool: `${tool.id.split(':')[0]}:new` })
        off.pooled += (pooled.successRate - tool.rate) ** 2
      }
      if (executions % 7 === 0) lookAtAllModes(thresholds, situation, score, seen)

      clock.now += 1_000
      thresholds.predictionEnded(judged, success)
      thompson.take(tool.id, [{ success, at: clock.now }])
      episodes.add({ id: `${executions}`, at: clock.now, kind: 'call', ...situation, success, data: {} })
      tool.executions += 1
      executions += 1

      const distance = Math.abs(betaMean(thompson.of(tool.id)) - tool.rate)
      if (tool.executions <= 20 && distance <= 0.15) tool.reached = true
      if (tool.executions === 20) {
        if (tool.reached) learned.reached20 += 1
        if (distance <= 0.15) learned.at20 += 1
      }
      if (tool.executions >= 50)
        learned.worstVariance = Math.max(learned.worstVariance, betaVariance(thompson.of(tool.id)))
      if (tool.flips && tool.executions === flipAt + 30) learned.flipped.push(distance)
    }
  }
  const { flipped } = learned
  return {
    reachedWithin20: learned.reached20 / toolsInAll,
    at20: learned.at20 / toolsInAll,
    worstVariance: learned.worstVariance,
    flippedWithin: flipped.filter((off) => off <= 0.3).length / Math.max(1, flipped.length),
    flippedMean: flipped.reduce((sum, off) => sum + off, 0) / Math.max(1, flipped.length),
    lowestDangerous: seen.lowestDangerous,
    lowestSafe: seen.lowestSafe,
    unsafeAhead: seen.unsafeAhead,
    boosted: seen.boosted / seen.decisions,
    found: seen.found / seen.decisions,
    rateOff: Math.sqrt(off.own / seen.decisions),
    pooledOff: Math.sqrt(off.pooled / seen.decisions),
    ahead: Object.fromEntries(Object.entries(ahead).map(([name, one]) => [name, one.figures()])),
  }
}

/** What a tool that nobody ever called gets, on average of the draws. */
export function coldStart(house, { seed, draws }) {
  const { thresholds } = openWorld(house, house.seededRandom(seed), seed)
  const decision = {
    mode: 'passive_suggestion',
    tool: 's:new',
    risk: 'moderate',
    alpha: 1,
    workflowType: 'read',
  }
  let sum = 0
  for (let draw = 0; draw < draws; draw++) sum += thresholds.of(decision).value
  return sum / draws
}

/** How long one threshold takes, in milliseconds, sorted: 5,000 tools, 50,000 episodes. */
export function timeThresholds(house, { seed, draws }) {
  const random = house.seededRandom(seed)
  const { thompson, episodes, thresholds, clock } = openWorld(house, random, seed)
  const ids = Array.from({ length: 5_000 }, (_, i) => `s${i % 100}:t${i}`)
  for (let i = 0; i < 50_000; i++) {
    const tool = ids[Math.floor(random() ** 3 * ids.length)]
    const [success, alpha] = [random() < 0.8, 0.5 + random() / 2]
    thompson.take(tool, [{ success, at: clock.now }])
    episodes.add({
      id: `${i}`,
      at: clock.now,
      kind: 'call',
      tool,
      alpha,
      workflowType: 'read',
      success,
      data: {},
    })
  }
  const modes = ['active_search', 'passive_suggestion', 'speculation']
  const times = []
  for (let i = 0; i < draws; i++) {
    const tool = ids[Math.floor(random() ** 3 * ids.length)]
    const started = performance.now()
    thresholds.of({ mode: modes[i % 3], tool, risk: 'safe', alpha: 0.75, workflowType: 'read' })
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)
}

function openWorld(house, random, seed) {
  const tools = Array.from({ length: toolsInAll }, (_, i) => ({
    id: `s${Math.floor(i / toolsOfCommunity)}:t${i}`,
    rate: house.sampleBeta(...groups[i % groups.length], random),
    /** How far structure comes to be trusted around it. */
    confidence: random(),
    flips: false,
    executions: 0,
    reached: false,
  }))
  // A so-so tool that flips is a so-so tool.
  const flipping = shuffled(
    tools.filter((_, i) => i % groups.length !== 1),
    random,
  )
  for (const tool of flipping.slice(0, flippingTools)) tool.flips = true
  const clock = { now: Date.UTC(2026, 0, 1) }
  const thompson = house.createThompson()
  // Communities are the servers: reliable and unreliable tools in each.
  const communities = { revision: () => 1, of: (tool) => Number(tool.slice(1, tool.indexOf(':'))) }
  const episodes = house.createEpisodeIndex({ now: () => clock.now, communities })
  const gate = house.createSpeculationGate({ useful: house.usefulShare })
  const thresholds = house.createThresholds({
    thompson,
    episodes,
    gate,
    random: house.seededRandom(seed + 1),
    now: () => clock.now,
  })
  return { tools, thompson, episodes, thresholds, clock }
}

function lookAtAllModes(thresholds, situation, score, seen) {
  for (const mode of ['active_search', 'passive_suggestion', 'speculation']) {
    const safe = thresholds.of({ ...situation, mode, risk: 'safe' }).value
    const dangerous = thresholds.of({ ...situation, mode, risk: 'dangerous' }).value
    seen.lowestSafe = Math.min(seen.lowestSafe, safe)
    seen.lowestDangerous = Math.min(seen.lowestDangerous, dangerous)
  }
  for (const risk of ['moderate', 'dangerous'])
    if (thresholds.speculate({ ...situation, risk, score }).run) seen.unsafeAhead += 1
}

/** DESIGN 5, with the executions as observations of the node. */
function alphaOf({ confidence, executions }) {
  return 1 - (0.5 * confidence * executions) / (executions + 5)
}

/**
 * What was there before: one threshold for all tools, from .92 on, moved by how far an exponential mean of the success of what was run is from its
 * target.
 */
function oldThreshold({ target = 0.85 } = {}) {
  let threshold = 0.92
  let mean = target
  return {
    runs: (score) => score >= threshold,
    take(score, success) {
      if (score < threshold) return
      mean = 0.9 * mean + 0.1 * (success ? 1 : 0)
      threshold = Math.min(0.95, Math.max(0.7, threshold + 0.05 * (target - mean)))
    },
  }
}

function tally() {
  let [predictions, runs, failed] = [0, 0, 0]
  return {
    add(isRun, success) {
      predictions += 1
      if (isRun) runs += 1
      if (isRun && !success) failed += 1
    },
    figures: () => ({ runs, share: runs / predictions, failed: runs === 0 ? 0 : failed / runs }),
  }
}

/** R. A. Fisher, F. Yates, 1938. */
function shuffled(items, random) {
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1))
    ;[order[last], order[at]] = [order[at], order[last]]
  }
  return order
}
