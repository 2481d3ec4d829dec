import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withHome } from '../../scripts/ready.js'
import { root, step } from '../../scripts/run-step.js'

const cache = join(root, 'node_modules/.cache/servers')
const windows = process.platform === 'win32'

/** The packages with their exact versions in a folder of their own; nothing is done when they are there already. */
export async function installServers(servers) {
  const dependencies = Object.fromEntries(servers.map((server) => [server.package, server.version]))
  if (servers.every((server) => installedVersion(server) === server.version)) return
  mkdirSync(cache, { recursive: true })
  // A manifest of its own keeps npm from taking the repository for the place to install to.
  writeFileSync(
    join(cache, 'package.json'),
    `${JSON.stringify({ private: true, dependencies }, undefined, 2)}\n`,
  )
  const args = ['install', '--prefix', cache, '--ignore-scripts', '--no-audit', '--no-fund']
  const options = { cwd: cache, env: withHome(process.env), shell: windows }
  await step(`Installing ${servers.length} servers`, windows ? 'npm.cmd' : 'npm', args, options)
}

/** The file that the package's own command would run. */
export function binOf(server) {
  const { bin } = readManifest(server)
  return join(cache, 'node_modules', server.package, typeof bin === 'string' ? bin : Object.values(bin)[0])
}

function installedVersion(server) {
  return existsSync(manifestOf(server)) ? readManifest(server).version : undefined
}

function readManifest(server) {
  return JSON.parse(readFileSync(manifestOf(server), 'utf8'))
}

function manifestOf(server) {
  return join(cache, 'node_modules', server.package, 'package.json')
}
