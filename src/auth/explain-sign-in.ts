import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client'
import { AuthError, PmlError } from '../errors.js'
import { describeFailure } from './judge-token-error.js'
import { declined } from './read-redirect.js'

/** Whatever ended a sign-in, as one error that says what to do. */
export function explainSignIn(error: unknown, server: string): PmlError {
  if (error instanceof PmlError) return error
  const because = (message: string, hint: string) => new AuthError(server, message, hint, { cause: error })
  if (error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError) {
    return because(
      'the authorization server is not the one it says it is (issuer mismatch).',
      'Do not sign in; tell those who run the server. Who knows its other name to be right sets auth.issuer to it.',
    )
  }
  if (error instanceof InsecureTokenEndpointError) {
    return because('its token endpoint is not an https address.', 'Tell those who run the server.')
  }
  if (error instanceof RegistrationRejectedError) {
    return because(
      `the authorization server does not register us (HTTP ${error.status}).`,
      registerByHand(server),
    )
  }
  if (error instanceof OAuthError) return declined(server, error.code, error.message)
  const message = error instanceof Error ? error.message : String(error)
  if (/dynamic client registration/.test(message)) {
    return because('the authorization server registers nobody by itself.', registerByHand(server))
  }
  if (isUnreachable(error)) {
    return because(
      `the authorization server cannot be reached (${describeFailure(error)}).`,
      'Nothing is lost. Check the network and try again.',
    )
  }
  return because(
    `signing in failed: ${message.slice(0, 300)}`,
    'If it persists, tell those who run the server.',
  )
}

function registerByHand(server: string): string {
  return `Register a client there by hand and set auth.clientId of ${server} (and auth.clientSecret, auth.redirectPort).`
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === 'TimeoutError' || error.name === 'AbortError'
  const message = error instanceof Error ? error.message : ''
  return error instanceof TypeError || /^HTTP 5\d\d /.test(message)
}
