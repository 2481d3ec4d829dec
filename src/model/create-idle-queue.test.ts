import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createIdleQueue } from './create-idle-queue.js'

function open(most: number, taken: number[], dropped: number[], ms = 0) {
  return createIdleQueue<number>({
    most,
    take(item) {
      const until = performance.now() + ms
      while (performance.now() < until);
      taken.push(item)
    },
    drop: (item) => void dropped.push(item),
  })
}

it('takes what was added in order, and not before the one who added it is done', async () => {
  const taken: number[] = []
  const queue = open(100, taken, [])
  for (let item = 0; item < 50; item++) queue.add(item)
  expect([taken.length, queue.size]).toEqual([0, 50])
  await setTimeout(20)
  expect(taken).toEqual(Array.from({ length: 50 }, (_, item) => item))
  expect(queue.size).toBe(0)
})

it('gives the loop back between slices, for many times as long', async () => {
  const taken: number[] = []
  const queue = open(100, taken, [], 2)
  for (let item = 0; item < 20; item++) queue.add(item)
  await setTimeout(12)
  expect(taken.length).toBeGreaterThan(0)
  expect(taken.length).toBeLessThan(10)
  queue.drain()
  expect(taken).toHaveLength(20)
})

it('holds what waits until it is released', async () => {
  const taken: number[] = []
  const queue = open(100, taken, [])
  queue.hold()
  queue.add(1)
  await setTimeout(20)
  expect(taken).toEqual([])
  queue.release()
  await setTimeout(20)
  expect(taken).toEqual([1])
})

it('drops the oldest of too many', () => {
  const [taken, dropped]: [number[], number[]] = [[], []]
  const queue = open(3, taken, dropped)
  for (let item = 0; item < 5; item++) queue.add(item)
  queue.drain()
  expect([taken, dropped]).toEqual([
    [2, 3, 4],
    [0, 1],
  ])
})
