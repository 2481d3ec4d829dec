import { dirname, isAbsolute, resolve } from 'node:path'
import { launcherOf } from '../model/launcher.js'
import type { ServerAuth, ServerConfig } from '../model/server.js'
import type { ServerEntry } from './config-schema.js'
import type { Problem } from './describe-issue.js'

const defaultTimeoutMs = 60_000
const defaultConnectTimeoutMs = 60_000
/** A first start by `npx`, `uvx` or `docker run` downloads. */
const downloadTimeoutMs = 180_000
/** Cline and Roo write seconds (30 to 3600), Claude Code and Gemini milliseconds; no tool call is given less than 3.6 s. */
const largestInSeconds = 3600

export interface BuildPlace {
  /** The configuration file: relative paths start at its folder. */
  readonly file: string
  readonly userHome: string
}

/** One entry of any client's spelling becomes one ServerConfig; what cannot be one is a Problem of that entry. */
export function buildServer(name: string, entry: ServerEntry, place: BuildPlace): ServerConfig | Problem {
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl
  const type = entry.type ?? entry.transport
  const common = {
    name,
    disabled: entry.disabled === true || entry.enabled === false,
    stateful: entry.stateful ?? false,
    trusted: entry.trust ?? true,
    timeoutMs: entry.timeoutMs ?? clientTimeoutMs(entry.timeout) ?? defaultTimeoutMs,
    connectTimeoutMs: entry.connectTimeoutMs ?? usualConnectTimeoutMs(entry),
  }
  if (entry.command === '') return { path: ['command'], expected: 'expected a program, got an empty text' }
  if (entry.command !== undefined && url !== undefined) {
    return { path: [], expected: 'expected either command or url, got both' }
  }
  if (type === 'stdio' && entry.command === undefined) {
    return { path: [], expected: 'expected command, because type is stdio' }
  }
  if (entry.command !== undefined) {
    if (type !== undefined && type !== 'stdio') {
      return { path: [], expected: `expected url, because type is ${type}` }
    }
    return {
      ...common,
      transport: 'stdio',
      command: localPath(entry.command, place),
      args: entry.args ?? [],
      env: entry.env ?? {},
      ...(entry.cwd === undefined ? {} : { cwd: resolve(dirname(place.file), tilde(entry.cwd, place)) }),
    }
  }
  if (url === undefined) return { path: [], expected: 'expected command or url' }
  if (!isHttpUrl(url))
    return { path: ['url'], expected: 'expected an address that starts with http:// or https://' }
  const auth = readAuth(entry.auth)
  const wrong = authProblem(auth)
  if (wrong !== undefined) return { path: ['auth'], expected: wrong }
  return {
    ...common,
    transport: type === 'sse' ? 'sse' : 'http',
    url,
    headers: entry.headers ?? {},
    ...(auth === undefined ? {} : { auth }),
  }
}

function readAuth(written: ServerEntry['auth']): ServerAuth | 'none' | undefined {
  if (written === undefined || written === 'none') return written
  const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, ...ours } = written
  const values = Object.entries({ clientId, clientSecret, ...ours })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function authProblem(auth: ServerAuth | 'none' | undefined): string | undefined {
  if (auth === undefined || auth === 'none') return undefined
  const { clientId, clientSecret, privateKey, grant } = auth
  const proves = clientSecret !== undefined || privateKey !== undefined
  if (proves && clientId === undefined) return 'expected clientId too, because there is a secret or a key'
  if (grant === 'client_credentials' && !proves) {
    return 'expected clientId and clientSecret or privateKey, because grant is client_credentials'
  }
  return undefined
}

function usualConnectTimeoutMs({ command, args }: ServerEntry): number {
  const downloads = command !== undefined && launcherOf(command, args ?? []) !== undefined
  return downloads ? downloadTimeoutMs : defaultConnectTimeoutMs
}

function clientTimeoutMs(timeout: number | undefined): number | undefined {
  if (timeout === undefined) return undefined
  return Math.min(2_147_483_647, Math.ceil(timeout <= largestInSeconds ? timeout * 1000 : timeout))
}

/** `npx` is looked up in PATH; `./server`, `../server` and `~/bin/server` are places. */
function localPath(command: string, place: BuildPlace): string {
  const expanded = tilde(command, place)
  if (isAbsolute(expanded)) return expanded
  return /^\.{1,2}[/\\]/.test(expanded) ? resolve(dirname(place.file), expanded) : expanded
}

function tilde(path: string, place: BuildPlace): string {
  return place.userHome !== '' && /^~[/\\]/.test(path) ? resolve(place.userHome, path.slice(2)) : path
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
