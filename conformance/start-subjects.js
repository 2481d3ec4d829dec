import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../scripts/run-step.js'

const startTimeoutMs = 60_000

/** The fixture on an address of its own. */
export function startFixture(...args) {
  return start([join(root, 'conformance/server.js'), ...args], process.env)
}

/** PML in front of one server, showing its tools under their own names. */
export async function startGateway(upstreamUrl) {
  const home = mkdtempSync(join(tmpdir(), 'pml-conformance-'))
  const config = join(home, 'pml.config.json')
  const settings = { exposure: 'proxy', prefix: 'none', servers: { fixture: { url: upstreamUrl } } }
  writeFileSync(config, JSON.stringify(settings))
  const remove = () => rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  try {
    const args = [join(root, 'bin/pml.js'), 'serve', '--http', '--port', '0', '--config', config]
    const { url, close } = await start(args, { ...process.env, PML_HOME: join(home, 'pml') })
    const mcp = new URL('/mcp', url).href
    return {
      url: mcp,
      async close() {
        await close()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** A program of ours that prints the address it listens on. */
async function start(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const gone = once(child, 'exit')
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    child.kill('SIGTERM')
    await gone
    clearTimeout(timer)
  }
  try {
    return { url: await printedAddress(child), close }
  } catch (error) {
    await close()
    throw error
  }
}

function printedAddress(child) {
  return new Promise((resolve, reject) => {
    let seen = ''
    const fail = (why) => reject(new Error(`${child.spawnargs.join(' ')} ${why}:\n${seen}`))
    const timer = setTimeout(() => fail('did not listen in time'), startTimeoutMs)
    const keep = (chunk) => {
      seen = (seen + chunk).slice(-100_000)
    }
    child.stderr.on('data', keep)
    child.stdout.on('data', (chunk) => {
      keep(chunk)
      const address = /http:\/\/127\.0\.0\.1:\d+\/\S*(?=\s)/.exec(seen)
      if (address === null) return
      clearTimeout(timer)
      resolve(address[0])
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      fail(`ended with ${code} before it listened`)
    })
  })
}
