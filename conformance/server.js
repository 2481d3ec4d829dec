// The server that the official suite is run against, directly and behind PML. It has every tool, prompt and resource that
// the suite's scenarios ask for, on the official SDK: 2026-07-28 without state, older revisions by session, on one address,
// a free loopback port, told as the first line on standard output. `--old` leaves out 2026-07-28.
import { createServer } from 'node:http'
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import { createChanges } from './fixture/changes.js'
import { createFixtureServer } from './fixture/create-fixture-server.js'
import { createSessions } from './fixture/sessions.js'

const isOld = process.argv.includes('--old')
const changes = createChanges()
const modern = createMcpHandler(() => createFixtureServer(changes), { legacy: 'reject' })
const sessions = createSessions(() => createFixtureServer(changes))
changes.listen((kind) => (kind === 'tools' ? modern.notify.toolsChanged() : modern.notify.promptsChanged()))

const handle = toNodeHandler({
  async fetch(request, options) {
    if (isOld || (await isLegacyRequest(request, options?.parsedBody))) return sessions.fetch(request)
    return modern.fetch(request, options)
  },
})
const hostIsLocal = localhostHostValidation()
const originIsLocal = localhostOriginValidation()

const server = createServer((request, response) => {
  if (hostIsLocal(request, response) && originIsLocal(request, response)) void handle(request, response)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
