import type { FetchLike } from '@modelcontextprotocol/client'
import type { Authorization } from '../auth/authorization.js'

/**
 * `fetch` that tells the authorization which token was refused, and when a request is refused for want of a scope
 * (RFC 6750, 3.1); it repeats that one once, where the scope could be had without a person.
 */
export function authorizedFetch(fetch: FetchLike, authorization: Authorization): FetchLike {
  return async (url, init) => {
    const headers = new Headers(init?.headers)
    const response = await fetch(url, init)
    if (response.status === 401) {
      const token = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1]
      if (token !== undefined) authorization.noteRefused(response, token)
    }
    if (response.status !== 403 || !(await authorization.onInsufficientScope(response))) return response
    await response.body?.cancel()
    headers.set('authorization', `Bearer ${await authorization.token()}`)
    return fetch(url, { ...init, headers })
  }
}
