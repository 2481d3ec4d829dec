import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../model/seeded-random.js'
import type { Tool, ToolId } from '../../model/tool.js'
import { makeTool } from '../make-tool.contract.js'
import { type CatalogueIndex, createCatalogueIndex } from './create-catalogue-index.js'

function openIndex() {
  const slots = new Map<number, ToolId>()
  const told: string[] = []
  const index = createCatalogueIndex({
    added(slot, tool) {
      expect(slots.has(slot)).toBe(false)
      slots.set(slot, tool.id)
      told.push(`+${tool.id}`)
    },
    removed(slot) {
      told.push(`-${slots.get(slot)}`)
      expect(slots.delete(slot)).toBe(true)
    },
  })
  return { index, slots, told }
}

/** Everything that search can see of it, under ids instead of slots. */
function contents(index: CatalogueIndex, words: readonly string[]) {
  const ids = Array.from({ length: index.end }, (_, slot) => index.toolAt(slot)?.id)
  const byId = (values: Iterable<readonly [number, number]>) =>
    [...values].flatMap(([slot, value]) => (ids[slot] === undefined ? [] : [[ids[slot], value]])).sort()
  return {
    ids: ids.filter((id) => id !== undefined).sort(),
    size: index.text.size,
    words: words.map((word) =>
      index.vocabulary.find(word).map((term) => {
        const scores = new Float64Array(index.end)
        index.text.addScores(term, scores)
        return byId([...scores.entries()].filter(([, score]) => score > 0))
      }),
    ),
    names: words.map((word) => byId(index.matchName(word))),
  }
}

const herd = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => makeTool(`s:t${from + i}`, `Counts sheep number ${from + i}`))

describe('a catalogue that is followed', () => {
  it('is there when ready: tools, slots, words and names', async () => {
    const { index, slots } = openIndex()
    const tools = [makeTool('files:read_file', 'Reads a file'), makeTool('ci:deploy', 'Ships the build')]
    index.follow(tools)
    await index.ready()
    for (const tool of tools) {
      const slot = index.slotOf(tool.id)!
      expect(index.toolAt(slot)).toBe(tool)
      expect(slots.get(slot)).toBe(tool.id)
    }
    expect(index.end).toBe(2)
    expect(index.vocabulary.find('ships')).not.toEqual([])
    expect([...index.matchName('deploy').keys()]).toEqual([index.slotOf(tools[1]!.id)])
    expect(index.slotOf('no:body' as ToolId)).toBeUndefined()
    expect(index.toolAt(9)).toBeUndefined()
  })

  it('equals one made from nothing, after any changes', async () => {
    const random = seededRandom(11)
    const words = ['file', 'issue', 'read', 'write', 'list', 'city', 'query', 'table', 'send', 'sheep']
    const word = () => words[Math.floor(random() * words.length)]!
    const { index, slots } = openIndex()
    let tools: Tool[] = []
    for (let round = 0; round < 40; round++) {
      tools = tools.filter(() => random() > 0.4)
      for (let i = 0; i < 12; i++) {
        const tool = makeTool(`s:${word()}_${word()}`, `${word()} ${word()} ${word()}`)
        tools = [...tools.filter(({ id }) => id !== tool.id), tool]
      }
      index.follow(tools)
      // Now and then the next one comes before this one is taken up.
      if (random() > 0.7) continue
      await index.ready()
      const fresh = openIndex().index
      fresh.follow(tools)
      await fresh.ready()
      expect(contents(index, words)).toEqual(contents(fresh, words))
      expect([...slots.values()].sort()).toEqual(tools.map(({ id }) => id).sort())
    }
    // Slots are taken again: it does not grow with what has ever been there.
    expect(index.end).toBeLessThan(150)
  })

  it('takes a word for misspelt again when the tools that said it are gone', async () => {
    const { index } = openIndex()
    const deploy = makeTool('ci:deploy')
    index.follow([deploy, makeTool('a:other', 'Speaks of deplyo')])
    await index.ready()
    expect(index.matchName('deplyo').size).toBe(0)
    index.follow([deploy])
    await index.ready()
    expect([...index.matchName('deplyo').keys()]).toEqual([index.slotOf(deploy.id)])
  })

  it('of which the same tool comes twice holds it once, as it came last', async () => {
    const { index, slots } = openIndex()
    const last = makeTool('a:b', 'Counts goats')
    index.follow([makeTool('a:b', 'Counts sheep'), last])
    await index.ready()
    expect([...slots.values()]).toEqual(['a:b'])
    expect(index.toolAt(index.slotOf(last.id)!)).toBe(last)
  })

  it('tells of a tool only when what it says has changed', async () => {
    const { index, told } = openIndex()
    const tool = makeTool('a:b', 'Counts sheep', { hash: 'h1' })
    index.follow([tool])
    await index.ready()
    const counted = { ...tool, tokens: 7 }
    const readAgain = { ...makeTool('a:b', 'Counts sheep', { hash: 'h1' }), tokens: 8 }
    for (const same of [counted, readAgain]) {
      index.follow([same])
      expect(index.toolAt(index.slotOf(tool.id)!)).toBe(same)
    }
    await index.ready()
    expect(told).toEqual(['+a:b'])
    index.follow([makeTool('a:b', 'Counts goats', { hash: 'h2' })])
    await index.ready()
    expect(told).toEqual(['+a:b', '-a:b', '+a:b'])
  })
})

describe('taking up', () => {
  it.each([
    ['thousands of tools', [], herd(5_000)],
    ['that thousands are gone', herd(5_000), []],
  ])('%s leaves others their turn', async (_, before, after) => {
    const { index, slots } = openIndex()
    index.follow(before)
    await index.ready()
    let turns = 0
    const tick = setInterval(() => turns++, 0)
    index.follow(after)
    await index.ready()
    clearInterval(tick)
    expect(turns).toBeGreaterThan(2)
    expect(slots.size).toBe(after.length)
    expect(index.text.size).toBe(after.length)
  })

  it('is given up for what is followed since', async () => {
    const { index, slots, told } = openIndex()
    index.follow(herd(5_000))
    const ready = index.ready()
    index.follow(herd(3, 9_000))
    await ready
    expect([...slots.values()].sort()).toEqual(['s:t9000', 's:t9001', 's:t9002'])
    expect(told.length).toBeLessThan(5_000)
  })

  it('nothing is ready at once', async () => {
    const { index } = openIndex()
    await index.ready()
    index.follow([])
    await index.ready()
    expect(index.end).toBe(0)
  })
})
