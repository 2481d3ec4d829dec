/**
 * What servers and clients say to one another passes through the gateway, whichever revision each of them speaks. Row 11
 * (elicitation, progress, cancellation dropped by proxies) and row 12 (structured content) of what people run into.
 */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ClientOptions, dataOf, eventually, fixture, type House, openHouse, textOf } from './harness.js'
import { closeAll, startWeb } from './servers/fixtures.js'

type Era = '2025' | '2026'

interface Way {
  readonly client: Era
  readonly over: 'stdio' | 'HTTP'
  readonly server: Era
  readonly behind: 'stdio' | 'HTTP'
}

const eras: readonly Era[] = ['2025', '2026']
const ways: readonly Way[] = eras.flatMap((client) =>
  eras.flatMap((server) =>
    (['stdio', 'HTTP'] as const).map((over) => ({ client, over, server, behind: over })),
  ),
)

describe.each(ways)('a client of $client over $over, a server of $server over $behind', (way) => {
  let house: House
  let client: Client
  const asked: string[] = []
  const heard: { method: string; params: Record<string, unknown> }[] = []

  beforeAll(async () => {
    house = openHouse({ talk: await talkative(way) }, { exposure: 'proxy' })
    client = await connect(house, way, talker(way.client, asked, heard))
    await eventually(
      async () => (await client.listTools()).tools.length,
      (count) => count > 5,
    )
  })

  beforeEach(() => {
    asked.length = 0
    heard.length = 0
  })

  afterAll(async () => {
    await house.close()
    await closeAll()
  })

  const call = (name: string, options: object = {}) =>
    client.callTool({ name: `talk__${name}`, arguments: {} }, options)

  it('questions of a tool reach the client, and its answers the tool', async () => {
    expect(textOf(await call('ask_name'))).toBe('Hello Ada')
    expect(textOf(await call('ask_model'))).toBe('something')
    expect(textOf(await call('ask_roots'))).toBe('file:///project')
    expect(textOf(await call('ask_twice'))).toBe('Ada and Ada')
    expect(asked).toEqual(['elicit', 'sample', 'roots', 'elicit', 'elicit'])
  })

  it('a workflow passes the questions of its tasks on, and a prompt its own', async () => {
    const tasks = [
      { id: 'a', tool: 'talk:ask_name' },
      { id: 'b', tool: 'talk:ask_roots', dependsOn: ['a'] },
    ]
    const reply = await client.callTool({ name: 'execute_workflow', arguments: { tasks } })
    expect(dataOf(reply)).toMatchObject({ status: 'complete' })
    expect(asked).toEqual(['elicit', 'roots'])
    const prompt = await client.getPrompt({ name: 'talk__ask_prompt' })
    expect(prompt.messages[0]?.content).toMatchObject({ text: 'greet Ada' })
  })

  it('progress and cancellation go through', async () => {
    const progress: unknown[] = []
    const slowly = call('slowly', { onprogress: (one: object) => progress.push(one) })
    await eventually(
      () => progress.length,
      (count) => count === 3,
    )
    expect(progress).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })))
    await call('finish')
    expect(textOf(await slowly)).toBe('done')
    const stop = new AbortController()
    const waiting = call('wait', { signal: stop.signal })
    waiting.catch(() => {})
    await eventually(
      async () => textOf(await call('waits')),
      (text) => text.startsWith('1 waiting'),
    )
    stop.abort()
    await expect(waiting).rejects.toThrow()
    await eventually(
      async () => textOf(await call('waits')),
      (text) => text === '0 waiting, 1 cancelled',
    )
  })

  it('structured content and output schemas pass; what does not fit passes too', async () => {
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'talk__structured')?.outputSchema).toMatchObject({
      required: ['n'],
    })
    expect(await call('structured')).toMatchObject({ structuredContent: { n: 7 } })
    // The SDK's own client refuses such results once it knows the schema; the gateway passed it on.
    await expect(call('misfit')).rejects.toThrow(/output schema/)
  })

  it('resources, templates, prompts and completion are those of the server', async () => {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['note://a'])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('note://of/{name}')
    for (const uri of ['note://a', 'note://of/b']) {
      expect(await client.readResource({ uri })).toMatchObject({
        contents: [{ uri, text: `the text of ${uri}` }],
      })
    }
    await call('link')
    expect(await client.readResource({ uri: 'hidden://b' })).toMatchObject({
      contents: [{ uri: 'hidden://b' }],
    })
    await expect(client.readResource({ uri: 'no://such' })).rejects.toMatchObject({ code: -32602 })
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['talk__greet', 'talk__ask_prompt'])
    const prompt = await client.getPrompt({ name: 'talk__greet', arguments: { who: 'Ada' } })
    expect(prompt.messages[0]?.content).toMatchObject({ text: 'greet Ada' })
    await expect(client.getPrompt({ name: 'talk__gret' })).rejects.toThrow(/talk__greet/)
    const argument = { name: 'who', value: 'A' }
    const ofPrompt = await client.complete({ ref: { type: 'ref/prompt', name: 'talk__greet' }, argument })
    expect(ofPrompt.completion.values).toEqual(['greet:Ax'])
    const ofUri = await client.complete({ ref: { type: 'ref/resource', uri: 'note://of/{name}' }, argument })
    expect(ofUri.completion.values).toEqual(['note://of/{name}:Ax'])
  })

  it('changes are told: a resource that is watched, and lists that grew', async () => {
    if (way.client === '2025') {
      await expect(client.subscribeResource({ uri: 'pml://server/none/x:y' })).rejects.toThrow('none')
      await client.subscribeResource({ uri: 'note://a' })
    } else
      await client.listen({
        resourceSubscriptions: ['note://a'],
        resourcesListChanged: true,
        promptsListChanged: true,
      })
    await call('touch')
    await eventually(
      () => heard.map(({ method }) => method),
      (methods) => methods.includes('notifications/resources/updated'),
    )
    expect(heard.find(({ method }) => method === 'notifications/resources/updated')?.params).toMatchObject({
      uri: 'note://a',
    })
    await call('grow')
    await eventually(
      () => heard.map(({ method }) => method),
      (methods) =>
        methods.includes('notifications/resources/list_changed') &&
        methods.includes('notifications/prompts/list_changed'),
    )
    expect((await client.listResources(undefined, { cacheMode: 'refresh' } as never)).resources).toHaveLength(
      2,
    )
    expect((await client.listPrompts(undefined, { cacheMode: 'refresh' } as never)).prompts).toHaveLength(3)
  })

  it('log messages come at the level that was asked for', async () => {
    if (way.client === '2025') await client.setLoggingLevel('warning')
    const _meta = way.client === '2026' ? { 'io.modelcontextprotocol/logLevel': 'warning' } : {}
    await client.callTool({ name: 'talk__say', arguments: {}, _meta } as never)
    const messages = await eventually(
      () => heard.filter(({ method }) => method === 'notifications/message'),
      (found) => found.length > 0,
    )
    expect(messages.map(({ params }) => params)).toEqual([
      expect.objectContaining({ level: 'warning', data: 'a warning', logger: 'talkative' }),
    ])
  })

  it('what a client writes in _meta reaches the server', async () => {
    const _meta = { 'example.com/trace': 'abc' }
    const result = await client.callTool({ name: 'talk__meta', arguments: {}, _meta })
    expect(JSON.parse(textOf(result))).toMatchObject(_meta)
  })
})

describe('a resource of a server that is still starting', () => {
  it.each(eras)('is watched by a client of %s all the same', async (era) => {
    const slow = {
      command: 'sh',
      args: ['-c', `sleep 2; exec "${process.execPath}" "$0"`, ...fixture('talkative').args],
    }
    const house = openHouse(
      { talk: slow },
      { exposure: 'proxy', firstListWaitMs: era === '2025' ? 20_000 : 0 },
    )
    const heard: { method: string; params: Record<string, unknown> }[] = []
    const { client } = await house.stdio(talker(era, [], heard))
    if (era === '2025') await client.subscribeResource({ uri: 'note://a' })
    else await client.listen({ resourceSubscriptions: ['note://a'] })
    await eventually(
      async () => {
        await client.callTool({ name: 'talk__touch', arguments: {} }).catch(() => {})
        return heard.map(({ method }) => method)
      },
      (methods) => methods.includes('notifications/resources/updated'),
    )
    await house.close()
  })
})

describe('a client that cannot be asked', () => {
  it.each(
    ways.filter(({ over, behind }) => over === 'stdio' && behind === 'stdio'),
  )('of $client gets an error that says so from a server of $server', async (way) => {
    const house = openHouse({ talk: await talkative(way) }, { exposure: 'proxy' })
    const client = await connect(house, way, { era: way.client === '2025' ? 'legacy' : 'auto' })
    await client.listTools()
    const outcome = await client
      .callTool({ name: 'talk__ask_name', arguments: {} })
      .then((result) => ({ isError: result.isError, said: textOf(result) }))
      .catch((error: Error) => ({ isError: true, said: error.message }))
    expect(outcome.isError).toBe(true)
    expect(outcome.said).toMatch(/support|capabilit/)
    await house.close()
  })
})

describe('two clients of one server that asks', () => {
  it('are never asked for one another: in doubt the tool is told, and then each has a connection of its own', async () => {
    const house = openHouse({ talk: fixture('talkative') }, { exposure: 'proxy' })
    const people = await Promise.all(
      ['Ada', 'Bob'].map(async (name) => {
        const { client } = await house.stdio(talker('2025', [], [], name))
        await client.listTools()
        return { name, client }
      }),
    )
    const [ada, bob] = people as [(typeof people)[0], (typeof people)[0]]
    const stop = new AbortController()
    const waiting = bob.client.callTool({ name: 'talk__wait', arguments: {} }, { signal: stop.signal })
    waiting.catch(() => {})
    await eventually(
      async () => textOf(await ada.client.callTool({ name: 'talk__waits', arguments: {} })),
      (text) => text.startsWith('1 waiting'),
    )
    const doubtful = await ada.client
      .callTool({ name: 'talk__ask_name', arguments: {} })
      .then(textOf)
      .catch((error: Error) => error.message)
    expect(doubtful).toMatch(/connection of its own/)
    const answers = await Promise.all(
      people.map(({ client }) => client.callTool({ name: 'talk__ask_name', arguments: {} })),
    )
    expect(answers.map(textOf)).toEqual(['Hello Ada', 'Hello Bob'])
    stop.abort()
    await house.close()
  })

  it('have their own roots where the server is stateful', async () => {
    const house = openHouse({ talk: { ...fixture('talkative'), stateful: true } }, { exposure: 'proxy' })
    const texts = await Promise.all(
      ['ada', 'bob'].map(async (name) => {
        const { client } = await house.stdio(talker('2025', [], [], name))
        await client.listTools()
        return textOf(await client.callTool({ name: 'talk__ask_roots', arguments: {} }))
      }),
    )
    expect(texts).toEqual(['file:///project', 'file:///project'])
    await house.close()
  })
})

describe('a call that waits for a person', () => {
  it('outlives the connection it came over, though the server has a session for each', async () => {
    const house = openHouse({ talk: { ...fixture('talkative'), stateful: true } }, { exposure: 'proxy' })
    const { url } = await house.http()
    const params = { name: 'talk__ask_name', arguments: {} }
    const asked = await callOverNewSocket(url, params)
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { q1: {} } })
    const inputResponses = { q1: { action: 'accept', content: { name: 'Ada' } } }
    const done = await callOverNewSocket(url, { ...params, inputResponses, requestState: asked.requestState })
    expect(textOf(done)).toBe('Hello Ada')
    await house.close()
  })
})

describe('results that do not fit their schema', () => {
  it.each([
    ['off', '{"n":"seven"}'],
    ['warn', '{"n":"seven"}'],
    ['strict', 'does not fit the output schema'],
  ] as const)('validateOutput: %s', async (validateOutput, said) => {
    const house = openHouse({ talk: fixture('talkative') }, { exposure: 'proxy', validateOutput })
    const { client, stderr } = await house.stdio({ era: 'legacy' })
    const result = await client.callTool({ name: 'talk__misfit', arguments: {} })
    expect(textOf(result)).toContain(said)
    expect(result.isError ?? false).toBe(validateOutput === 'strict')
    await client.callTool({ name: 'talk__misfit', arguments: {} })
    const warnings = stderr().match(/does not fit the output schema/g) ?? []
    expect(warnings).toHaveLength(validateOutput === 'warn' ? 1 : 0)
    await house.close()
  })
})

/** One request of 2026-07-28 on a connection that is closed after it. */
async function callOverNewSocket(
  url: string,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  const response = await fetch(new URL('mcp', url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': String(params.name),
      connection: 'close',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: meta } }),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)![1]!
  return JSON.parse(json).result
}

async function talkative({ server, behind }: Pick<Way, 'server' | 'behind'>): Promise<object> {
  const era = server === '2025' ? 'legacy' : 'modern'
  if (behind === 'stdio') return fixture('talkative', '--era', era)
  return { url: (await startWeb('talkative', '--http', '--era', era)).url }
}

async function connect(house: House, { over }: Pick<Way, 'over'>, options: ClientOptions): Promise<Client> {
  return over === 'stdio' ? (await house.stdio(options)).client : (await house.http()).client(options)
}

/** A client that answers whatever it is asked, and keeps what it hears. */
function talker(
  era: Era,
  asked: string[],
  heard: { method: string; params: Record<string, unknown> }[],
  name = 'Ada',
): ClientOptions {
  return {
    era: era === '2025' ? 'legacy' : 'auto',
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    setUp(client) {
      client.setRequestHandler('elicitation/create', () => {
        asked.push('elicit')
        return { action: 'accept', content: { name } }
      })
      client.setRequestHandler('sampling/createMessage', () => {
        asked.push('sample')
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'something' } }
      })
      client.setRequestHandler('roots/list', () => {
        asked.push('roots')
        return { roots: [{ uri: 'file:///project', name: 'project' }] }
      })
      client.fallbackNotificationHandler = async ({ method, params }) => {
        heard.push({ method, params: (params ?? {}) as Record<string, unknown> })
      }
    },
  }
}
