import {
  type FetchLike,
  type OAuthClientMetadata,
  registerClient,
  validateClientMetadataUrl,
} from '@modelcontextprotocol/client'
import type { HttpServerConfig } from '../model/server.js'
import type { AuthClient } from './auth-record.js'
import { authOf } from './client-authentication.js'
import type { AuthorizationServer } from './discover-authorization-server.js'

export interface ObtainClientOptions {
  readonly authorizationServer: AuthorizationServer
  /** Of an earlier sign-in with the same authorization server. */
  readonly stored: AuthClient | undefined
  /** Where the browser will come back to; none for sign-ins without one. */
  readonly redirectUrl: string | undefined
  readonly scope: string | undefined
  readonly fetch: FetchLike
}

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** Who we are to an authorization server: configured by hand, described at an address, kept, or registered now. */
export async function obtainClient(
  server: HttpServerConfig,
  options: ObtainClientOptions,
): Promise<AuthClient> {
  const { clientId, clientMetadataUrl } = authOf(server)
  if (clientId !== undefined) return { client_id: clientId, from: 'configuration' }
  const { authorizationServer, stored, redirectUrl } = options
  const { url, metadata } = authorizationServer
  if (clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true) {
    validateClientMetadataUrl(clientMetadataUrl)
    return { client_id: clientMetadataUrl, from: 'document' }
  }
  if (stored?.from === 'registration' && stored.refused !== true && fits(stored, redirectUrl)) return stored
  const registered = await registerClient(url, {
    ...(metadata === undefined ? {} : { metadata }),
    clientMetadata: describeClient(options),
    ...(options.scope === undefined ? {} : { scope: options.scope }),
    fetchFn: options.fetch,
  })
  const { client_id, client_secret, token_endpoint_auth_method } = registered
  return {
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(token_endpoint_auth_method === undefined ? {} : { token_endpoint_auth_method }),
    ...(redirectUrl === undefined ? {} : { redirect_uris: [redirectUrl] }),
    from: 'registration',
  }
}

/** RFC 8252 wants any loopback port accepted, and some servers compare letter by letter all the same. */
function fits({ redirect_uris = [] }: AuthClient, redirectUrl: string | undefined): boolean {
  return redirectUrl === undefined || redirect_uris.includes(redirectUrl)
}

function describeClient({ authorizationServer, redirectUrl }: ObtainClientOptions): OAuthClientMetadata {
  const { metadata, deviceEndpoint } = authorizationServer
  return {
    client_name: 'Casys PML',
    redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
    grant_types: [
      'authorization_code',
      'refresh_token',
      ...(deviceEndpoint === undefined ? [] : [deviceGrant]),
    ],
    response_types: ['code'],
    token_endpoint_auth_method: authMethod(metadata?.token_endpoint_auth_methods_supported),
    application_type: 'native',
  }
}

/** A program on a person's machine keeps no secret from that person, so it asks for none unless the server insists. */
function authMethod(supported: readonly string[] | undefined): string {
  if (supported === undefined || supported.length === 0 || supported.includes('none')) return 'none'
  return ['client_secret_post', 'client_secret_basic'].find((method) => supported.includes(method)) ?? 'none'
}
