import { expect, it } from 'vitest'
import { seededRandom } from '../model/seeded-random.js'
import { createEvidence } from './create-evidence.js'
import { edge, graphOf, id, randomObservations } from './test-graph.contract.js'

// git_clone -> npm_install (.45) -> deploy (.45); git_clone -> log (.45)
const graph = graphOf([
  edge('git_clone', 'npm_install', 'sequence'),
  edge('npm_install', 'deploy', 'sequence'),
  edge('git_clone', 'log', 'sequence'),
])

it('an empty context says nothing for anybody', () => {
  expect(createEvidence(graph, [])(id('deploy'))).toEqual({ value: 0, by: 'nothing' })
  expect(createEvidence(graph, [id('unknown')])(id('deploy'))).toEqual({ value: 0, by: 'nothing' })
})

it('a direct edge counts its weight in either direction', () => {
  const after = createEvidence(graph, [id('git_clone')])(id('npm_install'))
  expect(after.value).toBeCloseTo(0.45, 12)
  expect(after).toMatchObject({ by: 'edge', from: id('git_clone') })
  expect(createEvidence(graph, [id('deploy')])(id('npm_install')).value).toBeCloseTo(0.45, 12)
})

it('shared neighbours count AA / (AA + .5)', () => {
  const sum = (0.45 * 0.45) / Math.log(3)
  const found = createEvidence(graph, [id('git_clone')])(id('deploy'))
  expect(found.value).toBeCloseTo(sum / (sum + 0.5), 12)
  expect(found).toMatchObject({ by: 'neighbours', from: id('git_clone') })
})

it('of several context tools the one that says most counts', () => {
  const both = createEvidence(graph, [id('git_clone'), id('npm_install'), id('npm_install')])
  expect(both(id('deploy')).value).toBeCloseTo(0.45, 12)
  expect(both(id('deploy')).from).toBe(id('npm_install'))
})

it.each([1, 2, 3])('stays in [0, 1], and more context never takes evidence away, seed %i', (seed) => {
  const random = graphOf([])
  random.observe(randomObservations(seededRandom(seed), 400))
  const nodes = Array.from({ length: 12 }, (_, i) => id(`t${i}`))
  const some = createEvidence(random, nodes.slice(0, 2))
  const more = createEvidence(random, nodes.slice(0, 5))
  for (const node of nodes) {
    expect(some(node).value).toBeLessThanOrEqual(more(node).value)
    expect(more(node).value).toBeLessThanOrEqual(1)
    expect(some(node).value).toBeGreaterThanOrEqual(0)
  }
})

it('no tool speaks for itself, though it shares all its neighbours with itself', () => {
  expect(createEvidence(graph, [id('git_clone')])(id('git_clone'))).toEqual({ value: 0, by: 'nothing' })
})
