/**
 * How many calls that were run ahead came to nothing, within the last hour. A call counts from its start until it is used: otherwise a
 * burst would be begun before the first of it turns out to be in vain.
 */
import type { SpeculationConfig } from '../../model/speculation.js'

export interface WasteBudget {
  /** Whether one more on this server may come to nothing. */
  hasRoom(server: string, limits: Pick<SpeculationConfig, 'wastePerHour' | 'wastePerServerPerHour'>): boolean
  /** What is given back says that it was used. */
  spend(server: string): () => void
}

const hourMs = 3_600_000
/** Whatever the limits say: three at once cannot sensibly come to more. */
const mostKept = 10_000

export function createWasteBudget({ now }: { now(): number }): WasteBudget {
  /** Oldest first. */
  const spent = new Set<Spent>()
  const byServer = new Map<string, number>()

  const takeBack = (one: Spent): void => {
    if (!spent.delete(one)) return
    const others = byServer.get(one.server)! - 1
    if (others === 0) byServer.delete(one.server)
    else byServer.set(one.server, others)
  }
  const forgetOld = (): void => {
    const since = now() - hourMs
    for (const one of spent) {
      if (one.at > since) return
      takeBack(one)
    }
  }
  return {
    hasRoom(server, { wastePerHour, wastePerServerPerHour }) {
      forgetOld()
      return (
        spent.size < Math.min(wastePerHour, mostKept) && (byServer.get(server) ?? 0) < wastePerServerPerHour
      )
    },
    spend(server) {
      const one = { server, at: now() }
      spent.add(one)
      byServer.set(server, (byServer.get(server) ?? 0) + 1)
      return () => takeBack(one)
    },
  }
}

interface Spent {
  readonly server: string
  readonly at: number
}
