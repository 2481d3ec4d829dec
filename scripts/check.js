// `npm run check`: everything that must hold before a change is handed in.
import { ready } from './ready.js'
import { biome, step, tsc, vitest } from './run-step.js'

await ready()
await step('Format', process.execPath, [biome, 'format', '.'])
await step('Lint', process.execPath, [biome, 'lint', '.'])
await step('Types', process.execPath, [tsc, '-p', 'tsconfig.json', '--noEmit'])
await step('Tests', process.execPath, [vitest, 'run', ...process.argv.slice(2)])
