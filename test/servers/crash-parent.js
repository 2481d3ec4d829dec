// Not a server: a gateway's process in small. `crash-parent.js <built open-upstreams.js> <fixture> <how>` starts one
// server, writes its pid, and then `exits` without closing anything, or `stays` to be killed.
import { fileURLToPath, pathToFileURL } from 'node:url'

const [built, name, how] = process.argv.slice(2)
const { openUpstreams } = await import(pathToFileURL(built).href)
const log = { debug() {}, info() {}, warn() {}, error() {} }
const upstreams = openUpstreams({
  servers: [
    {
      name,
      transport: 'stdio',
      command: process.execPath,
      args: [fileURLToPath(new URL(`./${name}.js`, import.meta.url))],
      env: {},
      disabled: false,
      stateful: false,
      trusted: false,
      timeoutMs: 5000,
      connectTimeoutMs: 10_000,
    },
  ],
  known: [],
  eras: {},
  limits: { maxMessageBytes: 1e6, concurrentColdStarts: 1, concurrentCalls: 1, concurrentCallsPerServer: 1 },
  validateArguments: true,
  validateOutput: 'warn',
  offers: {},
  clients: { of: () => undefined, tellAll() {}, resourceUpdated() {} },
  clientInfo: { name: 'crash-parent', version: '0' },
  log,
  redact: (text) => text,
})
upstreams.start()
await upstreams.settled({ timeoutMs: 10_000 })
process.stdout.write(`${upstreams.servers()[0].pids[0]}\n`)
if (how === 'exits') setTimeout(() => process.exit(1), 50)
else setInterval(() => {}, 1000)
