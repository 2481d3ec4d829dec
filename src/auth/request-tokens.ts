import { type FetchLike, fetchToken, type OAuthTokens } from '@modelcontextprotocol/client'
import type { HttpServerConfig } from '../model/server.js'
import type { AuthClient } from './auth-record.js'
import { clientAuthentication, clientInformation } from './client-authentication.js'
import type { AuthorizationServer } from './discover-authorization-server.js'

export interface TokenRequest {
  readonly authorizationServer: AuthorizationServer
  readonly client: AuthClient
  /** The grant and what belongs to it. */
  readonly params: URLSearchParams
  readonly fetch: FetchLike
}

/** A token request of any grant, proved and sent as the SDK does it. */
export function requestTokens(
  server: HttpServerConfig,
  { authorizationServer, client, params, fetch }: TokenRequest,
): Promise<OAuthTokens> {
  const { url, issuer, metadata, resource } = authorizationServer
  const unused = (): never => {
    throw new Error('This grant has no redirect.')
  }
  return fetchToken(
    {
      redirectUrl: undefined,
      clientMetadata: { redirect_uris: [] },
      clientInformation: () => ({ ...clientInformation(server, client), issuer }),
      prepareTokenRequest: () => params,
      tokens: () => undefined,
      saveTokens: unused,
      redirectToAuthorization: unused,
      saveCodeVerifier: unused,
      codeVerifier: unused,
      ...clientAuthentication(server),
    },
    url,
    {
      ...(metadata === undefined ? {} : { metadata }),
      ...(resource === undefined ? {} : { resource: resource as never }),
      fetchFn: fetch,
    },
  )
}
