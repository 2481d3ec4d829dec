// The tools of echo.js over Streamable HTTP (v2 SDK, both eras) on a free loopback port (or `--port N`), told as the
// first line on standard output. `--token T` asks for it as a bearer token.
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createEchoServer } from './echo-tools.js'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, token: { type: 'string' } },
})
const handle = toNodeHandler(createMcpHandler(() => createEchoServer('http-echo')))

const server = createServer((request, response) => {
  if (values.token !== undefined && request.headers.authorization !== `Bearer ${values.token}`) {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    return
  }
  void handle(request, response)
})
server.listen(Number(values.port), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
