import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createEchoServer } from './echo-server.js'

const many = process.argv[2] === '--many' ? Number(process.argv[3]) : 0
serveStdio(() => createEchoServer(many))
