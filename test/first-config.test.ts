/** The first minutes: a gateway that runs the demo takes up the first server that is added, and survives a broken edit. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Status } from '../src/gateway/status.js'
import { eventually, fixture, pmlBin, printedAddress } from './harness.js'

let home: string
let gateway: ChildProcess
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pml-first-'))
})
afterEach(async () => {
  if (gateway.exitCode === null && gateway.signalCode === null) {
    gateway.kill('SIGTERM')
    await once(gateway, 'exit')
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

const options = () => ({
  cwd: home,
  env: { PATH: process.env.PATH ?? '', HOME: home, PML_HOME: join(home, 'pml') },
})
const pml = (...args: string[]) => promisify(execFile)(process.execPath, [pmlBin, ...args], options())

it('pml add takes effect in a gateway that runs the demo, and a broken edit after it is shown and harmless', async () => {
  gateway = spawn(process.execPath, [pmlBin, 'serve', '--http', '--port', '0'], {
    ...options(),
    stdio: 'pipe',
  })
  const url = await printedAddress(gateway)
  const status = async (): Promise<Status> => (await (await fetch(`${url}status.json`)).json()) as Status
  expect((await status()).config).toBe('demo')
  expect(await (await fetch(url)).text()).toContain(`claude mcp add --transport http pml ${url}mcp`)

  const { command, args } = fixture('echo')
  const added = await pml('add', 'mine', '--', command, ...args)
  expect(added.stdout).toContain('in a gateway that runs now as well')
  const file = join(home, 'pml', 'pml.config.yaml')
  const taken = await eventually(
    status,
    ({ config, servers }) => config === file && servers.length === 1 && servers[0]?.status === 'ready',
    60_000,
  )
  expect(taken.servers.map(({ name }) => name)).toEqual(['mine'])
  // Whoever joins from now on finds the file that is in force, not the demo.
  expect(JSON.parse((await pml('status', '--config', file, '--json')).stdout)).toMatchObject({ config: file })

  const good = readFileSync(file, 'utf8')
  writeFileSync(file, `${good}exposure: [\n`)
  const broken = await eventually(status, ({ configProblem }) => configProblem !== undefined, 60_000)
  expect(broken.configProblem).toMatchObject({ file, line: expect.any(Number), since: expect.any(Number) })
  expect(broken.servers.map(({ name, status: state }) => [name, state])).toEqual([['mine', 'ready']])
  expect((await pml('status')).stdout).toContain('the one before stays in force')
  expect(await (await fetch(url)).text()).toContain('The changed configuration cannot be used')

  writeFileSync(file, good)
  await eventually(status, ({ configProblem }) => configProblem === undefined, 60_000)
}, 240_000)
