import { expect, it } from 'vitest'
import { withinMs } from './within-ms.js'

it('gives the outcome in time, what stands in for it when late, and passes a failure on', async () => {
  expect(await withinMs(Promise.resolve(1), 1_000, 'late')).toBe(1)
  expect(await withinMs(new Promise(() => {}), 5, 'late')).toBe('late')
  await expect(withinMs(Promise.reject(new Error('broken')), 1_000, 'late')).rejects.toThrow('broken')
})
