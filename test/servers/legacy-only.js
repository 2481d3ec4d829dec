// A server of the 2025 revisions on the raw protocol. What it does with the 2026 probe: `answers` an error (default),
// `dies` (exits at any request before initialize, as old SDKs do) or is `silent` (never answers it).
import { objectSchema, serveRaw, textResult } from './raw-server.js'

const onProbe = process.argv[2] ?? 'answers'
let initialized = false

serveRaw({
  name: 'legacy-only',
  tools: () => [
    {
      name: 'greet',
      description: 'Greets by name.',
      inputSchema: objectSchema({ name: { type: 'string' } }),
    },
  ],
  call: ({ arguments: args }) => textResult(`hello ${args.name}`),
  handlers: {
    'notifications/initialized': () => {
      initialized = true
    },
    ...(onProbe === 'answers'
      ? {}
      : {
          'server/discover': () => {
            if (onProbe === 'dies' && !initialized) process.exit(1)
          },
        }),
  },
})
