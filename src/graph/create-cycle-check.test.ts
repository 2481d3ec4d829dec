import { describe, expect, it } from 'vitest'
import { seededRandom } from '../model/seeded-random.js'
import { createCycleCheck } from './create-cycle-check.js'
import { id } from './test-graph.contract.js'

const pair = (text: string) => ({ from: id(text[0]!), to: id(text[1]!) })
const pairs = (text: string) => text.split(' ').map(pair)

it('refuses the edge that closes a cycle, short or long, and takes all others', () => {
  const { check } = createCycleCheck([])
  const add = (text: string) => check.add(pair(text).from, pair(text).to)
  // Each of these stands against the order in which the nodes were first seen.
  expect(['bc', 'ab', 'da', 'cd', 'ca', 'ba', 'dc', 'aa', 'ed', 'ce'].map(add)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    true,
    false,
    true,
    false,
  ])
})

it('what was removed closes nothing', () => {
  const { check } = createCycleCheck(pairs('ab bc'))
  expect(check.add(id('c'), id('a'))).toBe(false)
  check.remove(id('a'), id('b'))
  expect(check.add(id('c'), id('a'))).toBe(true)
  expect(check.add(id('a'), id('b'))).toBe(false)
})

it('starting from a cycle keeps all but what closes it', () => {
  const start = pairs('xa ab bc ca cy yz xz')
  const { check, refused } = createCycleCheck(start)
  expect(refused).toEqual([pair('ca')])
  expect(check.add(id('z'), id('x'))).toBe(false)
  expect(check.add(id('x'), id('c'))).toBe(true)
})

describe('agrees with a plain search', () => {
  it.each([1, 2, 3, 4, 5])('random pairs, seed %i', (seed) => {
    const random = seededRandom(seed)
    const pick = () => id(`n${Math.floor(random() * 15)}`)
    const taken: { from: string; to: string }[] = []
    const leads = (from: string, to: string): boolean =>
      from === to || taken.some((one) => one.from === from && leads(one.to, to))
    let check = createCycleCheck([]).check
    for (let i = 0; i < 300; i++) {
      const [from, to] = [pick(), pick()]
      const known = taken.findIndex((one) => one.from === from && one.to === to)
      if (known >= 0) {
        if (random() < 0.5) {
          check.remove(from, to)
          taken.splice(known, 1)
        }
      } else {
        const fits = !leads(to, from)
        expect(check.add(from, to)).toBe(fits)
        if (fits) taken.push({ from, to })
      }
      if (random() < 0.1) {
        const again = createCycleCheck(taken as unknown as ReturnType<typeof pairs>)
        expect(again.refused).toEqual([])
        check = again.check
      }
    }
  })
})
