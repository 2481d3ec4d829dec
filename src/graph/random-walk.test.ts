import { expect, it } from 'vitest'
import { randomWalk } from './random-walk.js'
import { edge, graphOf, id } from './test-graph.contract.js'

it('two nodes: heat is by the balance of leaving and restarting', () => {
  const graph = graphOf([edge('a', 'b', 'sequence')])
  // b = .85 a, and a + b = 1
  const heat = randomWalk({ seeds: [id('a')], neighbours: graph.neighbours })
  expect(heat.get(id('a'))).toBe(1)
  expect(heat.get(id('b'))).toBeCloseTo(0.85, 3)
})

it('a star: its rays share by weight', () => {
  // a - b .9, a - c .45: of the .85 that leaves a, two thirds go to b
  const graph = graphOf([edge('a', 'b', 'dependency'), edge('c', 'a', 'sequence')])
  const heat = randomWalk({ seeds: [id('a')], neighbours: graph.neighbours })
  expect(heat.get(id('b'))).toBeCloseTo((0.85 * 2) / 3, 3)
  expect(heat.get(id('c'))).toBeCloseTo(0.85 / 3, 3)
})

it('the middle of two seeds is warmer than either', () => {
  const graph = graphOf([edge('a', 'm', 'sequence'), edge('m', 'b', 'sequence')])
  // a = b = .075 + .425 m, m = .85 (a + b) and all add up to 1: m = .85 / 1.85, a = .5 / 1.85
  const heat = randomWalk({ seeds: [id('a'), id('b'), id('a')], neighbours: graph.neighbours })
  expect(heat.get(id('m'))).toBe(1)
  expect(heat.get(id('a'))).toBeCloseTo(0.5 / 0.85, 3)
})

it('what cannot be reached stays cold, a seed without edges is warm alone, and no seeds warm nothing', () => {
  const graph = graphOf([edge('a', 'b', 'sequence'), edge('x', 'y', 'sequence')])
  expect([...randomWalk({ seeds: [id('a')], neighbours: graph.neighbours }).keys()]).toEqual([
    id('a'),
    id('b'),
  ])
  expect(randomWalk({ seeds: [id('alone')], neighbours: graph.neighbours })).toEqual(
    new Map([[id('alone'), 1]]),
  )
  expect(randomWalk({ seeds: [], neighbours: graph.neighbours }).size).toBe(0)
})
