/** The device authorization grant (RFC 8628): a code is shown here and entered on any other device. */
import {
  type FetchLike,
  OAuthError,
  type OAuthTokens,
  parseErrorResponse,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { AuthError } from '../errors.js'
import type { HttpServerConfig } from '../model/server.js'
import { authFetch } from './auth-fetch.js'
import type { AuthRecord } from './auth-record.js'
import { explainSignIn } from './explain-sign-in.js'
import { isSafeUrl } from './is-safe-url.js'
import { judgeTokenError } from './judge-token-error.js'
import { deviceGrant } from './obtain-client.js'
import { declined } from './read-redirect.js'
import { requestTokens } from './request-tokens.js'
import { type PreparedSignIn, prepareSignIn, type SignInDeps } from './sign-in.js'
import { toTokens } from './to-tokens.js'

export interface DeviceSignInOptions extends SignInDeps {
  readonly signal: AbortSignal
  /** Lets so many milliseconds pass between two questions. */
  wait(ms: number): Promise<unknown>
  /** Tells a person where to go and what to enter there. */
  show(code: DeviceCode): void
}

const deviceCodeSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number().positive(),
  /** Seconds between two questions; 5 where the server does not say. */
  interval: z.number().optional(),
})

export type DeviceCode = Readonly<z.output<typeof deviceCodeSchema>>

export async function signInByDevice(
  server: HttpServerConfig,
  options: DeviceSignInOptions,
): Promise<AuthRecord> {
  const { file, signal, show } = options
  try {
    const prepared = await prepareSignIn(server, options, undefined)
    const fetch = authFetch(options.fetch, signal)
    const code = await askForCode(server, prepared, fetch)
    show(code)
    const tokens = await waitForApproval(server, prepared, code, { ...options, fetch })
    const record = { ...prepared.record, tokens: toTokens(tokens, prepared.scope, Date.now()) }
    await file.write(record)
    return record
  } catch (error) {
    throw signal.aborted ? signal.reason : explainSignIn(error, server.name)
  }
}

async function askForCode(
  server: HttpServerConfig,
  { authorizationServer, client, scope }: PreparedSignIn,
  fetch: FetchLike,
): Promise<DeviceCode> {
  const { deviceEndpoint, resource } = authorizationServer
  if (deviceEndpoint === undefined) {
    throw new AuthError(
      server.name,
      'its authorization server has no sign-in by device.',
      `Leave out --device: pml auth ${server.name} prints an address, and takes the answer by hand.`,
    )
  }
  const response = await fetch(deviceEndpoint, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({
      client_id: client.client_id,
      ...(scope === undefined ? {} : { scope }),
      ...(resource === undefined ? {} : { resource }),
    }),
    redirect: 'error',
  })
  if (!response.ok) throw await parseErrorResponse(response)
  const code = deviceCodeSchema.parse(await response.json())
  const { verification_uri: place, verification_uri_complete: whole = place } = code
  if (isSafeUrl(place) && isSafeUrl(whole)) return code
  throw new AuthError(
    server.name,
    `it would have you sign in at ${place}.`,
    'Do not: it is no https address.',
  )
}

const shortestWaitMs = 1_000
/** As RFC 8628 has it, 3.5. */
const slowerByMs = 5_000

async function waitForApproval(
  server: HttpServerConfig,
  prepared: PreparedSignIn,
  code: DeviceCode,
  { fetch, signal, wait }: Pick<DeviceSignInOptions, 'fetch' | 'signal' | 'wait'>,
): Promise<OAuthTokens> {
  const endsAt = Date.now() + code.expires_in * 1000
  let waitMs = Math.max(shortestWaitMs, (code.interval ?? 5) * 1000)
  while (Date.now() + waitMs <= endsAt) {
    await wait(waitMs)
    signal.throwIfAborted()
    try {
      const params = new URLSearchParams({ grant_type: deviceGrant, device_code: code.device_code })
      return await requestTokens(server, { ...prepared, params, fetch })
    } catch (error) {
      const said = error instanceof OAuthError ? String(error.code) : undefined
      if (said === 'slow_down') waitMs += slowerByMs
      else if (said === 'expired_token') break
      else if (said === 'access_denied') throw declined(server.name, said, undefined)
      // The network may come and go while a person looks for their phone.
      else if (said !== 'authorization_pending' && judgeTokenError(error).kind !== 'later') throw error
    }
  }
  throw new AuthError(
    server.name,
    'nobody entered the code in time.',
    `Get a new one with: pml auth ${server.name} --device`,
  )
}
