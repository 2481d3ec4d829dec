import { describe, expect, it } from 'vitest'
import { createStaticEmbedder } from '../embed/static-embedder.js'
import { noon } from '../graph/test-graph.contract.js'
import type { Edge, NodeId } from '../model/edge.js'
import type { Tool, ToolId } from '../model/tool.js'
import { openTestSearch } from './find/test-search.contract.js'
import { canBeLookedUp, findPrerequisite, type Prerequisite } from './find-prerequisites.js'
import { readIntent } from './read/read-intent.js'
import { handMade, objectOf, said, text, tool } from './test-planner.contract.js'
import { createToolShapes } from './wire/describe-tool.js'

interface Given {
  readonly edges?: readonly Edge[]
  readonly ruledOut?: readonly string[]
  readonly tool?: (id: ToolId) => Tool | undefined
}

/** What gives the first parameter of a tool, for a request. */
async function find(
  request: string,
  tools: readonly Tool[],
  given: Given = {},
): Promise<Prerequisite | undefined> {
  const { search, graph } = openTestSearch(tools)
  graph.load(given.edges ?? [])
  await search.settled()
  const shapes = createToolShapes(createStaticEmbedder())
  const [shape] = await shapes.of([tools[0]!], () => undefined)
  return findPrerequisite(
    { shape: shape!, input: shape!.inputs[0]!, clause: readIntent(request).clauses[0]! },
    {
      search: search.search,
      graph,
      shapes,
      tool: given.tool ?? ((id) => tools.find((one) => one.id === id)),
      outputSchema: () => undefined,
      ruledOut: new Set((given.ruledOut ?? []) as readonly ToolId[]),
    },
  )
}

const named = (name: string): Tool => handMade.find((one) => one.name === name)!
const others = (name: string): readonly Tool[] => [
  named(name),
  ...handMade.filter((one) => one.name !== name),
]
const reserve = 'reserve a table for Italian food in the city of Rome'

describe('what gives an input', () => {
  it('is a tool of the same thing whose own inputs the request fills', async () => {
    const found = await find(reserve, others('reserve_restaurant'))
    expect(found).toMatchObject({
      tool: { name: 'find_restaurants' },
      why: 'gives restaurant_name for world:reserve_restaurant',
    })
    expect(found!.score).toBeGreaterThan(0.55)
    expect(found!.score).toBeLessThanOrEqual(0.8)
  })

  it('is none where the request does not fill what that needs', async () => {
    expect(await find('reserve a table', others('reserve_restaurant'))).toBeUndefined()
  })

  it('is none where nothing gives it', async () => {
    expect(await find('play a song', others('play_song'))).toBeUndefined()
  })

  it('says in words that it gives many, where it answers in text and each is meant', async () => {
    const files = others('read_file').filter(({ name }) => name !== 'list_files')
    expect((await find('read every JSON file in data', files))!.tool.name).toBe('search_files')
  })

  it('is never a tool that writes, that is in quarantine, that is ruled out, or that is gone', async () => {
    const writer = tool(
      'world:create_restaurant',
      'Creates a restaurant',
      objectOf({ city: text }),
      objectOf({ restaurant_name: text }),
    )
    expect(await find(reserve, [named('reserve_restaurant'), writer])).toBeUndefined()
    const changed = others('reserve_restaurant').map((one) =>
      one.name === 'find_restaurants'
        ? { ...one, changed: { definition: one.definition, hash: '', seenAt: 0 } }
        : one,
    )
    expect(await find(reserve, changed)).toBeUndefined()
    const tools = others('reserve_restaurant')
    expect(await find(reserve, tools, { ruledOut: ['world:find_restaurants'] })).toBeUndefined()
    expect(
      await find(reserve, tools, {
        tool: (id) => (id === 'world:find_restaurants' ? undefined : tools.find((one) => one.id === id)),
      }),
    ).toBeUndefined()
  })

  it('is one that past runs show, also where its words say nothing of it', async () => {
    const lookup = tool(
      'crm:lookup',
      'Looks things up',
      objectOf({}),
      objectOf({ venue: said('Where to eat') }),
    )
    const tools = [tool('world:reserve', 'Reserves', objectOf({ venue_name: text })), lookup]
    expect(await find('reserve a table', tools)).toBeUndefined()
    const edge: Edge = {
      from: lookup.id as NodeId,
      to: tools[0]!.id as NodeId,
      type: 'provides',
      source: 'observed',
      count: 8,
      successes: 8,
      failures: 0,
      firstSeen: noon,
      lastSeen: noon,
    }
    expect((await find('reserve a table', tools, { edges: [edge] }))!.tool.id).toBe('crm:lookup')
  })
})

it('only what a thing goes by is looked up', async () => {
  const [shape] = await createToolShapes(createStaticEmbedder()).of(
    [
      tool(
        's:t',
        '',
        objectOf({ file_path: text, userId: text, name: text, date: text, amount: text, body: text }),
      ),
    ],
    () => undefined,
  )
  expect(shape!.inputs.filter(canBeLookedUp).map(({ name }) => name)).toEqual(['file_path', 'userId', 'name'])
})
