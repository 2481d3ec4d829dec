import { describe, expect, it } from 'vitest'
import type { Tool, ToolId } from '../model/tool.js'
import { type Choice, type ChooseOptions, chooseTools } from './choose-tools.js'
import { openTestSearch } from './find/test-search.contract.js'
import { readIntent } from './read/read-intent.js'
import { handMade, objectOf, text, tool } from './test-planner.contract.js'

async function choose(
  intent: string,
  tools: readonly Tool[] = handMade,
  options: Partial<ChooseOptions> = {},
): Promise<Choice> {
  const { search } = openTestSearch(tools)
  await search.settled()
  const byId = new Map(tools.map((one) => [one.id, one]))
  return chooseTools(readIntent(intent), {
    search: search.search,
    tool: (id) => byId.get(id),
    tokenBudget: 8_000,
    from: 0,
    done: new Set(),
    ...options,
  })
}

const namesOf = ({ chosen }: Choice): readonly string[] => chosen.map((one) => one.tool.name)

describe('each wish gets its tool', () => {
  const requests: readonly (readonly [intent: string, names: readonly string[]])[] = [
    ['get the weather in Rome', ['get_weather']],
    ['get the weather in Rome and play "Sunny"', ['get_weather', 'play_song']],
    [
      'read notes.md, summarize it and send it to ann@example.com',
      ['read_file', 'summarize_text', 'send_email'],
    ],
    [
      'list the issues of "acme/site", get the weather in Rome, translate "hi" to French and delete the file old.txt',
      ['list_issues', 'get_weather', 'translate_text', 'delete_file'],
    ],
    [
      'read a.md, summarize it, translate the summary to French, write it to b.md and send it to ann@example.com',
      ['read_file', 'summarize_text', 'translate_text', 'write_file', 'send_email'],
    ],
    [
      'read a.md, summarize it, translate the summary to French, write it to b.md, send it to ann@example.com and get the weather in Rome',
      ['read_file', 'summarize_text', 'translate_text', 'write_file', 'send_email', 'get_weather'],
    ],
  ]
  for (const [intent, names] of requests)
    it(`${names.length}: ${intent}`, async () => {
      const choice = await choose(intent)
      expect(namesOf(choice)).toEqual(names)
      expect(choice.unserved).toEqual([])
    })

  it('one that only points back is looked for with what it points at', async () => {
    expect(namesOf(await choose('find Italian restaurants in Rome and reserve one'))).toEqual([
      'find_restaurants',
      'reserve_restaurant',
    ])
  })

  it('one tool serves two wishes once, unless each brings values of its own', async () => {
    expect(namesOf(await choose('get the weather in Rome. What is the weather like?'))).toEqual([
      'get_weather',
    ])
    expect(namesOf(await choose('translate "hello" to French and translate "goodbye" to German'))).toEqual([
      'translate_text',
      'translate_text',
    ])
  })

  it('a name that is written out is meant', async () => {
    const { chosen } = await choose('archive_email')
    expect(chosen[0]).toMatchObject({ tool: { name: 'archive_email' }, runnersUp: [] })
    expect(chosen[0]!.score).toBeGreaterThan(0.9)
  })

  it('who nearly would have been chosen is named, and costs certainty', async () => {
    const twins = [
      tool('a:post_note', 'Posts a note to the board', objectOf({ note: text })),
      tool('b:post_note', 'Posts a note to the board', objectOf({ note: text })),
    ]
    const [both] = (await choose('post the note "hello"', twins)).chosen
    const [alone] = (await choose('post the note "hello"', [twins[0]!])).chosen
    const other = twins.find(({ id }) => id !== both!.tool.id)!
    expect(both!.runnersUp.map((hit) => hit.tool.id)).toEqual([other.id])
    expect(alone!.runnersUp).toEqual([])
    expect(both!.score).toBeLessThan(alone!.score)
  })

  it('one that is deprecated comes after its successor', async () => {
    const tools = [
      tool('a:read_doc', 'Reads a document. DEPRECATED: use read_text_doc', objectOf({ path: text })),
      tool('a:read_text_doc', 'Reads a document', objectOf({ path: text })),
    ]
    expect(namesOf(await choose('read a document of mine', tools))).toEqual(['read_text_doc'])
  })

  it('wishes before `from` are left alone, and what served them is not taken for what leans on them', async () => {
    const done = new Set(['world:get_weather' as ToolId])
    const choice = await choose('get the weather in Rome and play "Sunny"', handMade, { from: 1, done })
    expect(namesOf(choice)).toEqual(['play_song'])
  })
})

describe('what cannot be served', () => {
  it('is named', async () => {
    const choice = await choose('get the weather in Rome and upgrade the horses on the moon')
    expect(namesOf(choice)).toEqual(['get_weather'])
    expect(choice.unserved).toEqual(['upgrade the horses on the moon'])
  })

  it('is everything where there are no tools', async () => {
    expect(await choose('get the weather in Rome', [])).toMatchObject({
      chosen: [],
      unserved: ['get the weather in Rome'],
    })
  })

  it('is nothing where nothing was asked', async () => {
    expect(await choose('')).toMatchObject({ chosen: [], unserved: [], tokens: 0 })
  })
})

describe('what is ruled out', () => {
  it('is not chosen', async () => {
    const choice = await choose('read notes.md but do not send an email')
    expect(namesOf(choice)).toEqual(['read_file'])
    expect([...choice.ruledOut]).toEqual(['mail:send_email'])
    expect(choice.contradictions).toEqual([])
  })

  it('and asked for as well is a contradiction', async () => {
    const choice = await choose('send an email to ann@example.com but do not send an email')
    expect(choice.contradictions.map(({ id }) => id)).toEqual(['mail:send_email'])
  })
})

describe('what cannot be called', () => {
  const definition = { name: 'get_weather', inputSchema: {} }

  it('is never chosen: a tool in quarantine', async () => {
    const changed = handMade.map((one) =>
      one.name === 'get_weather' ? { ...one, changed: { definition, hash: 'x', seenAt: 0 } } : one,
    )
    expect(namesOf(await choose('get_weather', changed))).not.toContain('get_weather')
  })

  it('is never chosen: a tool that went after it was found', async () => {
    const gone = 'world:get_weather' as ToolId
    const choice = await choose('get the weather in Rome', handMade, {
      tool: (id) => (id === gone ? undefined : handMade.find((one) => one.id === id)),
    })
    expect(namesOf(choice)).not.toContain('get_weather')
  })
})

describe('the token budget', () => {
  const counted = handMade.map((one) => ({ ...one, tokens: one.name === 'summarize_text' ? 500 : 100 }))
  const intent = 'read notes.md, summarize it and send it to ann@example.com'

  it('leaves out what does not fit, and says so', async () => {
    const choice = await choose(intent, counted, { tokenBudget: 250 })
    expect(namesOf(choice)).toEqual(['read_file', 'send_email'])
    expect(choice.unserved).toEqual(['summarize it'])
    expect(choice.cut.map(({ name }) => name)).toEqual(['summarize_text'])
    expect(choice.tokens).toBe(200)
  })

  it('never leaves out the first', async () => {
    expect(namesOf(await choose(intent, counted, { tokenBudget: 1 }))).toEqual(['read_file'])
  })

  it('counts four characters as a token where nobody has counted', async () => {
    const [first] = handMade
    const { tokens } = await choose('list_files', [first!])
    const { description = '', inputSchema } = first!.definition
    expect(tokens).toBe(Math.ceil((description.length + JSON.stringify(inputSchema).length) / 4))
  })
})

it('the scores are probabilities', async () => {
  for (const intent of ['get_weather', 'get the weather', 'send it', 'read every file in data', 'x'])
    for (const { score } of (await choose(intent)).chosen) {
      expect(score).toBeGreaterThan(0)
      expect(score).toBeLessThanOrEqual(1)
    }
})
