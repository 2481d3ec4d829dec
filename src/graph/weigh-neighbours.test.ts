import { expect, it } from 'vitest'
import { createAdjacency } from './create-adjacency.js'
import { edge, id, noon } from './test-graph.contract.js'
import { drawNeighbours, weighNeighbours } from './weigh-neighbours.js'

const around = Array.from({ length: 2_000 }, (_, i) =>
  i % 2 === 0 ? edge('hub', `n${i}`, 'sequence') : edge(`n${i}`, 'hub', 'sequence'),
)
const hub = (edges: typeof around) => {
  const adjacency = createAdjacency()
  for (const one of edges) adjacency.put(one)
  return adjacency.node(id('hub'))!
}

it('of many neighbours about as many are drawn as asked for, the same ones in whatever order they came', () => {
  const drawn = drawNeighbours(hub(around), 256, noon)
  expect(drawn.length).toBeGreaterThan(200)
  expect(drawn.length).toBeLessThan(312)
  expect(drawNeighbours(hub([...around].reverse()), 256, noon)).toEqual(drawn)
})

it('of few neighbours all are', () => {
  const few = hub(around.slice(0, 256))
  expect(drawNeighbours(few, 256, noon)).toHaveLength(256)
  expect(weighNeighbours(few, noon)).toHaveLength(256)
})
