import { describe, expect, it } from 'vitest'
import { layerTasks } from './layer-tasks.js'
import { cpuMs } from './read/cpu-ms.contract.js'

const edges = (...pairs: readonly string[]) => pairs.map((pair) => ({ from: pair[0]!, to: pair[1]! }))

describe('layerTasks', () => {
  it.each([
    ['nothing', [], [], []],
    ['what hangs together in no way', ['a', 'b'], [], [['a', 'b']]],
    ['a chain', ['c', 'b', 'a'], ['ab', 'bc'], [['a'], ['b'], ['c']]],
    ['a diamond', ['a', 'b', 'c', 'd'], ['ab', 'ac', 'bd', 'cd'], [['a'], ['b', 'c'], ['d']]],
    ['a short cut', ['a', 'b', 'c'], ['ab', 'bc', 'ac'], [['a'], ['b'], ['c']]],
    ['an edge that is said twice', ['a', 'b'], ['ab', 'ab'], [['a'], ['b']]],
  ])('layers %s', (_, ids, pairs, expected) => {
    expect(layerTasks(ids, edges(...pairs))).toEqual(expected)
  })

  it('refuses a circle, and an edge to nowhere', () => {
    expect(() => layerTasks(['a', 'b'], edges('ab', 'ba'))).toThrow()
    expect(() => layerTasks(['a'], edges('ab'))).toThrow()
  })

  it('layers 200 tasks that all depend on all before them', () => {
    const ids = Array.from({ length: 200 }, (_, at) => `t${at}`)
    const all = ids.flatMap((from, at) => ids.slice(at + 1).map((to) => ({ from, to })))
    let layers: readonly (readonly string[])[] = []
    expect(cpuMs(() => (layers = layerTasks(ids, all)))).toBeLessThan(200)
    expect(layers.flat()).toEqual(ids)
  })
})
