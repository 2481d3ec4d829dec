import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client'

/**
 * What a failed token request means. Only an answer that says so ends a sign-in: networks fail, servers restart, portals
 * of hotels answer in their place, and none of these is a reason to throw a refresh token away.
 */
export interface TokenVerdict {
  /** `later`: it may work by itself. `ended`: the grant is gone. `refused`: something of ours has to be put right. */
  readonly kind: 'later' | 'ended' | 'refused'
  readonly reason: string
  /** The authorization server does not know this client. */
  readonly clientUnknown: boolean
}

const passing = new Set<string>([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
  'slow_down',
])
const aboutTheClient = new Set<string>([OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient])

export function judgeTokenError(error: unknown): TokenVerdict {
  if (!(error instanceof OAuthError)) {
    return { kind: 'later', reason: describeFailure(error), clientUnknown: false }
  }
  const said = error.message === error.code ? '' : `: ${error.message.slice(0, 200)}`
  const reason = `${error.code}${said}`
  if (passing.has(error.code)) return { kind: 'later', reason, clientUnknown: false }
  const kind = error.code === OAuthErrorCode.InvalidGrant ? 'ended' : 'refused'
  return { kind, reason, clientUnknown: aboutTheClient.has(error.code) }
}

/** A failed fetch hides its reason in its cause. */
export function describeFailure(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } }
  const message = error instanceof Error ? error.message : String(error)
  return (cause?.code ?? cause?.message ?? message).slice(0, 200)
}
