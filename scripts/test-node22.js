// `npm run test:node22`: the tests under Node 22, whatever node runs this. The node of child processes is that one too.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { ready, withHome } from './ready.js'
import { root, run, step, vitest } from './run-step.js'

const platform = process.platform === 'win32' ? 'win' : process.platform
const name = `node-${platform}-${process.arch}`
const cache = join(root, 'node_modules/.cache/node22')
const node = join(cache, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node')

await ready()
if (!existsSync(node)) {
  mkdirSync(cache, { recursive: true })
  // A manifest of its own keeps npm from taking the repository for the place to install to.
  writeFileSync(join(cache, 'package.json'), '{"private":true}\n')
  await step('Fetching Node 22', 'npm', ['install', '--no-save', '--prefix', cache, `${name}@22`], {
    cwd: cache,
    env: withHome(process.env),
    shell: platform === 'win',
  })
}
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
await step('Node', node, ['--version'], { env })
process.exitCode = await run(node, [vitest, 'run', ...process.argv.slice(2)], { env })
