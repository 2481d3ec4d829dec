// The bare SDK server over HTTP that the gateway is compared with.
import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createEchoServer } from './echo-server.js'

const http = createServer(toNodeHandler(createMcpHandler(() => createEchoServer())))
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/`))
