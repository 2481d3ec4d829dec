/**
 * What the examples share: a folder of their own, `pml` as a person types it, and an end that leaves nothing behind. You need
 * none of it to use PML.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'

export const program = fileURLToPath(new URL('../bin/pml.js', import.meta.url))

/** A server that `npm install` has brought; at home you would write `npx -y @modelcontextprotocol/server-NAME`. */
export const npmServer = (name) =>
  fileURLToPath(
    new URL(`../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
  )

export const textOf = ({ content }) => content.map(({ text }) => text).join('\n')

/**
 * Plays a story in an empty folder, says "ok" or what was expected, and ends all that was started. `atEnd` takes what
 * closes a thing; the last opened is closed first.
 */
export async function tell(play) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pml-example-')))
  const home = { HOME: folder, USERPROFILE: folder, APPDATA: join(folder, 'AppData') }
  const env = { ...getDefaultEnvironment(), ...home, PML_HOME: join(folder, 'pml') }
  const closers = []
  const atEnd = (close) => closers.push(close)
  const end = async () => {
    while (closers.length > 0) await Promise.resolve(closers.pop()()).catch(() => {})
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end().then(() => process.exit(1)))
  try {
    await play({
      folder,
      env,
      atEnd,
      write: (name, text) => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      },
      pml: (args, options) => pml(args, { env, cwd: folder, ...options }),
      start: (file, args, options) => start(file, args, { env, cwd: folder, atEnd, ...options }),
    })
    await end()
    console.log('ok')
  } catch (error) {
    await end()
    console.error(error)
    process.exitCode = 1
  }
}

/** Runs one command line to its end. */
async function pml(args, { env, cwd }) {
  const child = spawn(process.execPath, [program, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      said[name] += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, ...said }
}

/** Starts what goes on running; `printed` gives the first match in what it prints. */
function start(file, args, { env, cwd, atEnd }) {
  const child = spawn(process.execPath, [file, ...args], { env, cwd })
  const ended = once(child, 'close').then(([code]) => code)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      said += chunk
    })
  }
  atEnd(async () => {
    child.kill()
    await ended
  })
  const printed = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const [found] = pattern.exec(said) ?? []
        if (found !== undefined) resolve(found)
      }
      for (const stream of [child.stdout, child.stderr]) stream.on('data', look)
      look()
      ended.then((code) => reject(new Error(`expected ${pattern}, but it ended with ${code}:\n${said}`)))
    })
  return { printed, ended }
}
