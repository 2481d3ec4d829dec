import { afterEach, describe, expect, test } from 'vitest'
import { approve, removeFolders, startAuthServer, temporaryFolder } from '../../test/servers/auth-fixtures.js'
import {
  callText,
  closeAll,
  failure,
  httpServer,
  startedUpstreams,
  waitFor,
} from '../../test/servers/fixtures.js'
import { signIn } from '../auth/sign-in.js'
import { signOut } from '../auth/sign-out.js'
import { openTokenFile } from '../auth/token-file.js'
import type { UpstreamAuth } from './upstreams.js'

afterEach(async () => {
  await closeAll()
  removeFolders()
})

const keeping = (dataDirectory: string): UpstreamAuth => ({ dataDirectory, onSecrets() {} })
const redirectUrl = 'http://127.0.0.1:33418/callback'

describe('a server behind a sign-in', () => {
  test('says that a person is needed, is not tried again by itself, and is connected when they signed in', async () => {
    const auth = await startAuthServer()
    const folder = temporaryFolder()
    const server = httpServer(auth.url)
    const upstreams = await startedUpstreams([server], { auth: keeping(folder) })
    const [state] = upstreams.servers()
    expect(state).toMatchObject({
      status: 'down',
      trouble: { kind: 'auth', message: 'Server "web": needs you to sign in.', hint: 'Run: pml auth web' },
    })
    expect(state).not.toHaveProperty('retryAt')
    const before = await auth.asked()
    expect(before.filter(({ path }) => path !== '/mcp')).toEqual([])

    const file = openTokenFile(folder, server)
    await signIn(server, { file, fetch, challenge: {}, redirectUrl, authorize: approve })
    await waitFor(() => upstreams.servers()[0]?.status === 'ready')
    expect(await callText(upstreams, 'web:echo', { text: 'in' })).toBe('in')

    await signOut(server, { file, fetch })
    await waitFor(() => upstreams.servers()[0]?.status === 'down')
    expect(upstreams.tools().length).toBeGreaterThan(0)
    expect(await failure(callText(upstreams, 'web:echo', { text: 'out' }))).toMatchObject({
      code: 'UPSTREAM_AUTH',
      hint: 'Run: pml auth web',
    })
  })

  test('a call that needs another scope is refused alone, and the next sign-in asks for it', async () => {
    const auth = await startAuthServer({ scopes: ['read'], scopeFor: { big: 'write' } })
    const folder = temporaryFolder()
    const server = httpServer(auth.url)
    const file = openTokenFile(folder, server)
    await signIn(server, { file, fetch, challenge: {}, redirectUrl, authorize: approve })
    const upstreams = await startedUpstreams([server], { auth: keeping(folder) })
    expect(await failure(callText(upstreams, 'web:big', { bytes: 3 }))).toMatchObject({
      code: 'UPSTREAM_AUTH',
      message: expect.stringContaining('(write)'),
      hint: 'Run: pml auth web',
    })
    expect(upstreams.servers()).toMatchObject([{ status: 'ready' }])
    expect(await callText(upstreams, 'web:echo', { text: 'still in' })).toBe('still in')
    await signIn(server, { file, fetch, challenge: {}, redirectUrl, authorize: approve })
    expect((await auth.asked('/authorize')).at(-1)?.scope).toBe('read write')
    const big = await waitFor(() => callText(upstreams, 'web:big', { bytes: 3 }).catch(() => undefined))
    expect(big).toBe('xxx')
  })

  test('a program that follows addresses by itself gets in, and steps up, without anybody', async () => {
    const auth = await startAuthServer({ scopes: ['read'], scopeFor: { big: 'write' } })
    const upstreams = await startedUpstreams([httpServer(auth.url)], {
      auth: { ...keeping(temporaryFolder()), authorize: approve },
    })
    expect(await callText(upstreams, 'web:echo', { text: 'in' })).toBe('in')
    expect(await callText(upstreams, 'web:big', { bytes: 3 })).toBe('xxx')
    expect((await auth.asked('/authorize')).map(({ scope }) => scope)).toEqual(['read', 'read write'])
  })

  test('a server that accepts no token at all is not asked in a loop', async () => {
    const auth = await startAuthServer({ refuseAll: true })
    const upstreams = await startedUpstreams([httpServer(auth.url)], {
      auth: { ...keeping(temporaryFolder()), authorize: approve },
    })
    expect(upstreams.servers()).toMatchObject([{ status: 'down', trouble: { kind: 'auth' } }])
    expect(await auth.grants()).toEqual(['authorization_code 200'])
  })

  test('a configured header wins: nobody is asked to sign in', async () => {
    const auth = await startAuthServer()
    const servers = [
      httpServer(auth.url, { name: 'header', headers: { authorization: 'Bearer stale' } }),
      httpServer(auth.url, { name: 'never', auth: 'none' }),
    ]
    const upstreams = await startedUpstreams(servers, { auth: keeping(temporaryFolder()) })
    for (const { trouble } of upstreams.servers()) {
      expect(trouble).toMatchObject({ kind: 'auth', hint: expect.stringMatching(/header/i) })
    }
  })
})
