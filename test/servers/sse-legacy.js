// The HTTP+SSE transport of 2024-11-05 on the raw protocol: GET /sse opens the stream, POST goes where it says; a POST
// to /sse itself is refused with 405. `echo` gives its text back. Its URL is the first line it writes.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

const streams = new Map()
const tools = [
  {
    name: 'echo',
    description: 'Gives back the text it was given.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
]

const handlers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'sse-legacy', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: params.arguments.text }] }),
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/sse' && request.method === 'GET') {
    const id = randomUUID()
    streams.set(id, response)
    request.on('close', () => streams.delete(id))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`)
    return
  }
  const stream = streams.get(searchParams.get('session'))
  if (request.method !== 'POST' || stream === undefined) return response.writeHead(405).end()
  const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString())
  response.writeHead(202).end()
  if (id === undefined) return
  const handler = handlers[method]
  const outcome = handler
    ? { result: handler(params) }
    : { error: { code: -32601, message: 'No such method' } }
  stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n\n`)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/sse\n`))
process.stdin.on('end', () => process.exit(0)).resume()
