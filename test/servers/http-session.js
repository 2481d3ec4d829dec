// Streamable HTTP of the 2025 revisions with sessions, on the raw protocol: `count` counts within a session, `forget`
// makes the server forget all sessions, so that the next request is answered 404. Its URL is the first line it writes.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

const sessions = new Map()
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] })
const tools = ['count', 'forget'].map((name) => ({
  name,
  description: `${name}.`,
  inputSchema: { type: 'object' },
}))

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end()
  const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString())
  const answer = (result, headers = {}) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
  if (method === 'initialize') {
    const session = randomUUID()
    sessions.set(session, 0)
    const serverInfo = { name: 'http-session', version: '1.0.0' }
    return answer(
      { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo },
      { 'mcp-session-id': session },
    )
  }
  const session = request.headers['mcp-session-id']
  if (session === undefined) return response.writeHead(400).end('no session')
  if (!sessions.has(session)) return response.writeHead(404).end('unknown session')
  if (id === undefined) return response.writeHead(202).end()
  if (method === 'tools/list') return answer({ tools })
  if (method === 'ping') return answer({})
  if (params.name === 'forget') {
    answer(text('forgotten'))
    sessions.clear()
    return
  }
  sessions.set(session, sessions.get(session) + 1)
  answer(text(sessions.get(session)))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`))
process.stdin.on('end', () => process.exit(0)).resume()
