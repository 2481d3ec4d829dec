// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are what is tested
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HttpServerConfig } from '../model/server.js'
import { loadConfig } from './load-config.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-auth-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function load(auth: unknown) {
  const file = join(folder, 'pml.config.json')
  writeFileSync(file, JSON.stringify({ servers: { web: { url: 'https://x.example/mcp', auth } } }))
  return loadConfig({ file, env: { SECRET: 'hush-hush' }, cwd: folder, home: folder })
}

describe('auth of a server', () => {
  it('is taken as it is written, and its secrets are secrets', async () => {
    const auth = { clientId: 'me', clientSecret: '${SECRET}', scopes: ['a'], redirectPort: 4711 }
    const config = await load(auth)
    expect((config.servers[0] as HttpServerConfig).auth).toEqual({ ...auth, clientSecret: 'hush-hush' })
    expect(config.secrets).toContain('hush-hush')
    expect((await load({ clientId: 'me', clientSecret: 'literal' })).secrets).toContain('literal')
  })

  it('is read as Cursor writes it, too', async () => {
    const config = await load({ CLIENT_ID: 'me', CLIENT_SECRET: '${env:SECRET}', scopes: ['a'] })
    const auth = { clientId: 'me', clientSecret: 'hush-hush', scopes: ['a'] }
    expect((config.servers[0] as HttpServerConfig).auth).toEqual(auth)
  })

  it('may be none, or left out', async () => {
    expect(((await load('none')).servers[0] as HttpServerConfig).auth).toBe('none')
    expect((await load(undefined)).servers[0]).not.toHaveProperty('auth')
  })

  it.each([
    [{ clientSecret: 'x' }, 'expected clientId too'],
    [{ grant: 'client_credentials', clientId: 'me' }, 'clientSecret or privateKey'],
    [{ clientID: 'me' }, 'clientID'],
    [{ redirectPort: 0 }, 'redirectPort'],
    [{ clientMetadataUrl: 'http://x.example/client.json' }, 'clientMetadataUrl'],
    ['never', 'auth'],
  ])('%j is a mistake, and named', async (auth, named) => {
    await expect(load(auth)).rejects.toThrow(named)
  })
})
