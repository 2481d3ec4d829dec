// Node 22 from npm, for what needs it while the house itself runs on Node 20.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withHome } from './ready.js'
import { root, run } from './run-step.js'

const platform = process.platform === 'win32' ? 'win' : process.platform
const name = `node-${platform}-${process.arch}`
const cache = join(root, 'node_modules/.cache')

/** The program, fetched where it is not there yet. */
export async function fetchNode22() {
  const folder = join(cache, 'node22')
  const node = join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node')
  if (!existsSync(node)) await installInto(folder, {}, [`${name}@22`])
  return node
}

/** Installs packages into a folder of their own; throws when npm cannot. */
export async function installInto(folder, manifest, packages) {
  mkdirSync(folder, { recursive: true })
  // A manifest of its own keeps npm from taking the repository for the place to install to.
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ private: true, ...manifest })}\n`)
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const args = ['install', '--no-save', '--ignore-scripts', ...quiet, '--prefix', folder, ...packages]
  process.stderr.write(`Fetching ${packages.join(' ')} ...\n`)
  const code = await run('npm', args, {
    cwd: folder,
    env: withHome(process.env),
    shell: platform === 'win',
    stdio: ['ignore', 2, 2],
  })
  if (code !== 0)
    throw new Error(`npm could not install ${packages.join(' ')} (exit ${code}). Is the registry reachable?`)
}

/** An environment in which `node` is that one. */
export function withNode(node, env) {
  const separator = platform === 'win' ? ';' : ':'
  return { ...env, PATH: `${dirname(node)}${separator}${env.PATH ?? ''}` }
}
