// One tool that only reads, and takes as long as it is told.
import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const tool = {
  name: 'wait',
  description: 'Answers after so many milliseconds.',
  inputSchema: { type: 'object', properties: { ms: { type: 'number' } }, required: ['ms'] },
  annotations: { readOnlyHint: true },
}

serveStdio(() => {
  const server = new Server({ name: 'wait', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: [tool] }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    await sleep(params.arguments.ms)
    return { content: [{ type: 'text', text: 'done' }] }
  })
  return server
})
