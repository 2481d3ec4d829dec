import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { removeFolders, temporaryFolder } from '../../test/servers/auth-fixtures.js'
import { failure, httpServer } from '../../test/servers/fixtures.js'
import type { AuthRecord } from './auth-record.js'
import { authFolder, openTokenFile } from './token-file.js'

afterEach(removeFolders)

const recordOf = (server: string, url: string): AuthRecord => ({
  version: 1,
  server,
  url,
  issuer: 'https://login.example',
  authorizationServerUrl: 'https://login.example',
})

test('each server has a file of its own, whatever its name, and another address another one', async () => {
  const folder = temporaryFolder()
  const servers = [
    httpServer('https://a.example/mcp', { name: 'my server' }),
    httpServer('https://a.example/mcp', { name: 'my_server' }),
    httpServer('https://a.example/mcp', { name: '../../etc/passwd' }),
    httpServer('https://b.example/mcp', { name: 'my server' }),
  ]
  for (const server of servers) await openTokenFile(folder, server).write(recordOf(server.name, server.url))
  const names = await readdir(authFolder(folder))
  expect(names).toHaveLength(servers.length)
  for (const name of names) expect(name).toMatch(/^[\w.-]+-[0-9a-f]{16}\.json$/)
  for (const server of servers) {
    expect(await openTokenFile(folder, server).read()).toEqual(recordOf(server.name, server.url))
  }
})

test('what others could read is closed to them by the next write', async () => {
  const folder = temporaryFolder()
  const server = httpServer('https://a.example/mcp')
  const file = openTokenFile(folder, server)
  await file.write(recordOf(server.name, server.url))
  await chmod(file.path, 0o644)
  await chmod(authFolder(folder), 0o755)
  await file.write(recordOf(server.name, server.url))
  const modes = [await stat(file.path), await stat(authFolder(folder))].map(({ mode }) => mode & 0o777)
  expect(modes).toEqual([0o600, 0o700])
})

test.each([
  '',
  '{',
  '[]',
  'null',
  '{"version": 2}',
  '{"version": 1, "tokens": {"access_token": 5}}',
])('a file that says %j is said to be unreadable, not a crash', async (text) => {
  const folder = temporaryFolder()
  const server = httpServer('https://a.example/mcp')
  const file = openTokenFile(folder, server)
  await file.write(recordOf(server.name, server.url))
  await writeFile(file.path, text)
  expect(await failure(file.read())).toMatchObject({
    code: 'AUTH',
    hint: expect.stringContaining('pml auth web'),
  })
  expect(await openTokenFile(join(folder, 'none'), server).read()).toBeUndefined()
})
