/** Signing in to servers that ask for it, with the program as it is built and a real authorization server. */
import { statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type House, openHouse, textOf } from './harness.js'
import { addressPattern, keptTokens, patiently, signInTo, startAuth, tokenFile } from './pml-auth.js'
import { type AuthServer, approve, startAuthServer } from './servers/auth-fixtures.js'
import { closeAll } from './servers/fixtures.js'

// Each is a house full of processes, and some wait for tokens to run out; a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000 })

let house: House
let auth: AuthServer

async function openGuarded(
  settings: Readonly<Record<string, unknown>> = {},
  server: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  auth = await startAuthServer(settings)
  house = openHouse({ web: { url: auth.url, ...server } }, { exposure: 'proxy' }, { PML_LOG: 'debug' })
}

beforeEach(() => {
  house = openHouse({})
})

afterEach(async () => {
  await house.close()
  await closeAll()
})

const state = async () =>
  (
    JSON.parse((await house.pml('status', '--json')).stdout) as {
      servers: { status: string; trouble?: object }[]
    }
  ).servers[0]

const callEcho = (client: { callTool(call: object): Promise<unknown> }, text: string) =>
  client.callTool({ name: 'web__echo', arguments: { text } })

describe('pml auth', () => {
  it('signs in while a gateway runs, which takes it up at once; the next gateway has it still', async () => {
    await openGuarded()
    const first = await house.stdio()
    const needed = await patiently(state, (server) => server?.trouble !== undefined)
    expect(needed).toMatchObject({
      status: 'down',
      trouble: { kind: 'auth', message: 'Server "web": needs you to sign in.', hint: 'Run: pml auth web' },
    })
    const doctor = await house.pml('doctor', '--json')
    expect(doctor.stdout).toContain('Run: pml auth web')

    expect(await signInTo(house, 'web')).toContain('You can close this window')
    await patiently(state, (server) => server?.status === 'ready')
    expect(textOf(await callEcho(first.client, 'in'))).toBe('in')
    const file = tokenFile(house, 'web')
    expect([file, dirname(file)].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
      '600',
      '700',
    ])
    await first.close()
    expect(first.stderr()).not.toMatch(/\b(?:at|rt|code)-[0-9a-f-]{36}/)

    const second = await house.stdio()
    expect(textOf(await callEcho(second.client, 'still in'))).toBe('still in')
    expect(await auth.grants()).toEqual(['authorization_code 200'])
    expect((await house.pml('auth', '--config', house.config)).stdout).toMatch(
      /web +signed in +\d{4}-.*then renewed/,
    )
  })

  it('an access token that runs out under two busy clients is renewed without a failed call', async () => {
    await openGuarded({ lifetime: 3 })
    await signInTo(house, 'web')
    const clients = [await house.stdio(), await house.stdio()]
    await patiently(
      async () => {
        const answers = await Promise.all(clients.map(({ client }, at) => callEcho(client, `call ${at}`)))
        expect(answers.map(textOf)).toEqual(['call 0', 'call 1'])
        return auth.grants()
      },
      // Each was used once, or the whole sign-in would have been revoked.
      (grants) => grants.filter((grant) => grant === 'refresh_token 200').length >= 3,
    )
    expect((await auth.grants()).filter((grant) => !grant.endsWith(' 200'))).toEqual([])
  })

  it('takes the address by hand where the browser is on another machine', async () => {
    await openGuarded()
    const running = startAuth(house, 'web', '--no-browser', '--json')
    const back = await approve(await running.printed(addressPattern))
    running.child.stdin!.write(`\n  ${back}\n`)
    const { code, stdout } = await running.ended
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { server: 'web', state: 'signed-in', renewable: true },
    ])
  })

  it('signs in by a code on another device', async () => {
    await openGuarded({ pending: 1 })
    const running = startAuth(house, 'web', '--device')
    expect(await running.printed(/Go to \S+ on any device and enter \S+/)).toContain(
      '/activate on any device and enter WDJB-MJHT',
    )
    expect(await running.ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Signed in to web'),
    })
    expect((await auth.grants()).map((grant) => grant.split(' ')[1])).toEqual([
      'authorization_pending',
      '200',
    ])
    expect(textOf(await callEcho((await house.stdio()).client, 'in'))).toBe('in')
  })

  it('signs out: revoked there, forgotten here, noticed by the gateway', async () => {
    await openGuarded()
    await signInTo(house, 'web')
    const { client } = await house.stdio()
    expect(textOf(await callEcho(client, 'in'))).toBe('in')
    const { stdout } = await house.pml('auth', 'web', '--sign-out', '--config', house.config)
    expect(stdout).toContain('Signed out of web.')
    expect((await auth.asked('/revoke')).map(({ hint }) => hint)).toEqual(['refresh_token', 'access_token'])
    expect(keptTokens(house, 'web')).toBeUndefined()
    await patiently(state, (server) => server?.status === 'down')
    expect(await callEcho(client, 'out')).toMatchObject({ isError: true })
  })

  it('a sign-in that was revoked elsewhere is said to be over, and a new one mends it', async () => {
    await openGuarded({ lifetime: 2 })
    await signInTo(house, 'web')
    const { client } = await house.stdio()
    expect(textOf(await callEcho(client, 'in'))).toBe('in')
    await auth.set({ invalidGrant: true })
    const over = await patiently(
      () => callEcho(client, 'out'),
      (answer) => (answer as { isError?: boolean }).isError === true,
    )
    expect(textOf(over)).toContain('needs you to sign in')
    expect(textOf(over)).toContain('Run: pml auth web')
    await auth.set({ invalidGrant: false, lifetime: 3600 })
    await signInTo(house, 'web')
    await patiently(
      () => callEcho(client, 'in again'),
      (answer) => textOf(answer) === 'in again',
    )
    expect(await auth.asked('/register')).toHaveLength(1)
  })

  it('a call that needs more rights names them, and the next sign-in asks for them', async () => {
    await openGuarded({ scopes: ['read'], scopeFor: { big: 'write' } })
    await signInTo(house, 'web')
    const { client } = await house.stdio()
    const big = () => client.callTool({ name: 'web__big', arguments: { bytes: 3 } })
    expect(textOf(await big())).toContain('(write)')
    expect((await house.pml('auth', '--config', house.config)).stdout).toContain('a call wanted write')
    await signInTo(house, 'web')
    expect((await auth.asked('/authorize')).at(-1)?.scope).toBe('read write')
    await patiently(big, (answer) => textOf(answer) === 'xxx')
  })

  it('says what to do when it does not come about', async () => {
    await openGuarded({ deny: true })
    const denied = startAuth(house, 'web', '--no-browser')
    await fetch(await denied.printed(addressPattern))
    expect(await denied.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('access was denied'),
    })

    const late = startAuth(house, 'web', '--no-browser', '--timeout', '1')
    expect(await late.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nobody signed in within 1 s'),
    })

    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as AddressInfo
    house.writeConfig({ mcpServers: { web: { url: auth.url, auth: { redirectPort: port } } } })
    const busy = await startAuth(house, 'web', '--no-browser').ended
    taken.close()
    expect(busy).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`port ${port} (auth.redirectPort)`),
    })

    expect((await house.pml('auth', 'wbe', '--config', house.config)).stderr).toContain(
      'Did you mean: pml auth web',
    )
    house.writeConfig({ mcpServers: { here: { command: 'node' } } })
    expect((await house.pml('auth', 'here', '--config', house.config)).stderr).toContain(
      'a program on this machine',
    )
  })

  it('a file that is broken is trouble with a way out, and stops nothing', async () => {
    await openGuarded()
    await signInTo(house, 'web')
    writeFileSync(tokenFile(house, 'web'), '{"version": 1, "ser')
    const { client } = await house.stdio()
    expect(await patiently(state, (server) => server?.trouble !== undefined)).toMatchObject({
      trouble: { kind: 'auth', message: expect.stringContaining('cannot be read') },
    })
    await signInTo(house, 'web')
    await patiently(state, (server) => server?.status === 'ready')
    expect(textOf(await callEcho(client, 'in'))).toBe('in')
  })

  it('signs in machine to machine without anybody', async () => {
    await openGuarded(
      { clients: { cron: { secret: 'hush-hush' } } },
      { auth: { clientId: 'cron', clientSecret: '${CRON_SECRET}', grant: 'client_credentials' } },
    )
    Object.assign(house.env, { CRON_SECRET: 'hush-hush' })
    expect(textOf(await callEcho((await house.stdio()).client, 'in'))).toBe('in')
    expect(await auth.grants()).toEqual(['client_credentials 200'])
  })
})
