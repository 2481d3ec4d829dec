import { expect, it } from 'vitest'
import { testEmbedder } from './embedder.contract.js'
import { createHashingEmbedder } from './hashing-embedder.js'

testEmbedder('hashing', { open: async () => createHashingEmbedder() })

const { signal } = new AbortController()

async function similarity(one: string, other: string): Promise<number> {
  const [a, b] = await createHashingEmbedder().embed([one, other], 'tool', signal)
  return a!.reduce((sum, value, index) => sum + value * b![index]!, 0)
}

it.each([
  ['create_issue', 'Create an issue', 'delete a branch'],
  ['listing repositories', 'list repository', 'send an e-mail'],
  ['github repositry', 'GitHub repository', 'weather forecast'],
  ['東京の天気', '天気を調べる', 'ファイル削除'],
])('%j is closer to %j than to %j', async (text, near, far) => {
  expect(await similarity(text, near)).toBeGreaterThan((await similarity(text, far)) + 0.2)
})

it('texts that share nothing are close to orthogonal', async () => {
  expect(Math.abs(await similarity('create an issue', 'weather tomorrow'))).toBeLessThan(0.25)
})

it('a tool is embedded in a few dozen microseconds', async () => {
  const embedder = createHashingEmbedder()
  const texts = Array.from(
    { length: 200 },
    (_, index) =>
      `github create_issue${index} Create a new issue in a GitHub repository with a title, a body, labels and assignees.
       owner repo title body assignees milestone labels Repository owner Repository name Issue title Issue body content`,
  )
  await embedder.embed(texts, 'tool', signal)
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const start = performance.now()
    await embedder.embed(texts, 'tool', signal)
    times.push(((performance.now() - start) / texts.length) * 1000)
  }
  // 20 microseconds where nothing else runs; the bound leaves room for a busy machine.
  expect(Math.min(...times)).toBeLessThan(200)
})
