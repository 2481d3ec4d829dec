import { expect, it } from 'vitest'
import { limitSandbox } from './limit-sandbox.js'
import type { Sandbox, SandboxOutcome } from './sandbox.js'

function open(mostAtOnce: number) {
  const ends: (() => void)[] = []
  let held = 0
  const plain: Sandbox = {
    unavailable: () => undefined,
    warm() {},
    run: () => ({
      result: new Promise<SandboxOutcome>((resolve) => ends.push(() => resolve({ value: 1, logs: [] }))),
      logs: () => [],
      hold() {
        held += 1
        return () => {
          held -= 1
        }
      },
    }),
    async close() {},
  }
  const limited = limitSandbox(plain, { mostAtOnce })
  const run = (depth = 0) =>
    limited.run({ javascript: '', arguments: {}, seed: '', startedAt: 0, depth }, {} as never)
  return { run, ends, held: () => held }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('runs so many at a time, and the next when one has ended', async () => {
  const { run, ends } = open(2)
  const all = [run(), run(), run()]
  await turn()
  expect(ends).toHaveLength(2)
  ends[0]!()
  await all[0]!.result
  await turn()
  expect(ends).toHaveLength(3)
})

it('what a program calls has places of its own: nobody waits for who waits for them', async () => {
  const { run, ends } = open(1)
  run(0)
  run(1)
  await turn()
  expect(ends).toHaveLength(2)
})

it('one that is held gives its place away, and may have been held before it began', async () => {
  const { run, ends, held } = open(1)
  const [first, second] = [run(), run()]
  await turn()
  const early = second.hold()
  const release = first.hold()
  await turn()
  expect(ends).toHaveLength(2)
  expect(held()).toBe(2)
  release()
  early()
  expect(held()).toBe(0)
  for (const end of ends) end()
  await Promise.all([first.result, second.result])
})
