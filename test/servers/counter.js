// A stateful server: `increment` counts within this process; `pid` tells which process that is.
import { objectSchema, serveRaw, textResult } from './raw-server.js'

let count = 0
const tools = {
  increment: () => {
    count += 1
    return textResult(String(count))
  },
  pid: () => textResult(String(process.pid)),
}

serveRaw({
  name: 'counter',
  tools: () =>
    Object.keys(tools).map((name) => ({ name, description: `${name}.`, inputSchema: objectSchema() })),
  call: ({ name }) => tools[name](),
})
