import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { approve, removeFolders, startAuthServer, temporaryFolder } from '../../test/servers/auth-fixtures.js'
import { closeAll, failure, httpServer, startWeb } from '../../test/servers/fixtures.js'
import type { HttpServerConfig, ServerAuth } from '../model/server.js'
import type { AuthRecord } from './auth-record.js'
import { type Authorize, signIn } from './sign-in.js'
import { openTokenFile } from './token-file.js'

afterEach(async () => {
  await closeAll()
  removeFolders()
})

const home = 'http://127.0.0.1:33418/callback'

function signInTo(
  server: HttpServerConfig,
  {
    folder = temporaryFolder(),
    redirectUrl = home,
    authorize = approve as Authorize,
    challenge = {},
  }: { folder?: string; redirectUrl?: string; authorize?: Authorize; challenge?: { scope?: string } } = {},
): Promise<AuthRecord> {
  const file = openTokenFile(folder, server)
  return signIn(server, { file, fetch, challenge, redirectUrl, authorize })
}

const withAuth = (url: string, auth: ServerAuth) => httpServer(url, { auth })

describe('a sign-in by authorization code', () => {
  test('finds the authorization server, registers, proves itself by PKCE, and keeps everything for its owner alone', async () => {
    const { url, origin, asked } = await startAuthServer({ scopes: ['read', 'write'] })
    const folder = temporaryFolder()
    const record = await signInTo(httpServer(url), { folder })
    expect(record).toMatchObject({ issuer: origin, resource: url, client: { from: 'registration' } })
    expect(record.tokens).toMatchObject({ scope: 'read write', expiresAt: expect.any(Number) })
    expect(await asked('/authorize')).toMatchObject([{ resource: url, scope: 'read write' }])
    const { path } = openTokenFile(folder, httpServer(url))
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600')
    expect(((await stat(dirname(path))).mode & 0o777).toString(8)).toBe('700')
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(record)
  })

  test('the registration is kept and used again; another redirect address has to be registered anew', async () => {
    const { url, asked } = await startAuthServer()
    const folder = temporaryFolder()
    const first = await signInTo(httpServer(url), { folder })
    const second = await signInTo(httpServer(url), { folder })
    expect(second.client).toEqual(first.client)
    expect(second.tokens?.access_token).not.toBe(first.tokens?.access_token)
    const third = await signInTo(httpServer(url), { folder, redirectUrl: home.replace('33418', '33419') })
    expect(third.client).not.toEqual(first.client)
    expect(await asked('/register')).toHaveLength(2)
  })

  test('a client registered by hand wins, and its secret is not written down', async () => {
    const { url, asked } = await startAuthServer({ clients: { mine: { secret: 'hush-hush' } } })
    const folder = temporaryFolder()
    const server = withAuth(url, { clientId: 'mine', clientSecret: 'hush-hush', scopes: ['a'] })
    const record = await signInTo(server, { folder, challenge: { scope: 'b' } })
    expect(record).toMatchObject({
      client: { client_id: 'mine', from: 'configuration' },
      tokens: { scope: 'a b' },
    })
    expect(await asked('/register')).toEqual([])
    expect(await readFile(openTokenFile(folder, server).path, 'utf8')).not.toContain('hush-hush')
  })

  test('a client metadata document stands for a registration where the server reads them', async () => {
    const { url, asked, set } = await startAuthServer({ documents: true })
    const server = withAuth(url, { clientMetadataUrl: 'https://pml.example/client.json' })
    expect((await signInTo(server)).client).toEqual({
      client_id: 'https://pml.example/client.json',
      from: 'document',
    })
    expect(await asked('/register')).toEqual([])
    await set({ documents: false })
    expect((await signInTo(server)).client).toMatchObject({ from: 'registration' })
  })

  test('a server of 2025-03-26 without any metadata is found by the default paths', async () => {
    const { url, origin } = await startAuthServer({ resourceMetadata: false, metadata: false, iss: null })
    expect(await signInTo(httpServer(url))).toMatchObject({ issuer: `${origin}/`, tokens: {} })
  })

  test('after a call was refused for want of a scope, it asks for that one and those it had', async () => {
    const { url } = await startAuthServer()
    const folder = temporaryFolder()
    const first = await signInTo(httpServer(url), { folder, challenge: { scope: 'read' } })
    await openTokenFile(folder, httpServer(url)).write({ ...first, wantedScope: 'write' })
    const second = await signInTo(httpServer(url), { folder })
    expect(second.tokens?.scope).toBe('read write')
    expect(second.wantedScope).toBeUndefined()
  })

  test.each([
    ['the person says no', { deny: true }, 'access was denied', 'allow it'],
    ['the state is another', { state: 'forged' }, 'another sign-in', 'Begin anew'],
    [
      'the redirect names another issuer',
      { iss: 'https://evil.example' },
      'issuer mismatch',
      'Do not sign in',
    ],
    ['the metadata name another issuer', { issuer: 'https://evil.example' }, 'issuer mismatch', 'Do not'],
    ['nobody can register', { registration: false }, 'registers nobody', 'auth.clientId'],
    ['the token endpoint fails', { fail: 1 }, 'refused (server_error', 'Try again'],
    ['the token endpoint hangs up', { fail: 1, failWith: 'drop' }, 'cannot be reached', 'Nothing is lost'],
  ])('ends with what to do when %s', async (_, settings, message, hint) => {
    const { url } = await startAuthServer(settings)
    const error = await failure(signInTo(httpServer(url)))
    expect(error).toMatchObject({ code: 'AUTH', hint: expect.stringContaining(hint) })
    expect(error.message).toContain(message)
  })

  test('says so when the server offers no sign-in, or nobody is there', async () => {
    const plain = await startWeb('http-echo', '--token', 'fixed')
    const none = await failure(signInTo(httpServer(plain.url)))
    expect(none).toMatchObject({ code: 'AUTH', hint: expect.stringContaining('headers') })
    expect(none.message).toContain('offers no sign-in')
    const { url, kill } = await startAuthServer()
    kill()
    expect((await failure(signInTo(httpServer(url)))).message).toContain('cannot be reached')
  })

  test('sends nothing over plain http beyond this machine, and to no other issuer than the configured one', async () => {
    expect((await failure(signInTo(httpServer('http://example.com/mcp')))).message).toContain('plain http')
    const { url } = await startAuthServer()
    const error = await failure(signInTo(withAuth(url, { issuer: 'https://login.example' })))
    expect(error.message).toContain('auth.issuer says https://login.example')
    const elsewhere = httpServer('https://mcp.example/mcp')
    const knocks: string[] = []
    const lure = {
      file: openTokenFile(temporaryFolder(), elsewhere),
      challenge: {
        resourceMetadataUrl: new URL(`${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`),
      },
      redirectUrl: home,
      authorize: approve,
      async fetch(address: string | URL) {
        knocks.push(new URL(address).hostname)
        return new Response(null, { status: 404 })
      },
    }
    expect(await failure(signIn(elsewhere, lure))).toMatchObject({ code: 'AUTH' })
    expect(new Set(knocks)).toEqual(new Set(['mcp.example']))
    const alias = await startAuthServer({ issuer: 'https://login.example', iss: 'https://login.example' })
    const record = await signInTo(withAuth(alias.url, { issuer: 'https://login.example' }))
    expect(record).toMatchObject({ issuer: 'https://login.example', tokens: {} })
  })

  test('the code alone can be typed in where the server does not insist on telling who it is', async () => {
    const { url } = await startAuthServer({ iss: null })
    const authorize: Authorize = async (address) =>
      new URL(await approve(address)).searchParams.get('code') ?? ''
    expect((await signInTo(httpServer(url), { authorize })).tokens).toBeDefined()
    expect(
      (await failure(signInTo(httpServer(url), { authorize: async () => 'no code\n at all' }))).message,
    ).toContain('neither an address with a code nor a code')
  })

  test('a failed sign-in leaves the one before as it was', async () => {
    const { url, set } = await startAuthServer()
    const folder = temporaryFolder()
    const before = await signInTo(httpServer(url), { folder })
    await set({ deny: true })
    await failure(signInTo(httpServer(url), { folder }))
    expect(await openTokenFile(folder, httpServer(url)).read()).toEqual(before)
  })
})
