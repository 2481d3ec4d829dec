/**
 * Which servers are left in peace. One that says it is asked too often rests for a minute, twice as long each time it says so again, or as long
 * as it asks for; one that fails three times in five calls rests for a minute. Real calls go on meanwhile: only nothing is added to them.
 */
import { BadOutputError, PmlError, UpstreamError, UpstreamRpcError } from '../../errors.js'
import { type CallEnd, type RateLimit, saysRateLimited } from './says-rate-limited.js'

export interface ServerRests {
  /** How a call of this server went, real or ahead; one that was cut off by who made it is none. */
  note(server: string, end: CallEnd): void
  isRateLimited(server: string): boolean
  isFailing(server: string): boolean
}

const firstRestMs = 60_000
const longestRestMs = 15 * 60_000
/** Whatever it asks for: a text from outside must not end running ahead for good, and it can say so again. */
const longestAskedMs = 60 * 60_000
const failingRestMs = 60_000
const lookedAt = 5
const tooManyFaults = 3
/** Names come with calls. */
const mostServers = 1_000

interface Rest {
  limitedUntil: number
  /** Of the last rest that nothing went well after; 0 for none. */
  lastRestMs: number
  failingUntil: number
  /** Newest last; true is a fault. */
  faults: readonly boolean[]
}

export function createServerRests({ now }: { now(): number }): ServerRests {
  /** Only servers that something went wrong with. */
  const rests = new Map<string, Rest>()

  return {
    note(server, end) {
      const known = rests.get(server)
      // Nearly every call ends here.
      if (known === undefined && 'result' in end && end.result?.isError !== true) return
      const limit = saysRateLimited(end)
      const isBad = isFault(end)
      if (known === undefined && limit === undefined && !isBad) return
      const rest = known ?? { limitedUntil: 0, lastRestMs: 0, failingUntil: 0, faults: [] }
      if (limit !== undefined) limitRest(rest, limit, now())
      else if (!isBad && now() >= rest.limitedUntil) rest.lastRestMs = 0
      countFault(rest, isBad, now())
      rests.delete(server)
      if (isAtEase(rest, now())) return
      rests.set(server, rest)
      if (rests.size > mostServers) rests.delete(rests.keys().next().value!)
    },
    isRateLimited: (server) => now() < (rests.get(server)?.limitedUntil ?? 0),
    isFailing: (server) => now() < (rests.get(server)?.failingUntil ?? 0),
  }
}

/** What several calls at once were told is one and the same: only after a rest is the next one longer. */
function limitRest(rest: Rest, { forMs }: RateLimit, at: number): void {
  if (forMs !== undefined) {
    rest.limitedUntil = Math.max(rest.limitedUntil, at + Math.min(forMs, longestAskedMs))
    return
  }
  if (at < rest.limitedUntil) return
  rest.lastRestMs = Math.min(longestRestMs, Math.max(firstRestMs, rest.lastRestMs * 2))
  rest.limitedUntil = at + rest.lastRestMs
}

function countFault(rest: Rest, isBad: boolean, at: number): void {
  rest.faults = [...rest.faults, isBad].slice(-lookedAt)
  if (isBad && rest.faults.filter(Boolean).length >= tooManyFaults) rest.failingUntil = at + failingRestMs
}

function isAtEase({ limitedUntil, lastRestMs, failingUntil, faults }: Rest, at: number): boolean {
  return at >= limitedUntil && at >= failingUntil && lastRestMs === 0 && !faults.includes(true)
}

/** What the server is to blame for: an error that a tool answers is an answer, and a call that was refused here never reached it. */
function isFault(end: CallEnd): boolean {
  if (!('error' in end)) return false
  const { error } = end
  if (error instanceof UpstreamRpcError) return !callersOwn.has(error.rpcCode)
  if (error instanceof UpstreamError) return error.kind !== 'auth'
  return error instanceof BadOutputError || !(error instanceof PmlError)
}

/** JSON-RPC: no such method, invalid params. */
const callersOwn = new Set([-32_601, -32_602])
