import { describe, expect, it } from 'vitest'
import { formatToolId } from '../model/tool.js'
import { createCounter } from './create-counter.js'
import { createSpeculationMetrics } from './metrics.js'
import { noFigures } from './speculation-figures.js'
import { makeSpeculation } from './test-speculation.contract.js'

/** Every line that counts something. */
function samples(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

describe('the metrics of running ahead', () => {
  it('are all named, with their meaning, before anything has happened', () => {
    const text = createSpeculationMetrics().render()
    for (const name of [
      'predictions',
      'started',
      'hits',
      'joined',
      'wasted',
      'refused',
      'saved_seconds',
      'cost_dollars',
    ])
      expect(text).toMatch(
        new RegExp(
          `^# HELP pml_speculation_${name}_total .+\n# TYPE pml_speculation_${name}_total counter$`,
          'm',
        ),
      )
    expect(samples(text)).toEqual({})
    expect(text.endsWith('\n')).toBe(true)
  })

  it('count each step of an entry once, however often it comes', () => {
    const metrics = createSpeculationMetrics()
    const started = makeSpeculation({ cost: 0.02 })
    const ready = { ...started, tookMs: 80 }
    const used = { ...ready, outcome: 'hit', outcomeAt: 1, savedMs: 1_500 } as const
    for (const entry of [started, started, ready, used, used, started]) metrics.take(entry)
    expect(samples(metrics.render())).toEqual({
      'pml_speculation_predictions_total{tool="files:read"}': 1,
      'pml_speculation_started_total{tool="files:read"}': 1,
      'pml_speculation_hits_total{tool="files:read"}': 1,
      'pml_speculation_saved_seconds_total{tool="files:read"}': 1.5,
      'pml_speculation_cost_dollars_total{tool="files:read"}': 0.02,
    })
    expect(metrics.figures()).toEqual({
      ...noFigures,
      predicted: 1,
      started: 1,
      hits: 1,
      savedMs: 1_500,
      cost: 0.02,
    })
  })

  it('tell joined, wasted and refused apart, refused ones by their reason', () => {
    const metrics = createSpeculationMetrics()
    metrics.take(makeSpeculation({ outcome: 'joined', savedMs: 10 }))
    metrics.take(makeSpeculation({ outcome: 'wasted' }))
    for (const refusal of ['not safe', 'not safe', 'below cut-off'] as const)
      metrics.take(makeSpeculation({ decision: 'refused', refusal, outcome: 'right' }))
    expect(samples(metrics.render())).toMatchObject({
      'pml_speculation_predictions_total{tool="files:read"}': 5,
      'pml_speculation_joined_total{tool="files:read"}': 1,
      'pml_speculation_wasted_total{tool="files:read"}': 1,
      'pml_speculation_refused_total{reason="not safe"}': 2,
      'pml_speculation_refused_total{reason="below cut-off"}': 1,
      'pml_speculation_right_total{tool="files:read"}': 3,
    })
  })

  it('never fall and never become no number, whatever an entry says', () => {
    const metrics = createSpeculationMetrics()
    const entry = makeSpeculation({ outcome: 'hit', savedMs: 1_000 })
    metrics.take(entry)
    for (const savedMs of [-5, Number.NaN, Number.POSITIVE_INFINITY]) metrics.take({ ...entry, savedMs })
    metrics.take(makeSpeculation({ cost: Number.NaN }))
    expect(samples(metrics.render())['pml_speculation_saved_seconds_total{tool="files:read"}']).toBe(1)
    expect(metrics.figures()).toMatchObject({ hits: 1, savedMs: 1_000, cost: 0 })
  })

  it('name 200 tools, and all others together', () => {
    const metrics = createSpeculationMetrics()
    for (let i = 0; i < 1_000; i++) metrics.take(makeSpeculation({ tool: formatToolId('s', `tool_${i}`) }))
    const counts = Object.entries(samples(metrics.render())).filter(([name]) => name.includes('_started_'))
    expect(counts).toHaveLength(201)
    expect(counts.at(-1)).toEqual(['pml_speculation_started_total{tool="other"}', 800])
  })

  it('know an entry again after ten thousand others, and forget it after so many that it cannot change any more', () => {
    const metrics = createSpeculationMetrics()
    const entry = makeSpeculation()
    let others = 0
    const takeOthers = (count: number): void => {
      for (const end = others + count; others < end; others++) metrics.take({ ...entry, id: String(others) })
    }
    metrics.take(entry)
    takeOthers(10_000)
    metrics.take({ ...entry, outcome: 'wasted' })
    expect(metrics.figures()).toMatchObject({ predicted: 10_001, wasted: 1 })
    takeOthers(20_000)
    metrics.take(entry)
    expect(metrics.figures().predicted).toBe(30_002)
  })
})

describe('a counter', () => {
  it('escapes what a label may hold', () => {
    const counter = createCounter('x_total', 'X.')
    counter.add({ tool: 'a"b\\c\nd', other: '}' })
    counter.add({ tool: 'a"b\\c\nd', other: '}' }, 2)
    counter.add({})
    expect(counter.render()).toBe(
      '# HELP x_total X.\n# TYPE x_total counter\nx_total{tool="a\\"b\\\\c\\nd",other="}"} 3\nx_total 1\n',
    )
  })
})
