import { extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client'
import { AuthError } from '../errors.js'
import type { HttpServerConfig } from '../model/server.js'
import { authFetch } from './auth-fetch.js'
import type { Challenge } from './discover-authorization-server.js'
import { describeFailure } from './judge-token-error.js'

/** Undefined: the server answers whoever asks. */
export async function askForChallenge(
  server: HttpServerConfig,
  fetch: FetchLike,
): Promise<Challenge | undefined> {
  const response = await authFetch(fetch)(server.url, question(server)).catch((cause: unknown) => {
    throw new AuthError(
      server.name,
      `${server.url} cannot be reached (${describeFailure(cause)}).`,
      'Start it, correct its url, or check the network.',
      { cause },
    )
  })
  await response.body?.cancel().catch(() => {})
  return response.status === 401 ? extractWWWAuthenticateParams(response) : undefined
}

/** A question without effect, which opens no session either. */
function question({ transport, headers }: HttpServerConfig): RequestInit {
  if (transport === 'sse') return { headers: { ...headers, accept: 'text/event-stream' }, redirect: 'manual' }
  return {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    redirect: 'manual',
  }
}
