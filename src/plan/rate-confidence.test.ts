import { describe, expect, it } from 'vitest'
import type { ArgumentOrigin, MissingArgument, PlanEdge, ToolChoice } from '../model/plan.js'
import { seededRandom } from '../model/seeded-random.js'
import type { ToolId } from '../model/tool.js'
import { type Rated, rateConfidence, shifted } from './rate-confidence.js'

const choice = (task: string, score: number, by: ToolChoice['by'] = 'intent'): ToolChoice => ({
  task,
  tool: `s:${task}` as ToolId,
  score,
  serves: '',
  by,
})
const origin = (task: string, source: ArgumentOrigin['source'], confidence = 0.9): ArgumentOrigin => ({
  task,
  argument: 'x',
  source,
  confidence,
  why: '',
})
const missing = (task: string): MissingArgument => ({ task, argument: 'y', description: '' })
const edge = (probability: number): PlanEdge => ({
  from: 'a',
  to: 'b',
  probability,
  parts: {},
  fields: [],
  why: '',
})
const plain: Rated = {
  tools: [choice('a', 0.8)],
  edges: [],
  arguments: [],
  missing: [],
  unserved: 0,
  contradictions: 0,
}

describe('how sure a plan is', () => {
  it('is 0 without tools, and that of its tool where there is nothing else', () => {
    expect(rateConfidence({ ...plain, tools: [] })).toBe(0)
    expect(rateConfidence(plain)).toBeCloseTo(0.8)
  })

  it('is the geometric mean of its tools', () => {
    expect(rateConfidence({ ...plain, tools: [choice('a', 0.9), choice('b', 0.4)] })).toBeCloseTo(
      Math.sqrt(0.9 * 0.4),
    )
  })

  it('falls with an edge that is doubtful, but an edge at even odds is as low as it gets', () => {
    const sure = rateConfidence({ ...plain, edges: [edge(0.99)] })
    const doubtful = rateConfidence({ ...plain, edges: [edge(0.6)] })
    expect(doubtful).toBeLessThan(sure)
    expect(rateConfidence({ ...plain, edges: [edge(0.2)] })).toBe(
      rateConfidence({ ...plain, edges: [edge(0.5)] }),
    )
  })

  it('grows where the arguments fall into place, and falls where some are missing', () => {
    expect(rateConfidence({ ...plain, arguments: [origin('a', 'literal', 1)] })).toBeGreaterThan(0.8)
    expect(rateConfidence({ ...plain, missing: [missing('a')] })).toBeLessThan(0.8)
  })

  it('is the share of the wishes that it serves; what was added was no wish', () => {
    expect(rateConfidence({ ...plain, unserved: 1 })).toBeCloseTo(0.4)
    const tools = [choice('a', 0.8), choice('p', 0.8, 'prerequisite')]
    expect(rateConfidence({ ...plain, tools, unserved: 1 })).toBeCloseTo(0.4)
  })

  it('is never above .5 where the request contradicts itself', () => {
    expect(rateConfidence({ ...plain, tools: [choice('a', 0.99)], contradictions: 1 })).toBe(0.5)
  })

  it('is in [0, 1] whatever it is given', () => {
    const random = seededRandom(11)
    const times = <T>(make: () => T): readonly T[] => Array.from({ length: Math.floor(random() * 4) }, make)
    for (let round = 0; round < 500; round++) {
      const extreme = (): number => [0, 1, random(), -0.1, 1.1][Math.floor(random() * 5)]!
      const rated = rateConfidence({
        tools: times(() => choice('a', extreme())),
        edges: times(() => edge(extreme())),
        arguments: times(() => origin('a', 'wired', extreme())),
        missing: times(() => missing('a')),
        unserved: Math.floor(random() * 3),
        contradictions: Math.floor(random() * 2),
      })
      expect(rated).toBeGreaterThanOrEqual(0)
      expect(rated).toBeLessThanOrEqual(1)
    }
  })
})

it('evidence shifts a probability in log-odds, and never to 0 or 1', () => {
  expect(shifted(0.5, 0)).toBeCloseTo(0.5)
  expect(shifted(0.5, Math.log(3))).toBeCloseTo(0.75)
  expect(shifted(1, 1)).toBeLessThan(1)
  expect(shifted(0, -1)).toBeGreaterThan(0)
})
