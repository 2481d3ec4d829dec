// `npm run test:node22`: the tests under Node 22, whatever node runs this. The node of child processes is that one too.
import { fetchNode22, withNode } from './node22.js'
import { ready } from './ready.js'
import { run, step, vitest } from './run-step.js'

await ready()
const node = await fetchNode22()
const env = withNode(node, process.env)
await step('Node', node, ['--version'], { env })
process.exitCode = await run(node, [vitest, 'run', ...process.argv.slice(2)], { env })
