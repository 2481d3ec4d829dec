import { expect, it } from 'vitest'
import { candidateCount, graphCandidates } from './graph-candidates.js'
import { edge, graphOf, id } from './test-graph.contract.js'

it('there are more candidates the denser the graph is', () => {
  expect([0, 0.0099, 0.01, 0.099, 0.1, 1].map((density) => candidateCount(10, density))).toEqual([
    15, 15, 20, 20, 30, 30,
  ])
  expect(candidateCount(5, 0)).toBe(8)
  expect(candidateCount(0, 1)).toBe(0)
})

const graph = graphOf([
  edge('git_clone', 'npm_install', 'sequence'),
  edge('npm_install', 'deploy', 'dependency'),
  edge('git_clone', 'log', 'provides'),
])

it('neighbours of the context come strongest first, without the context, as many as asked for', () => {
  const context = [id('git_clone'), id('deploy')]
  // deploy - npm_install .9, git_clone - log .63
  expect(graphCandidates(graph, context, 5)).toEqual([id('npm_install'), id('log')])
  expect(graphCandidates(graph, context, 1)).toEqual([id('npm_install')])
  expect(graphCandidates(graph, [], 5)).toEqual([])
})
