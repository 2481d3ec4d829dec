import { expect, it } from 'vitest'
import type { Tool } from '../../model/tool.js'
import { makeTool } from '../make-tool.contract.js'
import { createCatalogueIndex } from './create-catalogue-index.js'
import { scoreWords } from './score-words.js'

const tools = [
  makeTool('git:clone', 'Clones a repository'),
  makeTool('git:log', 'Shows the history of a repository'),
  makeTool('chat:send', 'Sends a message'),
]

it('a word that one tool alone holds counts 1 at most, and one that several hold counts less', async () => {
  const { words, possible } = await score('message')
  expect([...words]).toEqual([0, 0, expect.any(Number)])
  expect(words[2]).toBeLessThan(1)
  expect(possible).toBeCloseTo(1)
  const common = await score('repository')
  expect(common.possible).toBeLessThan(1)
  expect(common.words[0]).toBeLessThan(words[2]!)
})

it('small words count where the query has nothing else', async () => {
  expect((await score('the message')).possible).toBe((await score('message')).possible)
  expect((await score('the')).words[1]).toBeGreaterThan(0)
})

it('what nobody says counts nothing, and is not possible', async () => {
  const nothing = await score('zebra')
  expect([...nothing.words]).toEqual([0, 0, 0])
  expect(nothing.possible).toBe(0)
  expect((await score('')).possible).toBe(0)
})

it('of a long query the 256 rarest terms count', async () => {
  const many = Array.from({ length: 400 }, (_, at) => `rare${at}`)
  const talkative = makeTool('talk:all', many.join(' '))
  const others = Array.from({ length: 50 }, (_, at) => makeTool(`talk:t${at}`, 'common words of everyone'))
  const { possible } = await score(`${many.join(' ')} common words everyone`, [talkative, ...others])
  expect(possible).toBeCloseTo(128)
})

async function score(query: string, catalogue: readonly Tool[] = tools) {
  const index = createCatalogueIndex({ added() {}, removed() {} })
  index.follow(catalogue)
  await index.ready()
  return scoreWords(query, index)
}
