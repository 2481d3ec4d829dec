/**
 * The authorization code flow (OAuth 2.1, RFC 8252) for one server: discovery, client, PKCE, exchange. It opens no
 * browser and no port: `authorize` takes somebody through the address and gives the one they came back with.
 */
import { randomBytes } from 'node:crypto'
import { exchangeAuthorization, type FetchLike, startAuthorization } from '@modelcontextprotocol/client'
import { AuthError } from '../errors.js'
import type { HttpServerConfig } from '../model/server.js'
import { authFetch } from './auth-fetch.js'
import type { AuthClient, AuthRecord } from './auth-record.js'
import { clientAuthentication, clientInformation } from './client-authentication.js'
import {
  type AuthorizationServer,
  type Challenge,
  discoverAuthorizationServer,
} from './discover-authorization-server.js'
import { explainSignIn } from './explain-sign-in.js'
import { isSafeUrl } from './is-safe-url.js'
import { newRecord } from './new-record.js'
import { obtainClient } from './obtain-client.js'
import { readRedirect } from './read-redirect.js'
import { scopeToAsk } from './scope-to-ask.js'
import { toTokens } from './to-tokens.js'
import type { TokenFile } from './token-file.js'

/** Given the address to sign in at, gives the whole address it led to (or the code alone). */
export type Authorize = (authorizationUrl: URL) => Promise<string | URL>

export interface SignInDeps {
  readonly file: TokenFile
  readonly fetch: FetchLike
  readonly challenge: Challenge
}

export interface SignInOptions extends SignInDeps {
  readonly redirectUrl: string
  readonly authorize: Authorize
}

/** Rejects with a PmlError; what was kept before stays until there is something new. */
export async function signIn(server: HttpServerConfig, options: SignInOptions): Promise<AuthRecord> {
  const { file, redirectUrl, authorize } = options
  const fetch = authFetch(options.fetch)
  try {
    const { authorizationServer, scope, client, record } = await prepareSignIn(server, options, redirectUrl)
    const { url, metadata, resource } = authorizationServer
    const known = {
      ...(metadata === undefined ? {} : { metadata }),
      ...(resource === undefined ? {} : { resource }),
      clientInformation: clientInformation(server, client),
    }
    const state = randomBytes(24).toString('base64url')
    const { authorizationUrl, codeVerifier } = await startAuthorization(url, {
      ...known,
      redirectUrl,
      state,
      ...(scope === undefined ? {} : { scope }),
    })
    if (!isSafeUrl(authorizationUrl)) throw unsafeAddress(server.name, authorizationUrl)
    const expected = { server: server.name, state, authorizationServer }
    const { code, iss } = readRedirect(String(await authorize(authorizationUrl)), expected)
    const answer = await exchangeAuthorization(url, {
      ...known,
      ...clientAuthentication(server),
      authorizationCode: code,
      ...(iss === undefined ? {} : { iss }),
      codeVerifier,
      redirectUri: redirectUrl,
      fetchFn: fetch,
    })
    const signedIn = { ...record, tokens: toTokens(answer, scope, Date.now()) }
    await file.write(signedIn)
    return signedIn
  } catch (error) {
    throw explainSignIn(error, server.name)
  }
}

export interface PreparedSignIn {
  readonly authorizationServer: AuthorizationServer
  readonly scope: string | undefined
  readonly client: AuthClient
  /** Everything but the tokens to come. */
  readonly record: AuthRecord
}

/** What every way of signing in begins with. A new registration is kept at once, so that a second try needs no other. */
export async function prepareSignIn(
  server: HttpServerConfig,
  { file, fetch: given, challenge }: SignInDeps,
  redirectUrl: string | undefined,
): Promise<PreparedSignIn> {
  const fetch = authFetch(given)
  // A file that cannot be read is replaced by the sign-in.
  const kept = await file.read().catch(() => undefined)
  const authorizationServer = await discoverAuthorizationServer(server, challenge, fetch)
  const same = kept?.issuer === authorizationServer.issuer ? kept : undefined
  const scope = scopeToAsk(server, challenge, same, authorizationServer)
  const client = await obtainClient(server, {
    authorizationServer,
    stored: same?.client,
    redirectUrl,
    scope,
    fetch,
  }).catch((error: unknown) => {
    // Nothing was published, and nobody is at the paths of old either.
    throw authorizationServer.isPublished || error instanceof TypeError ? error : noSignIn(server.name, error)
  })
  const record = newRecord(server, authorizationServer, client)
  if (kept?.tokens === undefined && client !== same?.client) await file.write(record)
  return { authorizationServer, scope, client, record }
}

function noSignIn(server: string, cause: unknown): AuthError {
  return new AuthError(
    server,
    'it offers no sign-in that can be found.',
    'If it takes a fixed token, set the header it asks for under "headers", with the token by reference.',
    { cause },
  )
}

function unsafeAddress(server: string, { protocol, host }: URL): AuthError {
  return new AuthError(
    server,
    `it would have you sign in at ${protocol}//${host}, which is not an https address.`,
    'Do not sign in there; tell those who run the server.',
  )
}
