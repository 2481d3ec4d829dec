/** `pml doctor` on a house where everything that can be broken is broken, for real. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { fixture, type House, openHouse } from './harness.js'

interface Finding {
  readonly check: string
  readonly level: string
  readonly message: string
  readonly fix?: string
}

let house: House
const closers: (() => void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) close()
  await house.close()
})

async function doctor(): Promise<{ code: number; findings: readonly Finding[] }> {
  const { code, stdout } = await house.pml('doctor', '--config', house.config, '--json')
  return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings }
}

/** A program of this name that says this on standard error and fails. */
function failing(folder: string, name: string, words: string): void {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\necho '${words}' >&2\nexit 1\n`)
  chmodSync(file, 0o755)
}

/** A web server that answers everything with this status; its address. */
async function answering(status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

it('every server in trouble is told with its own words and one fix', async () => {
  house = openHouse({}, {}, { SHELL: '/bin/sh' })
  const programs = join(house.home, 'programs')
  failing(programs, 'npx', 'npm error code E404')
  failing(programs, 'docker', 'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.')
  const env = { PATH: `${programs}:/usr/bin:/bin` }
  house.writeConfig({
    mcpServers: {
      well: fixture('echo'),
      dies: fixture('no-such-file'),
      hangs: { ...fixture('hanging'), connectTimeoutMs: 1500 },
      typo: { command: 'npx', args: ['-y', '@scope/none'], env },
      boxed: { command: 'docker', args: ['run', '-i', 'mcp/x'], env },
      nobody: { url: 'http://127.0.0.1:9/mcp' },
      locked: { url: await answering(401), auth: 'none' },
      missing: { command: 'no-such-program-anywhere' },
      folder: { ...fixture('echo'), cwd: './no-such-folder' },
      off: { ...fixture('hanging'), disabled: true },
    },
    http: { port: 0 },
  })
  const { code, findings } = await doctor()
  expect(code).toBe(1)
  const told = (check: string) => findings.find((one) => one.check === check)
  const broken = (message: string, fix: string) => ({
    level: 'broken',
    message: expect.stringContaining(message),
    fix: expect.stringContaining(fix),
  })
  expect(told('server well')).toMatchObject({ level: 'ok', message: 'ready, 6 tools' })
  expect(told('server off')).toMatchObject({ level: 'ok', message: 'disabled' })
  expect(told('server dies')).toMatchObject(broken('Error: Cannot find module', `Run: ${process.execPath} `))
  expect(told('server hangs')).toMatchObject(broken('no answer within 1500 ms', 'connectTimeoutMs'))
  expect(told('server typo')).toMatchObject(broken('npx cannot find @scope/none', 'Correct the name'))
  expect(told('server boxed')).toMatchObject(broken('its daemon is not running', 'Start Docker'))
  expect(told('server nobody')).toMatchObject(broken('cannot be reached', 'Start it'))
  expect(told('server locked')).toMatchObject(broken('401', 'header'))
  expect(told('server folder')).toMatchObject(broken('no-such-folder does not exist', 'cwd'))
  expect(told('command of missing')).toMatchObject(broken('no-such-program-anywhere', 'Install'))
  expect(told('server missing')).toBeUndefined()
  for (const finding of findings) expect(finding.fix === undefined).toBe(finding.level === 'ok')
  for (const { message } of findings) expect(message).not.toContain('\n')
}, 240_000)

it('a database that cannot be reached is told', async () => {
  house = openHouse(
    {},
    { http: { port: 0 } },
    { SHELL: '/bin/sh', DATABASE_URL: 'postgres://x:y@127.0.0.1:9/z' },
  )
  const { code, findings } = await doctor()
  expect(code).toBe(1)
  expect(findings).toContainEqual({
    check: 'database',
    level: 'broken',
    message: expect.any(String),
    fix: expect.any(String),
  })
}, 240_000)

it('a configuration that cannot be read stops neither the other checks nor the summary', async () => {
  house = openHouse({ a: { comand: 'x' }, b: {} }, { http: { port: 'x' } }, { SHELL: '/bin/sh' })
  const { code, stdout } = await house.pml('doctor', '--config', house.config)
  expect(code).toBe(1)
  expect(stdout).toContain('http.port: expected a number')
  expect(stdout).toContain('ok       launchers:')
  expect(stdout).toContain('warning  servers: were not looked at')
  expect(stdout).toMatch(/\n1 broken, 1 warning\.\n$/)
}, 240_000)
