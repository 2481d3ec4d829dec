// `npm test`: from a fresh clone to tested. Arguments go to vitest: npm test -- src/config
import { ready } from './ready.js'
import { run, vitest } from './run-step.js'

await ready()
process.exitCode = await run(process.execPath, [vitest, 'run', ...process.argv.slice(2)])
