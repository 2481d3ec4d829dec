import { type FetchLike, refreshAuthorization } from '@modelcontextprotocol/client'
import type { HttpServerConfig } from '../model/server.js'
import type { AuthRecord, AuthTokens } from './auth-record.js'
import { clientAuthentication, clientInformation } from './client-authentication.js'
import { knownAuthorizationServer } from './discover-authorization-server.js'
import { toTokens } from './to-tokens.js'

/** One use of a refresh token. Rejects with what judgeTokenError understands. */
export async function renewTokens(
  server: HttpServerConfig,
  record: AuthRecord,
  fetch: FetchLike,
): Promise<AuthTokens> {
  const { tokens, client } = record
  const { url, metadata, resource } = knownAuthorizationServer(record)
  const answer = await refreshAuthorization(url, {
    ...(metadata === undefined ? {} : { metadata }),
    ...(resource === undefined ? {} : { resource }),
    clientInformation: clientInformation(server, client!),
    ...clientAuthentication(server),
    refreshToken: tokens!.refresh_token!,
    fetchFn: fetch,
  })
  return toTokens(answer, tokens!.scope, Date.now())
}
