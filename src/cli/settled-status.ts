import { setTimeout as sleep } from 'node:timers/promises'
import type { Status } from '../gateway/status.js'
import type { HolderApi } from '../holder/holder-api.js'

const lookEveryMs = 100

/**
 * A gateway that this command has just opened is still connecting: gives it so long, then tells what is there. A server
 * that is tried anew after trouble is not waited for: what is wrong with it is known.
 */
export async function settledStatus(
  api: HolderApi,
  withinMs: number,
  onWait: (servers: readonly string[]) => void = () => {},
): Promise<Status> {
  const until = Date.now() + withinMs
  let told = false
  for (;;) {
    const status = (await api.get('/api/status')) as Status
    const busy = status.servers.filter(
      ({ status, trouble }) => (status === 'waiting' || status === 'connecting') && trouble === undefined,
    )
    if (busy.length === 0 || Date.now() >= until) return status
    if (!told) onWait(busy.map(({ name }) => name))
    told = true
    await sleep(lookEveryMs)
  }
}
