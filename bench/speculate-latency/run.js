// How much waiting does running ahead save an agent? Recorded sessions through real gateways, off and on alternating in one run.
//   npm run bench:speculate-latency                 prints the table of README.md
//   npm run bench:speculate-latency -- --json       the same as one JSON object on the last line
//   npm run bench:speculate-latency -- --scale 1 --sessions 20 --lanes 3   without shrinking times, of a sample

import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readCalls } from '../../dist/evaluate/read-calls.js'
import { splitByGroup } from '../../dist/evaluate/split-by-group.js'
import { quantile } from '../overhead/stats.js'
import { openGateway } from './gateway.js'
import { readSessions } from './read-sessions.js'

const { values: options } = parseArgs({
  options: {
    set: {
      type: 'string',
      default: fileURLToPath(new URL('../../../shared/eval/tau_airline', import.meta.url)),
    },
    scale: { type: 'string', default: '.1' },
    sessions: { type: 'string', default: '1000' },
    lanes: { type: 'string', default: '1' },
    preset: { type: 'string', default: 'eager' },
    arm: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const scale = positive('scale')
const most = whole('sessions')
const lanes = whole('lanes')
const { set, preset } = options
if (!['careful', 'eager'].includes(preset)) leave(`--preset: expected careful or eager, got "${preset}".`)
/** Those of src/evaluate. */
const seed = 42
/** Nobody is timed while they learn. */
const teachingScale = 0.02
/** Issue 9, for `eager`; the growth of an unpredicted call for any. */
const limits = { seen: 0.25, hidden: 0.1, growth: 0.05 }
/** src/plan/predict/calls/call-priors.ts and the table of create-call-gate.ts: all of its sessions, those that are asked here among them. */
const weightsFittedOn = 'tau_airline'
const arms = ['seen', 'hidden'].filter((arm) => options.arm === undefined || options.arm === arm)
if (arms.length === 0) leave(`--arm: expected seen or hidden, got "${options.arm}".`)

if (!existsSync(join(set, 'calls.jsonl'))) {
  console.log(`Skipped: no calls.jsonl in ${set}. Name a directory that has one with --set.`)
  process.exit(0)
}
// For what it says of a set that is none.
await readCalls(set).catch(({ message }) => leave(message))
const { learned, asked } = splitByGroup(readSessions(set), seed)
const rounds = roundsOf(
  asked.filter(({ calls }) => calls.length > 0),
  most,
)
const figures = { set: set.split(/[\\/]/).at(-1), scale, preset, learned: learned.length }
figures.weights_fitted_on_asked = figures.set === weightsFittedOn
for (const arm of arms) figures[arm] = await measure(arm)
print()
process.exit(arms.some((arm) => missed(arm, figures[arm]).length > 0) ? 1 : 0)

async function measure(arm) {
  const seen = arm === 'seen'
  say(`request ${arm}: learning from ${learned.length} sessions ...`)
  const teacher = await openGateway({ set, preset, mode: 'on', scale: teachingScale })
  try {
    for (const session of learned) await teacher.replay(session, { seen })
  } finally {
    await teacher.close()
  }
  const pairs = []
  const counts = {}
  for (const [round, sessions] of rounds.entries()) {
    say(`request ${arm}: round ${round + 1} of ${rounds.length}, ${sessions.length} sessions, off and on ...`)
    // A task comes once in a round, and each round begins with the same memory: what was learned from one try does not help the next.
    const done = await Promise.all(
      Array.from({ length: Math.min(lanes, sessions.length) }, (_, lane) =>
        replayPairs(
          sessions.filter((_session, at) => at % lanes === lane),
          { seen, from: teacher.memory, counts },
        ),
      ),
    )
    pairs.push(...done.flat())
  }
  teacher.remove()
  return { ...figuresOf(pairs), ...counts }
}

async function replayPairs(sessions, { seen, from, counts }) {
  const sides = {}
  try {
    for (const mode of ['off', 'on']) sides[mode] = await openGateway({ set, preset, mode, scale, from })
    const before = await sides.on.report()
    const pairs = []
    for (const [at, session] of sessions.entries()) {
      const pair = {}
      for (const mode of at % 2 === 0 ? ['off', 'on'] : ['on', 'off'])
        pair[mode] = await sides[mode].replay(session, { seen })
      pairs.push(pair)
    }
    addCounts(counts, before, await sides.on.report())
    return pairs
  } finally {
    for (const gateway of Object.values(sides)) {
      await gateway.close()
      gateway.remove()
    }
  }
}

/** What the ledger says of this round alone: the copy has the rows of the teacher, too. */
function addCounts(counts, before, after) {
  for (const key of ['predicted', 'started', 'hits', 'joined', 'wasted', 'refused', 'right', 'savedMs'])
    counts[key] = (counts[key] ?? 0) + after.all[key] - before.all[key]
  counts.refusals ??= {}
  for (const [why, count] of Object.entries(after.refusals))
    counts.refusals[why] = (counts.refusals[why] ?? 0) + count - (before.refusals[why] ?? 0)
}

function figuresOf(pairs) {
  const waitOf = (waits) => waits.reduce((sum, { ms }) => sum + ms, 0)
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
  const off_ms = mean(pairs.map(({ off }) => waitOf(off)))
  const on_ms = mean(pairs.map(({ on }) => waitOf(on)))
  const calls = pairs.flatMap(({ off, on }) => on.map((call, at) => ({ on: call, off: off[at] })))
  const unpredicted = calls.filter(({ on }) => !on.isAhead)
  const off_p95_ms = quantile(
    unpredicted.map(({ off }) => off.ms),
    0.95,
  )
  const on_p95_ms = quantile(
    unpredicted.map(({ on }) => on.ms),
    0.95,
  )
  return {
    sessions: pairs.length,
    calls: calls.length,
    off_ms,
    on_ms,
    reduction: 1 - on_ms / off_ms,
    answered_ahead: calls.length - unpredicted.length,
    unpredicted: unpredicted.length,
    off_p95_ms,
    on_p95_ms,
    growth: on_p95_ms / off_p95_ms - 1,
    off_not_as_recorded: calls.filter(({ off }) => !off.isRight).length,
    on_not_as_recorded: calls.filter(({ on }) => !on.isRight).length,
  }
}

/** The first session of every task, then the second ... */
function roundsOf(sessions, count) {
  const tries = new Map()
  const rounds = []
  for (const session of sessions) {
    const round = tries.get(session.group) ?? 0
    tries.set(session.group, round + 1)
    rounds[round] ??= []
    rounds[round].push(session)
  }
  let left = count
  return rounds
    .map((round) => {
      const taken = round.slice(0, left)
      left -= taken.length
      return taken
    })
    .filter((round) => round.length > 0)
}

function missed(arm, { reduction, growth, on_not_as_recorded, off_not_as_recorded }) {
  return [
    ...(preset === 'eager' && !(reduction >= limits[arm]) ? ['reduction'] : []),
    ...(growth < limits.growth ? [] : ['growth']),
    ...(on_not_as_recorded > off_not_as_recorded ? ['answers'] : []),
  ]
}

function print() {
  const percent = (share) => `${(100 * share).toFixed(1)} %`
  const ms = (value) => `${value.toFixed(1)} ms`
  const rows = [
    ['sessions / calls', ({ sessions, calls }) => `${sessions} / ${calls}`],
    ['tool wait of a session, off', ({ off_ms }) => ms(off_ms)],
    ['tool wait of a session, on', ({ on_ms }) => ms(on_ms)],
    [
      'less waiting',
      ({ reduction }, arm) =>
        percent(reduction) +
        (preset === 'eager' ? verdict(arm, 'reduction', `>= ${percent(limits[arm])}`) : ''),
    ],
    [
      'calls answered ahead',
      ({ answered_ahead, calls }) => `${answered_ahead} (${percent(answered_ahead / calls)})`,
    ],
    ['p95 of the others, off', ({ off_p95_ms }) => ms(off_p95_ms)],
    ['p95 of the others, on', ({ on_p95_ms }) => ms(on_p95_ms)],
    [
      'its growth',
      ({ growth }, arm) => percent(growth) + verdict(arm, 'growth', `< ${percent(limits.growth)}`),
    ],
    ['run ahead: hit / joined / wasted', ({ hits, joined, wasted }) => `${hits} / ${joined} / ${wasted}`],
    ['not run, and right', ({ right }) => String(right)],
    [
      'not run, why',
      ({ refusals }) =>
        Object.entries(refusals)
          .map(([why, count]) => `${why} ${count}`)
          .join(', '),
    ],
    [
      'answers not as recorded, off / on',
      ({ off_not_as_recorded: off, on_not_as_recorded: on }, arm) =>
        `${off} / ${on}${verdict(arm, 'answers', '<= off')}`,
    ],
  ]
  console.log(`node ${process.version}, ${cpus().length} x ${cpus()[0].model.trim()}`)
  console.log(
    `${figures.set}: ${learned.length} sessions learned from; ${preset}; times x ${scale}; ${lanes} at once\n`,
  )
  for (const [name, show] of rows)
    for (const arm of arms)
      console.log(`${name.padEnd(34)} ${`request ${arm}`.padEnd(15)} ${show(figures[arm], arm)}`)
  if (figures.weights_fitted_on_asked)
    console.log(
      '\nNot held out: the weights that ship were fitted on this set, these sessions among them. See README.md.',
    )
  if (options.json) console.log(JSON.stringify(figures))
}

function verdict(arm, what, limit) {
  return `  ${limit} ${missed(arm, figures[arm]).includes(what) ? 'MISSED' : 'kept'}`
}

function positive(name) {
  const value = Number(options[name])
  if (!(value > 0) || !Number.isFinite(value))
    leave(`--${name}: expected a number above 0, got "${options[name]}".`)
  return value
}

function whole(name) {
  const value = positive(name)
  if (!Number.isInteger(value)) leave(`--${name}: expected a whole number, got "${options[name]}".`)
  return value
}

function leave(message) {
  console.error(message)
  process.exit(2)
}

function say(text) {
  process.stderr.write(`${text}\n`)
}
