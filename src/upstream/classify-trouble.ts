/** Every trouble with a server is named here, once: what kind it is, what happened, what to do about it. */
import { existsSync } from 'node:fs'
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from '@modelcontextprotocol/client'
import { PmlError, ScopeNeededError, SignInNeededError, UpstreamError, UpstreamRpcError } from '../errors.js'
import { isDeeperThan } from '../model/is-deeper-than.js'
import { launcherOf } from '../model/launcher.js'
import { type Redact, redactJson } from '../model/redact.js'
import { hasAuthorizationHeader, type ServerConfig, type Trouble, type TroubleKind } from '../model/server.js'
import { isPath } from './find-program.js'
import { installHint } from './install-hint.js'
import { launcherTrouble } from './launcher-trouble.js'
import type { ProcessExit } from './stdio-transport.js'
import { tellingLine } from './telling-line.js'

export interface TroubleContext {
  readonly server: ServerConfig
  /** Set when the server is a process that ended. */
  readonly exit?: ProcessExit | undefined
  /** The end of its standard error, already redacted. */
  readonly stderr?: string | undefined
  /** Set when our own limit ran out, whatever error that made. */
  readonly timedOutAfterMs?: number | undefined
  /** Where its program was looked for. */
  readonly searched?: readonly string[] | undefined
  readonly redact: Redact
}

export type Finding = Omit<Trouble, 'at'>

export function classifyTrouble(error: unknown, context: TroubleContext): Finding {
  const { server, exit, timedOutAfterMs } = context
  const code = systemCode(error)
  if (code === 'ENOENT' && server.transport === 'stdio') return commandMissing(server, context.searched)
  if (code === 'EACCES' && server.transport === 'stdio') return notExecutable(server.command)
  if (timedOutAfterMs !== undefined) return tooSlow(server, timedOutAfterMs, context.stderr)
  if (exit !== undefined) return processEnded(server, exit, context.stderr)
  const status = httpStatus(error)
  if (status === 401 || status === 403) return accessDenied(status, server)
  if (status !== undefined && status >= 500) return serverFailing(status)
  if (status === 404 || status === 405) return wrongAddress(status, server)
  if (code !== undefined && offlineCodes.has(code)) return unreachable(code, server)
  if (isTimeout(error)) return tooSlow(server, server.timeoutMs, context.stderr)
  const failedFetch = causesOf(error).find(isFailedFetch)
  if (failedFetch !== undefined) return unreachable(messageOf(causesOf(failedFetch).at(-1)), server)
  if (isConnectionLoss(error)) return lost()
  return protocolTrouble(error)
}

/** Trouble as the error that a caller gets, its texts redacted. */
export function toUpstreamError(error: unknown, context: TroubleContext): PmlError {
  const { redact } = context
  const ended = context.timedOutAfterMs !== undefined || context.exit !== undefined
  if (error instanceof PmlError && !ended) return error
  if (error instanceof ProtocolError && !ended)
    return toRefusal(error, { server: context.server.name, redact })
  const refused = ended ? undefined : authTrouble(error, context.server.name)
  if (refused !== undefined) return refused
  const { kind, message, hint, detail } = classifyTrouble(error, context)
  return new UpstreamError(context.server.name, kind, redact(message), redact(hint), {
    cause: error,
    ...(detail && { detail: redact(detail) }),
  })
}

/** What the SDK says of a sign-in that was given and not accepted. */
function authTrouble(cause: unknown, server: string): UpstreamError | undefined {
  if (cause instanceof InsufficientScopeError) {
    return new ScopeNeededError(server, cause.requiredScope, { cause })
  }
  if (cause instanceof SdkHttpError && /after re-authentication/.test(cause.message)) {
    return new SignInNeededError(server, 'it does not accept the last sign-in', { cause })
  }
  return undefined
}

/** Deeper than any explanation; what is nested without end can be neither cleaned nor written. */
const deepestData = 256

/** A server's own error for a request, whatever it sent as one. */
export function toRefusal(
  sent: unknown,
  { server, redact }: { readonly server: string; readonly redact: Redact },
): UpstreamRpcError {
  const { code, message, data } = (sent ?? {}) as { code?: unknown; message?: unknown; data?: unknown }
  return new UpstreamRpcError(
    server,
    typeof code === 'number' ? code : -32603,
    typeof message === 'string' ? redact(message) : 'The server gave no reason.',
    isDeeperThan(data, deepestData) ? undefined : redactJson(data, redact),
  )
}

const offlineCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

const finding = (kind: TroubleKind, message: string, hint: string): Finding => ({ kind, message, hint })

function commandMissing(
  { command, cwd }: ServerConfig & { transport: 'stdio' },
  searched: readonly string[] = ['PATH'],
): Finding {
  // spawn reports a missing working directory as a missing command.
  if (cwd !== undefined && !existsSync(cwd)) {
    return finding('exit', `its working directory ${cwd} does not exist.`, 'Make it, or correct cwd.')
  }
  if (isPath(command)) return finding('exit', `there is no program ${command}.`, 'Correct command.')
  return finding('exit', `${command} was not found: not on ${listed(searched)}.`, installHint(command))
}

function listed(places: readonly string[]): string {
  return places.length < 2 ? places.join('') : `${places.slice(0, -1).join(', ')} or in ${places.at(-1)}`
}

function notExecutable(command: string): Finding {
  return finding('exit', `${command} may not be executed.`, `Make it executable: chmod +x ${command}`)
}

function tooSlow(server: ServerConfig, ms: number, stderr: string | undefined): Finding {
  const said = stderr ? ` It last wrote: ${tellingLine(stderr)}` : ''
  const trouble = stderr && server.transport === 'stdio' ? launcherTrouble(server, stderr) : undefined
  if (trouble !== undefined) return { ...trouble, detail: stderr! }
  return {
    ...finding('timeout', `no answer within ${ms} ms.${said}`, patience(server)),
    ...(stderr && { detail: stderr }),
  }
}

function patience(server: ServerConfig): string {
  if (server.transport !== 'stdio') return `Check that ${server.url} answers, or raise connectTimeoutMs.`
  return launcherOf(server.command, server.args) === undefined
    ? 'Run its command by hand to see what it waits for, or raise connectTimeoutMs.'
    : 'A first start downloads: wait for the next attempt, or raise connectTimeoutMs.'
}

/** One line tells a person; the whole of what it wrote is kept beside it. */
function processEnded(server: ServerConfig, exit: ProcessExit, stderr: string | undefined): Finding {
  const how = exit.signal === null ? `exited with code ${exit.code}` : `was ended by ${exit.signal}`
  if (!stderr) {
    return finding('exit', `the process ${how}. It wrote nothing to standard error.`, byHand)
  }
  const launcher = server.transport === 'stdio' ? launcherTrouble(server, stderr) : undefined
  if (launcher !== undefined) return { ...launcher, detail: stderr }
  return { ...finding('exit', `${tellingLine(stderr)} (the process ${how})`, byHand), detail: stderr }
}

const byHand = 'Run its command by hand to see why; check args and env in the configuration.'

function accessDenied(status: number, server: ServerConfig): Finding {
  const hint =
    server.transport !== 'stdio' && hasAuthorizationHeader(server)
      ? 'The Authorization header was refused: renew the token it refers to.'
      : 'Set the header the server asks for under "headers", e.g. "Authorization": "Bearer ..." with the token by reference.'
  return finding('auth', `access was refused (HTTP ${status}).`, hint)
}

function serverFailing(status: number): Finding {
  return finding('offline', `it answers HTTP ${status}.`, 'The trouble is on its side: it is tried again.')
}

function wrongAddress(status: number, server: ServerConfig): Finding {
  const url = server.transport === 'stdio' ? '' : server.url
  return finding(
    'protocol',
    `no MCP endpoint at ${url} (HTTP ${status}).`,
    'Check the path of the URL: most servers listen at /mcp, older ones at /sse.',
  )
}

function unreachable(code: string, server: ServerConfig): Finding {
  const where = server.transport === 'stdio' ? 'The process' : server.url
  return finding(
    'offline',
    `${where} cannot be reached (${code}).`,
    'Start it or correct its url; it is tried again.',
  )
}

function lost(): Finding {
  return finding('offline', 'the connection was lost.', 'It is opened again by itself: call again.')
}

function protocolTrouble(error: unknown): Finding {
  return finding(
    'protocol',
    `it does not keep to the protocol: ${messageOf(error).slice(0, 400)}`,
    'Check that this is an MCP server and up to date.',
  )
}

function isTimeout(error: unknown): boolean {
  return (
    (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) ||
    (error instanceof Error && error.name === 'TimeoutError')
  )
}

function isConnectionLoss(error: unknown): boolean {
  if (error instanceof SseError) return true
  if (!(error instanceof SdkError)) return false
  return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected
}

function isFailedFetch(error: unknown): boolean {
  return error instanceof TypeError && /fetch failed|terminated/.test(error.message)
}

/** Errors come wrapped: the code of the network is somewhere along the causes. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = []
  for (let next = error; next !== undefined && causes.length < 6; ) {
    causes.push(next)
    const { cause, errors } = (typeof next === 'object' && next !== null ? next : {}) as Record<
      string,
      unknown
    >
    next = Array.isArray(errors) ? errors[0] : cause
  }
  return causes
}

function systemCode(error: unknown): string | undefined {
  const codes = causesOf(error).map((cause) => (cause as { code?: unknown } | null)?.code)
  return codes.find(
    (code): code is string => typeof code === 'string' && /^E|_/.test(code) && !sdkCodes.has(code),
  )
}

const sdkCodes = new Set<string>(Object.values(SdkErrorCode))

export function httpStatus(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.data.status
  if (error instanceof SseError) return error.code
  const match = /\(HTTP (\d{3})\)/.exec(messageOf(error))
  return match === null ? undefined : Number(match[1])
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
