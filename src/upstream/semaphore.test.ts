import { describe, expect, test } from 'vitest'
import { createSemaphore } from './semaphore.js'

const never = new AbortController().signal

describe('places', () => {
  test('are given in the order they were asked for', async () => {
    const places = createSemaphore(1)
    const order: number[] = []
    const first = await places.acquire(never)
    const others = [1, 2, 3].map(async (n) => {
      const giveBack = await places.acquire(never)
      order.push(n)
      giveBack()
    })
    expect(places.tryAcquire()).toBeUndefined()
    first()
    await Promise.all(others)
    expect(order).toEqual([1, 2, 3])
  })

  test('are not lost when one who waits gives up, nor doubled when given back twice', async () => {
    const places = createSemaphore(1)
    const first = await places.acquire(never)
    const controller = new AbortController()
    const waiting = places.acquire(controller.signal)
    controller.abort(new Error('gave up'))
    await expect(waiting).rejects.toThrow('gave up')
    first()
    first()
    expect(places.tryAcquire()).toBeDefined()
    expect(places.tryAcquire()).toBeUndefined()
  })
})
