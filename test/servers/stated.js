// A server that lists what its command line states: a JSON list of tools, or a number of tools that all say the same. Every
// call answers with an id of its own, which nobody can have known before.
import { randomUUID } from 'node:crypto'
import { objectSchema, serveRaw } from './raw-server.js'

const stated = JSON.parse(process.argv[2] ?? '0')
const tools =
  typeof stated === 'number'
    ? Array.from({ length: stated }, (_, at) => ({ name: `tool_${at}`, description: 'Does what it is for.' }))
    : stated

serveRaw({
  name: 'stated',
  tools: () => tools.map((tool) => ({ inputSchema: objectSchema(), ...tool })),
  call: ({ name }) => {
    const made = { id: randomUUID(), by: name }
    return { content: [{ type: 'text', text: JSON.stringify(made) }], structuredContent: made }
  },
})
