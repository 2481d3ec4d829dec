import type { HttpServerConfig } from '../model/server.js'
import type { AuthClient, AuthRecord } from './auth-record.js'
import type { AuthorizationServer } from './discover-authorization-server.js'

/** Everything that is kept of a sign-in but its tokens. */
export function newRecord(
  server: HttpServerConfig,
  { url, issuer, metadata, resource }: AuthorizationServer,
  client: AuthClient,
): AuthRecord {
  return {
    version: 1,
    server: server.name,
    url: server.url,
    issuer,
    authorizationServerUrl: url,
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
    ...(resource === undefined ? {} : { resource }),
    client,
  }
}
