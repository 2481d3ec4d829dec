// The server that is measured directly and behind the gateway: one echo tool; with `--many N`, N more that are only listed.
import { Server } from '@modelcontextprotocol/server'

const inputSchema = {
  type: 'object',
  properties: { text: { type: 'string', description: 'What to give back' } },
  required: ['text'],
}

export function createEchoServer(many = 0) {
  const tools = [{ name: 'echo', description: 'Gives back the text it was given.', inputSchema }]
  for (let n = 0; n < many; n++) {
    tools.push({
      name: `record_${n}_update`,
      description: `Updates record ${n} in the table of records and returns its new state.`,
      inputSchema,
    })
  }
  const server = new Server({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('tools/call', (request) => ({
    content: [{ type: 'text', text: request.params.arguments.text }],
  }))
  return server
}
