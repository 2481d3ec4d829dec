// A server that never answers `wait`; `cancelled` lists the ids of the requests that were cancelled.
import { objectSchema, serveRaw, textResult } from './raw-server.js'

const cancelled = []

serveRaw({
  name: 'silent-call',
  tools: () =>
    ['wait', 'cancelled'].map((name) => ({ name, description: `${name}.`, inputSchema: objectSchema() })),
  call: ({ name }) => (name === 'cancelled' ? textResult(JSON.stringify(cancelled)) : undefined),
  handlers: {
    'notifications/cancelled': ({ requestId }) => {
      cancelled.push(requestId)
    },
  },
})
