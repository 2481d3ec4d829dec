// `npm run crash-test`: real gateways killed with SIGKILL for about two minutes, see test/crash.test.ts. With --long until there
// were 1,000 kills on the embedded database and 1,000 on PostgreSQL; --kills N, --seconds N, --store pglite|postgres and --seed N
// say otherwise.
import { parseArgs } from 'node:util'
import { ready } from './ready.js'
import { run, vitest } from './run-step.js'

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    kills: { type: 'string' },
    seconds: { type: 'string' },
    store: { type: 'string' },
    seed: { type: 'string' },
  },
})
const kills = values.kills ?? (values.long && values.seconds === undefined ? '1000' : undefined)
const chosen = {
  PML_CRASH_KILLS: kills,
  PML_CRASH_SECONDS: values.seconds,
  PML_CRASH_STORE: values.store,
  PML_CRASH_SEED: values.seed,
}
const given = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))

await ready()
// Progress is to be seen while it goes on.
const args = [vitest, 'run', '--project', 'journeys', 'test/crash.test.ts', '--disable-console-intercept']
process.exitCode = await run(process.execPath, args, { env: { ...process.env, ...given } })
