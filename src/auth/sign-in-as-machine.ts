import type { FetchLike } from '@modelcontextprotocol/client'
import { AuthError } from '../errors.js'
import type { HttpServerConfig } from '../model/server.js'
import { authFetch } from './auth-fetch.js'
import type { AuthRecord } from './auth-record.js'
import { authOf } from './client-authentication.js'
import {
  type AuthorizationServer,
  type Challenge,
  discoverAuthorizationServer,
  knownAuthorizationServer,
} from './discover-authorization-server.js'
import { newRecord } from './new-record.js'
import { requestTokens } from './request-tokens.js'
import { scopeToAsk } from './scope-to-ask.js'
import { toTokens } from './to-tokens.js'

export interface MachineSignInOptions {
  readonly fetch: FetchLike
  /** What the server said when it refused us; without one, what is known already is asked again. */
  readonly challenge: Challenge | undefined
  readonly kept: AuthRecord | undefined
}

/**
 * The client credentials grant: the machine's own rights, nobody signs in. Its secret goes to one authorization server
 * alone; were the server to name another one day, a person has to say so. Rejects with what judgeTokenError understands.
 */
export async function signInAsMachine(
  server: HttpServerConfig,
  { fetch: given, challenge, kept }: MachineSignInOptions,
): Promise<AuthRecord> {
  const fetch = authFetch(given)
  const authorizationServer =
    kept !== undefined && challenge === undefined
      ? knownAuthorizationServer(kept)
      : await discoverAuthorizationServer(server, challenge ?? {}, fetch)
  if (kept !== undefined && kept.issuer !== authorizationServer.issuer) {
    throw moved(server.name, kept.issuer, authorizationServer)
  }
  const scope = scopeToAsk(server, challenge ?? {}, kept, authorizationServer) ?? kept?.tokens?.scope
  const params = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === undefined ? {} : { scope }),
  })
  const client = { client_id: authOf(server).clientId!, from: 'configuration' as const }
  const tokens = await requestTokens(server, { authorizationServer, client, params, fetch })
  return {
    ...newRecord(server, authorizationServer, client),
    tokens: toTokens(tokens, scope, Date.now()),
  }
}

function moved(server: string, before: string, { issuer }: AuthorizationServer): AuthError {
  return new AuthError(
    server,
    `it now wants the client's secret sent to ${issuer}, and it was ${before}.`,
    `If that is right, set auth.issuer to it and run: pml auth ${server} --sign-out`,
  )
}
