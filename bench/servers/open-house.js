import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '../../scripts/run-step.js'
import { binOf } from './install-servers.js'
import { openLineClient } from './line-client.js'
import { watchProcesses } from './processes.js'

const pmlBin = join(root, 'bin/pml.js')
const settleMs = 180_000
/** Each line of ours says so; a fault that nobody caught does not. What a server wrote last may be quoted in a warning. */
const ours = /^pml (?:debug|info|warn): /

/** A fresh data directory under an empty home, and the gateways that are started on it. */
export function openHouse({ name, servers, folder, scratch, exposure, check }) {
  const home = join(scratch, `home-${name}`)
  mkdirSync(home)
  const config = join(scratch, `${name}.json`)
  writeFileSync(config, JSON.stringify({ mcpServers: asConfig(servers, folder) }))
  const env = { PATH: process.env.PATH, HOME: home, PML_HOME: join(home, 'pml') }
  const watch = watchProcesses(home)
  const claim = (text, held, detail = '') => check(`${name}: ${text}`, held, detail)

  return {
    watch,
    claim,
    open: () =>
      openLineClient({
        args: [pmlBin, 'serve', '--config', config, '--exposure', exposure],
        env,
        cwd: folder,
      }),
    pml,
    /** The states of the servers once all are ready, but those of `except`, which must have come to an end of their first try. */
    async settled(except = []) {
      const until = Date.now() + settleMs
      for (;;) {
        const { servers: states } = await pml('status')
        const over = states.every(
          ({ name, status, trouble }) =>
            status === 'ready' || (except.includes(name) && trouble !== undefined),
        )
        if (over || Date.now() > until) return states
        await sleep(250)
      }
    },
    /** Leaves as a client does; everything must be gone, and nothing must have gone wrong. */
    async close(gateway, when) {
      watch.living()
      const endedAt = performance.now()
      const code = await gateway.close()
      const left = await watch.gone(5_000)
      const ms = performance.now() - endedAt
      claim(`${when}: the gateway ends with 0`, code === 0, String(code))
      claim(`${when}: no process is left`, left.length === 0, left.map((one) => one.command).join('; '))
      const faults = gateway
        .stderr()
        .split('\n')
        .filter((line) => line !== '' && !ours.test(line))
      claim(`${when}: no fault on standard error`, faults.length === 0, faults.join('; ').slice(0, 2_000))
      return { ms, left: left.length }
    },
  }

  async function pml(...words) {
    const options = { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)(process.execPath, [pmlBin, ...words, '--json'], options)
    return JSON.parse(stdout)
  }
}

function asConfig(servers, folder) {
  const entry = ({ args = [], env = {}, ...server }) => ({
    command: process.execPath,
    args: [binOf(server), ...args],
    env,
    cwd: folder,
  })
  return Object.fromEntries(servers.map((server) => [server.name, entry(server)]))
}
