/** What a person at a terminal runs into: the built program beside a gateway that runs already. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fixture, type House, openHouse, pmlBin, printedAddress } from './harness.js'

let house: House
const closers: (() => unknown)[] = []
beforeEach(() => {
  house = openHouse({ echo: fixture('echo') }, { http: { port: 0 } })
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  await house.close()
})

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function up(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [pmlBin, 'up', '--config', house.config, ...args], {
    env: house.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  closers.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return printedAddress(child)
}

it('another configuration than the one in force is refused by whoever would listen with it', async () => {
  const { pid } = await house.http()
  const other = join(house.home, 'other.json')
  writeFileSync(other, '{"mcpServers": {}}')
  for (const command of [['up'], ['serve', '--http'], ['status']]) {
    const { code, stdout, stderr } = await house.pml(...command, '--config', other)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`running here: ${house.config}, in process ${pid}.`)
    expect(stderr).toContain(`end process ${pid} first, or set PML_HOME`)
  }
}, 120_000)

it('a second pml up names the address of the first and ends', async () => {
  const url = await up()
  const { code, stdout, stderr } = await house.pml('up', '--config', house.config)
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${url}\n` })
  expect(stderr).toContain(`Already running at ${url} (process `)
  expect(stderr).toContain(`claude mcp add --transport http pml ${url}mcp`)
  expect(await up('--port', '0')).not.toBe(url)
}, 120_000)

it('so it does when the first stands in front of the gateway of a client', async () => {
  house.writeConfig({ mcpServers: { echo: fixture('echo') }, http: { port: await freePort() } })
  await house.stdio()
  const url = await up()
  expect(await house.pml('up', '--config', house.config)).toMatchObject({ code: 0, stdout: `${url}\n` })
}, 120_000)

it('a command tells the troubles of servers in its own words alone, unless a log is asked for', async () => {
  house.writeConfig({ mcpServers: { dies: fixture('no-such-file') }, http: { port: 0 } })
  for (const command of ['doctor', 'status', 'tools']) {
    const { stdout, stderr } = await house.pml(command, '--config', house.config)
    expect(stdout).toContain('Cannot find module')
    expect(stderr).toBe('')
  }
  house.env.PML_LOG = 'warn'
  expect((await house.pml('tools', '--config', house.config)).stderr).toContain('pml warn: Server "dies"')
}, 120_000)

it('auth at a server that asks for nothing is no failure, and no sign-in is not called a sign-out', async () => {
  const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  house.writeConfig({ mcpServers: { open: { url } } })
  const auth = (...args: string[]) => house.pml('auth', 'open', '--config', house.config, ...args)
  expect(await auth()).toMatchObject({ code: 0, stdout: 'open asks nobody to sign in: call its tools.\n' })
  expect(await auth('--sign-out')).toMatchObject({
    code: 0,
    stdout: 'Not signed in to open: there was nothing to forget.\n',
  })
}, 60_000)

it('a number typed where a tool wants text is sent as text', async () => {
  expect(await house.pml('call', 'echo:echo', 'text=5', '--config', house.config)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('5'),
  })
}, 60_000)
