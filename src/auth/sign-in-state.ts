import { type HttpServerConfig, hasAuthorizationHeader } from '../model/server.js'
import type { AuthRecord } from './auth-record.js'
import { authOf } from './client-authentication.js'
import { isRenewable, isUsable } from './token-age.js'

/** How it stands with the sign-in to a server, as far as it is known here. */
export interface SignInState {
  readonly state: 'signed-in' | 'needed' | 'none' | 'header' | 'off' | 'broken'
  /** When it has to be done again, or renewed where `renewable`. */
  readonly expiresAt?: number
  readonly renewable?: boolean
  readonly scope?: string
  /** Scopes that calls were refused for. */
  readonly wantedScope?: string
  readonly issuer?: string
}

export function signInState(
  server: HttpServerConfig,
  record: AuthRecord | undefined,
  now: number,
): SignInState {
  if (server.auth === 'none') return { state: 'off' }
  if (hasAuthorizationHeader(server)) return { state: 'header' }
  const { clientId } = authOf(server)
  if (record === undefined) return { state: 'none' }
  const { tokens, issuer, wantedScope } = record
  const isOther = clientId !== undefined && record.client?.client_id !== clientId
  if (tokens === undefined || isOther) return { state: 'needed', issuer }
  const renewable = isRenewable(tokens) || authOf(server).grant === 'client_credentials'
  return {
    state: renewable || isUsable(tokens, now) ? 'signed-in' : 'needed',
    ...(tokens.expiresAt === undefined ? {} : { expiresAt: tokens.expiresAt }),
    renewable,
    ...(tokens.scope === undefined ? {} : { scope: tokens.scope }),
    ...(wantedScope === undefined ? {} : { wantedScope }),
    issuer,
  }
}
