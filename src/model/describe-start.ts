import { formatDuration } from './format-duration.js'
import type { ServerState } from './server.js'

/** What a server that is not there yet is busy with, as a person reads it; undefined when it is not starting. */
export function describeStart(
  { start, status }: Pick<ServerState, 'start' | 'status'>,
  now: number,
): string | undefined {
  if (start === undefined || status === 'ready') return undefined
  const { ahead, launcher, since } = start
  const elapsed = wholeSeconds(Math.max(0, now - since))
  if (ahead !== undefined) return `waits for its turn, ${elapsed}; ${before(ahead)}`
  if (launcher === undefined) return `starting, ${elapsed}`
  const what = launcher.target === undefined ? '' : ` ${launcher.target}`
  return `${launcher.program} is starting${what}, ${elapsed}; a first start downloads it`
}

function before(ahead: number): string {
  if (ahead === 0) return 'it is next'
  return ahead === 1 ? '1 server starts before it' : `${ahead} servers start before it`
}

function wholeSeconds(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : formatDuration(ms)
}
