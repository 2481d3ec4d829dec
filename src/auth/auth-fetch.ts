import type { FetchLike } from '@modelcontextprotocol/client'

/** Longer than any authorization server that is well. */
const answerWithinMs = 15_000

/**
 * The way to an authorization server: with an end, and without the headers configured for the MCP server, which are none
 * of its business.
 */
export function authFetch(fetch: FetchLike, signal?: AbortSignal): FetchLike {
  return (url, init) => {
    const timeUp = AbortSignal.timeout(answerWithinMs)
    const ends = [timeUp, signal, init?.signal].filter((end) => end !== undefined && end !== null)
    return fetch(url, { ...init, signal: AbortSignal.any(ends) })
  }
}
