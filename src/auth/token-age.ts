import type { AuthTokens } from './auth-record.js'

/** Time for a request that is on its way with it. */
const spareMs = 5_000

/** Renewed when a tenth of its life is left, or a minute; a short-lived one at half its life. */
export function isDue({ obtainedAt, expiresAt }: AuthTokens, now: number): boolean {
  if (expiresAt === undefined) return false
  const life = expiresAt - obtainedAt
  return now >= expiresAt - Math.min(Math.max(60_000, life / 10), life / 2)
}

/** Good for at least the request about to be sent; a token that lives for seconds is used to its last one. */
export function isUsable({ obtainedAt, expiresAt }: AuthTokens, now: number): boolean {
  if (expiresAt === undefined) return true
  return now < expiresAt - Math.min(spareMs, (expiresAt - obtainedAt) / 10)
}

export function isRenewable({ refresh_token, endedAt }: AuthTokens): boolean {
  return refresh_token !== undefined && endedAt === undefined
}
