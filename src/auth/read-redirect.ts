import { validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client'
import { AuthError } from '../errors.js'
import type { AuthorizationServer } from './discover-authorization-server.js'

export interface ExpectedRedirect {
  readonly server: string
  readonly state: string
  readonly authorizationServer: AuthorizationServer
}

export interface AuthorizationReply {
  readonly code: string
  readonly iss?: string
}

/**
 * What came back from the authorization server, by the browser's redirect or by hand: the whole address, or its code
 * alone. Nothing of a reply is believed before it is known to answer our question (state) and who gave it (RFC 9207).
 */
export function readRedirect(text: string, expected: ExpectedRedirect): AuthorizationReply {
  const { server, state, authorizationServer } = expected
  const given = text.trim()
  if (!URL.canParse(given)) return readCode(given, server)
  const params = new URL(given).searchParams
  if (params.get('state') !== state) {
    throw new AuthError(
      server,
      'the answer belongs to another sign-in (its state is not ours).',
      `Begin anew with: pml auth ${server}, and use the address that it prints.`,
    )
  }
  const iss = params.get('iss') ?? undefined
  const { metadata } = authorizationServer
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  })
  const error = params.get('error')
  if (error !== null) throw declined(server, error, params.get('error_description'))
  const code = params.get('code')
  if (code === null || code === '') throw notAnAnswer(server)
  return { code, ...(iss === undefined ? {} : { iss }) }
}

export function declined(server: string, error: string, description: string | null | undefined): AuthError {
  const said = description ? `: ${description.slice(0, 200)}` : ''
  return error === 'access_denied'
    ? new AuthError(server, `access was denied${said}.`, `Run pml auth ${server} again, and allow it there.`)
    : new AuthError(
        server,
        `the authorization server refused (${error.slice(0, 80)}${said}).`,
        error === 'invalid_scope'
          ? 'Correct auth.scopes in the configuration.'
          : `Try again with: pml auth ${server}; if it persists, ask those who run the server.`,
      )
}

/** A code by itself has no state; whoever types it here has just been given the address by us. */
function readCode(text: string, server: string): AuthorizationReply {
  if (!/^[\x21-\x7e]+$/.test(text)) throw notAnAnswer(server)
  return { code: text }
}

function notAnAnswer(server: string): AuthError {
  return new AuthError(
    server,
    'that is neither an address with a code nor a code.',
    'Paste the whole address that the browser shows at the end, from http to its last letter.',
  )
}
