/** The troubles of our list that are about signing in to servers; the number is that of the list. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, expect, it, vi } from 'vitest'
import { type House, openHouse, textOf } from './harness.js'
import { keptTokens, patiently, signInTo } from './pml-auth.js'
import { type AuthServer, startAuthServer } from './servers/auth-fixtures.js'
import { closeAll } from './servers/fixtures.js'

// Each is a house full of processes and waits for tokens to run out; a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000 })

let house: House

afterEach(async () => {
  await house.close()
  await closeAll()
})

const call = (client: Client, text: string) => client.callTool({ name: 'web__echo', arguments: { text } })

async function openSignedIn(settings: Readonly<Record<string, unknown>>): Promise<AuthServer> {
  const auth = await startAuthServer(settings)
  house = openHouse({ web: { url: auth.url } }, { exposure: 'proxy' })
  await signInTo(house, 'web')
  return auth
}

it.each([
  503,
  'drop',
] as const)('row 8: an authorization server that is away (%s) costs no sign-in: all is kept, and it recovers by itself', async (failWith) => {
  const auth = await openSignedIn({ lifetime: 2 })
  const { client } = await house.stdio()
  expect(textOf(await call(client, 'in'))).toBe('in')
  await auth.set({ fail: 1_000, failWith })
  const away = await patiently(
    () => call(client, 'away'),
    (answer) => answer.isError === true,
  )
  expect(textOf(away)).toContain('could not be renewed')
  expect(textOf(away)).toContain('Nothing is lost')
  expect(textOf(away)).not.toContain('pml auth')
  const { refresh_token: before } = keptTokens(house, 'web')!
  const failed = (await auth.grants()).length
  await patiently(
    async () => {
      await call(client, 'away still')
      return auth.grants()
    },
    (grants) => grants.length > failed,
  )
  expect(keptTokens(house, 'web')).toMatchObject({ refresh_token: before })
  await auth.set({ lifetime: 3600, fail: 0 })
  await patiently(
    () => call(client, 'back'),
    (answer) => textOf(answer) === 'back',
  )
  expect(keptTokens(house, 'web')!.refresh_token).not.toBe(before)
  expect((await auth.grants()).filter((grant) => grant.includes('authorization_code'))).toHaveLength(1)
})

it('row 8: a sign-in that is over for good is not retried: nobody is asked again until somebody calls', async () => {
  const auth = await openSignedIn({ lifetime: 2 })
  const { client } = await house.stdio()
  expect(textOf(await call(client, 'in'))).toBe('in')
  await auth.set({ invalidGrant: true })
  await patiently(
    () => call(client, 'out'),
    (answer) => textOf(answer).includes('Run: pml auth web'),
  )
  const before = (await auth.asked()).length
  await sleep(4_000)
  expect((await auth.asked()).length).toBe(before)
  expect((await auth.grants()).filter((grant) => grant.includes('invalid_grant'))).toHaveLength(1)
})

it('row 9: trouble with the sign-in of a server is a tool error with what to do, never a 401 of ours', async () => {
  await openSignedIn({})
  const first = await house.stdio()
  expect(textOf(await call(first.client, 'in'))).toBe('in')
  await first.close()
  await house.pml('auth', 'web', '--sign-out', '--config', house.config)

  const { url } = await house.http()
  for (const mode of ['auto', 'legacy'] as const) {
    const statuses: number[] = []
    const client = new Client({ name: 'journey', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(
      new StreamableHTTPClientTransport(new URL('mcp', url), {
        async fetch(address, init) {
          const response = await fetch(address, init)
          // Legacy clients open a stream by GET, where 405 says that there is none.
          if (init?.method === 'POST') statuses.push(response.status)
          return response
        },
      }),
    )
    // The list of the last run is served while nobody is signed in.
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('web__echo')
    const answer = await call(client, 'out')
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toContain('Server "web": needs you to sign in')
    expect(textOf(answer)).toContain('Run: pml auth web')
    expect(statuses.filter((status) => status !== 200 && status !== 202)).toEqual([])
    await client.close()
  }
})

it('row 9: a server that was never signed in to says so when one of its tools is called', async () => {
  const auth = await startAuthServer({})
  house = openHouse({ web: { url: auth.url } }, { exposure: 'proxy' })
  const { client } = await house.stdio()
  const answer = await call(client, 'in')
  expect(answer.isError).toBe(true)
  expect(textOf(answer)).toContain('Run: pml auth web')
})
