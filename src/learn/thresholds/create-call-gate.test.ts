import { expect, it } from 'vitest'
import type { Json } from '../../model/json.js'
import { seededRandom } from '../../model/seeded-random.js'
import type { ToolId } from '../../model/tool.js'
import { type CallGate, createCallGate, type GatedCall, usefulShares } from './create-call-gate.js'

const call: GatedCall = { tool: 's:get' as ToolId, source: 'result' }
const open = (preset: 'careful' | 'eager' = 'careful') => createCallGate({ useful: usefulShares[preset] })

/** Outcomes of predictions with probabilities up to `top`, used by `rate`. */
function feed(gate: CallGate, count: number, rate: (p: number) => number, { top = 1, of = call } = {}): void {
  const random = seededRandom(5)
  for (let at = 0; at < count; at++) {
    const p = random() * top
    gate.take({ ...of, p }, random() < rate(p))
  }
}

/** Before anything was seen. */
const unseen = open().cutoff(call)

it('before anything was seen the cut-off is what it was elsewhere, and eager runs more than careful', () => {
  expect(unseen).toBe(0.7)
  expect(open('eager').cutoff(call)).toBe(0.2)
})

it('probabilities that hold bring it down until the mean of what passes is the share', () => {
  const gate = open()
  feed(gate, 3_000, (p) => p)
  // The mean of .7 to 1 is .85; only some hundred outcomes count, and they scatter.
  expect(gate.cutoff(call)).toBeGreaterThanOrEqual(0.6)
  expect(gate.cutoff(call)).toBeLessThanOrEqual(0.9)
  const eager = open('eager')
  feed(eager, 3_000, (p) => p)
  expect(eager.cutoff(call)).toBeLessThan(0.4)
})

it('of what passes, as many are used as the preset says', () => {
  for (const preset of ['careful', 'eager'] as const) {
    const gate = open(preset)
    const random = seededRandom(11)
    let [run, used] = [0, 0]
    for (let at = 0; at < 8_000; at++) {
      const p = random()
      const isUsed = random() < p ** 1.5
      if (at > 1_000 && p >= gate.cutoff(call)) {
        run += 1
        used += isUsed ? 1 : 0
      }
      gate.take({ ...call, p }, isUsed)
    }
    expect(run).toBeGreaterThan(500)
    expect(used / run).toBeGreaterThan(usefulShares[preset] - 0.03)
  }
})

it('where probabilities promise too much, nothing passes', () => {
  const gate = open()
  feed(gate, 1_000, () => 0.3)
  expect(gate.cutoff(call)).toBeGreaterThan(1)
})

it('where they promise too little, lower ones pass', () => {
  const gate = open()
  feed(gate, 1_000, () => 1, { top: 0.6 })
  expect(gate.cutoff(call)).toBeLessThan(0.4)
})

it('a few outcomes prove nothing', () => {
  const gate = open()
  for (let at = 0; at < 3; at++) gate.take({ ...call, p: 0.3 }, true)
  expect(gate.cutoff(call)).toBe(unseen)
})

it('every tool and source has its own', () => {
  const gate = open()
  feed(gate, 1_000, () => 0.2)
  expect(gate.cutoff({ ...call, source: 'join' })).toBe(unseen)
  expect(gate.cutoff({ ...call, tool: 's:other' as ToolId })).toBe(unseen)
})

it('what comes to be used is run again', () => {
  const gate = open()
  feed(gate, 1_000, () => 0.2)
  feed(gate, 1_000, () => 1)
  expect(gate.cutoff(call)).toBeLessThan(0.5)
})

it('its state, loaded elsewhere, gives the same', () => {
  const gate = open()
  feed(gate, 400, (p) => p)
  const other = open()
  feed(other, 100, () => 0)
  other.load(JSON.parse(JSON.stringify(gate.state())) as Json)
  expect(other.cutoff(call)).toBe(gate.cutoff(call))
})

const zeros = Array<number>(20).fill(0)
it.each<Json | undefined>([
  undefined,
  null,
  'x',
  {},
  { version: 2, cells: [] },
  { version: 1, cells: [{ name: 's:get result', seen: [1], used: zeros }] },
  { version: 1, cells: [{ name: 's:get result', seen: zeros, used: zeros.map(() => -1) }] },
  { version: 1, cells: [{ name: 's:get result', seen: zeros, used: zeros.map(() => 9) }] },
])('what is no state starts anew: %j', (state) => {
  const gate = open()
  feed(gate, 300, () => 0)
  gate.load(state)
  expect(gate.cutoff(call)).toBe(unseen)
})

it.each([Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY])('a probability of %d is not counted', (p) => {
  const gate = open()
  for (let at = 0; at < 100; at++) gate.take({ ...call, p }, false)
  expect(gate.cutoff(call)).toBe(unseen)
})

it('the 2,000 kinds that were seen last are known', () => {
  const gate = open()
  for (let at = 0; at < 2_500; at++)
    for (let n = 0; n < 20; n++) gate.take({ tool: `s:t${at}` as ToolId, source: 'same', p: 0.95 }, false)
  expect(gate.cutoff({ tool: 's:t2499' as ToolId, source: 'same' })).toBeGreaterThan(0.95)
  expect(gate.cutoff({ tool: 's:t100' as ToolId, source: 'same' })).toBe(unseen)
  expect((gate.state() as { cells: readonly Json[] }).cells).toHaveLength(2_000)
})
