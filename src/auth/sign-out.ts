import type { FetchLike } from '@modelcontextprotocol/client'
import type { HttpServerConfig } from '../model/server.js'
import { authFetch } from './auth-fetch.js'
import type { AuthRecord } from './auth-record.js'
import { clientInformation } from './client-authentication.js'
import { isSafeUrl } from './is-safe-url.js'
import type { TokenFile } from './token-file.js'

export interface SignedOut {
  readonly wasSignedIn: boolean
  /** False: the authorization server could not be told, or has no way to be; the tokens run out by themselves. */
  readonly revoked: boolean
}

/**
 * Forgets the tokens here whatever happens there; revokes them (RFC 7009) where that is possible. A registration is kept:
 * the next sign-in is that of the same client.
 */
export async function signOut(
  server: HttpServerConfig,
  { file, fetch }: { readonly file: TokenFile; readonly fetch: FetchLike },
): Promise<SignedOut> {
  const record = await file.read().catch(() => undefined)
  if (record === undefined) {
    await file.remove()
    return { wasSignedIn: false, revoked: false }
  }
  const { tokens, wantedScope: _wanted, ...rest } = record
  const { client, metadata } = rest
  if (client?.from === 'registration') await file.write(rest)
  else await file.remove()
  if (tokens === undefined) return { wasSignedIn: false, revoked: false }
  const endpoint = metadata?.revocation_endpoint
  if (typeof endpoint !== 'string' || !isSafeUrl(endpoint) || client === undefined) {
    return { wasSignedIn: true, revoked: false }
  }
  const revoke = (token: string, kind: string) =>
    revokeOne(server, record, endpoint, { token, token_type_hint: kind }, authFetch(fetch))
  // The refresh token first: it is the one that lasts, and many servers end the access tokens with it.
  const long = tokens.refresh_token === undefined || (await revoke(tokens.refresh_token, 'refresh_token'))
  const short = await revoke(tokens.access_token, 'access_token')
  return { wasSignedIn: true, revoked: long && short }
}

async function revokeOne(
  server: HttpServerConfig,
  { client }: AuthRecord,
  endpoint: string,
  params: Readonly<Record<string, string>>,
  fetch: FetchLike,
): Promise<boolean> {
  const { client_id, client_secret } = clientInformation(server, client!)
  const headers: Record<string, string> =
    client_secret === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
  try {
    const body = new URLSearchParams({ ...params, client_id })
    const response = await fetch(endpoint, { method: 'POST', headers, body, redirect: 'error' })
    await response.text()
    return response.ok
  } catch {
    return false
  }
}
