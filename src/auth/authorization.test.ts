import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type AuthServer,
  approve,
  removeFolders,
  startAuthServer,
  temporaryFolder,
} from '../../test/servers/auth-fixtures.js'
import { closeAll, failure, httpServer, startWeb, waitFor } from '../../test/servers/fixtures.js'
import { silentLog } from '../model/log.js'
import type { HttpServerConfig } from '../model/server.js'
import type { AuthRecord } from './auth-record.js'
import { Authorization, type AuthorizationOptions } from './authorization.js'
import { signIn } from './sign-in.js'
import { openTokenFile, type TokenFile } from './token-file.js'

const open = new Set<Authorization>()

afterEach(async () => {
  await Promise.all([...open].map((one) => one.close()))
  open.clear()
  await closeAll()
  removeFolders()
})

const redirectUrl = 'http://127.0.0.1:33418/callback'
const minute = 60_000

interface House {
  readonly auth: AuthServer
  readonly server: HttpServerConfig
  readonly file: TokenFile
  readonly record: AuthRecord
}

/** Somebody has signed in; what is left of the access token's hour is `leftMs`. */
async function signedIn(leftMs: number, settings: Readonly<Record<string, unknown>> = {}): Promise<House> {
  const auth = await startAuthServer()
  const server = httpServer(auth.url)
  const file = openTokenFile(temporaryFolder(), server)
  const fresh = await signIn(server, { file, fetch, challenge: {}, redirectUrl, authorize: approve })
  const expiresAt = Date.now() + leftMs
  const record = { ...fresh, tokens: { ...fresh.tokens!, obtainedAt: expiresAt - 60 * minute, expiresAt } }
  await file.write(record)
  await auth.set(settings)
  return { auth, server, file, record }
}

function authorizationOf(
  { server, file }: Pick<House, 'server' | 'file'>,
  changes: Partial<AuthorizationOptions> = {},
): Authorization {
  const authorization = new Authorization({
    server,
    file,
    fetch,
    log: silentLog,
    onSecrets() {},
    authorize: undefined,
    ...changes,
  })
  open.add(authorization)
  return authorization
}

/** What the server says to a request with a token it does not accept. */
async function refusal(house: Pick<House, 'server'>): Promise<{ response: Response }> {
  return { response: await fetch(house.server.url, { method: 'POST' }) }
}

const refreshes = async ({ auth }: House) =>
  (await auth.grants()).filter((grant) => grant.startsWith('refresh_token'))

describe('an access token', () => {
  test('is handed out while it is fresh, without asking anybody', async () => {
    const house = await signedIn(30 * minute)
    expect(await authorizationOf(house).token()).toBe(house.record.tokens?.access_token)
    expect(await refreshes(house)).toEqual([])
  })

  test('is renewed behind the request when a tenth of its life is left, and is on disk when it is used', async () => {
    const house = await signedIn(5 * minute)
    const authorization = authorizationOf(house)
    const old = await authorization.token()
    expect(old).toBe(house.record.tokens?.access_token)
    const next = await waitFor(async () => {
      const token = await authorization.token()
      return token !== old && token
    })
    expect((await house.file.read())?.tokens).toMatchObject({ access_token: next })
    expect((await house.file.read())?.tokens?.refresh_token).not.toBe(house.record.tokens?.refresh_token)
    expect(await refreshes(house)).toEqual(['refresh_token 200'])
  })

  test('that has run out is renewed before the request, once for all who wait', async () => {
    const house = await signedIn(-minute)
    const authorization = authorizationOf(house)
    const tokens = new Set(await Promise.all(Array.from({ length: 20 }, () => authorization.token())))
    expect(tokens.size).toBe(1)
    expect([...tokens][0]).not.toBe(house.record.tokens?.access_token)
    expect(await refreshes(house)).toEqual(['refresh_token 200'])
  })

  test('that the server refuses is renewed; requests already under way do not renew it again', async () => {
    const house = await signedIn(30 * minute)
    const authorization = authorizationOf(house)
    const token = await authorization.token()
    const refuse = async () => {
      const refused = await refusal(house)
      authorization.noteRefused(refused.response, token!)
      return authorization.onUnauthorized(refused)
    }
    await Promise.all([refuse(), refuse()])
    expect(await authorization.token()).not.toBe(token)
    await refuse()
    expect(await refreshes(house)).toEqual(['refresh_token 200'])
  })
})

test('a server that trusts another authorization server now needs a new sign-in, and the old one is not asked', async () => {
  const house = await signedIn(30 * minute)
  await house.file.write({ ...house.record, issuer: 'https://before.example' })
  const authorization = authorizationOf(house)
  const token = await authorization.token()
  const refused = await refusal(house)
  authorization.noteRefused(refused.response, token!)
  expect(await failure(authorization.onUnauthorized(refused))).toMatchObject({
    code: 'UPSTREAM_AUTH',
    message: expect.stringContaining('another authorization server'),
  })
  expect(await refreshes(house)).toEqual([])
})

describe('a renewal that fails', () => {
  test.each([
    503,
    429,
    'drop',
  ] as const)('by %s keeps everything: the old token while it lasts, and the refresh token', async (failWith) => {
    const house = await signedIn(5 * minute, { fail: 1_000, failWith })
    const authorization = authorizationOf(house)
    for (let call = 0; call < 10; call += 1) {
      expect(await authorization.token()).toBe(house.record.tokens?.access_token)
    }
    await waitFor(async () => (await refreshes(house)).length > 0)
    for (let call = 0; call < 10; call += 1) await authorization.token()
    expect((await refreshes(house)).length).toBeLessThanOrEqual(3)
    expect(await house.file.read()).toEqual(house.record)
  })

  test('when there is no token left says that nothing is lost, and recovers by itself', async () => {
    const house = await signedIn(-minute, { fail: 2 })
    const authorization = authorizationOf(house)
    expect(await failure(authorization.token())).toMatchObject({
      code: 'UPSTREAM_OFFLINE',
      hint: expect.stringContaining('Nothing is lost'),
    })
    const token = await waitFor(() => authorization.token().catch(() => undefined), 30_000)
    expect(token).toMatch(/^at-/)
    expect(await refreshes(house)).toEqual(['refresh_token 503', 'refresh_token 503', 'refresh_token 200'])
  })

  test('because the grant is gone ends it: a person is asked, the registration stays, and nobody asks again', async () => {
    const house = await signedIn(-minute, { invalidGrant: true })
    const authorization = authorizationOf(house)
    for (let call = 0; call < 5; call += 1) {
      expect(await failure(authorization.token())).toMatchObject({
        code: 'UPSTREAM_AUTH',
        message: expect.stringContaining('needs you to sign in'),
        hint: 'Run: pml auth web',
      })
    }
    expect(await refreshes(house)).toEqual(['refresh_token invalid_grant'])
    const kept = await house.file.read()
    expect(kept?.client).toEqual(house.record.client)
    expect(kept?.tokens?.endedAt).toEqual(expect.any(Number))
    expect(await failure(authorizationOf(house).token())).toMatchObject({ code: 'UPSTREAM_AUTH' })
    expect(await refreshes(house)).toHaveLength(1)
  })

  test('because the client is unknown has the next sign-in register anew', async () => {
    const house = await signedIn(-minute, { unknownClient: true })
    expect(await failure(authorizationOf(house).token())).toMatchObject({ code: 'UPSTREAM_AUTH' })
    const kept = await house.file.read()
    expect(kept?.tokens?.refresh_token).toBe(house.record.tokens?.refresh_token)
    await house.auth.set({ unknownClient: false })
    const { server, file } = house
    const again = await signIn(server, { file, fetch, challenge: {}, redirectUrl, authorize: approve })
    expect(again.client?.client_id).not.toBe(house.record.client?.client_id)
  })

  test('to be written down is made good when the disk takes it again', async () => {
    const house = await signedIn(-minute)
    let full = true
    const write: TokenFile['write'] = (record) =>
      full ? Promise.reject(new Error('ENOSPC')) : house.file.write(record)
    const authorization = authorizationOf({ ...house, file: { ...house.file, write } })
    const token = await authorization.token()
    expect(token).not.toBe(house.record.tokens?.access_token)
    await authorization.lookAgain()
    expect(await authorization.token()).toBe(token)
    full = false
    await authorization.lookAgain()
    expect((await house.file.read())?.tokens?.access_token).toBe(token)
  })
})

describe('what another process writes', () => {
  test('is taken up, told of, and not overwritten by a renewal of what was before', async () => {
    const house = await signedIn(-minute)
    const authorization = authorizationOf(house)
    await authorization.lookAgain()
    const { server, file } = house
    const other = await signIn(server, { file, fetch, challenge: {}, redirectUrl, authorize: approve })
    expect(await authorization.token()).toBe(other.tokens?.access_token)
    expect(await refreshes(house)).toEqual([])
    let told = 0
    authorization.onChange(() => {
      told += 1
    })
    await file.remove()
    await authorization.lookAgain()
    expect([told, authorization.isSignedIn]).toEqual([1, false])
  })

  test('is not believed where it is broken, or made for another address', async () => {
    const house = await signedIn(30 * minute)
    const elsewhere = { ...house.record, url: 'https://elsewhere.example/mcp' }
    await house.file.write(elsewhere)
    expect(await authorizationOf(house).token()).toBeUndefined()
    await writeFile(house.file.path, '{"version": 1, "tok')
    expect(await failure(authorizationOf(house).token())).toMatchObject({
      code: 'UPSTREAM_AUTH',
      message: expect.stringContaining('cannot be read'),
      hint: expect.stringContaining('pml auth web'),
    })
  })
})

describe('without a sign-in', () => {
  test('a person is asked where the server has one, without a word to the authorization server', async () => {
    const auth = await startAuthServer()
    const server = httpServer(auth.url)
    const authorization = authorizationOf({ server, file: openTokenFile(temporaryFolder(), server) })
    expect(await authorization.token()).toBeUndefined()
    expect(await failure(authorization.onUnauthorized(await refusal({ server })))).toMatchObject({
      message: 'Server "web": needs you to sign in.',
      hint: 'Run: pml auth web',
    })
    expect((await auth.asked()).filter(({ path }) => path !== '/mcp')).toEqual([])
  })

  test('a server that takes a fixed token is told apart', async () => {
    const { url } = await startWeb('http-echo', '--token', 'fixed')
    const server = httpServer(url)
    const authorization = authorizationOf({ server, file: openTokenFile(temporaryFolder(), server) })
    expect(await failure(authorization.onUnauthorized(await refusal({ server })))).toMatchObject({
      code: 'UPSTREAM_AUTH',
      hint: expect.stringContaining('header'),
    })
  })

  test('a program that can follow the address signs in by itself', async () => {
    const auth = await startAuthServer()
    const server = httpServer(auth.url)
    const file = openTokenFile(temporaryFolder(), server)
    const authorization = authorizationOf({ server, file }, { authorize: approve })
    const refused = await refusal({ server })
    await Promise.all([authorization.onUnauthorized(refused), authorization.onUnauthorized(refused)])
    expect(await authorization.token()).toMatch(/^at-/)
    expect(await auth.grants()).toEqual(['authorization_code 200'])
  })
})

describe('machine to machine', () => {
  test('a secret, or a private key, gets a token without anybody; it is kept and had anew when it runs out', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const auth = await startAuthServer({
      clients: { cron: { secret: 'hush-hush' }, robot: { jwk: publicKey.export({ format: 'jwk' }) } },
    })
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    for (const proof of [
      { clientId: 'cron', clientSecret: 'hush-hush' },
      { clientId: 'robot', privateKey: pem },
    ]) {
      const server = httpServer(auth.url, {
        auth: { ...proof, grant: 'client_credentials', scopes: ['all'] },
      })
      const file = openTokenFile(temporaryFolder(), server)
      const authorization = authorizationOf({ server, file })
      expect(await authorization.token()).toBeUndefined()
      await authorization.onUnauthorized(await refusal({ server }))
      const token = await authorization.token()
      expect(token).toMatch(/^at-/)
      const kept = (await file.read())!
      expect(kept.tokens).toMatchObject({ access_token: token, scope: 'all' })
      await file.write({ ...kept, tokens: { ...kept.tokens!, expiresAt: Date.now() - 1 } })
      const next = await authorizationOf({ server, file }).token()
      expect(next).toMatch(/^at-/)
      expect(next).not.toBe(token)
    }
  })

  test('a wrong secret is said to be one, and no other authorization server gets it unseen', async () => {
    const auth = await startAuthServer({ clients: { cron: { secret: 'hush-hush' } } })
    const server = httpServer(auth.url, {
      auth: { clientId: 'cron', clientSecret: 'wrong', grant: 'client_credentials' },
    })
    const file = openTokenFile(temporaryFolder(), server)
    const refused = await refusal({ server })
    expect(await failure(authorizationOf({ server, file }).onUnauthorized(refused))).toMatchObject({
      code: 'UPSTREAM_AUTH',
      hint: expect.stringContaining('auth.clientId'),
    })
    const elsewhere = 'https://before.example'
    const client = { client_id: 'cron', from: 'configuration' as const }
    const { name, url } = server
    await file.write({
      version: 1,
      server: name,
      url,
      issuer: elsewhere,
      authorizationServerUrl: elsewhere,
      client,
    })
    expect(await failure(authorizationOf({ server, file }).onUnauthorized(refused))).toMatchObject({
      message: expect.stringContaining(`it was ${elsewhere}`),
    })
  })
})

test('every token and secret is made known, so that none is shown', async () => {
  const house = await signedIn(-minute)
  const secrets = new Set<string>()
  const authorization = authorizationOf(house, {
    onSecrets(some) {
      for (const one of some) secrets.add(one)
    },
  })
  const token = await authorization.token()
  const { tokens } = (await house.file.read())!
  expect([...secrets]).toEqual(
    expect.arrayContaining([token, tokens?.refresh_token, house.record.tokens?.refresh_token]),
  )
})
