// A server that lives in the repository of the team, and wants to know who is asking.
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const { TICKETS_USER, TICKETS_TOKEN, TICKETS_PROJECT } = process.env
if (!TICKETS_USER || !TICKETS_TOKEN) {
  console.error('TICKETS_USER and TICKETS_TOKEN are needed.')
  process.exit(1)
}

serveStdio(() => {
  const server = new McpServer({ name: 'tickets', version: '1.0.0' })
  server.registerTool(
    'my_tickets',
    { description: 'Lists the open tickets of whoever asks.', inputSchema: z.object({}) },
    () => ({ content: [{ type: 'text', text: `${TICKETS_PROJECT}-7, for ${TICKETS_USER}: more tea` }] }),
  )
  return server
})
