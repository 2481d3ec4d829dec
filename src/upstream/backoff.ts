/** Full jitter (AWS Architecture Blog, "Exponential Backoff And Jitter"): servers that fell together do not rise together. */
const firstMs = 500
const longestMs = 60_000
/** Below this a server that dies at birth would be started in a loop. */
const shortestMs = 50

export function backoffMs(failures: number, random: () => number = Math.random): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 20))
  return Math.max(shortestMs, Math.round(random() * ceiling))
}
