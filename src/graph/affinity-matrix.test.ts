import { expect, it } from 'vitest'
import { affinityMatrix, componentsOf, partOf } from './affinity-matrix.js'
import { id } from './test-graph.contract.js'

const matrixOf = (names: string, ties: readonly (readonly [string, string, number])[]) =>
  affinityMatrix(
    new Map([...names].map((name, i) => [id(name), i])),
    ties.map(([a, b, weight]) => ({ a: id(a), b: id(b), weight })),
  )
const dense = ({ starts, targets, weights }: ReturnType<typeof matrixOf>) =>
  Array.from({ length: starts.length - 1 }, (_, node) => {
    const row = new Array<number>(starts.length - 1).fill(0)
    for (let i = starts[node]!; i < starts[node + 1]!; i++) row[targets[i]!]! += weights[i]!
    return row
  })

it('is symmetric, and of several ties between two nodes the strongest holds', () => {
  const matrix = matrixOf('abc', [
    ['a', 'b', 0.4],
    ['b', 'a', 0.9],
    ['a', 'b', 0.5],
    ['c', 'b', 1],
  ])
  expect(dense(matrix)).toEqual([
    [0, 0.9, 0],
    [0.9, 0, 1],
    [0, 1, 0],
  ])
})

it('leaves out ties of a node with itself and with nodes that are not there', () => {
  const matrix = matrixOf('ab', [
    ['a', 'a', 1],
    ['a', 'z', 1],
    ['z', 'b', 1],
  ])
  expect(dense(matrix)).toEqual([
    [0, 0],
    [0, 0],
  ])
})

it('its components are what paths join, and each is a matrix of its own', () => {
  const matrix = matrixOf('abcdef', [
    ['e', 'a', 1],
    ['b', 'd', 0.5],
    ['e', 'c', 0.7],
  ])
  const components = componentsOf(matrix)
  expect(components.map((members) => [...members])).toEqual([[0, 2, 4], [1, 3], [5]])
  expect(dense(partOf(matrix, components[0]!))).toEqual([
    [0, 0, 1],
    [0, 0, 0.7],
    [1, 0.7, 0],
  ])
})
