import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EmbedderError } from '../errors.js'
import { testEmbedder } from './embedder.contract.js'
import { createEndpointEmbedder, type EndpointOptions } from './endpoint-embedder.js'
import { createStaticEmbedder } from './static-embedder.js'

/** What the server does with a request; the default is to do it well. */
type Behaviour = (request: { input: string[]; count: number }, response: ServerResponse) => void

interface Seen {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: { model: string; input: string[]; encoding_format: string }
}

let server: Server
let url: string
let behave: Behaviour
let seen: Seen[]
let open: number
let mostOpen: number

const { signal } = new AbortController()

async function vectorsOf(input: readonly string[]) {
  const vectors = await createStaticEmbedder().embed(input, 'tool', signal)
  return vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] }))
}

const good: Behaviour = async ({ input }, response) => {
  // In another order than asked: the index counts.
  reply(response, 200, { object: 'list', data: (await vectorsOf(input)).reverse() })
}

function reply(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

beforeEach(async () => {
  behave = good
  seen = []
  open = 0
  mostOpen = 0
  server = createServer(async (request, response) => {
    open++
    mostOpen = Math.max(mostOpen, open)
    response.once('close', () => open--)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    seen.push({ path: request.url!, headers: request.headers, body })
    behave({ input: body.input, count: seen.length }, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const create = (more: Partial<EndpointOptions> = {}) =>
  createEndpointEmbedder({ name: 'local', url, model: 'nomic-embed-text', firstRetryMs: 5, ...more })

const ask = (more: Partial<EndpointOptions> = {}, texts = ['a text']) =>
  create(more).embed(texts, 'tool', signal)

async function failure(more: Partial<EndpointOptions> = {}, texts = ['a text']): Promise<EmbedderError> {
  const error = await ask(more, texts).then(
    () => undefined,
    (caught) => caught,
  )
  expect(error).toBeInstanceOf(EmbedderError)
  return error
}

testEmbedder('an endpoint', { open: async () => create() })

describe('what is asked', () => {
  it('is what OpenAI-compatible servers expect, in batches of 64, four at a time', async () => {
    behave = (request, response) => void setTimeout(good, 20, request, response)
    await ask({ apiKey: 'sk-123456', headers: { 'X-Team': 'blue' } }, Array(1000).fill('text'))
    expect(seen.length).toBe(16)
    expect(Math.max(...seen.map(({ body }) => body.input.length))).toBe(64)
    expect(mostOpen).toBeLessThanOrEqual(4)
    expect(mostOpen).toBeGreaterThan(1)
    expect(seen[0]).toMatchObject({
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer sk-123456', 'x-team': 'blue', 'content-type': 'application/json' },
      body: { model: 'nomic-embed-text', encoding_format: 'float' },
    })
  })

  it('carries the prefix of its kind', async () => {
    const embedder = create({ queryPrefix: 'query: ', toolPrefix: 'passage: ' })
    await embedder.embed(['a'], 'query', signal)
    await embedder.embed(['a'], 'tool', signal)
    expect(seen.map(({ body }) => body.input)).toEqual([['query: a'], ['passage: a']])
  })

  it('is nothing for texts that say nothing, once the dimension is known', async () => {
    const embedder = create()
    await embedder.embed(['a'], 'tool', signal)
    await embedder.embed(['', ' '], 'tool', signal)
    expect(seen.length).toBe(1)
  })
})

it('its id tells server, model and prefixes apart, and nothing else', () => {
  const { host } = new URL(url)
  expect(create().id).toBe(`${host}/nomic-embed-text`)
  expect(create({ url: `${url}/`, apiKey: 'x' }).id).toBe(create().id)
  const ids = [create(), create({ model: 'm' }), create({ queryPrefix: 'q' }), create({ toolPrefix: 'q' })]
  expect(new Set(ids.map(({ id }) => id)).size).toBe(4)
})

describe('a server that is busy', () => {
  it.each([429, 500, 503])('is asked again after %d', async (status) => {
    behave = (request, response) =>
      request.count < 3 ? reply(response, status, 'busy') : good(request, response)
    expect((await ask()).length).toBe(1)
    expect(seen.length).toBe(3)
  })

  it.each([
    ['seconds', () => '1'],
    ['a date', () => new Date(Date.now() + 1900).toUTCString()],
  ])('is waited for as it asks in Retry-After, in %s', async (_, value) => {
    behave = (request, response) =>
      request.count < 2 ? reply(response, 429, '', { 'retry-after': value() }) : good(request, response)
    const start = performance.now()
    await ask()
    // A date has whole seconds.
    expect(performance.now() - start).toBeGreaterThan(800)
  })

  it('that asks for an hour is not waited for', async () => {
    behave = (_, response) => reply(response, 429, '', { 'retry-after': '3600' })
    const error = await failure()
    expect(error.message).toContain('asks to wait 3600 s')
    expect(seen.length).toBe(1)
  })

  it('is given up after four attempts', async () => {
    behave = (_, response) => reply(response, 500, { error: { message: 'out of memory.' } })
    expect((await failure()).message).toMatch(/failed \(HTTP 500\): out of memory\.$/)
    expect(seen.length).toBe(4)
  })

  it('a wait ends with the signal', async () => {
    behave = (_, response) => reply(response, 429, '', { 'retry-after': '20' })
    const controller = new AbortController()
    const asked = create().embed(['a'], 'tool', controller.signal)
    setTimeout(() => controller.abort(new Error('enough')), 50)
    await expect(asked).rejects.toThrow('enough')
  })
})

describe('trouble says what to do', () => {
  it('nobody listens', async () => {
    await new Promise((resolve) => server.close(resolve))
    const error = await failure()
    expect(error.message).toBe(`Embedder "local": nobody listens at ${new URL(url).host}.`)
    expect(error.hint).toContain('Is Ollama running')
  })

  it('no such host', async () => {
    expect((await failure({ url: 'http://no-such-host.invalid/v1' })).hint).toContain('endpoints.local.url')
  })

  it('no such model', async () => {
    behave = (_, response) => reply(response, 404, { error: 'model "nomic-embed-text" not found' })
    expect((await failure()).hint).toContain('ollama pull nomic-embed-text')
  })

  it.each([
    [{}, 'set search.endpoints.local.apiKey to a reference such as ${LOCAL_API_KEY}'],
    [{ apiKeyVariable: 'OPENAI_API_KEY' }, 'OPENAI_API_KEY is not set'],
    [
      { apiKey: 'sk-wrong', apiKeyVariable: 'OPENAI_API_KEY' },
      'OPENAI_API_KEY holds a key that is not taken',
    ],
    [{ apiKey: 'sk-wrong' }, 'Check the key in search.endpoints.local.apiKey'],
  ])('the key is refused: %j', async (more, hint) => {
    behave = (_, response) => reply(response, 401, { error: { message: 'Incorrect API key: sk-wrong' } })
    const error = await failure(more)
    expect(error.hint).toContain(hint)
    expect(seen.length).toBe(1)
    if ('apiKey' in more) expect(inspect(error, { depth: 9 })).not.toContain('sk-wrong')
  })

  it('a key that cannot be sent is not shown', async () => {
    const error = await failure({ apiKey: 'sk-half\nsk-other' })
    expect(error.message).toContain('cannot be sent')
    expect(inspect(error, { depth: 9 })).not.toContain('sk-half')
  })

  it('a slow one', async () => {
    behave = () => {}
    expect((await failure({ timeoutMs: 60 })).message).toContain('did not answer in time')
  })

  it('one that hangs up in the middle', async () => {
    behave = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"data": [')
      setTimeout(() => response.destroy(), 10)
    }
    expect((await failure()).message).toContain('the connection to 127.0.0.1')
  })

  it('one that sends us on is not followed', async () => {
    behave = (_, response) =>
      reply(response, 302, '', { location: 'https://elsewhere.example/v1/embeddings' })
    expect((await failure()).message).toContain('sends us on to https://elsewhere.example/v1/embeddings')
  })

  it.each<[string, unknown, string]>([
    ['no JSON', '<html>', 'not a list of vectors'],
    ['something else', { embeddings: [[1]] }, 'not a list of vectors'],
    ['too few', { data: [] }, '0 vectors for 1 texts'],
    ['an index that is none', { data: [{ index: 5, embedding: [1] }] }, 'a vector with the index 5'],
    ['base64', { data: [{ index: 0, embedding: 'AAAA' }] }, 'not a list of numbers'],
    ['an index that is no number', { data: [{ index: 'x', embedding: [1] }] }, 'a vector with the index'],
    ['an empty vector', { data: [{ index: 0, embedding: [] }] }, 'not a list of numbers'],
    ['nulls', { data: [{ index: 0, embedding: [1, null] }] }, 'not a list of numbers'],
  ])('an answer of %s', async (_, body, message) => {
    behave = (_, response) => reply(response, 200, body)
    const error = await failure()
    expect(error.message).toContain(message)
    expect(error.hint).toContain('a model for embeddings')
  })

  it('another dimension than before', async () => {
    const embedder = create()
    behave = ({ count }, response) =>
      reply(response, 200, { data: [{ index: 0, embedding: count === 1 ? [1, 0] : [1, 0, 0] }] })
    await embedder.embed(['a'], 'tool', signal)
    await expect(embedder.embed(['b'], 'tool', signal)).rejects.toThrow('of 3 numbers where it gave 2 before')
  })
})

it('an answer without indices is in the order of the texts', async () => {
  behave = (_, response) => reply(response, 200, { data: [{ embedding: [3, 4] }, { embedding: [0, 2] }] })
  const vectors = await ask({}, ['a', 'b'])
  expect(vectors.map((vector) => [...vector])).toEqual([
    [expect.closeTo(0.6), expect.closeTo(0.8)],
    [0, 1],
  ])
})

it.each([
  400, 413, 500,
])('what is too long for the server (%d) is cut until it fits, each text alone', async (status) => {
  behave = (request, response) =>
    request.input.some((text) => text.length > 1500)
      ? reply(response, status, { error: { message: "This model's maximum context length is 512 tokens" } })
      : good(request, response)
  const long = 'a long story about tools '.repeat(400)
  const [first, , last] = await ask({}, ['short one', long, 'short two'])
  expect([first, last]).toEqual(await ask({}, ['short one', 'short two']))
  const lengths = seen.flatMap(({ body }) => body.input.map((text) => text.length))
  expect(Math.max(...lengths)).toBe(8000)
})

it('closing ends what is under way', async () => {
  behave = () => {}
  const embedder = create()
  const asked = embedder.embed(['a'], 'tool', signal)
  await new Promise((resolve) => setTimeout(resolve, 50))
  await embedder.close()
  await expect(asked).rejects.toBeInstanceOf(EmbedderError)
})
