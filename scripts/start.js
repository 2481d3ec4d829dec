// `npm start`: from a fresh clone to a running gateway. The gateway runs in this very process, so signals reach it.
import { ready } from './ready.js'

await ready()
process.argv.splice(2, 0, 'up')
await import('../bin/pml.js')
