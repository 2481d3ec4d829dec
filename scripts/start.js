// `npm start`: from a fresh clone to a running gateway. The gateway runs in this very process, so signals reach it.
import { ready } from './ready.js'

await ready()

// npm starts scripts through a shell that passes no signal on: when npm is gone, so are we.
const { ppid } = process
setInterval(() => process.ppid !== ppid && process.kill(process.pid, 'SIGTERM'), 500).unref()

process.argv.splice(2, 0, 'up')
await import('../bin/pml.js')
