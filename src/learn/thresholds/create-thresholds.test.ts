import { expect, it } from 'vitest'
import { seededRandom } from '../../model/seeded-random.js'
import { formatToolId } from '../../model/tool.js'
import { createEpisodeIndex } from './create-episode-index.js'
import { createSpeculationGate, usefulShare } from './create-speculation-gate.js'
import { createThompson } from './create-thompson.js'
import { createThresholds } from './create-thresholds.js'

const tool = formatToolId('files', 'read')
const situation = { tool, alpha: 0.75, workflowType: 'read' }
const outcomes = (count: number, success: boolean) =>
  Array.from({ length: count }, (_, at) => ({ success, at }))

function open() {
  const thompson = createThompson()
  const episodes = createEpisodeIndex({
    now: () => 1_000,
    communities: { revision: () => 0, of: () => undefined },
  })
  const gate = createSpeculationGate({ useful: usefulShare })
  const thresholds = createThresholds({ thompson, episodes, gate, random: seededRandom(2), now: () => 1_000 })
  return { thompson, episodes, gate, thresholds }
}

it('a threshold is made of what the tool did and of similar situations', () => {
  const { thompson, episodes, thresholds } = open()
  thompson.take(tool, outcomes(40, true))
  for (let at = 0; at < 20; at++)
    episodes.add({ id: `${at}`, at, kind: 'call', ...situation, success: true, data: {} })
  const { breakdown, value } = thresholds.of({ ...situation, mode: 'speculation', risk: 'moderate' })
  expect(breakdown.beta.observations).toBe(40)
  expect(breakdown.episodes).toEqual({ count: 20, successRate: 1 })
  expect(value).toBe(0.6)
})

it('a capability is judged by its own state, among capabilities', () => {
  const { thompson, thresholds } = open()
  const capability = formatToolId('cap', 'send-report-1a2b3c')
  thompson.take(tool, outcomes(1_000, true))
  thompson.take(capability, outcomes(1, false))
  const { breakdown } = thresholds.of({ ...situation, tool: capability, mode: 'active_search', risk: 'safe' })
  expect(breakdown.beta).toEqual({ alpha: 1, beta: 2, observations: 1 })
  expect(breakdown.successTerm).toBe(-0.1)
})

it('the same seeds give the same draws', () => {
  const draw = () => {
    const { thresholds } = open()
    return Array.from({ length: 20 }, () =>
      thresholds.of({ ...situation, mode: 'passive_suggestion', risk: 'safe' }),
    )
  }
  expect(draw()).toEqual(draw())
})

it('a sure call of a reliable safe tool is run ahead; of any other risk, never', () => {
  const { thompson, thresholds } = open()
  thompson.take(tool, outcomes(50, true))
  const judge = (risk: 'safe' | 'moderate' | 'dangerous', score: number) =>
    thresholds.speculate({ ...situation, risk, score })
  expect(judge('safe', 0.95)).toMatchObject({ run: true, cutoff: 0.91, score: 0.95 })
  expect(judge('safe', 0.85).run).toBe(false)
  expect(judge('moderate', 1).run).toBe(false)
  expect(judge('dangerous', 1).run).toBe(false)
})

it('predictions that fail raise what the next ones must reach', () => {
  const { thresholds, thompson } = open()
  thompson.take(tool, outcomes(50, true))
  const ask = () => thresholds.speculate({ ...situation, risk: 'safe', score: 0.95 })
  for (let i = 0; i < 200; i++) thresholds.predictionEnded(ask(), i % 2 === 0)
  expect(ask().run).toBe(false)
})

it('a policy starts as the design says, moves by how plans of its kind went, and says why', () => {
  const { thresholds } = open()
  expect(thresholds.policy('read|files|1')).toEqual({
    suggestThreshold: 0.7,
    executeThreshold: 0.92,
    breakdown: { context: 'read|files|1', outcomes: 0, seen: 0, falsePositives: 0, falseNegatives: 0 },
  })
  for (let i = 0; i < 20; i++) thresholds.planEnded('read|files|1', 'false-positive')
  expect(thresholds.policy('read|files|1')).toMatchObject({
    executeThreshold: 0.95,
    breakdown: { outcomes: 20, falsePositives: 1, success: 0 },
  })
  expect(thresholds.policy('read|files|1').suggestThreshold).toBeCloseTo(0.75, 12)
  expect(thresholds.policy('write|files|1').suggestThreshold).toBe(0.7)
})

it('what planEnded gives back is the whole state: loaded elsewhere, it goes on from there', () => {
  const one = open().thresholds
  let kept = one.planEnded('c', 'false-positive')
  for (let i = 0; i < 24; i++) kept = one.planEnded('c', 'false-positive')
  const other = open().thresholds
  other.planEnded('gone', 'false-positive')
  other.load([kept])
  expect(other.policy('c')).toEqual(one.policy('c'))
  for (let i = 0; i < 5; i++)
    expect(other.planEnded('c', 'false-positive')).toEqual(one.planEnded('c', 'false-positive'))
  expect(other.policy('gone').breakdown).toMatchObject({ outcomes: 0 })
})

it('what was stored out of bounds is held within them', () => {
  const { thresholds } = open()
  thresholds.load([{ context: 'c', suggest: 0, execute: 9, window: [], outcomes: 3, updatedAt: 0 }])
  expect(thresholds.policy('c')).toMatchObject({ suggestThreshold: 0.4, executeThreshold: 0.95 })
})
