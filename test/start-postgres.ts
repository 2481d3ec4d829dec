/** A real PostgreSQL of the test's own, from the system's binaries: a temporary directory, loopback only, ended by pid. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export interface TestPostgres {
  /** A new, empty database; gives its URL. */
  createDatabase(): Promise<string>
  /** As an administrator would: its connections are ended, its data stay. */
  halt(): Promise<void>
  /** Again, on the same data and the same port; answers when it resolves. */
  resume(): Promise<void>
  /** For good. */
  stop(): Promise<void>
}

/** Where `initdb` and `postgres` are, newest first; undefined where the system has none. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    '/usr/local/bin',
    '/usr/bin',
    '/opt/homebrew/bin',
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

export async function startPostgres(bin: string): Promise<TestPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'pml-postgres-'))
  const user = ordinaryUser()
  if (user) chownSync(directory, user.uid, user.gid)
  const options = { ...user, cwd: directory, stdio: 'ignore' as const }
  execFileSync(
    join(bin, 'initdb'),
    ['-D', directory, '-U', 'pml', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    options,
  )
  const port = await freePort()
  const url = `postgres://pml@127.0.0.1:${port}`
  let server: ChildProcess
  const resume = async () => {
    server = spawn(
      join(bin, 'postgres'),
      ['-D', directory, '-p', String(port), '-h', '127.0.0.1', '-k', directory, '-c', 'fsync=off'],
      options,
    )
    await answers(`${url}/postgres`, server)
  }
  const stop = async () => {
    await haltServer(server)
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await resume()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`
      await execute(`${url}/postgres`, `create database ${name}`)
      return `${url}/${name}`
    },
    halt: () => haltServer(server),
    resume,
    stop,
  }
}

/** PostgreSQL refuses to run as root. */
function ordinaryUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200 && server.exitCode === null; attempt++) {
    try {
      return await execute(url, 'select 1')
    } catch {
      await sleep(100)
    }
  }
  throw new Error(`PostgreSQL did not answer on ${url} (exit code ${server.exitCode})`)
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(sql)
  } finally {
    await client.end().catch(() => {})
  }
}

async function haltServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exit = once(server, 'exit')
  server.kill('SIGINT')
  const late = setTimeout(() => server.kill('SIGQUIT'), 5000)
  await exit
  clearTimeout(late)
}
