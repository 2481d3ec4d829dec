// Do thresholds follow how tools really behave, and do they hold what is run ahead of time?
//   npm run bench:thresholds               prints the tables of README.md; fails where a limit does not hold
//   npm run bench:thresholds -- --json     the same as one JSON object

import { parseArgs } from 'node:util'
import { betaMean, betaVariance } from '../../dist/learn/thresholds/beta-moments.js'
import { createEpisodeIndex } from '../../dist/learn/thresholds/create-episode-index.js'
import { createSpeculationGate, usefulShare } from '../../dist/learn/thresholds/create-speculation-gate.js'
import { createThompson } from '../../dist/learn/thresholds/create-thompson.js'
import { createThresholds } from '../../dist/learn/thresholds/create-thresholds.js'
import { sampleBeta } from '../../dist/learn/thresholds/sample-beta.js'
import { seededRandom } from '../../dist/model/seeded-random.js'
import { compareDecays } from './compare-decays.js'
import { coldStart, scoreKinds, simulate, timeThresholds } from './simulate.js'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '42-46' },
    json: { type: 'boolean', default: false },
  },
})
const [first, last = first] = values.seeds.split('-').map(Number)
const seeds = Array.from({ length: last - first + 1 }, (_, i) => first + i)
const house = {
  betaMean,
  betaVariance,
  createEpisodeIndex,
  createSpeculationGate,
  createThompson,
  createThresholds,
  sampleBeta,
  seededRandom,
  usefulShare,
}
const spreads = [4, Number.POSITIVE_INFINITY]
const rounds = 150

const worlds = spreads.flatMap((spread) =>
  Object.keys(scoreKinds).map((scores) => ({
    spread,
    scores,
    all: seeds.map((seed) => simulate(house, { seed, scores, spread, rounds })),
  })),
)
const every = worlds.flatMap(({ all }) => all)
const mean = (list, pick) => list.reduce((sum, one) => sum + pick(one), 0) / list.length
const lowest = (pick) => Math.min(...every.map(pick))
const highest = (pick) => Math.max(...every.map(pick))
const times = timeThresholds(house, { seed: first, draws: 30_000 })
const at = (share) => times[Math.floor(times.length * share)]

const learned = [
  figure(
    'within .15 of the truth at some execution up to the 20th',
    mean(every, (f) => f.reachedWithin20),
    {
      least: 0.9,
      spread: [lowest((f) => f.reachedWithin20), highest((f) => f.reachedWithin20)],
    },
  ),
  figure(
    'within .15 of the truth at the 20th execution',
    mean(every, (f) => f.at20),
    {
      least: 0.9,
      spread: [lowest((f) => f.at20), highest((f) => f.at20)],
    },
  ),
  figure(
    'largest variance from the 50th execution on',
    highest((f) => f.worstVariance),
    { most: 0.05 },
  ),
  figure(
    'flipped tools within .3 of the new rate after 30 executions',
    mean(every, (f) => f.flippedWithin),
    {
      least: 0.95,
      spread: [lowest((f) => f.flippedWithin), highest((f) => f.flippedWithin)],
    },
  ),
  figure(
    'flipped tools, mean distance after 30 executions',
    mean(every, (f) => f.flippedMean),
    { most: 0.3 },
  ),
  figure(
    'lowest threshold of a dangerous tool, any mode',
    lowest((f) => f.lowestDangerous),
    { least: 0.8 },
  ),
  figure(
    'lowest threshold of a safe tool, any mode',
    lowest((f) => f.lowestSafe),
    { most: 0.45 },
  ),
  figure(
    'tools that are not safe and were run ahead',
    highest((f) => f.unsafeAhead),
    { most: 0 },
  ),
  figure(
    'cold start, moderate, passive, mean of 100,000',
    coldStart(house, { seed: first, draws: 100_000 }),
    {
      least: 0.7495,
      most: 0.7505,
    },
  ),
  figure(
    'decisions that similar episodes moved, executions 500 to 1,500',
    mean(every, (f) => f.boosted),
    {
      least: 0.4,
      spread: [lowest((f) => f.boosted), highest((f) => f.boosted)],
    },
  ),
  figure(
    'decisions for which similar episodes were found',
    mean(every, (f) => f.found),
    {},
  ),
  figure(
    'their rate is off by (root mean square), executions 500 to 1,500',
    mean(every, (f) => f.rateOff),
    {},
  ),
  figure(
    'the same, if all of the community were pooled',
    mean(every, (f) => f.pooledOff),
    {},
  ),
  figure('a threshold, p50 in ms (5,000 tools, 50,000 episodes)', at(0.5), {}),
  figure('a threshold, p99 in ms', at(0.99), { most: 1 }),
]
const ahead = worlds.map(({ spread, scores, all }) => ({
  scores,
  situations: spread === Number.POSITIVE_INFINITY ? 'alike' : 'differ',
  ...Object.fromEntries(
    ['gate', 'table', 'old', 'oldAt92'].map((scheme) => [
      scheme,
      {
        failed: mean(all, (f) => f.ahead[scheme].failed),
        worst: Math.max(...all.map((f) => f.ahead[scheme].failed)),
        share: mean(all, (f) => f.ahead[scheme].share),
      },
    ]),
  ),
}))
const decays = compareDecays(house, { seed: first, tools: 30_000 })
const missed = [
  ...learned.filter(({ holds }) => !holds).map(({ name }) => name),
  ...ahead
    .filter(({ gate }) => gate.failed > 0.1 || gate.share === 0)
    .map(
      ({ scores, situations }) =>
        `at most a tenth of what is run ahead fails: ${scores}, situations ${situations}`,
    ),
]

if (values.json) console.log(JSON.stringify({ seeds, learned, ahead, decays, missed }))
else {
  console.log(`seeds ${values.seeds}, ${every.length} worlds of 120 tools, ${rounds} executions each\n`)
  for (const { name, value, limit, range } of learned)
    console.log(`${name.padEnd(66)}${value.toFixed(4).padStart(8)}  ${range.padEnd(16)}  ${limit}`)
  console.log('\nrun ahead: failed (worst seed), of so many of all predictions')
  const cell = ({ failed, worst, share }) =>
    `${percent(failed)} (${percent(worst)}) of ${percent(share)}`.padEnd(28)
  console.log(
    `${'scores, situations'.padEnd(26)}${['as built', 'table alone', 'old, target .85', 'old, target .92'].map((name) => name.padEnd(28)).join('')}`,
  )
  for (const row of ahead)
    console.log(
      `${`${row.scores}, ${row.situations}`.padEnd(26)}${cell(row.gate)}${cell(row.table)}${cell(row.old)}${cell(row.oldAt92)}`,
    )
  console.log(
    '\nways to forget, 30,000 tools: at some execution up to the 20th, at the 20th, flipped and followed',
  )
  for (const { name, reached, at20, followed } of decays)
    console.log(`${name.padEnd(34)}${reached.toFixed(3)}  ${at20.toFixed(3)}  ${followed.toFixed(3)}`)
}
for (const name of missed) console.error(`Does not hold: ${name}`)
process.exitCode = missed.length === 0 ? 0 : 1

function figure(name, value, { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, spread }) {
  const limits = [
    ...(Number.isFinite(least) ? [`at least ${least}`] : []),
    ...(Number.isFinite(most) ? [`at most ${most}`] : []),
  ]
  const range = spread === undefined ? '' : `${spread[0].toFixed(3)} .. ${spread[1].toFixed(3)}`
  return { name, value, range, limit: limits.join(', '), holds: value >= least && value <= most }
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`
}
