import { isLoopback } from '../model/is-loopback.js'

/** Tokens, codes and people are sent only where nobody on the way can read along: https, or this very machine. */
export function isSafeUrl(text: string | URL): boolean {
  if (!URL.canParse(String(text))) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** A server elsewhere must not have us knock at the doors of this machine. */
export function isSafeFrom(server: string | URL, address: string | URL): boolean {
  if (!isSafeUrl(address)) return false
  return !isLoopback(new URL(address).hostname) || isLoopback(new URL(server).hostname)
}
