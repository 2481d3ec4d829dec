import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { installInto } from '../scripts/node22.js'
import { root } from '../scripts/run-step.js'

const name = '@modelcontextprotocol/conformance'

/** The suite's program, fetched from npm where it is not there yet: it is no part of our own packages. */
export async function fetchSuite({ version, sdk }) {
  const folder = join(root, 'node_modules/.cache/conformance', version)
  // npm writes its own list last: with it, the packages are all there.
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    await installInto(folder, { overrides: { '@modelcontextprotocol/sdk': sdk } }, [`${name}@${version}`])
  }
  return join(folder, 'node_modules', name, 'dist/index.js')
}
