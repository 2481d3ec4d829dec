import { computeScopeUnion } from '@modelcontextprotocol/client'
import type { HttpServerConfig } from '../model/server.js'
import type { AuthRecord } from './auth-record.js'
import { authOf } from './client-authentication.js'
import type { AuthorizationServer, Challenge } from './discover-authorization-server.js'

/**
 * Which scopes a sign-in asks for: those configured and those the server asked for; after a call was refused for want of
 * one, that one and all there were before (SEP-2350); where nobody said anything, what the server offers.
 */
export function scopeToAsk(
  server: HttpServerConfig,
  challenge: Challenge,
  record: AuthRecord | undefined,
  { offeredScope, metadata }: AuthorizationServer,
): string | undefined {
  const wanted = record?.wantedScope
  const before = wanted === undefined ? undefined : record?.tokens?.scope
  const named = computeScopeUnion(authOf(server).scopes?.join(' '), before, challenge.scope, wanted)
  const scope = named ?? offeredScope
  const canStay = metadata?.scopes_supported?.includes('offline_access') === true
  // Where a server knows it, a refresh token is given for it alone.
  return scope !== undefined && canStay ? computeScopeUnion(scope, 'offline_access') : scope
}
