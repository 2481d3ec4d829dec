// Which weights do predicted calls start with, before anybody has worked through this gateway?
//   node bench/speculate/fit-priors.js --set DIR [--seed 42] [--held-out]
// Fits them to all sessions of a set, as `pml bench speculate` does to the learned ones: each session by what those of other tasks have taught. Of
// half of the sessions the request is hidden, as a gateway hears it only sometimes. Prints CallWeights, for src/plan/predict/calls/call-priors.ts.
// --held-out leaves out the sessions that the benches ask about: with these weights in the place of those that ship, bench/speculate-latency is held out.

import { parseArgs } from 'node:util'
import { shuffle } from '../../dist/evaluate/draw.js'
import { fitCalls } from '../../dist/evaluate/fit-calls.js'
import { readCalls } from '../../dist/evaluate/read-calls.js'
import { splitByGroup } from '../../dist/evaluate/split-by-group.js'

const { values } = parseArgs({
  options: {
    set: { type: 'string' },
    seed: { type: 'string', default: '42' },
    'held-out': { type: 'boolean', default: false },
  },
})
if (values.set === undefined) {
  console.error('--set: expected the folder of a set with calls.jsonl.')
  process.exit(2)
}
const seed = Number(values.seed)
const { sessions: all, isRead } = await readCalls(values.set)
const sessions = values['held-out'] ? splitByGroup(all, seed).learned : all
const silent = new Set(shuffle(sessions, seed, 'hidden').slice(0, Math.ceil(sessions.length / 2)))
const heard = sessions.map((session) => (silent.has(session) ? { ...session, query: undefined } : session))
const { predictor } = fitCalls(heard, { isRead, seed })
const rounded = Object.entries(predictor.fitting.weights).map(([stage, weights]) => [
  stage,
  // What rounds to nothing is left out: that is what it is without.
  Object.fromEntries(
    Object.entries(withJoins(weights))
      .map(([name, weight]) => [name, Math.round(weight * 100) / 100])
      .filter(([, weight]) => weight !== 0),
  ),
])
console.log(JSON.stringify(Object.fromEntries(rounded), null, 2))

/** An entry of a directory, where no session has one, counts as a leaf of a result does. */
function withJoins(weights) {
  return weights.result === undefined || weights.join ? weights : { ...weights, join: weights.result }
}
