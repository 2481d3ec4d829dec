// A server that ignores the end of its standard input and every signal it can.
import { serveRaw, textResult } from './raw-server.js'

process.exit = () => {}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
setInterval(() => {}, 1000)

serveRaw({
  name: 'stubborn',
  tools: () => [{ name: 'stay', description: 'Stays.', inputSchema: { type: 'object' } }],
  call: () => textResult('staying'),
})
