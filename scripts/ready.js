// Installs and builds, where that is not done yet: what every other script begins with.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isBuilt, isInstalled } from './is-ready.js'
import { root, step, tsc } from './run-step.js'

export async function ready() {
  if (!isInstalled(root)) await install()
  if (!isBuilt(root))
    await step('Building', process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noEmitOnError'])
}

/** Exactly what the lock file says; a production setting of the shell must not leave out the compiler. */
async function install() {
  const [npm, shell] = process.platform === 'win32' ? ['npm.cmd', true] : ['npm', false]
  const args = ['ci', '--include=dev']
  await step('Installing packages', npm, args, { shell, env: withHome(process.env) })
}

/** With HOME empty npm takes `~` for the name of a folder, and makes it here. */
export function withHome(env) {
  if (env.HOME || process.platform === 'win32') return env
  const home = mkdtempSync(join(tmpdir(), 'pml-home-'))
  return {
    ...env,
    HOME: home,
    npm_config_cache: join(home, '.npm'),
    npm_config_userconfig: join(home, '.npmrc'),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await ready()
