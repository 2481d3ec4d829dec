/** `pml auth` as a person runs it, and the browser that they have. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, type House, pmlBin } from './harness.js'

export interface RunningAuth {
  readonly child: ChildProcess
  /** Resolves with the first text on standard error that matches. */
  printed(pattern: RegExp): Promise<string>
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

export function startAuth(house: House, ...args: readonly string[]): RunningAuth {
  const child = spawn(process.execPath, [pmlBin, 'auth', ...args, '--config', house.config], {
    env: house.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }))
  return {
    child,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(stderr)
          if (found !== null) resolve(found[0])
        }
        child.stderr.on('data', look)
        look()
        void ended.then(() => reject(new Error(`ended without ${pattern}:\n${stdout}${stderr}`)))
      }),
  }
}

export const addressPattern = /http:\/\/127\.0\.0\.1:\d+\/authorize\S+/

/** Signs in through the loopback redirect, as a browser with an open session does. */
export async function signInTo(house: House, server: string): Promise<string> {
  const auth = startAuth(house, server, '--no-browser')
  const page = await fetch(await auth.printed(addressPattern))
  const { code, stdout, stderr } = await auth.ended
  if (code !== 0) throw new Error(`pml auth ended with ${code}:\n${stdout}${stderr}`)
  return page.text()
}

export function tokenFile(house: House, server: string): string {
  const folder = join(house.home, 'pml', 'auth')
  const name = readdirSync(folder).find((file) => file.startsWith(`${server}-`) && file.endsWith('.json'))
  if (name === undefined) throw new Error(`no file of ${server} in ${folder}`)
  return join(folder, name)
}

export function keptTokens(house: House, server: string): Record<string, unknown> | undefined {
  return (JSON.parse(readFileSync(tokenFile(house, server), 'utf8')) as { tokens?: Record<string, unknown> })
    .tokens
}

/** As `eventually`, for what waits on several processes. */
export const patiently: typeof eventually = (ask, pleases) => eventually(ask, pleases, 90_000)
