import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { PmlConfig } from '../model/config.js'
import { isLoopback } from '../model/is-loopback.js'

export interface Refusal {
  readonly status: 401 | 403
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Whether a TCP request may come in. On loopback: only under loopback names, which keeps web pages out (DNS rebinding,
 * cross-site requests). A configured token is always asked for; beyond loopback nothing comes in without one.
 */
export function refuse(request: IncomingMessage, http: PmlConfig['http']): Refusal | undefined {
  const loopback = isLoopback(http.host)
  const host = loopback
    ? validateHostHeader(request.headers.host, [...localhostAllowedHostnames(), bracketed(http.host)])
    : { ok: true as const }
  if (!host.ok)
    return forbidden('BAD_HOST', host.message, 'Use http://127.0.0.1 with the port, or localhost.')
  const own = loopback ? [] : [hostName(request.headers.host)]
  const origin = validateOriginHeader(request.headers.origin, [...localhostAllowedOrigins(), ...own])
  if (!origin.ok)
    return forbidden('BAD_ORIGIN', origin.message, 'Web pages of other sites may not use the gateway.')
  const remote = request.socket.remoteAddress
  const needsToken = http.token !== undefined || !loopback || (remote !== undefined && !isLoopback(remote))
  return needsToken && !hasToken(request, http.token) ? unauthorized(http.token !== undefined) : undefined
}

function hasToken(request: IncomingMessage, token: string | undefined): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (given === undefined || token === undefined) return false
  // Digests have one length, so the comparison tells nothing of the token's.
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

function hostName(header: string | undefined): string {
  return (header ?? '').replace(/:\d*$/, '')
}

function forbidden(code: string, message: string, hint: string): Refusal {
  return { status: 403, code, message, hint, headers: {} }
}

function unauthorized(configured: boolean): Refusal {
  return {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'A bearer token is needed.',
    hint: configured
      ? 'Send the header Authorization: Bearer TOKEN with the value of http.token.'
      : 'Set http.token in the configuration: beyond loopback nothing is served without one.',
    headers: { 'www-authenticate': 'Bearer realm="casys-pml"' },
  }
}
