import type { Status } from '../gateway/status.js'
import type { Holding } from '../holder/join-holder.js'
import type { PmlConfig } from '../model/config.js'
import { isLoopback } from '../model/is-loopback.js'

const answerWithinMs = 2_000

/**
 * Where a gateway that runs listens already: the holder knows of its own address; that of a front in another process is the
 * configured one, when the holder is who answers there.
 */
export async function findFront(
  { api, pid: holder }: Holding,
  configuredPlace: () => Promise<PmlConfig['http']>,
): Promise<string | undefined> {
  try {
    const { http: own } = (await api.get('/api/status')) as Status
    if (own !== undefined) return own
    const { host, port } = await configuredPlace()
    if (!isLoopback(host) || port === 0) return undefined
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`
    const answer = await fetch(new URL('status.json', url), { signal: AbortSignal.timeout(answerWithinMs) })
    const { pid } = (await answer.json()) as Partial<Status>
    return pid === holder ? url : undefined
  } catch {
    return undefined
  }
}
