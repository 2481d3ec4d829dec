/** What tests of signing in share: the authorization server of auth-server.js, and somebody who goes where it sends them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWeb } from './fixtures.js'

export interface Asked {
  readonly path: string
  readonly grant?: string
  readonly status?: number | string
  readonly scope?: string
  readonly resource?: string
  readonly client?: string
  readonly method?: string
  readonly hint?: string
}

export interface AuthServer {
  /** Of the MCP endpoint. */
  readonly url: string
  readonly origin: string
  set(settings: Readonly<Record<string, unknown>>): Promise<void>
  /** What it was asked so far, oldest first. */
  asked(path?: string): Promise<readonly Asked[]>
  /** Grants asked of the token endpoint, with their outcome. */
  grants(): Promise<readonly string[]>
  /** Access and refresh tokens end, as when the account is closed. */
  kill(): void
}

export async function startAuthServer(settings: Readonly<Record<string, unknown>> = {}): Promise<AuthServer> {
  const { url, process } = await startWeb('auth-server', '--settings', JSON.stringify(settings))
  const { origin } = new URL(url)
  const asked = async (path?: string): Promise<readonly Asked[]> => {
    const told = (await (await fetch(`${origin}/control`)).json()) as { asked: readonly Asked[] }
    return told.asked.filter((one) => path === undefined || one.path === path)
  }
  return {
    url,
    origin,
    async set(changes) {
      await fetch(`${origin}/control`, { method: 'POST', body: JSON.stringify(changes) })
    },
    asked,
    grants: async () => (await asked('/token')).map(({ grant, status }) => `${grant} ${status}`),
    kill: () => process.kill('SIGKILL'),
  }
}

/** As a browser with an open session at the authorization server: one redirect, and back. */
export async function approve(authorizationUrl: URL | string): Promise<string> {
  const response = await fetch(authorizationUrl, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`)
  return location
}

const folders = new Set<string>()

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pml-auth-'))
  folders.add(folder)
  return folder
}

export function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  folders.clear()
}
