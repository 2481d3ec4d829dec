import type { OAuthTokens } from '@modelcontextprotocol/client'
import type { AuthTokens } from './auth-record.js'

/** What a token endpoint answered, with times that mean something later. Without a scope, what was asked for was granted. */
export function toTokens(answer: OAuthTokens, askedScope: string | undefined, now: number): AuthTokens {
  const { access_token, token_type, refresh_token, expires_in } = answer
  const scope = answer.scope ?? askedScope
  return {
    access_token,
    token_type,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(scope === undefined || scope === '' ? {} : { scope }),
    obtainedAt: now,
    ...(expires_in === undefined ? {} : { expiresAt: now + expires_in * 1000 }),
  }
}
