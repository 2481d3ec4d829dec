import { expect, it } from 'vitest'
import { createKnowledgeGraph } from '../../graph/create-knowledge-graph.js'
import { createHistory } from './create-history.js'
import { readSignals } from './read-signals.js'
import { placeOf, type SignalName } from './signals.js'
import { noon, sequence, tool } from './test-next-tools.contract.js'
import { createTrail } from './trail.js'
import { noIntent } from './view-intent.js'

const history = createHistory()
for (const steps of ['a b c', 'a b c', 'a b d', 'z y']) {
  const trail = createTrail()
  for (const step of sequence('past', steps).steps) {
    history.count(trail, step)
    trail.push(step)
  }
}
const analysis = { revision: 0, pageRank: new Map(), communities: new Map() }
const graph = createKnowledgeGraph({ now: () => noon, cosine: () => undefined })

const read = (steps: string, signal: SignalName) => {
  const trail = createTrail()
  for (const step of sequence('now', steps).steps) trail.push(step)
  const candidates = readSignals({ trail, intent: noIntent, history, analysis }, { graph, now: () => noon })
  return (name: string) =>
    candidates.find((candidate) => candidate.tool === tool(name))!.signals[placeOf[signal]]!
}

it('the chain is that of the last two steps, or of the last one where those are new', () => {
  for (const steps of ['a b', 'z b']) {
    expect(['c', 'd', 'a'].map(read(steps, 'chain'))).toEqual([2 / 3, 1 / 3, 0])
    expect(['c', 'd', 'a'].map(read(steps, 'chainFirst'))).toEqual([1, 0, 0])
  }
})

it('tools from before the last one speak for what came with them', () => {
  const after = read('a new', 'alongside')
  expect(after('c')).toBeGreaterThan(0)
  expect(after('y')).toBeLessThan(0)
  expect(read('a', 'alongside')('c')).toBe(0)
})

it('a tool is yet to come where it came later, and fresh only while it was not used', () => {
  expect(read('a', 'yetToCome')('c')).toBeGreaterThan(0)
  expect(read('a', 'yetToCome')('y')).toBeLessThan(0)
  expect(read('a', 'yetToComeFresh')('c')).toBe(read('a', 'yetToCome')('c'))
  expect(read('c a', 'yetToCome')('c')).toBeGreaterThan(0)
  expect(read('c a', 'yetToComeFresh')('c')).toBe(0)
})
