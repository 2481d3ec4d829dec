import {
  type AuthorizationServerMetadata,
  discoverOAuthServerInfo,
  type FetchLike,
  selectResourceURL,
} from '@modelcontextprotocol/client'
import { AuthError } from '../errors.js'
import type { HttpServerConfig } from '../model/server.js'
import type { AuthRecord } from './auth-record.js'
import { authOf } from './client-authentication.js'
import { isSafeFrom, isSafeUrl } from './is-safe-url.js'

/** Who may let us in to a server, as the server and that authorization server themselves tell. */
export interface AuthorizationServer {
  readonly url: string
  readonly issuer: string
  /** Absent for servers of 2025-03-26 that publish none: then the default paths are tried. */
  readonly metadata?: AuthorizationServerMetadata
  /** The resource indicator (RFC 8707), where the server names itself. */
  readonly resource?: string
  /** Where a code for another device is asked for (RFC 8628). */
  readonly deviceEndpoint?: string
  /** Every scope the server knows. */
  readonly offeredScope?: string
  /** True when at least one of the two published something. */
  readonly isPublished: boolean
}

/** What a server said when it refused us (RFC 9728, RFC 6750). */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined
  readonly scope?: string | undefined
}

export async function discoverAuthorizationServer(
  server: HttpServerConfig,
  challenge: Challenge,
  fetch: FetchLike,
): Promise<AuthorizationServer> {
  if (!isSafeUrl(server.url)) {
    throw new AuthError(
      server.name,
      'a sign-in would be sent over plain http, for everybody to read.',
      'Use its https address; plain http is for this machine alone.',
    )
  }
  const { resourceMetadataUrl } = challenge
  const found = await discoverOAuthServerInfo(server.url, {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    fetchFn: fetchFrom(server, fetch),
    // A person who named the issuer vouches for it; checkIssuer below holds the server to that name.
    skipIssuerMetadataValidation: authOf(server).issuer !== undefined,
  })
  const { authorizationServerMetadata: metadata, resourceMetadata } = found
  const url = String(found.authorizationServerUrl)
  const selected = await selectResourceURL(server.url, {} as never, resourceMetadata)
  // As it is written there: an URL object would add a slash, and some servers compare letter by letter.
  const resource = selected && (resourceMetadata?.resource ?? selected.href)
  const offeredScope = resourceMetadata?.scopes_supported?.join(' ')
  const discovered: AuthorizationServer = {
    url,
    issuer: metadata?.issuer ?? url,
    ...(metadata === undefined ? {} : { metadata }),
    ...(resource === undefined ? {} : { resource }),
    ...(offeredScope ? { offeredScope } : {}),
    ...deviceEndpointOf(metadata),
    isPublished: metadata !== undefined || resourceMetadata !== undefined,
  }
  checkIssuer(server, discovered)
  checkEndpoints(server, discovered)
  return discovered
}

/** The same from what an earlier sign-in kept: renewing must not depend on being able to look it up again. */
export function knownAuthorizationServer(record: AuthRecord): AuthorizationServer {
  return {
    url: record.authorizationServerUrl,
    issuer: record.issuer,
    ...(record.metadata === undefined
      ? {}
      : { metadata: record.metadata as unknown as AuthorizationServerMetadata }),
    ...(record.resource === undefined ? {} : { resource: record.resource }),
    isPublished: true,
  }
}

/** The SDK passes it on without knowing it. */
function deviceEndpointOf(metadata: object | undefined): { deviceEndpoint?: string } {
  const { device_authorization_endpoint: endpoint } = (metadata ?? {}) as Record<string, unknown>
  return typeof endpoint === 'string' ? { deviceEndpoint: endpoint } : {}
}

function checkIssuer(server: HttpServerConfig, { issuer }: AuthorizationServer): void {
  const { issuer: expected } = authOf(server)
  if (expected === undefined || withoutSlash(expected) === withoutSlash(issuer)) return
  throw new AuthError(
    server.name,
    `it sends us to ${issuer} to sign in, and auth.issuer says ${expected}.`,
    'Correct auth.issuer if the server has moved; otherwise do not sign in.',
  )
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text
}

function checkEndpoints(server: HttpServerConfig, { url, metadata }: AuthorizationServer): void {
  const endpoints = Object.entries(metadata ?? { url }).filter(
    ([name]) => name === 'url' || name.endsWith('_endpoint'),
  )
  const unsafe = endpoints.find(
    ([, address]) => typeof address === 'string' && !isSafeFrom(server.url, address),
  )
  if (unsafe === undefined) return
  throw unsafeAddress(server.name, `its ${unsafe[0]}`, String(unsafe[1]))
}

/** Where a server and its documents lead us is held to the same rule. */
function fetchFrom({ name, url: server }: HttpServerConfig, fetch: FetchLike): FetchLike {
  return async (url, init) => {
    if (isSafeFrom(server, url)) return fetch(url, init)
    throw unsafeAddress(name, 'where it sends us', new URL(url).origin)
  }
}

function unsafeAddress(server: string, what: string, address: string): AuthError {
  return new AuthError(
    server,
    `${what} is not an https address beyond this machine: ${address}.`,
    'Do not sign in there; tell those who run the server.',
  )
}
